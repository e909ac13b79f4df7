// Blocks whose checksum is put together, not calculated from their bytes.
#include "sim/bench/log_block_maker.hpp"

#include <cstring>
#include <vector>

#include "sim/page/checksum.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/prng.hpp"

namespace {

sim::LogBlockHeader header_of(std::uint32_t size_bytes, std::uint64_t sequence) {
    sim::LogBlockHeader header{};
    header.magic = sim::kLogMagic;
    header.format = sim::kLogFormat;
    header.size_bytes = header.used_bytes = size_bytes;
    header.run_id = ums::mix64(sequence);
    header.sequence = sequence;
    return header;
}

std::uint32_t calculated(const std::vector<std::byte>& block, std::uint32_t size_bytes) {
    return sim::crc32c(block.data() + sizeof(std::uint32_t), size_bytes - sizeof(std::uint32_t));
}

std::vector<std::byte> prepared(const sim::LogBlockMaker& maker, std::uint32_t size_bytes_max) {
    std::vector<std::byte> memory(size_bytes_max);
    maker.prepare(memory.data());
    return memory;
}

}  // namespace

TEST_CASE("the checksum of a log block that was made from parts is the one calculated from its bytes, for each size") {
    constexpr std::uint32_t kSectorsMax = 40;
    const sim::LogBlockMaker maker(sim::kSectorBytes, sim::kSectorBytes, kSectorsMax * sim::kSectorBytes);
    std::vector<std::byte> memory = prepared(maker, kSectorsMax * sim::kSectorBytes);
    ums::Prng prng(7);
    for (std::uint64_t sequence = 1; sequence <= 400; ++sequence) {
        const auto size_bytes = static_cast<std::uint32_t>(prng.between(1, kSectorsMax)) * sim::kSectorBytes;
        const std::uint32_t checksum = maker.make(header_of(size_bytes, sequence), prng.next(), memory.data());
        REQUIRE(checksum == calculated(memory, size_bytes));
        REQUIRE(std::memcmp(memory.data(), &checksum, sizeof checksum) == 0);
    }
}

TEST_CASE("sizes of log blocks may begin above their unit") {
    const sim::LogBlockMaker maker(4096, 8192, 61440);
    std::vector<std::byte> memory = prepared(maker, 61440);
    for (const std::uint32_t size_bytes : {8192U, 12288U, 61440U}) {
        const std::uint32_t checksum = maker.make(header_of(size_bytes, 9), 0x123456789, memory.data());
        CHECK(checksum == calculated(memory, size_bytes));
    }
}

TEST_CASE("no sector of a log block is one of another block's") {
    constexpr std::uint32_t kBlockBytes = 4096;
    const sim::LogBlockMaker maker(kBlockBytes, kBlockBytes, kBlockBytes);
    std::vector<std::byte> first = prepared(maker, kBlockBytes);
    std::vector<std::byte> second = first;
    maker.make(header_of(kBlockBytes, 1), 1, first.data());
    maker.make(header_of(kBlockBytes, 2), 2, second.data());
    for (std::size_t a = 0; a < kBlockBytes; a += sim::kSectorBytes) {
        for (std::size_t b = 0; b < kBlockBytes; b += sim::kSectorBytes) {
            CHECK(std::memcmp(first.data() + a, second.data() + b, sim::kSectorBytes) != 0);
        }
    }
}
