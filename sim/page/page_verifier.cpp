#include "sim/page/page_verifier.hpp"

namespace sim {

bool page_matches(const std::byte* page, const ExpectedPage& expected) {
    if (expected.entry.unknown != 0) return true;
    if (expected.entry.version == 0) return is_all_zero(page, kPageBytes);
    const PageHeader header = read_header(page);
    const std::uint32_t calculated = page_checksum(page);
    return calculated == header.checksum && calculated == expected.entry.checksum && header.magic == kPageMagic &&
           header.run_id == expected.run_id && header.file_id == expected.file_id && header.page_id == expected.page_id &&
           header.version == expected.entry.version;
}

bool is_image_of(const std::byte* page, const ExpectedPage& expected) {
    const PageHeader header = read_header(page);
    return is_sound_page(page) && header.run_id == expected.run_id && header.file_id == expected.file_id &&
           header.page_id == expected.page_id;
}

}  // namespace sim
