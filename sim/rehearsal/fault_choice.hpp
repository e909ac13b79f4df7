// Decides which request goes wrong, and how, when it is posted. Each page gets at most one fault. Requests without an owner (creating the
// files, a search for evidence) are never chosen. Not thread-safe unless a function says otherwise: the injector guards it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/finding.hpp"
#include "sim/rehearsal/fault_plan.hpp"
#include "sim/rehearsal/fault_record.hpp"
#include "sim/rehearsal/wrong_image.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/storage.hpp"

namespace sim {

// What happens to one request: decided when it is posted, carried out when it completes. Plain data.
struct RequestFate {
    struct Chosen {
        std::size_t plan = 0;
        FindingKind kind{};  // that of the plan
        std::uint32_t page = 0;
        ImageBytes older{};  // for writes: the previous contents
    };
    struct Buffer {  // the contents of the buffer before the read
        std::uint32_t page = 0;
        std::vector<std::byte> bytes;
    };

    int error_code = 0;                       // if not 0, the request does not reach the storage
    std::uint64_t transferred_bytes = ~0ULL;  // what the request reports at most
    std::uint64_t short_bytes = 0;            // the engine received only this many at first, and continued
    std::uint64_t delay_ns = 0;
    std::vector<Chosen> chosen;
    std::vector<Buffer> buffers;

    [[nodiscard]] bool is_good() const {
        return error_code == 0 && transferred_bytes == ~0ULL && short_bytes == 0 && delay_ns == 0 && chosen.empty() && buffers.empty();
    }
};

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

    // A sync by the program: it concerns the file as a whole.
    void decide_sync(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);
    // A read or a write.
    void decide_transfer(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);
    // Next, for a write: reads the present contents of the chosen pages. Their latches are held, so nothing else reads or writes them now,
    // and the injector need not guard this.
    void read_older(const ums::IoRequest& request, RequestFate& fate) const;

    // This kind of fault is impossible for the chosen page: the plan may choose one more.
    void take_back(const RequestFate::Chosen& chosen) { ++plans_[chosen.plan].count_max; }
    // The kind of fault for a written log block (`anywhere`), a written chunk of the backup chain (`chain`), or a log block that a backup
    // reads (`log_backup`); nothing if it stays right.
    [[nodiscard]] std::optional<FindingKind> draw_log_fault(FaultPlace place);

private:
    [[nodiscard]] bool draws(const FaultPlan& plan);
    [[nodiscard]] bool fits(const FaultPlan& plan, const FaultyFile& file, const ums::IoRequest& request, std::uint32_t page);
    void choose_pages(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);
    void choose_page(FaultyFile& file, const ums::IoRequest& request, std::uint32_t page, RequestFate& fate);
    void make_sick(FaultyFile& file, const ums::IoRequest& request);
    void make_sick(FaultyFile& file, const ums::IoRequest& request, FindingKind kind, std::uint64_t offset_bytes);
    void fail_read_range(FaultPlan& plan, FaultyFile& file, const ums::IoRequest& request);
    void fail_written_pages(FaultPlan& plan, FaultyFile& file, const ums::IoRequest& request);
    void suffer(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);
    void stall(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);
    static void save_buffers(const FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);

    const Parts parts_;
    std::vector<FaultPlan> plans_;
};

}  // namespace sim
