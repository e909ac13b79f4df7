#include "ums/sched/frame_pool.hpp"

#include <array>
#include <new>
#include <utility>

namespace ums {

namespace {

constexpr std::size_t kClassBytes = 64;
constexpr std::size_t kPooledBytesMax = 4096;
constexpr std::size_t kListBytesMax = std::size_t{256} * 1024;

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

struct FrameList {
    FreeFrame* first = nullptr;
    std::size_t count = 0;
};

struct FrameLists {
    std::array<FrameList, kPooledBytesMax / kClassBytes + 1> lists{};

    ~FrameLists() {
        for (const FrameList& list : lists) {
            FreeFrame* frame = list.first;
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
    FrameList& list = thread_frames.lists[class_of(size_bytes)];
    if (list.first == nullptr) return ::operator new(class_of(size_bytes) * kClassBytes);
    --list.count;
    return std::exchange(list.first, list.first->next);
}

void free_frame(void* frame, std::size_t size_bytes) noexcept {
    if (!kPooled || size_bytes > kPooledBytesMax) {
        ::operator delete(frame);
        return;
    }
    FrameList& list = thread_frames.lists[class_of(size_bytes)];
    if (list.count * class_of(size_bytes) * kClassBytes >= kListBytesMax) {
        ::operator delete(frame);
        return;
    }
    ++list.count;
    list.first = new (frame) FreeFrame{list.first};
}

}  // namespace ums
