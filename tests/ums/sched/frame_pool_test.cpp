#include "ums/sched/frame_pool.hpp"

#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"

namespace ums {
namespace {

struct Frame {
    unsigned char* data;
    std::size_t size_bytes;
    unsigned char mark;
};

bool holds(const Frame& frame) {
    for (std::size_t i = 0; i < frame.size_bytes; ++i) {
        if (frame.data[i] != frame.mark) return false;
    }
    return true;
}

TEST_CASE("frames of all sizes are writable, do not overlap, and can be freed in any order") {
    const std::uint64_t seed = testing::test_seed("frame pool");
    Prng prng(seed);
    std::vector<Frame> frames;
    for (int step = 0; step < 4'000; ++step) {
        if (frames.size() < 100 && prng.below(2) == 0) {
            const std::size_t size_bytes = prng.between(1, 5000);  // also above the largest pooled size
            auto* data = static_cast<unsigned char*>(allocate_frame(size_bytes));
            REQUIRE(reinterpret_cast<std::uintptr_t>(data) % alignof(std::max_align_t) == 0);
            frames.push_back(Frame{data, size_bytes, static_cast<unsigned char>(step)});
            std::memset(data, frames.back().mark, size_bytes);
        } else if (!frames.empty()) {
            const std::size_t index = prng.below(frames.size());
            REQUIRE(holds(frames[index]));
            free_frame(frames[index].data, frames[index].size_bytes);
            frames[index] = frames.back();
            frames.pop_back();
        }
    }
    for (const Frame& frame : frames) free_frame(frame.data, frame.size_bytes);
}

TEST_CASE("a thread that frees frames from other threads keeps a bounded number of them") {
    constexpr std::size_t kSizeBytes = 1000;
    constexpr std::size_t kFrames = 5000;
    const std::size_t used_before = ::mallinfo2().uordblks;
    std::vector<void*> frames(kFrames);
    for (void*& frame : frames) frame = allocate_frame(kSizeBytes);
    std::size_t used_after = 0;
    std::thread([&] {
        for (void* frame : frames) free_frame(frame, kSizeBytes);
        used_after = ::mallinfo2().uordblks;
        // The frames that it kept can be used.
        for (void*& frame : frames) std::memset(frame = allocate_frame(kSizeBytes), 1, kSizeBytes);
        for (void* frame : frames) free_frame(frame, kSizeBytes);
    }).join();
    // A sanitizer brings its own allocator: the figures are zero, and the sanitizer does the checking.
    CHECK(used_after < used_before + kFrames * kSizeBytes / 4);
}

}  // namespace
}  // namespace ums
