#include "sim/diagnosis/sector_map.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace sim {

namespace {

std::uint64_t word_at(const std::byte* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

bool are_equal(const std::byte* a, const std::byte* b, std::size_t begin, std::size_t end) {
    return std::memcmp(a + begin, b + begin, end - begin) == 0;
}

// Two sectors belong to the same version of a page even if their times, LSNs and hence checksums differ.
bool is_same_content(const std::byte* a, const std::byte* b, std::uint32_t sector) {
    constexpr std::size_t kTime = kStampOffset + offsetof(SectorStamp, write_time_low);
    if (!are_equal(a, b, kTime + sizeof SectorStamp::write_time_low, kSectorBytes)) return false;
    if (sector != 0) return are_equal(a, b, 0, kTime);
    return are_equal(a, b, offsetof(PageHeader, magic), offsetof(PageHeader, lsn)) &&
           are_equal(a, b, offsetof(PageHeader, seed), offsetof(PageHeader, write_utc_us)) &&
           are_equal(a, b, offsetof(PageHeader, reserved), kTime);
}

// Regenerates the pages that stamps name; the sectors of a page usually name the same one.
class Images {
public:
    // The page, or null if no such page can exist.
    const std::byte* find(const PageIdentity& identity) {
        if (identity.version == 0 || identity.version > kVersionMax || identity.file_id == 0 || identity.file_id > kFilesMax)
            return nullptr;
        for (const Made& made : made_) {
            if (made.identity.run_id == identity.run_id && made.identity.file_id == identity.file_id &&
                made.identity.page_id == identity.page_id && made.identity.version == identity.version) {
                return bytes_of(made);
            }
        }
        made_.push_back({identity, std::make_unique<std::uint64_t[]>(kPageBytes / 8)});
        make_page(identity, bytes_of(made_.back()));
        return bytes_of(made_.back());
    }

private:
    struct Made {
        PageIdentity identity;
        std::unique_ptr<std::uint64_t[]> words;
    };
    static std::byte* bytes_of(const Made& made) { return reinterpret_cast<std::byte*>(made.words.get()); }

    std::vector<Made> made_;
};

class Mapper {
public:
    Mapper(const std::byte* image, const ExpectedPage& expected, const WrittenImage& written)
        : image_(image), expected_(expected), written_(written), header_(read_header(image)) {}

    SectorFact map(std::uint32_t index) {
        const std::byte* const sector = image_ + std::size_t{index} * kSectorBytes;
        SectorFact fact;
        fact.sector = index;
        if (has_not_read_word(sector)) {
            fact.state = SectorState::not_read;
        } else if (is_all_zero(sector, kSectorBytes)) {
            fact.state = expected_.entry.version == 0 ? SectorState::expected : SectorState::zero;
        } else if (is_expected(sector, index)) {
            fact = {SectorState::expected, expected_.entry.version, expected_.file_id, expected_.page_id, index};
        } else {
            judge_by_stamp(sector, index, fact);
        }
        return fact;
    }

private:
    static bool has_not_read_word(const std::byte* sector) {
        for (std::size_t i = 0; i < kSectorBytes; i += 8) {
            if (word_at(sector + i) == kNotReadPattern) return true;
        }
        return false;
    }

    [[nodiscard]] bool is_expected(const std::byte* sector, std::uint32_t index) const {
        if (expected_.entry.version == 0) return false;
        const std::byte* const written = written_.bytes() + std::size_t{index} * kSectorBytes;
        if (written_.is_exact()) return std::memcmp(sector, written, kSectorBytes) == 0;
        return is_same_content(sector, written, index) && (index != 0 || header_.lsn == expected_.entry.lsn);
    }

    void judge_by_stamp(const std::byte* sector, std::uint32_t index, SectorFact& fact) {
        fact.state = SectorState::damaged;
        const SectorStamp stamp = read_stamp(image_, index);
        PageIdentity identity;
        identity.run_id = expected_.run_id;
        identity.file_id = stamp.file_and_sector >> 4U;
        identity.page_id = stamp.page_id;
        identity.version = stamp.version;
        const std::uint32_t from = stamp.file_and_sector & 15U;
        if (matches(sector, identity, from)) {
            // In the expected version only the time of the write can differ.
            fact = {SectorState::other_page, identity.version, identity.file_id, identity.page_id, from};
            const bool is_here = identity.file_id == expected_.file_id && identity.page_id == expected_.page_id && from == index;
            if (!is_here) return;
            const std::uint32_t written = expected_.entry.version;
            fact.state =
                identity.version == written ? SectorState::damaged : (identity.version > written ? SectorState::newer : SectorState::older);
            return;
        }
        identity.run_id = header_.run_id;
        const bool has_other_run = header_.magic == kPageMagic && header_.run_id != expected_.run_id;
        if (has_other_run && matches(sector, identity, from)) {
            fact = {SectorState::foreign, identity.version, identity.file_id, identity.page_id, from};
        }
    }

    bool matches(const std::byte* sector, const PageIdentity& identity, std::uint32_t from) {
        const std::byte* const made = images_.find(identity);
        return made != nullptr && is_same_content(sector, made + std::size_t{from} * kSectorBytes, from);
    }

    const std::byte* const image_;
    const ExpectedPage& expected_;
    const WrittenImage& written_;
    const PageHeader header_;
    Images images_;
};

bool is_as_written(const SectorFact& fact) { return fact.state == SectorState::expected; }

// When an earlier write of the expected version was made, of which this sector may be. The first one has the whole time, the others its low
// half: 71 minutes.
std::uint64_t earlier_time_in(const std::byte* image, std::uint32_t sector, std::uint64_t written_utc_us) {
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 32;
    if (sector == 0) return read_header(image).write_utc_us;
    const std::uint64_t time_utc_us = (written_utc_us & ~(kHalf - 1)) | read_stamp(image, sector).write_time_low;
    return time_utc_us > written_utc_us ? time_utc_us - kHalf : time_utc_us;
}

// Of the half that stamps have. Damage to one of them looks like that, too; the times of two writes differ in more.
bool differ_in_one_byte(std::uint64_t time_utc_us, std::uint64_t written_utc_us) {
    const auto wrong_bits = static_cast<std::uint32_t>(time_utc_us ^ written_utc_us);
    std::uint32_t wrong_bytes = 0;
    for (std::uint32_t shift = 0; shift < 32; shift += 8) {
        if ((wrong_bits >> shift & 0xffU) != 0) ++wrong_bytes;
    }
    return wrong_bytes == 1;
}

}  // namespace

SectorMap map_sectors(const std::byte* image, const ExpectedPage& expected, const WrittenImage& written) {
    Mapper mapper(image, expected, written);
    SectorMap map;
    for (std::uint32_t sector = 0; sector < kSectorsPerPage; ++sector) map[sector] = mapper.map(sector);
    return map;
}

void mark_earlier_write(SectorMap& sectors, const std::byte* image, const ExpectedPage& expected, const WrittenImage& written) {
    const auto wrong = kSectorsPerPage - static_cast<std::uint32_t>(std::count_if(sectors.begin(), sectors.end(), is_as_written));
    if (!written.is_exact() || expected.entry.version == 0 || wrong == 0 || wrong == kSectorsPerPage) return;
    const auto first = static_cast<std::uint32_t>(std::find_if_not(sectors.begin(), sectors.end(), is_as_written) - sectors.begin());
    const std::uint64_t written_utc_us = read_header(written.bytes()).write_utc_us;
    const std::uint64_t time_utc_us = earlier_time_in(image, first, written_utc_us);
    if (time_utc_us >= written_utc_us || (wrong == 1 && differ_in_one_byte(time_utc_us, written_utc_us))) return;
    const auto words = std::make_unique<std::uint64_t[]>(kPageBytes / 8);
    auto* const earlier = reinterpret_cast<std::byte*>(words.get());
    make_page({expected.run_id, expected.file_id, expected.page_id, expected.entry.version, expected.entry.lsn, time_utc_us}, earlier);
    SectorMap marked = sectors;
    for (std::uint32_t i = first; i < kSectorsPerPage; ++i) {
        if (is_as_written(sectors[i])) continue;
        if (!are_equal(image, earlier, std::size_t{i} * kSectorBytes, std::size_t{i + 1} * kSectorBytes)) return;
        marked[i].state = SectorState::older;
    }
    sectors = marked;
}

bool is_tear_on_4k_lines(const SectorMap& sectors) {
    constexpr std::uint32_t kBlockSectors = 4096 / kSectorBytes;
    for (std::uint32_t i = 0; i < kSectorsPerPage; ++i) {
        const SectorFact& first = sectors[i - i % kBlockSectors];
        if (sectors[i].state != first.state || sectors[i].version != first.version) return false;
    }
    return true;
}

std::uint32_t count_not_read_bytes(const std::byte* image) {
    std::uint32_t bytes = 0;
    for (std::size_t i = 0; i < kPageBytes; i += 8) bytes += word_at(image + i) == kNotReadPattern ? 8 : 0;
    return bytes;
}

}  // namespace sim
