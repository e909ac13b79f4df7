// What was recently done with the files, for findings: a vendor can look up the requests in a trace. One ring for each scheduler, and one
// for the operations on places that had a finding, which others must not overwrite.
//
// Memory: kOperationsKept * 96 bytes = 768 KiB for each scheduler, and as much for the places with findings, allocated by the system on
// first use. An entry is made when a request has completed; outstanding requests are not included. Making one costs a copy of 96 bytes
// under an uncontended lock: no allocation, nothing shared.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sim/finding.hpp"
#include "sim/journal/operation_ring.hpp"
#include "sim/limits.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/io/io_request.hpp"

namespace sim {

inline constexpr std::size_t kOperationsKept = 8192;
// Places with findings whose operations are kept separately; later ones have only the common rings.
inline constexpr std::size_t kWatchedPlacesMax = 1000;

enum class OperationPurpose : std::uint8_t {
    work,
    diagnosis,  // repeated because an answer was wrong
};

class History {
public:
    // `cpu_count` schedulers, numbered 0, 1, …, will record. `clock` must outlive the history.
    explicit History(const ums::Clock& clock, std::uint32_t cpu_count = kCpusMax);

    // The request, a read or a write, has completed. Version and LSN are taken from the header of its first page or log block, as written
    // or as it came back. On a scheduler's thread, from the task that posted it, while its memory is still there.
    void record(const ums::IoRequest& request, std::uint32_t file_id, OperationPurpose purpose = OperationPurpose::work);

    // From now on, operations on this range of the file are kept separately, including those known so far. Any thread.
    void watch(std::uint32_t file_id, std::uint64_t offset_bytes, std::uint64_t size_bytes);

    // The newest `count_max` operations that touched the range, oldest first. Any thread.
    [[nodiscard]] std::vector<HistoryEntry> page_history(std::uint32_t file_id, std::uint64_t offset_bytes, std::uint64_t size_bytes,
                                                         std::size_t count_max) const;
    // The newest `count_max` operations on all files, oldest first. Any thread.
    [[nodiscard]] std::vector<HistoryEntry> latest(std::size_t count_max) const;

private:
    struct Place {
        std::uint32_t file_id = 0;
        std::uint64_t begin_bytes = 0;
        std::uint64_t end_bytes = 0;
        [[nodiscard]] bool holds(const Operation& operation) const {
            return operation.file_id == file_id && operation.offset_bytes < end_bytes &&
                   begin_bytes < operation.offset_bytes + operation.size_bytes;
        }
        friend bool operator==(const Place&, const Place&) = default;
    };

    [[nodiscard]] bool is_watched(const Operation& operation) const;
    // Sorts them by time of posting, drops duplicates, and keeps the newest.
    [[nodiscard]] std::vector<HistoryEntry> entries(std::vector<Operation>& operations, std::size_t count_max) const;

    const ums::Clock& clock_;
    ums::MemoryRegion memory_;
    std::deque<OperationRing> rings_;         // one for each scheduler
    std::unique_ptr<OperationRing> watched_;  // operations on watched places, of all schedulers

    // Places are only added: those before the count never change.
    const std::unique_ptr<Place[]> places_;
    std::atomic<std::size_t> place_count_{0};
    ums::Spinlock places_lock_;  // held to add one
};

}  // namespace sim
