// A run that only reads, again and again, the files on which a run on another host works, until that one has ended, as a report server or a
// backup does. Opens files read-only, and neither locks nor creates any. docs/hosts.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/readers/promise_view.hpp"
#include "sim/readers/reader_pass.hpp"
#include "sim/run/read_only_driver.hpp"

namespace sim {

class ReaderDriver final : public ReadOnlyDriver {
public:
    // `keeper` knows what the owner has been promised; `group` knows the owner (RunGroup::reads_with()).
    ReaderDriver(Options options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink, PromiseKeeper* keeper, RunGroup* group);
    ~ReaderDriver() override;

private:
    struct Parts final : OpenFiles {
        std::uint64_t run_id = 0;
        std::vector<std::unique_ptr<SimFile>> owned;
        std::unique_ptr<PromiseView> view;
        ToldImages told;
        std::unique_ptr<ReaderPass> pass;  // the present one
    };

    ums::Task<void> main() override;
    [[nodiscard]] double done_fraction() const override;

    ums::Task<void> meet(RunGroup::Meeting meeting);
    void open_files();
    ums::Task<void> read();
    ums::Task<void> read_passes();
    ums::Task<void> read_once(bool is_last);
    ums::Task<void> open_anew();
    [[nodiscard]] bool names_other_files();
    void tell_trouble();
    void judge_end(RunGroup::Owner owner);

    const bool is_close_to_open_;
    ReaderResult done_;
    std::string trouble_;              // as last reported
    bool knows_all_promises_ = false;  // of the present pass: the keeper was asked before it, and has answered
    Parts* parts_ = nullptr;           // while the files are open
};

}  // namespace sim
