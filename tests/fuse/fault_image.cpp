#include "tests/fuse/fault_image.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "tests/fuse/page_builder.hpp"

namespace faultfs {

namespace {

// docs/page_format.md: what ioproof fills its buffers with before a read.
constexpr std::uint64_t kNotRead = 0xb7e151628aed2a6a;

// The first units are new, the rest old, or the other way round, or mixed: as a power cut or a lost half of a request leaves it.
Bytes torn(FaultSpec& spec, const ImageSources& sources) {
    Bytes image = sources.right;
    const std::size_t units = kPageBytes / spec.unit_bytes;
    const std::uint64_t mask = 1 + spec.random.below((std::uint64_t{1} << units) - 2);  // neither none nor all
    for (std::size_t unit = 0; unit < units; ++unit) {
        if ((mask >> unit & 1) == 0) continue;
        const auto begin = static_cast<std::ptrdiff_t>(unit * spec.unit_bytes);
        std::copy_n(sources.older.begin() + begin, spec.unit_bytes, image.begin() + begin);
    }
    return image;
}

Bytes not_read(const FaultSpec& spec, const Bytes& right) {
    Bytes image = right;
    const std::size_t size = spec.bytes == 0 ? kPageBytes : std::min<std::size_t>(spec.bytes, kPageBytes);
    for (std::size_t at = kPageBytes - size; at < kPageBytes; at += 8) std::memcpy(&image[at], &kNotRead, sizeof kNotRead);
    return image;
}

Bytes rebuilt(FaultSpec& spec, const Bytes& right, bool other_run) {
    Bytes image(kPageBytes);
    PageIdentity identity;
    if (!read_identity(right, identity)) {
        fill_randomly(image, 0, kPageBytes, spec.random);
        return image;
    }
    if (other_run) {
        identity.run_id ^= spec.random.next() | 1;
    } else {
        identity.version += 1000;
        identity.lsn += std::uint64_t{1} << 40;
    }
    build_page(image, identity);
    return image;
}

Bytes foreign(FaultSpec& spec, const Bytes& right) {
    if (spec.source == "run") return rebuilt(spec, right, true);
    Bytes image(kPageBytes);
    fill_randomly(image, 0, kPageBytes, spec.random);
    return image;
}

}  // namespace

void fill_randomly(Bytes& bytes, std::size_t offset, std::size_t size, Random& random) {
    for (std::size_t at = offset; at < offset + size; ++at) bytes[at] = static_cast<std::uint8_t>(random.next() >> 32);
}

bool is_zero(std::span<const std::uint8_t> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

void damage_bits(Bytes& bytes, FaultSpec& spec) {
    if (spec.whole_sector) {
        fill_randomly(bytes, spec.random.below(bytes.size() / kSectorBytes) * kSectorBytes, kSectorBytes, spec.random);
        return;
    }
    if (spec.shift_bytes > 0) {
        std::copy_backward(bytes.begin(), bytes.end() - static_cast<std::ptrdiff_t>(spec.shift_bytes), bytes.end());
        fill_randomly(bytes, 0, spec.shift_bytes, spec.random);
        return;
    }
    std::set<std::uint64_t> positions;
    while (positions.size() < spec.bits) positions.insert(spec.random.below(bytes.size() * 8));
    for (const std::uint64_t position : positions) bytes[position / 8] ^= static_cast<std::uint8_t>(1U << position % 8);
}

Bytes faulty_image(FaultSpec& spec, const ImageSources& sources) {
    switch (spec.effect) {
        case Effect::torn_page: return torn(spec, sources);
        case Effect::misdirected_read: return sources.other;
        case Effect::zeroed_page: return Bytes(kPageBytes);
        case Effect::bytes_not_read: return not_read(spec, sources.right);
        case Effect::bit_corruption: {
            Bytes image = sources.right;
            damage_bits(image, spec);
            return image;
        }
        case Effect::foreign_page: return foreign(spec, sources.right);
        case Effect::future_version: return rebuilt(spec, sources.right, false);
        default: return sources.older;
    }
}

}  // namespace faultfs
