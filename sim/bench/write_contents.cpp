#include "sim/bench/write_contents.hpp"

#include <algorithm>
#include <cstring>

#include "sim/page/measure_mark.hpp"
#include "sim/page/page_codec.hpp"

namespace sim {

namespace {

// Compression works on pieces of at least this size; the compressible share is in each of them.
constexpr std::size_t kPieceBytes = 4096;
constexpr std::uint64_t kDuplicateSeed = 0x10b5'7e57'0f6a'11e5ULL;

}  // namespace

void WriteContents::fill(std::byte* data, std::uint64_t offset_bytes, std::size_t size_bytes, ums::Prng& prng) {
    const bool is_constant = source_.contents == MeasureContents::zeros || source_.contents == MeasureContents::counting;
    if (!is_constant || filled_ != data || filled_bytes_ < size_bytes) make(data, size_bytes, prng);
    filled_ = is_constant && offset_bytes >= kMeasureMarkBytes ? data : nullptr;
    filled_bytes_ = size_bytes;
    keep_measure_mark(data, offset_bytes, size_bytes);
}

void WriteContents::make(std::byte* data, std::size_t size_bytes, ums::Prng& prng) const {
    switch (source_.contents) {
        case MeasureContents::incompressible: return make_noise(data, size_bytes, prng);
        case MeasureContents::zeros: std::memset(data, 0, size_bytes); return;
        case MeasureContents::counting:
            for (std::size_t i = 0; i < size_bytes; ++i) data[i] = static_cast<std::byte>(i & 0xff);
            return;
        case MeasureContents::buffer: return copy_from_buffer(data, size_bytes, prng);
        // Otherwise made by the code that knows their versions; here nothing does, because other targets write other data into the file.
        case MeasureContents::pages:
        case MeasureContents::sectors: return make_noise(data, size_bytes, prng);
    }
}

void WriteContents::make_noise(std::byte* data, std::size_t size_bytes, ums::Prng& prng) const {
    const bool is_duplicate = source_.duplicate_percent > 0 && prng.below(100) < source_.duplicate_percent;
    fill_from_seed(is_duplicate ? kDuplicateSeed : prng.next(), data, size_bytes);
    if (source_.compressible_percent == 0) return;
    for (std::size_t begin = 0; begin < size_bytes; begin += kPieceBytes) {
        const std::size_t piece = std::min(kPieceBytes, size_bytes - begin);
        const std::size_t zeros = piece * source_.compressible_percent / 100;
        std::memset(data + begin + piece - zeros, 0, zeros);
    }
}

void WriteContents::copy_from_buffer(std::byte* data, std::size_t size_bytes, ums::Prng& prng) const {
    const std::vector<std::byte>& bytes = *source_.bytes;
    const std::size_t places = (bytes.size() - size_bytes) / 512 + 1;
    std::memcpy(data, bytes.data() + prng.below(places) * 512, size_bytes);
}

}  // namespace sim
