// Verifies the files that a crash left: opens them read-only, analyzes their log, and compares every page with what the log proves.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/run/read_only_driver.hpp"
#include "sim/verify/left_files.hpp"
#include "sim/verify/left_promises.hpp"
#include "sim/verify/log_analysis.hpp"
#include "sim/verify/page_verification.hpp"

namespace sim {

class VerifyDriver final : public ReadOnlyDriver {
public:
    VerifyDriver(Options options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink, PromiseKeeper* keeper);
    ~VerifyDriver() override;

private:
    struct Parts final : OpenFiles {
        LeftPromises promises;
        LeftFiles left;
        std::vector<SimFile*> log_files;
        std::vector<SimFile*> data_files;
        std::unique_ptr<LogAnalysis> log;
        std::unique_ptr<PageVerification> pages;
    };

    ums::Task<void> main() override;
    [[nodiscard]] double done_fraction() const override;
    void describe() override;

    void open_files();
    ums::Task<void> verify();
    void note_half_made_files();
    void judge_empty_log();
    void stop_with_nothing(NothingToVerify why, std::string reason);
    void report_odd_files();
    void report_file(const LeftFile& left);

    bool has_reported_odd_files_ = false;
    Parts* parts_ = nullptr;  // while the files are open
};

}  // namespace sim
