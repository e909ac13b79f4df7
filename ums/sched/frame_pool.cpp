#include "ums/sched/frame_pool.hpp"

#include <array>
#include <new>

namespace ums {

namespace {

constexpr std::size_t kClassBytes = 64;
constexpr std::size_t kPooledBytesMax = 4096;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kPooled = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kPooled = false;
#else
constexpr bool kPooled = true;
#endif
#else
constexpr bool kPooled = true;
#endif

struct FreeFrame {
    FreeFrame* next;
};

struct FrameLists {
    std::array<FreeFrame*, kPooledBytesMax / kClassBytes + 1> lists{};

    ~FrameLists() {
        for (FreeFrame* frame : lists) {
            while (frame != nullptr) {
                FreeFrame* next = frame->next;
                ::operator delete(frame);
                frame = next;
            }
        }
    }
};

thread_local FrameLists thread_frames;

constexpr std::size_t class_of(std::size_t size_bytes) { return (size_bytes + kClassBytes - 1) / kClassBytes; }

}  // namespace

void* allocate_frame(std::size_t size_bytes) {
    if (!kPooled || size_bytes > kPooledBytesMax) return ::operator new(size_bytes);
    FreeFrame*& list = thread_frames.lists[class_of(size_bytes)];
    if (list == nullptr) return ::operator new(class_of(size_bytes) * kClassBytes);
    FreeFrame* frame = list;
    list = frame->next;
    return frame;
}

void free_frame(void* frame, std::size_t size_bytes) noexcept {
    if (!kPooled || size_bytes > kPooledBytesMax) {
        ::operator delete(frame);
        return;
    }
    FreeFrame*& list = thread_frames.lists[class_of(size_bytes)];
    list = new (frame) FreeFrame{list};
}

}  // namespace ums
