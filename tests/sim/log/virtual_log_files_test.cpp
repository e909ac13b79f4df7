#include "sim/log/virtual_log_files.hpp"

#include <vector>

#include "sim/page/log_layout.hpp"
#include "tests/sim/support/virtual_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/death.hpp"
#include "ums/base/units.hpp"

using sim::VirtualLogFiles;
using sim::testing::VirtualWorld;

namespace {

using ums::kMb;

std::uint32_t count_for(std::uint64_t size_mb) {
    VirtualWorld world;
    const auto file = world.make_file(1, size_mb * kMb, true);
    return VirtualLogFiles({file.get()}, 512).count();
}

}  // namespace

TEST_CASE("a log file has as many virtual log files as SQL Server would make") {
    CHECK(count_for(1) == 4);
    CHECK(count_for(50) == 4);
    CHECK(count_for(63) == 4);
    CHECK(count_for(64) == 8);
    CHECK(count_for(1024) == 8);
    CHECK(count_for(1025) == 16);
    CHECK(count_for(8 * 1024) == 16);
    // A virtual log file of more than 512 MB could not be numbered.
    CHECK(count_for(16 * 1024) == 32);
}

TEST_CASE("the virtual log files follow the signature page, aligned, one after another, within the file") {
    for (const std::uint32_t alignment_bytes : {512U, 4096U}) {
        for (const std::uint64_t size_mb : {1U, 2U, 7U, 64U, 1025U, 20'000U}) {
            VirtualWorld world;
            const auto file = world.make_file(1, size_mb * kMb, true);
            VirtualLogFiles vlfs({file.get()}, alignment_bytes);
            std::uint64_t next_bytes = sim::kPageBytes;
            for (std::uint32_t i = 0; i < vlfs.count(); ++i) {
                CHECK(vlfs[i].offset_bytes % alignment_bytes == 0);
                CHECK(vlfs[i].size_bytes % alignment_bytes == 0);
                CHECK(vlfs[i].size_bytes <= sim::kVlfBytesMax);
                CHECK(vlfs[i].offset_bytes == next_bytes);
                next_bytes = vlfs[i].offset_bytes + vlfs[i].size_bytes;
            }
            CHECK(next_bytes <= size_mb * kMb);
            CHECK(size_mb * kMb - next_bytes < vlfs.count() * alignment_bytes);
            CHECK(vlfs.total_bytes() == next_bytes - sim::kPageBytes);
        }
    }
}

TEST_CASE("several log files form one ring and take turns in it") {
    VirtualWorld world;
    const auto first = world.make_file(1, kMb, true);
    const auto second = world.make_file(2, 64 * kMb, true);
    VirtualLogFiles vlfs({first.get(), second.get()}, 512);
    REQUIRE(vlfs.count() == 12);
    std::vector<std::uint32_t> owners;
    for (std::uint32_t i = 0; i < 12; ++i) {
        owners.push_back(vlfs.current().file->id());
        CHECK(vlfs.current_index() == i);
        CHECK(vlfs.current().sequence == i + 1);
        if (i < 11) vlfs.advance();
    }
    CHECK(owners == std::vector<std::uint32_t>{1, 2, 1, 2, 1, 2, 1, 2, 2, 2, 2, 2});
    CHECK(vlfs.free_count() == 0);
}

TEST_CASE("truncation frees exactly what is older, and never the current virtual log file") {
    VirtualWorld world;
    const auto file = world.make_file(1, kMb, true);
    VirtualLogFiles vlfs({file.get()}, 512);
    vlfs.advance();
    vlfs.advance();
    CHECK(vlfs.current().sequence == 3);
    CHECK(vlfs.free_count() == 1);
    vlfs.truncate(1);
    CHECK(vlfs.free_count() == 1);
    vlfs.truncate(2);
    CHECK(vlfs.free_count() == 2);
    CHECK(vlfs[0].sequence == 0);
    CHECK(vlfs[1].sequence == 2);
    vlfs.truncate(100);
    CHECK(vlfs.free_count() == 3);
    CHECK(vlfs.current().sequence == 3);
}

TEST_CASE("the ring continues from where it is, and wraps around from its end to its beginning") {
    VirtualWorld world;
    const auto file = world.make_file(1, kMb, true);
    VirtualLogFiles vlfs({file.get()}, 512);
    std::vector<std::uint32_t> visited;
    for (std::uint32_t i = 0; i < 10; ++i) {
        visited.push_back(vlfs.current_index());
        CHECK(vlfs.current().sequence == i + 1);
        CHECK(vlfs.current().end_bytes == 0);
        CHECK(vlfs.current().first_block == 0);
        vlfs.current().end_bytes = 512;
        vlfs.current().first_block = 1;
        vlfs.truncate(vlfs.current().sequence);
        vlfs.advance();
    }
    CHECK(visited == std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1});
}

TEST_CASE("the free bytes are those of free virtual log files and of the rest of the current one") {
    VirtualWorld world;
    const auto file = world.make_file(1, kMb, true);
    VirtualLogFiles vlfs({file.get()}, 512);
    const std::uint64_t each_bytes = vlfs[0].size_bytes;
    CHECK(vlfs.free_bytes() == 4 * each_bytes);
    vlfs.current().end_bytes = 1024;
    CHECK(vlfs.free_bytes() == 4 * each_bytes - 1024);
    vlfs.advance();
    CHECK(vlfs.free_bytes() == 3 * each_bytes);
    vlfs.truncate(2);
    CHECK(vlfs.free_bytes() == 4 * each_bytes);
}

TEST_CASE("a part added to a log file joins the ring") {
    VirtualWorld world;
    const auto file = world.make_file(1, kMb, true);
    VirtualLogFiles vlfs({file.get()}, 512);
    const std::uint64_t before_bytes = vlfs.free_bytes();
    vlfs.add(*file, kMb, kMb + 10'000);
    CHECK(vlfs.count() == 5);
    CHECK(vlfs[4].size_bytes == 9728);  // whole sectors
    CHECK(vlfs.free_bytes() == before_bytes + 9728);
    for (int i = 0; i < 4; ++i) vlfs.advance();
    CHECK(vlfs.current_index() == 4);
}

TEST_CASE("a ring without a free virtual log file must not advance") {
    VirtualWorld world;
    const auto file = world.make_file(1, kMb, true);
    VirtualLogFiles vlfs({file.get()}, 512);
    for (int i = 0; i < 3; ++i) vlfs.advance();
    CHECK(ums::testing::aborts([&] { vlfs.advance(); }));
}

TEST_CASE("the sum of block digests depends on place and checksum, but not on the order") {
    CHECK(sim::block_digest(1, 10) + sim::block_digest(2, 20) == sim::block_digest(2, 20) + sim::block_digest(1, 10));
    CHECK(sim::block_digest(1, 20) + sim::block_digest(2, 10) != sim::block_digest(1, 10) + sim::block_digest(2, 20));
    CHECK(sim::block_digest(1, 10) != sim::block_digest(1, 11));
}
