// Which request goes wrong, and how: decided when it is posted. Each page gets one fault at most. Requests without an owner (creating the
// files, a search for evidence) are never chosen. Not thread-safe unless a function says otherwise: the injector guards it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/rehearsal/fault_plan.hpp"
#include "sim/rehearsal/fault_record.hpp"
#include "sim/rehearsal/request_fate.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/storage.hpp"

namespace sim {

class FaultChoice {
public:
    struct Parts {
        ums::Storage& inner;
        const FaultMoment& moment;
        ums::Prng& prng;
        FaultRecord& record;
    };

    // The parts must outlive the choice.
    FaultChoice(std::vector<FaultPlan> plans, const Parts& parts) : parts_(parts), plans_(std::move(plans)) {}

    // A sync of the program's: about the file as a whole.
    void decide_sync(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);
    // A read or a write.
    void decide_transfer(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);
    // Then, for a write: reads the present contents of the chosen pages. Nobody else reads or writes them now, because their latches are
    // held, so this needs no guard by the injector.
    void read_older(const ums::IoRequest& request, RequestFate& fate) const;

    // The choice fell on a page of which no such fault can be made: the plan may choose one more.
    void take_back(const RequestFate::Chosen& chosen) { ++plans_[chosen.plan].count_max; }
    // How it becomes wrong, or nothing: a log block that has been written (`anywhere`), a chunk of the backup chain that has been written
    // (`chain`), a log block that a backup reads (`log_backup`).
    [[nodiscard]] std::optional<FindingKind> draw_log_fault(FaultPlace place);

private:
    [[nodiscard]] bool draws(const FaultPlan& plan);
    [[nodiscard]] bool fits(const FaultPlan& plan, const FaultyFile& file, const ums::IoRequest& request, std::uint32_t page);
    void choose_pages(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);
    void choose_page(FaultyFile& file, const ums::IoRequest& request, std::uint32_t page, RequestFate& fate);
    void make_sick(FaultyFile& file, const ums::IoRequest& request);
    void make_sick(FaultyFile& file, const ums::IoRequest& request, FindingKind kind, std::uint64_t offset_bytes);
    void suffer(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);
    void stall(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);
    static void save_buffers(const FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);

    const Parts parts_;
    std::vector<FaultPlan> plans_;
};

}  // namespace sim
