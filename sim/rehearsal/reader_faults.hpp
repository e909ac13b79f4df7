// Injects, while an owner works on files, the faults that its readers must find: the pages and times follow from a seed. For virtual time,
// one thread.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sim/rehearsal/owner_view.hpp"
#include "sim/rehearsal/reader_fault.hpp"
#include "sim/rehearsal/reader_view.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/simulated_storage.hpp"

namespace sim {

class ReaderFaults {
public:
    // All references must outlive the object. `views`: of all readers, at least one.
    ReaderFaults(ReaderFault fault, std::uint64_t seed, ums::SimulatedStorage& volume, const ums::Clock& clock,
                 std::vector<ReaderView*> views);

    // The files are made and written, and the owner's main run begins.
    void begin() { begun_ns_ = clock_.now_ns(); }
    // The owner's events.
    void page_written(const OwnerView::PageWrite& write);
    void has_grown(const OwnerView::Growth& growth);
    // No write is under way any more: applies the faults of the volume that were kept for the end.
    void owner_is_over();

    // The volume no longer holds what went wrong on it.
    [[nodiscard]] bool is_healed(const ReaderTrouble& trouble) const;

private:
    enum class Place : std::uint8_t { on_the_way, at_a_write, at_the_end };
    // A fault for the next page that fits.
    struct Plan {
        std::uint64_t after_ns = 0;  // the start of the main run
        Place place{};
        std::size_t reader = 0;
        std::uint32_t reads = kReadsForGood;
    };

    [[nodiscard]] Plan draw();
    [[nodiscard]] bool fits(const OwnerView::PageWrite& write) const;
    bool begin_trouble(const Plan& plan, const OwnerView::PageWrite& write);
    void put(const ReaderTrouble& trouble);
    [[nodiscard]] std::vector<std::byte> other_page(const OwnerView::PageWrite& write);
    [[nodiscard]] std::vector<std::uint32_t> some_bits();

    const ReaderFault fault_;
    ums::Prng prng_;
    ums::SimulatedStorage& volume_;
    const ums::Clock& clock_;
    const std::vector<ReaderView*> views_;
    std::uint64_t begun_ns_ = 0;  // 0: not yet
    std::vector<Plan> plans_;
    std::vector<ReaderTrouble> at_the_end_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> used_;  // file and page
};

}  // namespace sim
