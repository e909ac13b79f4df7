// What happens to one request: decided when it is posted, carried out when it comes back. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/finding.hpp"
#include "sim/rehearsal/wrong_image.hpp"

namespace sim {

struct RequestFate {
    struct Chosen {
        std::size_t plan = 0;
        FindingKind kind{};  // that of the plan
        std::uint32_t page = 0;
        ImageBytes older{};  // writes: what stood there before
    };
    struct Buffer {  // what stood in the buffer before the read
        std::uint32_t page = 0;
        std::vector<std::byte> bytes;
    };

    int error_code = 0;                       // does not reach the storage
    std::uint64_t transferred_bytes = ~0ULL;  // reports this number
    std::uint64_t short_bytes = 0;            // the engine first received this number, and continued
    std::uint64_t delay_ns = 0;
    std::vector<Chosen> chosen;
    std::vector<Buffer> buffers;

    [[nodiscard]] bool is_good() const {
        return error_code == 0 && transferred_bytes == ~0ULL && short_bytes == 0 && delay_ns == 0 && chosen.empty() && buffers.empty();
    }
};

}  // namespace sim
