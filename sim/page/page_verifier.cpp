#include "sim/page/page_verifier.hpp"

namespace sim {

namespace {

bool is_all_zero(const std::byte* page) {
    const auto* words = reinterpret_cast<const std::uint64_t*>(page);
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < kPageBytes / 8; ++i) any |= words[i];
    return any == 0;
}

}  // namespace

bool is_page_right(const std::byte* page, const ExpectedPage& expected) {
    if (expected.entry.unknown != 0) return true;
    if (expected.entry.version == 0) return is_all_zero(page);
    const PageHeader header = read_header(page);
    const std::uint32_t calculated = page_checksum(page);
    return calculated == header.checksum && calculated == expected.entry.checksum && header.magic == kPageMagic &&
           header.run_id == expected.run_id && header.file_id == expected.file_id && header.page_id == expected.page_id &&
           header.version == expected.entry.version;
}

}  // namespace sim
