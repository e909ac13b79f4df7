#include "ums/base/memory_reserve.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <new>

namespace ums {

namespace {

// A part is larger than what malloc requests from the system at a time (1 MB). Parts are released in order, so that neighbors merge.
constexpr std::size_t kPartBytes = std::size_t{2} << 20;
constexpr std::uint32_t kPartCount = 8;

std::mutex mutex;  // guards the next three
std::uint32_t user_count = 0;
std::byte* reserved = nullptr;
std::new_handler handler_before = nullptr;

std::atomic<std::uint32_t> next_part{kPartCount};
std::atomic<bool> spent{false};
std::atomic<bool> is_armed{false};
std::atomic<void (*)()> end_of_process{nullptr};

// Called by operator new, on any thread, whatever locks it holds.
void give_way() {
    const std::uint32_t part = next_part.fetch_add(1, std::memory_order_acq_rel);
    if (part < kPartCount) {
        spent.store(true, std::memory_order_release);
        munmap(reserved + part * kPartBytes, kPartBytes);
        return;
    }
    if (void (*const end_process)() = end_of_process.load()) end_process();
    throw std::bad_alloc();
}

}  // namespace

MemoryReserve::MemoryReserve() {
    const std::lock_guard lock(mutex);
    if (user_count == 0) {
        void* const mapped =
            mmap(nullptr, kPartCount * kPartBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped == MAP_FAILED) throw std::bad_alloc();
        reserved = static_cast<std::byte*>(mapped);
        next_part.store(0, std::memory_order_release);
        handler_before = std::set_new_handler(give_way);
        is_armed.store(true);
    }
    ++user_count;
}

MemoryReserve::~MemoryReserve() {
    const std::lock_guard lock(mutex);
    if (--user_count > 0) return;
    is_armed.store(false);
    spent.store(false);
    std::set_new_handler(handler_before);
    const std::uint32_t first_left = next_part.exchange(kPartCount);
    if (first_left < kPartCount) munmap(reserved + first_left * kPartBytes, (kPartCount - first_left) * kPartBytes);
}

bool MemoryReserve::is_spent() { return spent.load(std::memory_order_acquire); }

bool MemoryReserve::release_for(std::size_t size_bytes) {
    if (!is_armed.load() || size_bytes > kPartCount * kPartBytes) return false;
    give_way();
    return true;
}

void MemoryReserve::on_exhausted(void (*end_process)()) { end_of_process.store(end_process); }

}  // namespace ums
