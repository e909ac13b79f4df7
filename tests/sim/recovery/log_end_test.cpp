#include "sim/recovery/log_end.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/page/log_layout.hpp"
#include "tests/sim/support/virtual_world.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

using sim::LogBlockPlace;
using sim::LogContents;
using sim::LogExtent;
using sim::LogPosition;
using sim::SimFile;
using sim::testing::Fate;
using sim::testing::VirtualWorld;

namespace {

using ums::kMb;

// One block at the beginning of each of these VLFs, numbered consecutively from 1.
struct BlocksInVlfs {
    BlocksInVlfs(SimFile& file, const std::vector<std::uint32_t>& vlfs) {
        const std::vector<sim::LogFileShape> shapes{{&file, 4 * kMb, kMb}};
        const std::vector<sim::VlfPlace> places = sim::divide_log(shapes, sim::kSectorBytes);
        for (const std::uint32_t vlf : vlfs) add(file, places.at(vlf));
    }
    void add(const SimFile& file, const sim::VlfPlace& place) {
        LogBlockPlace block;
        block.sequence = contents.blocks.size() + 1;
        block.first_lsn = block.last_lsn = sim::make_lsn(static_cast<std::uint32_t>(block.sequence), 0, 0);
        block.offset_bytes = place.offset_bytes;
        block.size_bytes = sim::kSectorBytes;
        block.file_id = file.id();
        block.vlf_sectors = static_cast<std::uint32_t>(place.size_bytes / sim::kSectorBytes);
        block.incarnation = 3;
        contents.blocks.push_back(block);
        extent = sim::find_extent(contents);
    }
    LogContents contents;
    LogExtent extent;
};

std::unique_ptr<SimFile> make_log(VirtualWorld& world) {
    SimFile::Setup setup = world.setup(1, 4 * kMb, true);
    setup.options.initial_size_mb = 4;
    return world.make_file(std::move(setup));
}

LogPosition find_position(VirtualWorld& world, const std::vector<SimFile*>& files, const BlocksInVlfs& blocks,
                          std::uint64_t checkpoint_bytes = sim::kLogBlockBytesMax) {
    sim::LogEnd end(files, blocks.contents, blocks.extent, sim::kSectorBytes, checkpoint_bytes, world.state, world.journal);
    world.run([&](VirtualWorld&) -> ums::Task<void> { co_await end.find(); });
    return end.position();
}

}  // namespace

TEST_CASE("a log continues after its end, with unused numbers, in a part that recovery does not need") {
    VirtualWorld world;
    const auto file = make_log(world);
    const LogPosition position = find_position(world, {file.get()}, {*file, {0, 1}});
    CHECK(position.incarnation == 4);
    CHECK(position.last_sequence == 2);
    CHECK(position.next_sequence == 3);
    CHECK(position.last_vlf + 1 == sim::kVlfsPerIncarnation);
    CHECK(position.places.size() == 4);
    REQUIRE(position.used.size() == 2);

    sim::VirtualLogFiles vlfs(position.places, position.used, position.last_vlf, sim::kSectorBytes);
    CHECK(vlfs.current_index() == 2);
    CHECK(vlfs.current().sequence == sim::kVlfsPerIncarnation);
    CHECK(vlfs.current().end_bytes == 0);
    CHECK(vlfs.free_count() == 1);
    vlfs.truncate(3);
    CHECK(vlfs.free_count() == 3);
}

TEST_CASE("a log that continues keeps what was logged since the last complete checkpoint began, and may overwrite what stands before") {
    VirtualWorld world;
    const auto file = make_log(world);
    BlocksInVlfs blocks(*file, {0, 1, 2});
    const std::vector<LogBlockPlace>& three = blocks.contents.blocks;
    blocks.contents.checkpoints.push_back({.sequence = 3, .begin_lsn = three[1].first_lsn, .end_lsn = three[2].last_lsn});
    blocks.extent = sim::find_extent(blocks.contents);
    REQUIRE(blocks.extent.checkpoint);
    const LogPosition position = find_position(world, {file.get()}, blocks);
    REQUIRE(position.used.size() == 2);
    CHECK(position.used[0].sequence == 2);
    CHECK(position.used[1].sequence == 3);
    sim::VirtualLogFiles vlfs(position.places, position.used, position.last_vlf, sim::kSectorBytes);
    CHECK(vlfs.current_index() == 3);
    CHECK(vlfs.free_count() == 1);
    vlfs.advance();
    CHECK(vlfs.current_index() == 0);
}

TEST_CASE("a log continues with block numbers above those that a ledger was promised, even if nothing is left of these blocks") {
    VirtualWorld world;
    const auto file = make_log(world);
    BlocksInVlfs blocks(*file, {0, 1});
    blocks.contents.promised_sequence = 9;
    blocks.extent = sim::find_extent(blocks.contents);
    const LogPosition position = find_position(world, {file.get()}, blocks);
    CHECK(position.last_sequence == 2);
    CHECK(position.next_sequence == 10);
}

TEST_CASE("what a run that was killed has left in its log is made durable before the log goes on, perhaps in another file") {
    const bool fails = GENERATE(false, true);
    VirtualWorld world;
    int syncs = 0;
    world.storage.set_rule([&](const ums::IoRequest& request) {
        if (request.operation != ums::IoOperation::sync) return Fate{};
        ++syncs;
        return Fate{.error = fails ? EIO : 0};
    });
    std::vector<std::unique_ptr<SimFile>> owned;
    std::vector<SimFile*> files;
    for (const sim::Durability durability : {sim::Durability::write_through, sim::Durability::forced_flush, sim::Durability::none}) {
        SimFile::Setup setup = world.setup(static_cast<std::uint32_t>(files.size()) + 1, 4 * kMb, true);
        setup.options.initial_size_mb = 4;
        setup.durability = durability;
        owned.push_back(world.make_file(std::move(setup)));
        files.push_back(owned.back().get());
    }
    const LogPosition position = find_position(world, files, {*files.front(), {0, 1}});
    CHECK(syncs == (fails ? 1 : 2));
    CHECK(position.places.size() == (fails ? 0U : 12U));
    CHECK(world.state.is_stopping() == fails);
    if (fails) CHECK(world.state.outcome() == sim::Outcome::failed);
}

TEST_CASE("of two virtual log files that claim the same place, only the newer one is kept") {
    VirtualWorld world;
    const auto file = make_log(world);
    const LogPosition position = find_position(world, {file.get()}, {*file, {0, 0, 1}});
    REQUIRE(position.used.size() == 2);
    CHECK(position.used[0].sequence == 2);
    CHECK(position.used[1].sequence == 3);
    const sim::VirtualLogFiles vlfs(position.places, position.used, position.last_vlf, sim::kSectorBytes);
    CHECK(vlfs.free_count() == 1);
}

TEST_CASE("a log that recovery needs up to its last part is extended") {
    VirtualWorld world;
    const auto file = make_log(world);
    const LogPosition position = find_position(world, {file.get()}, {*file, {0, 1, 2, 3}});
    CHECK(file->size_bytes() > 4 * kMb);
    REQUIRE(position.places.size() == 5);
    CHECK(position.places.back().offset_bytes == 4 * kMb);
    sim::VirtualLogFiles vlfs(position.places, position.used, position.last_vlf, sim::kSectorBytes);
    CHECK(vlfs.current_index() == 4);
}

TEST_CASE("a log whose only free part is too short for a checkpoint is extended") {
    for (const std::uint64_t checkpoint_bytes : {std::uint64_t{150'000}, std::uint64_t{300'000}}) {
        VirtualWorld world;
        SimFile::Setup setup = world.setup(1, kMb, true);
        setup.options.initial_size_mb = 1;
        const auto file = world.make_file(std::move(setup));
        const std::vector<sim::LogFileShape> shapes{{file.get(), kMb, kMb}};
        const std::vector<sim::VlfPlace> places = sim::divide_log(shapes, sim::kSectorBytes);
        BlocksInVlfs blocks(*file, {});
        for (std::size_t i = 0; i < 3; ++i) blocks.add(*file, places.at(i));
        const LogPosition position = find_position(world, {file.get()}, blocks, checkpoint_bytes);
        const bool has_room = checkpoint_bytes == 150'000;
        CHECK((file->size_bytes() == kMb) == has_room);
        CHECK(position.places.size() == (has_room ? 4U : 5U));
    }
}

TEST_CASE("a log file that no block had used, and that was cut, gets its InitialSize again, however little is left of it") {
    // Its first page only; parts that hold no block; parts that hold few.
    for (const std::uint64_t left_bytes : {std::uint64_t{sim::kPageBytes}, std::uint64_t{2 * sim::kPageBytes}, kMb}) {
        VirtualWorld world;
        const auto file = make_log(world);
        SimFile::Setup setup = world.setup(2, left_bytes, true);
        setup.options.initial_size_mb = 8;
        const auto unused = world.make_file(std::move(setup));
        const LogPosition position = find_position(world, {file.get(), unused.get()}, {*file, {0, 1}});
        CHECK(world.state.reason().empty());
        CHECK(unused->size_bytes() == 8 * kMb);
        CHECK(position.places.size() == 8);
    }
}

TEST_CASE("a growth that was cut off is completed, so that the next step begins where one does, unless the log may not grow as far") {
    for (const std::uint64_t max_size_mb : {std::uint64_t{16}, std::uint64_t{7}}) {
        VirtualWorld world;
        const std::uint64_t left_bytes = 6 * kMb + 3 * sim::kPageBytes;
        SimFile::Setup setup = world.setup(1, left_bytes, true);
        setup.options.initial_size_mb = 4;
        setup.options.increment_mb = 2;
        setup.options.max_size_mb = max_size_mb;
        const auto file = world.make_file(std::move(setup));
        const LogPosition position = find_position(world, {file.get()}, {*file, {0, 1}});
        const bool is_completed = max_size_mb == 16;
        CHECK(world.state.reason().empty());
        CHECK(file->size_bytes() == (is_completed ? 8 * kMb : left_bytes));
        REQUIRE(position.places.size() == (is_completed ? 6U : 5U));
        CHECK(position.places.back().offset_bytes == (is_completed ? 6 * kMb : 4 * kMb));
        CHECK(position.places.back().size_bytes == 2 * kMb);
    }
}

TEST_CASE("a log file with a part of a growth does not grow in the run if the system refuses the rest, unless recovery needs the step") {
    for (const std::uint32_t refusals : {1U, 2U}) {
        VirtualWorld world;
        std::uint32_t allocations = 0;
        world.storage.set_rule([&](const ums::IoRequest& request) {
            const bool is_refused = request.operation == ums::IoOperation::allocate && ++allocations <= refusals;
            return Fate{.error = is_refused ? ENOSPC : 0};
        });
        const std::uint64_t left_bytes = 4 * kMb + 3 * sim::kPageBytes;
        SimFile::Setup setup = world.setup(1, left_bytes, true);
        setup.options.initial_size_mb = 4;
        setup.options.increment_mb = 2;
        setup.options.max_size_mb = 16;
        const auto file = world.make_file(std::move(setup));
        const bool is_needed = refusals == 1;
        const std::vector<std::uint32_t> used = is_needed ? std::vector<std::uint32_t>{0, 1, 2, 3} : std::vector<std::uint32_t>{0, 1};
        const LogPosition position = find_position(world, {file.get()}, {*file, used});
        CHECK(world.sink.count_of(sim::Severity::warning, "cannot be completed") == 1);
        CHECK(world.state.reason().empty());
        CHECK(allocations == (is_needed ? 2U : 1U));
        CHECK(file->has_part_of_growth.load() != is_needed);
        CHECK(file->size_bytes() == (is_needed ? 6 * kMb : left_bytes));
        CHECK(position.places.size() == (is_needed ? 5U : 4U));
    }
}

TEST_CASE("a run that is stopped while its log is extended was stopped, and nothing is said to have refused it") {
    VirtualWorld world;
    SimFile::Setup setup = world.setup(1, 4 * kMb, true);
    setup.options.initial_size_mb = 4;
    setup.options.increment_mb = 2;
    const auto file = world.make_file(std::move(setup));
    world.storage.set_rule([&world](const ums::IoRequest& request) {
        if (request.operation == ums::IoOperation::write) world.state.stop(sim::Outcome::stopped, "somebody pressed Ctrl-C");
        return Fate{};
    });
    find_position(world, {file.get()}, {*file, {0, 1, 2, 3}});
    CHECK(world.state.outcome() == sim::Outcome::stopped);
    CHECK(world.state.reason() == "somebody pressed Ctrl-C");
    CHECK(file->size_bytes() == 4 * kMb);
}

TEST_CASE("a growth that was divided into eight parts is recognized by the blocks in it, whatever the present configuration") {
    VirtualWorld world;
    SimFile::Setup setup = world.setup(1, (4 + 72) * kMb, true);
    setup.options.initial_size_mb = 4;
    setup.options.increment_mb = 72;
    const auto file = world.make_file(std::move(setup));
    for (const std::uint32_t vlfs : {1U, 8U}) {
        BlocksInVlfs blocks(*file, {0, 1});
        // One more block, in the last part of the growth.
        const std::vector<sim::VlfPlace> step = sim::divide_growth(*file, 4 * kMb, 72 * kMb, vlfs);
        blocks.add(*file, step.back());
        const LogPosition position = find_position(world, {file.get()}, blocks);
        CHECK(position.places.size() == 4 + vlfs);
        CHECK(position.used.size() == 3);
    }
}

TEST_CASE("blocks that are not where the configuration would put them are reported, and the run does not continue") {
    VirtualWorld world;
    const auto file = make_log(world);
    BlocksInVlfs blocks(*file, {0, 1});
    blocks.contents.blocks[1].vlf_sectors -= 8;
    find_position(world, {file.get()}, blocks);
    CHECK(world.state.is_stopping());
    CHECK_THAT(world.state.reason(), ContainsSubstring("InitialSize"));
}

TEST_CASE("a log whose virtual log files have used up their numbers is not continued") {
    for (const std::uint32_t newest : {0xfffc'ffffU, 0xfffd'0000U, 0xfffe'0000U, 0xffff'ffffU}) {
        VirtualWorld world;
        const auto file = make_log(world);
        BlocksInVlfs blocks(*file, {0, 1});
        LogBlockPlace& block = blocks.contents.blocks[1];
        block.first_lsn = block.last_lsn = sim::make_lsn(newest, 0, 0);
        const LogPosition position = find_position(world, {file.get()}, blocks);
        const bool has_room = newest < sim::kVlfSequenceEnd - sim::kVlfsPerIncarnation;
        CHECK(world.state.is_stopping() != has_room);
        CHECK((position.last_vlf == 0xfffc'ffff) == has_room);
    }
}

TEST_CASE("a log whose blocks have the last number of an incarnation is not continued") {
    for (const std::uint32_t newest : {0xffff'fffeU, 0xffff'ffffU}) {
        VirtualWorld world;
        const auto file = make_log(world);
        BlocksInVlfs blocks(*file, {0, 1});
        blocks.contents.blocks[1].incarnation = newest;
        const LogPosition position = find_position(world, {file.get()}, blocks);
        const bool has_room = newest == 0xffff'fffe;
        CHECK(world.state.is_stopping() != has_room);
        CHECK((position.incarnation == 0xffff'ffff) == has_room);
    }
}
