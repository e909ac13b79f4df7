#include "reports/dump_image.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "reports/text.hpp"
#include "sim/limits.hpp"

namespace reports {

namespace {

using Bytes = std::span<const std::byte>;
using State = sim::SectorState;

constexpr std::size_t kLineBytes = 16;
constexpr std::size_t kImageLineBytes = 32;
constexpr std::size_t kSectorsPerLargeBlock = 8;

struct Symbol {
    State state;
    char letter;
    const char* meaning;
};

constexpr std::array<Symbol, 8> kSymbols = {{
    {State::expected, '=', "as it was written"},
    {State::older, 'o', "of an older version of this page"},
    {State::newer, 'n', "of a newer version than the page must hold"},
    {State::other_page, 'x', "of another page or another sector of this run"},
    {State::foreign, 'f', "of another run"},
    {State::zero, '0', "all zeros"},
    {State::not_read, '?', "not filled by the read"},
    {State::damaged, '#', "damaged"},
}};

const Symbol& symbol_of(State state) {
    return *std::find_if(kSymbols.begin(), kSymbols.end(), [&](const Symbol& s) { return s.state == state; });
}

bool has_stamp(State state) {
    return state == State::expected || state == State::older || state == State::newer || state == State::other_page;
}

// "|========|oooo####|": one letter per sector, a bar at each 4096-byte boundary.
std::string drawn(const std::vector<sim::SectorFact>& sectors, std::size_t columns) {
    std::string line;
    for (std::size_t i = 0; i < sectors.size(); ++i) {
        line += i % kSectorsPerLargeBlock == 0 ? " | " : " ";
        line += std::string(columns, symbol_of(sectors[i].state).letter);
    }
    return line + " |";
}

std::string legend(const std::vector<sim::SectorFact>& sectors) {
    std::string text;
    for (const Symbol& symbol : kSymbols) {
        const auto count = std::count_if(sectors.begin(), sectors.end(), [&](const auto& sector) { return sector.state == symbol.state; });
        if (count > 0) text += fmt::format("  {}  {} ({})\n", symbol.letter, symbol.meaning, count_text(static_cast<std::uint64_t>(count)));
    }
    return text;
}

// Neighboring sectors that say the same share a line.
std::string sector_runs(const std::vector<sim::SectorFact>& sectors) {
    std::string text;
    for (std::size_t begin = 0; begin < sectors.size();) {
        const sim::SectorFact& first = sectors[begin];
        std::size_t end = begin + 1;
        while (end < sectors.size() && sectors[end].state == first.state && sectors[end].version == first.version &&
               sectors[end].file_id == first.file_id && sectors[end].page_id == first.page_id &&
               (!has_stamp(first.state) || sectors[end].sector == first.sector + (end - begin))) {
            ++end;
        }
        const std::string numbers = end - begin == 1 ? fmt::format("sector {}", begin) : fmt::format("sectors {} to {}", begin, end - 1);
        text += fmt::format("  {:17} bytes 0x{:04x} to 0x{:04x}  {:10}", numbers, begin * sim::kSectorBytes, end * sim::kSectorBytes - 1,
                            sim::name_of(first.state));
        if (has_stamp(first.state)) text += fmt::format("  version {}", first.version);
        if (first.state == State::other_page)
            text += fmt::format(" of file {} page {}, from sector {}", first.file_id, first.page_id, first.sector);
        text += '\n';
        begin = end;
    }
    return text;
}

// "0a1b2c3d 4e5f6071 …": groups of four bytes, or, for the line of marks, of two signs for each byte.
template <typename Text>
std::string grouped(std::size_t count, Text&& text_of) {
    std::string line;
    for (std::size_t i = 0; i < count; ++i) {
        if (i != 0 && i % 4 == 0) line += ' ';
        line += text_of(i);
    }
    return line;
}

std::string hex_bytes(Bytes bytes) {
    return grouped(bytes.size(), [&](std::size_t i) { return fmt::format("{:02x}", static_cast<unsigned>(bytes[i])); });
}

bool is_equal_line(Bytes written, Bytes read, std::size_t line) {
    const std::size_t begin = line * kLineBytes;
    const std::size_t end = std::min(begin + kLineBytes, written.size());
    return std::equal(written.begin() + static_cast<std::ptrdiff_t>(begin), written.begin() + static_cast<std::ptrdiff_t>(end),
                      read.begin() + static_cast<std::ptrdiff_t>(begin));
}

std::string difference_line(Bytes written, Bytes read, std::size_t line) {
    constexpr std::size_t kHexColumns = 35;
    const std::size_t begin = line * kLineBytes;
    const std::size_t count = std::min(kLineBytes, written.size() - begin);
    const Bytes left = written.subspan(begin, count);
    const Bytes right = read.subspan(begin, count);
    std::string text = fmt::format("  0x{:04x}  {:{}}    {}\n", begin, hex_bytes(left), kHexColumns, hex_bytes(right));
    if (is_equal_line(written, read, line)) return text;
    std::string marks = grouped(count, [&](std::size_t i) { return left[i] == right[i] ? "  " : "^^"; });
    marks.erase(marks.find_last_not_of(' ') + 1);
    return text + fmt::format("{:{}}{}\n", "", 2 + 6 + 2 + kHexColumns + 4, marks);
}

}  // namespace

std::string sector_map(const sim::Finding& finding) {
    const sim::ImageComparison& comparison = or_empty(finding.comparison);
    if (comparison.sectors.empty()) return {};
    std::string numbers;
    for (std::size_t i = 0; i < comparison.sectors.size(); ++i) {
        numbers += fmt::format("{}{:>3}", i % kSectorsPerLargeBlock == 0 ? " | " : " ", i);
    }
    std::string text = "  sector" + numbers + " |\n        " + drawn(comparison.sectors, 3) + "\n\n";
    text += legend(comparison.sectors) + "  |  4096-byte line\n\n" + sector_runs(comparison.sectors);
    if (finding.kind == sim::FindingKind::torn_page) {
        text += comparison.tear_on_4k_lines ? "  Every 4096-byte block is of one version: the tear is on a 4096-byte line.\n"
                                            : "  The tear is within a 4096-byte block, on a 512-byte line.\n";
    }
    return text;
}

std::string byte_differences(Bytes written, Bytes read) {
    const std::size_t size_bytes = std::min(written.size(), read.size());
    if (size_bytes == 0) return {};
    written = written.first(size_bytes);
    read = read.first(size_bytes);
    const std::size_t lines = (size_bytes + kLineBytes - 1) / kLineBytes;
    std::size_t shown = 0;
    std::size_t next = 0;  // first line neither shown nor skipped yet
    std::string text = fmt::format("  {:6}  {:35}    {}\n", "offset", "written", "read");
    std::size_t line = 0;
    for (; line < lines && shown < kDifferenceLinesMax; ++line) {
        if (is_equal_line(written, read, line)) continue;
        const std::size_t begin = std::max(next, line == 0 ? 0 : line - 1);
        if (begin > next) text += fmt::format("  ...     {} equal bytes\n", count_text((begin - next) * kLineBytes));
        for (std::size_t i = begin; i <= line; ++i) text += difference_line(written, read, i);
        next = line + 1;
        ++shown;
        // One equal line after it, as context.
        if (next < lines && is_equal_line(written, read, next)) text += difference_line(written, read, next++);
    }
    if (shown == 0) return "  The two images are equal.\n";
    std::size_t more_lines = 0;
    std::size_t more_bytes = 0;
    for (; line < lines; ++line) {
        if (is_equal_line(written, read, line)) continue;
        ++more_lines;
        for (std::size_t i = line * kLineBytes; i < std::min(size_bytes, (line + 1) * kLineBytes); ++i) more_bytes += written[i] != read[i];
    }
    if (more_lines > 0) {
        return text + fmt::format("  ...     {} more wrong bytes in {} more lines; this file ends with both images in full.\n",
                                  count_text(more_bytes), count_text(more_lines));
    }
    if (next < lines) text += fmt::format("  ...     {} equal bytes\n", count_text(size_bytes - next * kLineBytes));
    return text;
}

std::string hex_image(Bytes image) {
    std::string text;
    bool is_starred = false;
    for (std::size_t begin = 0; begin < image.size(); begin += kImageLineBytes) {
        const Bytes line = image.subspan(begin, std::min(kImageLineBytes, image.size() - begin));
        const bool repeats =
            begin > 0 && line.size() == kImageLineBytes && std::equal(line.begin(), line.end(), line.begin() - kImageLineBytes);
        if (!repeats) text += fmt::format("  0x{:04x}  {}\n", begin, hex_bytes(line));
        if (repeats && !is_starred) text += "  *\n";
        is_starred = repeats;
    }
    return text;
}

}  // namespace reports
