// A run that only reads, again and again, the files on which a run on another host works, until that one has ended, as a report server or a
// backup does. Opens files read-only, and neither locks nor creates any. docs/hosts.md.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "sim/readers/promise_view.hpp"
#include "sim/readers/reader_pass.hpp"
#include "sim/run/driver.hpp"
#include "sim/run/time_series.hpp"

namespace sim {

class ReaderDriver final : public Driver {
public:
    // `keeper` knows what the owner has been promised; `group` knows the owner (RunGroup::reads_with()).
    ReaderDriver(Options options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink, PromiseKeeper* keeper, RunGroup* group);
    ~ReaderDriver() override;

    [[nodiscard]] Progress progress() const override;

private:
    // What exists only while the files are open.
    struct Parts {
        std::uint64_t run_id = 0;
        std::vector<std::unique_ptr<SimFile>> owned;
        std::vector<SimFile*> files;
        std::vector<DriveFacts> drives;
        std::unique_ptr<PromiseView> view;
        ToldImages told;
        std::unique_ptr<TimeSeries> time_series;
        std::unique_ptr<ReaderPass> pass;  // the present one
        ums::Event monitors_stop;
        ums::TaskGroup monitors;
    };

    ums::Task<void> main() override;
    [[nodiscard]] Totals totals() const override;
    void after_phase(Phase phase) override;

    ums::Task<void> meet(RunGroup::Meeting meeting);
    void open_files();
    ums::Task<void> record_time_series();
    ums::Task<void> read_passes();
    ums::Task<void> read_once(bool is_last);
    ums::Task<void> open_anew();
    void tell_trouble();
    void judge_end(RunGroup::Owner owner);
    void collect();
    void close_files();

    const bool is_close_to_open_;
    ReaderResult done_;
    std::string trouble_;              // as last reported
    bool knows_all_promises_ = false;  // of the present pass: the keeper was asked before it, and has answered
    std::unique_ptr<Parts> parts_;
    mutable std::mutex parts_mutex_;  // held by progress() while it looks at parts_, and while they are made and taken down
};

}  // namespace sim
