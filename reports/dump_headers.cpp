#include "reports/dump_headers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "reports/time_text.hpp"
#include "sim/backup/backup_format.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/page/page_layout.hpp"

namespace reports {

namespace {

using Bytes = std::span<const std::byte>;

struct HeaderField {
    std::string_view name;
    std::size_t offset_bytes;
    std::size_t size_bytes;
};

#define IOPROOF_FIELD(type, name) \
    HeaderField { #name, offsetof(type, name), sizeof(type::name) }

const std::vector<HeaderField>& page_fields() {
    using Header = sim::PageHeader;
    static const std::vector<HeaderField> fields = {
        IOPROOF_FIELD(Header, checksum),
        IOPROOF_FIELD(Header, magic),
        IOPROOF_FIELD(Header, format),
        IOPROOF_FIELD(Header, kind),
        IOPROOF_FIELD(Header, file_id),
        IOPROOF_FIELD(Header, run_id),
        IOPROOF_FIELD(Header, page_id),
        IOPROOF_FIELD(Header, version),
        IOPROOF_FIELD(Header, lsn),
        IOPROOF_FIELD(Header, seed),
        IOPROOF_FIELD(Header, write_utc_us),
        {"reserved 1", 56, 8},
        {"reserved 2", 64, 8},
        {"reserved 3", 72, 8},
        {"reserved 4", 80, 8},
        {"reserved 5", 88, 8},
    };
    static_assert(offsetof(Header, reserved) == 56);
    return fields;
}

const std::vector<HeaderField>& log_fields() {
    using Header = sim::LogBlockHeader;
    static const std::vector<HeaderField> fields = {
        IOPROOF_FIELD(Header, checksum),
        IOPROOF_FIELD(Header, magic),
        IOPROOF_FIELD(Header, format),
        IOPROOF_FIELD(Header, record_count),
        IOPROOF_FIELD(Header, size_bytes),
        IOPROOF_FIELD(Header, run_id),
        IOPROOF_FIELD(Header, sequence),
        IOPROOF_FIELD(Header, first_lsn),
        IOPROOF_FIELD(Header, vlf_sequence),
        IOPROOF_FIELD(Header, used_bytes),
        IOPROOF_FIELD(Header, file_id),
        IOPROOF_FIELD(Header, vlf_sector),
        {"hardened_seq", offsetof(Header, hardened_sequence), sizeof(Header::hardened_sequence)},
        IOPROOF_FIELD(Header, write_utc_us),
        IOPROOF_FIELD(Header, incarnation),
        IOPROOF_FIELD(Header, vlf_sectors),
    };
    return fields;
}

const std::vector<HeaderField>& chunk_fields() {
    using Header = sim::ChunkHeader;
    static const std::vector<HeaderField> fields = {
        IOPROOF_FIELD(Header, checksum),     IOPROOF_FIELD(Header, magic),        IOPROOF_FIELD(Header, format),
        IOPROOF_FIELD(Header, kind),         IOPROOF_FIELD(Header, size_bytes),   IOPROOF_FIELD(Header, run_id),
        IOPROOF_FIELD(Header, sequence),     IOPROOF_FIELD(Header, used_bytes),   IOPROOF_FIELD(Header, set_number),
        IOPROOF_FIELD(Header, chain_number), IOPROOF_FIELD(Header, write_utc_us), IOPROOF_FIELD(Header, reserved),
    };
    return fields;
}

#undef IOPROOF_FIELD

const std::vector<HeaderField>& fields_of(HeaderKind kind) {
    switch (kind) {
        case HeaderKind::page: break;
        case HeaderKind::log_block: return log_fields();
        case HeaderKind::backup_chunk: return chunk_fields();
    }
    return page_fields();
}

std::optional<std::uint64_t> value_of(Bytes image, const HeaderField& field) {
    if (image.size() < field.offset_bytes + field.size_bytes) return std::nullopt;
    std::uint64_t value = 0;  // little-endian, as the formats are
    std::memcpy(&value, image.data() + field.offset_bytes, field.size_bytes);
    return value;
}

std::string hex_text(const std::optional<std::uint64_t>& value, const HeaderField& field) {
    return value ? fmt::format("0x{:0{}x}", *value, 2 * field.size_bytes) : "-";
}

std::string decimal_text(const std::optional<std::uint64_t>& value) { return value ? fmt::format("{}", *value) : "-"; }

std::string moment_text(const char* whose, const std::optional<std::uint64_t>& utc_us) {
    // ioproof has written no time after the year 3000.
    constexpr std::uint64_t kMomentMaxUs = 32'503'680'000'000'000;
    if (!utc_us || *utc_us == 0 || *utc_us > kMomentMaxUs) return {};
    return fmt::format("  write_utc_us of the image {}: {}\n", whose, utc_iso_text(*utc_us));
}

}  // namespace

std::string lsn_text(std::uint64_t lsn) {
    if (lsn == 0) return "-";
    return fmt::format("{}:{}:{}", lsn >> 32, lsn >> 12 & 0xf'ffff, lsn & 0xfff);
}

std::string header_comparison(Bytes written, Bytes read, HeaderKind kind, std::span<const std::string_view> unknown) {
    if (written.empty() && read.empty()) return {};
    constexpr auto kForm = "  {:13} {:>18} {:>20}  {:>18} {:>20}{}\n";
    const auto is_known = [&](std::string_view name) { return std::find(unknown.begin(), unknown.end(), name) == unknown.end(); };
    std::string text = fmt::format("  {:13} {:>18} {:>41}\n", "", written.empty() ? "not known" : "written", "read");
    for (const HeaderField& field : fields_of(kind)) {
        const auto left = value_of(is_known(field.name) ? written : Bytes{}, field);
        const auto right = value_of(read, field);
        const bool differs = left && right && *left != *right;
        text += fmt::format(kForm, field.name, hex_text(left, field), decimal_text(left), hex_text(right, field), decimal_text(right),
                            differs ? " *" : "");
    }
    if (!written.empty() && !read.empty()) text += "  *  differs\n";
    if (kind != HeaderKind::page) return text;
    const HeaderField time{"write_utc_us", offsetof(sim::PageHeader, write_utc_us), 8};
    return text + moment_text("written", value_of(is_known(time.name) ? written : Bytes{}, time)) +
           moment_text("read", value_of(read, time));
}

}  // namespace reports
