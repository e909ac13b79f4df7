// What a page looks like after a fault.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tests/fuse/fault_spec.hpp"

namespace faultfs {

using Bytes = std::vector<std::uint8_t>;

struct ImageSources {
    const Bytes& right;  // the page as it ought to be
    const Bytes& older;  // as it was before the last write; zeros if there was nothing
    const Bytes& other;  // another page's contents, for misdirected transfers; else anything
};

// Of kPageBytes. Draws from the spec's own random numbers.
Bytes faulty_image(FaultSpec& spec, const ImageSources& sources);

[[nodiscard]] bool is_zero(std::span<const std::uint8_t> bytes);
void damage_bits(Bytes& bytes, FaultSpec& spec);
void fill_randomly(Bytes& bytes, std::size_t offset, std::size_t size, Random& random);

}  // namespace faultfs
