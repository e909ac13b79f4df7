// Verifies the files that a crash left: opens them read-only, analyzes their log, and compares every page with what the log proves.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/run/driver.hpp"
#include "sim/run/time_series.hpp"
#include "sim/verify/left_files.hpp"
#include "sim/verify/left_promises.hpp"
#include "sim/verify/log_analysis.hpp"
#include "sim/verify/page_verification.hpp"

namespace sim {

class VerifyDriver final : public Driver {
public:
    VerifyDriver(Options options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink, PromiseKeeper* keeper);
    ~VerifyDriver() override;

    [[nodiscard]] Progress progress() const override;

private:
    // What exists only while the files are open.
    struct Parts {
        LeftPromises promises;
        LeftFiles left;
        std::vector<SimFile*> log_files;
        std::vector<SimFile*> data_files;
        std::vector<SimFile*> files;  // all, in the order of the configuration
        std::vector<DriveFacts> drives;
        std::unique_ptr<LogAnalysis> log;
        std::unique_ptr<PageVerification> pages;
        std::unique_ptr<TimeSeries> time_series;
        ums::Event monitors_stop;
        ums::TaskGroup monitors;
    };

    ums::Task<void> main() override;
    [[nodiscard]] Totals totals() const override;
    void after_phase(Phase phase) override;

    void open_files();
    ums::Task<void> verify();
    void note_half_made_files();
    void judge_empty_log();
    void report_odd_files();
    void report_file(const LeftFile& left);
    void collect();
    void close_files();

    std::unique_ptr<Parts> parts_;
    mutable std::mutex parts_mutex_;  // held by progress() while it looks at parts_, and while they are made and taken down
};

}  // namespace sim
