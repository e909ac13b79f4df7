// docs/backup_format.md, byte by byte.
#include "sim/backup/backup_format.hpp"

#include <cstring>

#include "tests/support/catch.hpp"

TEST_CASE("a chunk of a backup chain has the documented bytes") {
    alignas(8) std::byte chunk[4096];
    std::memset(chunk, 0xee, sizeof chunk);
    const sim::SetEnd end{0x0123456789abcdef, 42, 4096};
    std::memcpy(chunk + sizeof(sim::ChunkHeader), &end, sizeof end);
    sim::ChunkHeader header{};
    header.kind = static_cast<std::uint16_t>(sim::ChunkKind::set_end);
    header.size_bytes = sizeof chunk;
    header.run_id = 0x1122334455667788;
    header.sequence = 7;
    header.used_bytes = sizeof header + sizeof end;
    header.set_number = 3;
    header.chain_number = 2;
    header.write_utc_us = 1700000000000000;
    CHECK(sim::finish_chunk(header, chunk) == 0x2f7a13d8);
    CHECK(std::memcmp(chunk + 4, "IOPB", 4) == 0);
    CHECK(chunk[8] == std::byte{1});
    CHECK(chunk[10] == std::byte{4});
    CHECK(chunk[64] == std::byte{0xef});
    CHECK(chunk[88] == std::byte{0});
    CHECK(sim::is_sound_chunk(chunk, sizeof chunk));
    CHECK_FALSE(sim::is_sound_chunk(chunk, sizeof chunk - 512));
    chunk[4000] = std::byte{1};
    CHECK_FALSE(sim::is_sound_chunk(chunk, sizeof chunk));
}
