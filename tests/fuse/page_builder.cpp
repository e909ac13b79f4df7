#include "tests/fuse/page_builder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

#include "tests/fuse/fault_spec.hpp"

namespace faultfs {

namespace {

constexpr std::string_view kSignature =
    "\n\nThis is a test file of ioproof, the SQL Server I/O simulator.\n"
    "It contains no user data and can be deleted when no test is running.\n\n";

std::uint64_t mix64(std::uint64_t value) { return Random(value).next(); }

const std::vector<std::uint64_t>& noise() {
    static const std::vector<std::uint64_t> table = [] {
        Random start(0x696f70726f6f6631);
        std::array<std::uint64_t, 4> s{};
        for (auto& word : s) word = start.next();
        std::vector<std::uint64_t> words(9216);
        for (auto& word : words) {
            word = std::rotl(s[1] * 5, 7) * 9;
            const std::uint64_t t = s[1] << 17;
            s[2] ^= s[0];
            s[3] ^= s[1];
            s[1] ^= s[2];
            s[0] ^= s[3];
            s[2] ^= t;
            s[3] = std::rotl(s[3], 45);
        }
        return words;
    }();
    return table;
}

template <class Number>
void put(std::span<std::uint8_t> page, std::size_t offset, Number value) {
    std::memcpy(&page[offset], &value, sizeof value);
}

template <class Number>
Number get(std::span<const std::uint8_t> page, std::size_t offset) {
    Number value{};
    std::memcpy(&value, &page[offset], sizeof value);
    return value;
}

}  // namespace

std::uint32_t crc32c(std::span<const std::uint8_t> bytes) {
    std::uint32_t crc = 0xffffffff;
    for (const std::uint8_t byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78U : 0U);
    }
    return ~crc;
}

bool read_identity(std::span<const std::uint8_t> page, PageIdentity& identity) {
    if (std::memcmp(&page[4], "IOPF", 4) != 0) return false;
    identity.file_id = get<std::uint32_t>(page, 12);
    identity.run_id = get<std::uint64_t>(page, 16);
    identity.page_id = get<std::uint32_t>(page, 24);
    identity.version = get<std::uint32_t>(page, 28);
    identity.lsn = get<std::uint64_t>(page, 32);
    identity.write_utc_us = get<std::uint64_t>(page, 48);
    return true;
}

void build_page(std::span<std::uint8_t> page, const PageIdentity& identity) {
    const std::uint64_t place = std::uint64_t{identity.file_id} << 32 | identity.page_id;
    const std::uint64_t seed = mix64(mix64(identity.run_id ^ place) + identity.version);
    const std::uint64_t key = mix64(seed);
    for (std::size_t word = 0; word < kPageBytes / 8; ++word) put(page, word * 8, noise()[(seed >> 51) + word] ^ key);
    std::fill_n(page.begin(), 96, std::uint8_t{0});
    std::memcpy(&page[4], "IOPF", 4);
    put(page, 8, std::uint16_t{1});
    put(page, 10, static_cast<std::uint16_t>(identity.page_id == 0 ? 2 : 1));
    put(page, 12, identity.file_id);
    put(page, 16, identity.run_id);
    put(page, 24, identity.page_id);
    put(page, 28, identity.version);
    put(page, 32, identity.lsn);
    put(page, 40, seed);
    put(page, 48, identity.write_utc_us);
    if (identity.page_id == 0) std::memcpy(&page[96], kSignature.data(), kSignature.size());
    for (std::uint32_t sector = 0; sector < kPageBytes / kSectorBytes; ++sector) {
        const std::size_t stamp = (sector + 1) * kSectorBytes - 16;
        put(page, stamp, identity.page_id);
        put(page, stamp + 4, identity.version);
        put(page, stamp + 8, static_cast<std::uint32_t>(identity.write_utc_us));
        put(page, stamp + 12, static_cast<std::uint16_t>(identity.run_id));
        put(page, stamp + 14, static_cast<std::uint16_t>(identity.file_id << 4 | sector));
    }
    put(page, 0, crc32c(std::span<const std::uint8_t>(page).subspan(4)));
}

}  // namespace faultfs
