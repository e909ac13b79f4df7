#include "sim/rehearsal/wrong_image.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "sim/backup/backup_format.hpp"
#include "sim/page/checksum.hpp"
#include "sim/page/log_layout.hpp"
#include "ums/base/assert.hpp"

namespace sim {

namespace {

void fill_random(std::byte* begin, std::size_t size_bytes, ums::Prng& prng) {
    for (std::size_t i = 0; i < size_bytes; ++i) begin[i] = static_cast<std::byte>(prng.next() >> 56);
}

// Flips different bits, so that exactly `count` are wrong in the end.
void flip_bits(std::byte* begin, std::size_t size_bytes, std::uint64_t count, ums::Prng& prng) {
    std::vector<std::uint64_t> flipped;
    while (flipped.size() < count) {
        const std::uint64_t bit = prng.below(size_bytes * 8);
        if (std::find(flipped.begin(), flipped.end(), bit) != flipped.end()) continue;
        flipped.push_back(bit);
        begin[bit / 8] ^= std::byte{1} << static_cast<unsigned>(bit % 8);
    }
}

}  // namespace

ImageBytes corrupt_image(const ImageBytes& right, ums::Prng& prng, std::string& what) {
    ImageBytes image = right;
    switch (prng.below(4)) {
        case 0:
        case 1: {
            const std::uint64_t bits = prng.below(2) == 0 ? 1 : prng.between(2, 64);
            flip_bits(image.data(), image.size(), bits, prng);
            what = fmt::format("{} wrong bits", bits);
            break;
        }
        case 2: {
            const std::uint64_t count = prng.between(1, 6);
            const std::uint64_t first = prng.below(kSectorsPerPage - count + 1);
            fill_random(image.data() + first * kSectorBytes, count * kSectorBytes, prng);
            what = fmt::format("garbage in {} sectors from sector {} on", count, first);
            break;
        }
        default: {
            // The bytes arrived shifted; what comes before them is random.
            const std::uint64_t shift = prng.below(2) == 0 ? prng.between(1, 63) : 64 * prng.between(1, 7);
            std::memmove(image.data() + shift, right.data(), image.size() - shift);
            fill_random(image.data(), shift, prng);
            what = fmt::format("the page moved by {} bytes", shift);
        }
    }
    return image;
}

ImageBytes torn_image(const ImageBytes& older, const ImageBytes& right, ums::Prng& prng, std::string& what) {
    ImageBytes image = right;
    const std::size_t unit = prng.below(2) == 0 ? kSectorBytes : 4096;
    const std::size_t units = kPageBytes / unit;
    const std::size_t cut = prng.between(1, units - 1) * unit;
    const bool front = prng.below(2) == 0;
    const std::size_t begin = front ? 0 : cut;
    const std::size_t end = front ? cut : kPageBytes;
    std::memcpy(image.data() + begin, older.data() + begin, end - begin);
    what = fmt::format("bytes {} to {} stayed old", begin, end - 1);
    return image;
}

ImageBytes foreign_image(const ImageBytes& right, ums::Prng& prng, std::string& what) {
    ImageBytes image(kPageBytes);
    if (prng.below(2) == 0) {
        fill_random(image.data(), image.size(), prng);
        what = "random bytes";
        return image;
    }
    const PageHeader header = read_header(right.data());
    make_page({prng.next(), header.file_id, header.page_id, header.version, header.lsn, header.write_utc_us - 86'400'000'000},
              image.data());
    what = "a sound page of another run";
    return image;
}

ImageBytes future_image(const ImageBytes& right, ums::Prng& prng, std::string& what) {
    ImageBytes image(kPageBytes);
    const PageHeader header = read_header(right.data());
    const auto ahead = static_cast<std::uint32_t>(prng.between(1, 1000));
    make_page({header.run_id, header.file_id, header.page_id, header.version + ahead, header.lsn + (std::uint64_t{ahead} << 32),
               header.write_utc_us + 1'000'000},
              image.data());
    what = fmt::format("a sound image {} versions ahead", ahead);
    return image;
}

void damage_block(std::byte* block, std::size_t size_bytes, ums::Prng& prng, std::string& what) {
    if (prng.below(2) == 0) {
        const std::uint64_t bits = prng.between(1, 16);
        flip_bits(block, size_bytes, bits, prng);
        what = fmt::format("{} wrong bits", bits);
        return;
    }
    // The header stays, or it would be a gap.
    const std::size_t sectors = size_bytes / kSectorBytes;
    const std::size_t sector = prng.below(sectors);
    const std::size_t begin = sector == 0 ? sizeof(LogBlockHeader) : sector * kSectorBytes;
    fill_random(block + begin, (sector + 1) * kSectorBytes - begin, prng);
    what = fmt::format("garbage in sector {}", sector);
}

void age_block(std::byte* block, std::size_t size_bytes, ums::Prng& prng, std::string& what) {
    LogBlockHeader header;
    UMS_ASSERT(size_bytes >= sizeof header);
    std::memcpy(&header, block, sizeof header);
    if (prng.below(2) == 0 || header.sequence < 2) {
        header.run_id = prng.next();
        what = "a sound log block of another run";
    } else {
        header.sequence -= std::min<std::uint64_t>(header.sequence - 1, prng.between(1, 100));
        header.vlf_sequence = header.vlf_sequence > 4 ? header.vlf_sequence - 4 : 1;
        header.first_lsn = make_lsn(header.vlf_sequence, header.vlf_sector, 0);
        what = fmt::format("the sound log block {} of an earlier round", header.sequence);
    }
    std::memcpy(block, &header, sizeof header);
    const std::uint32_t checksum = crc32c(block + sizeof header.checksum, header.size_bytes - sizeof header.checksum);
    std::memcpy(block, &checksum, sizeof checksum);
}

void age_chunk(std::byte* chunk, ums::Prng& prng, std::string& what) {
    ChunkHeader header = read_chunk_header(chunk);
    if (prng.below(2) == 0 || header.chain_number < 2) {
        header.run_id = prng.next();
        what = "a sound chunk of another run's chain of backups";
    } else {
        --header.chain_number;
        what = fmt::format("the sound chunk {} of the chain of backups before", header.sequence);
    }
    finish_chunk(header, chunk);
}

}  // namespace sim
