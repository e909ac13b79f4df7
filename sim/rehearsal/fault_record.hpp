// Remembers each injected fault, how it must be classified, and whether it ever gave wrong data to the program under test. Not thread-safe:
// the injector guards it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/rehearsal/faulty_files.hpp"
#include "sim/rehearsal/injected_fault.hpp"
#include "sim/rehearsal/lost_log_blocks.hpp"
#include "sim/results.hpp"
#include "ums/base/clock.hpp"

namespace sim {

// The present time and phase, for the code that chooses faults and the code that records them.
struct FaultMoment {
    const ums::Clock& clock;
    std::function<Phase()> phase_source{};  // may be empty; called from the schedulers' threads

    [[nodiscard]] std::uint64_t now_ns() const { return clock.now_ns(); }
    // Nothing if there is no source.
    [[nodiscard]] std::optional<Phase> phase() const { return phase_source ? std::optional(phase_source()) : std::nullopt; }
};

class FaultRecord {
public:
    struct Place {
        const FaultyFile& file;
        std::uint64_t offset_bytes;
        std::uint64_t size_bytes;
    };

    // Both must outlive the record.
    FaultRecord(FaultyFiles& files, const FaultMoment& moment) : files_(files), moment_(moment) {}

    // Valid until the next fault is added.
    InjectedFault& add(FindingKind kind, const Place& place, bool transient, std::string what);
    // A fault of a page, which then gets no other.
    InjectedFault& add_page(FindingKind kind, FaultyFile& file, std::uint32_t page, bool transient, std::string what);
    [[nodiscard]] InjectedFault& at(std::uint64_t number) { return faults_[number - 1]; }
    [[nodiscard]] const std::vector<InjectedFault>& all() const { return faults_; }

    // The program was given wrong data, or an error.
    void expose(std::uint64_t number);
    // The program has reported something about these bytes.
    void reported(const std::string& path, std::uint64_t begin_bytes, std::uint64_t end_bytes);

    // Only requests that do the program's work cause and expose faults: not the creation of files, and not a diagnosis that searches entire
    // ranges for an image.
    [[nodiscard]] bool is_work(const FaultyFile& file, const ums::IoRequest& request) const;

    // The log: a block was written; it is damaged, or lost; a range was read, and a lost block may be missed.
    void log_block_written(std::uint64_t sequence) { lost_blocks_.written(sequence); }
    void log_block_spoilt(std::uint64_t sequence) { lost_blocks_.spoilt(sequence); }
    [[nodiscard]] std::uint64_t newest_found_log_block() const { return lost_blocks_.newest_found(); }
    void log_block_lost(LostLogBlock block) { lost_blocks_.lost(std::move(block)); }
    void log_read(const FaultyFile& file, const ums::IoRequest& read);

private:
    // The image of a misdirected write can still be found at its other end, or has been seen there.
    [[nodiscard]] bool is_other_end_known(const InjectedFault& fault);
    void name_log_fault(InjectedFault& fault) const;

    FaultyFiles& files_;
    const FaultMoment& moment_;
    std::vector<InjectedFault> faults_;  // number - 1 is the index
    LostLogBlocks lost_blocks_;
    bool is_log_exposed_ = false;
};

}  // namespace sim
