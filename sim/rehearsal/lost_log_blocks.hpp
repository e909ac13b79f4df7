// Log blocks that were written but are missing, because the injector lost them, and what a reader of the log can know about them. Not
// thread-safe: the injector guards it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/rehearsal/injected_fault.hpp"
#include "ums/io/io_request.hpp"

namespace sim {

struct LostLogBlock {
    std::uint64_t fault = 0;  // its number
    std::uint64_t sequence = 0;
    bool has_updates = false;  // page changes
    FaultRange range{};
    bool is_missed = false;  // the program has read the place where it should be; otherwise that may have been freed
};

class LostLogBlocks {
public:
    // A block was written, lost or not.
    void written(std::uint64_t sequence);
    // One that was written has been spoilt: not lost, but no reader of the log recognises it.
    void spoilt(std::uint64_t sequence) { spoilt_.insert(sequence); }
    // The highest number of those that a reader of the log can find; 0: none.
    [[nodiscard]] std::uint64_t newest_found() const;
    void lost(LostLogBlock block) { blocks_.push_back(std::move(block)); }

    // A read of the log has completed. Returns the fault of each lost block that it is the first to miss.
    [[nodiscard]] std::vector<std::uint64_t> missed_by(const std::string& path, const ums::IoRequest& read);

    // Whether, as far as the program has looked, the log ends with this fault and lacks page changes.
    [[nodiscard]] bool misses_updates_at_end(std::uint64_t fault) const;
    // Whether the program has missed blocks of this fault that sound ones follow.
    [[nodiscard]] bool misses_before_end(std::uint64_t fault) const;

private:
    // Null if that block was not lost by this fault.
    [[nodiscard]] const LostLogBlock* find(std::uint64_t fault, std::uint64_t sequence) const;

    std::vector<LostLogBlock> blocks_;
    std::set<std::uint64_t> spoilt_;
    std::uint64_t newest_sequence_ = 0;
};

}  // namespace sim
