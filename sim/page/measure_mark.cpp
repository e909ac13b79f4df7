#include "sim/page/measure_mark.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "sim/page/checksum.hpp"

namespace sim {

namespace {

using Mark = std::array<std::byte, kMeasureMarkBytes>;

Mark make_mark(std::string_view text) {
    Mark mark{};
    std::memcpy(mark.data() + 4, &kMeasureMarkMagic, sizeof kMeasureMarkMagic);
    std::memcpy(mark.data() + 8, &kMeasureMarkFormat, sizeof kMeasureMarkFormat);
    std::memcpy(mark.data() + 10, text.data(), text.size());
    const std::uint32_t checksum = crc32c(mark.data() + 4, mark.size() - 4);
    std::memcpy(mark.data(), &checksum, sizeof checksum);
    return mark;
}

const Mark& the_mark() {
    static const Mark mark = make_mark(kMeasureMarkText);
    return mark;
}

const Mark& unfinished_mark() {
    static const Mark mark = make_mark(kUnfinishedMarkText);
    return mark;
}

}  // namespace

void make_measure_mark(std::byte* sector) { std::memcpy(sector, the_mark().data(), kMeasureMarkBytes); }

void make_unfinished_mark(std::byte* sector) { std::memcpy(sector, unfinished_mark().data(), kMeasureMarkBytes); }

bool has_measure_mark(const std::byte* sector) {
    return std::memcmp(sector, the_mark().data(), kMeasureMarkBytes) == 0 || has_unfinished_mark(sector);
}

bool has_unfinished_mark(const std::byte* sector) { return std::memcmp(sector, unfinished_mark().data(), kMeasureMarkBytes) == 0; }

void keep_measure_mark(std::byte* data, std::uint64_t offset_bytes, std::size_t size_bytes) {
    if (offset_bytes >= kMeasureMarkBytes) return;
    const std::size_t count = std::min<std::size_t>(size_bytes, kMeasureMarkBytes - offset_bytes);
    std::memcpy(data, the_mark().data() + offset_bytes, count);
}

}  // namespace sim
