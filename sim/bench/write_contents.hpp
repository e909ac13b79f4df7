// Makes what a measurement writes, block by block, from a MeasureSource. Belongs to one task; the memory is the caller's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/bench/measure_spec.hpp"
#include "ums/base/prng.hpp"

namespace sim {

class WriteContents {
public:
    // `source` must outlive the object. For pages and sectors, makes only noise.
    explicit WriteContents(const MeasureSource& source) : source_(source) {}

    // Fills `size_bytes` (a multiple of 8) at `data` (8-aligned) with the next block; the first 512 bytes of a file keep the mark. Contents
    // that never change are made only once, while `data` and `size_bytes` stay the same.
    void fill(std::byte* data, std::uint64_t offset_bytes, std::size_t size_bytes, ums::Prng& prng);

private:
    void make(std::byte* data, std::size_t size_bytes, ums::Prng& prng) const;
    void make_noise(std::byte* data, std::size_t size_bytes, ums::Prng& prng) const;
    void copy_from_buffer(std::byte* data, std::size_t size_bytes, ums::Prng& prng) const;

    const MeasureSource& source_;
    std::byte* filled_ = nullptr;  // holds contents that never change
    std::size_t filled_bytes_ = 0;
};

}  // namespace sim
