// Memory for ending in order. While a reserve lives, an allocation that fails (operator new, a small MemoryRegion) is given a part of it
// and succeeds; is_spent() says from then on that whoever works should stop. When all of it is gone, too, the process ends: there is no
// way to wait for requests and tasks without memory. So a task need not expect std::bad_alloc wherever it makes a string.
//
// The reserve belongs to the process: several that live at a time share one. Address space only; it costs no memory until it is used.
#pragma once

#include <cstddef>
#include <string_view>

namespace ums {

// Why memory is refused, for people: the system does not tell which of these it is.
inline constexpr std::string_view kMemoryLimitText =
    "there is not enough memory: the limit of the process (ulimit -v), of its control group or of the machine is reached";

class MemoryReserve {
public:
    // Throws std::bad_alloc if there is not even that much. Any thread.
    MemoryReserve();
    MemoryReserve(const MemoryReserve&) = delete;
    MemoryReserve& operator=(const MemoryReserve&) = delete;
    ~MemoryReserve();

    // A part of one that lives has been used. Any thread; one load.
    [[nodiscard]] static bool is_spent();

    // For who allocates without operator new, when `size_bytes` were refused: true if it is worth while to try again. False if no reserve
    // lives, or so much would not fit into it.
    [[nodiscard]] static bool release_for(std::size_t size_bytes);

    // `end_process` must not return and must not allocate. Without one, the allocation fails with std::bad_alloc.
    static void on_exhausted(void (*end_process)());
};

}  // namespace ums
