#include "sim/rehearsal/left_page.hpp"

#include <algorithm>
#include <cstddef>

#include "sim/page/page_codec.hpp"

namespace sim {

LeftPage read_left_page(const ums::SimulatedFile& file, std::uint32_t page_id) {
    alignas(8) std::byte bytes[kPageBytes];
    file.read(std::uint64_t{page_id} * kPageBytes, bytes, sizeof bytes);
    const PageHeader header = read_header(bytes);
    LeftPage page;
    page.is_whole = is_sound_page(bytes);
    page.lsn = header.lsn;
    page.oldest = ~std::uint32_t{0};
    for (std::uint32_t sector = 0; sector < kSectorsPerPage; ++sector) {
        const SectorStamp stamp = read_stamp(bytes, sector);
        page.oldest = std::min(page.oldest, stamp.version);
        page.newest = std::max(page.newest, stamp.version);
    }
    return page;
}

}  // namespace sim
