// Reads a wrong page again, with growing pauses, at times through a newly opened file and without the system's cached pages: only this
// shows whether the fault stays.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/files/byte_range.hpp"
#include "sim/files/data_file.hpp"
#include "sim/finding.hpp"
#include "sim/page/page_verifier.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/sched/task.hpp"

namespace sim {

// SQLIOSim reads a wrong page again up to 15 times.
inline constexpr std::uint32_t kRereadsMax = 15;

class Rereader {
public:
    // `alignment_bytes`: the disk may take reads at multiples of this only, and the range need not be at one: more of the file is read
    // then.
    Rereader(SimFile& file, Journal& journal, std::uint64_t offset_bytes, std::uint64_t size_bytes, std::uint64_t alignment_bytes = 1);

    // Reads into bytes() as attempt `attempt` (1 … kRereadsMax) requires, after its pause. The result says whether everything came, and
    // whether it equals `first`; the caller, which holds the page, decides whether it is right.
    ums::Task<Reread> read(std::uint32_t attempt, const std::byte* first);
    [[nodiscard]] const std::byte* bytes() const { return buffer_.data() + (range_.offset_bytes - read_.offset_bytes); }

private:
    ums::Task<void> transfer(ums::FileHandle handle, Reread& reread);
    ums::Task<void> transfer_through_new_file(Reread& reread);

    SimFile& file_;
    Journal& journal_;
    const ByteRange range_;
    const ByteRange read_;  // has the range
    const ums::MemoryRegion buffer_;
    const std::uint64_t start_ns_;
};

}  // namespace sim
