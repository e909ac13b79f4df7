// Memory for an orderly end. While a reserve lives, an allocation that fails (operator new, a small MemoryRegion) is given a part of it and
// succeeds; from then on is_spent() tells all work to stop. When the reserve is used up, too, the process ends: without memory it cannot
// wait for requests and tasks. So a task need not expect std::bad_alloc wherever it builds a string.
//
// The reserve belongs to the process: objects that live at the same time share one. It is address space only and takes no memory until it
// is used.
#pragma once

#include <cstddef>
#include <string_view>

namespace ums {

// Why memory was refused, for messages: the system does not say which of these is the cause.
inline constexpr std::string_view kMemoryLimitText =
    "there is not enough memory: the limit of the process (ulimit -v), of its control group or of the machine is reached";

class MemoryReserve {
public:
    // Throws std::bad_alloc if not even that much is available. Any thread.
    MemoryReserve();
    MemoryReserve(const MemoryReserve&) = delete;
    MemoryReserve& operator=(const MemoryReserve&) = delete;
    ~MemoryReserve();

    // A part of the living reserve has been used. Any thread; one load.
    [[nodiscard]] static bool is_spent();

    // For code that allocates without operator new and was refused `size_bytes`: true if a retry is worthwhile. False if no reserve lives,
    // or if that much would not fit into it.
    [[nodiscard]] static bool release_for(std::size_t size_bytes);

    // `end_process` must not return and must not allocate. Without one, the allocation fails with std::bad_alloc.
    static void on_exhausted(void (*end_process)());
};

}  // namespace ums
