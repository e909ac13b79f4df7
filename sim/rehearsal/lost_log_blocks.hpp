// Log blocks that were written and are missing, and what a reader of the log can know of that. Not thread-safe: the injector guards it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/rehearsal/injected_fault.hpp"
#include "ums/io/io_request.hpp"

namespace sim {

struct LostLogBlock {
    std::uint64_t fault = 0;  // its number
    std::uint64_t sequence = 0;
    bool has_updates = false;  // changes of pages
    FaultRange range{};
    bool is_missed = false;  // the program has read where it should be; otherwise it may have been freed
};

class LostLogBlocks {
public:
    // A block was written, lost or not.
    void written(std::uint64_t sequence);
    void lost(LostLogBlock block) { blocks_.push_back(std::move(block)); }

    // A read of the log has completed. Returns the faults of which it has missed another block.
    [[nodiscard]] std::vector<std::uint64_t> missed_by(const std::string& path, const ums::IoRequest& read);

    // Whether the log ends with this fault before changes of pages, as far as the program has looked.
    [[nodiscard]] bool misses_updates_at_end(std::uint64_t fault) const;

private:
    std::vector<LostLogBlock> blocks_;
    std::uint64_t newest_sequence_ = 0;
};

}  // namespace sim
