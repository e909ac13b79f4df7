#include "ums/io/volatile_storage.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/ums/io/volatile_world.hpp"

using ums::FileHandle;
using ums::IoOperation;
using ums::PowerCut;
using ums::testing::all_remains;
using ums::testing::kCuts;
using ums::testing::kSector;
using ums::testing::never_destaged;
using ums::testing::sectors_of;
using ums::testing::VolatileWorld;
using Remains = std::vector<std::string>;

// --- what is durable ---

TEST_CASE("a completed write is visible immediately, and may be lost until a sync has completed") {
    VolatileWorld world(never_destaged());
    const FileHandle file = world.make("/f", kSector);
    world.write(file, 0, kSector, 'a');
    CHECK(sectors_of(*world.disk.find("/f")) == "a");
    CHECK(all_remains(world.storage, "/f") == Remains{".", "a"});
    CHECK(world.storage.cached_bytes() == kSector);
    world.post(IoOperation::sync, file, 0, 0);
    CHECK(all_remains(world.storage, "/f") == Remains{".", "a"});
    world.drain();
    CHECK(all_remains(world.storage, "/f") == Remains{"a"});
    CHECK(world.storage.cached_bytes() == 0);

    world.write(file, 0, kSector, 'b');
    world.write(file, 0, kSector, 'c');
    CHECK(all_remains(world.storage, "/f") == Remains{"a", "b", "c"});
    REQUIRE(!world.storage.sync(file));
    CHECK(all_remains(world.storage, "/f") == Remains{"c"});
}

TEST_CASE("a sync does not cover a write that had not completed when the sync was submitted") {
    VolatileWorld world(never_destaged());
    const FileHandle file = world.make("/f", 2 * kSector);
    world.write(file, 0, kSector, 'a');
    world.post_write(file, kSector, kSector, 'b');
    world.post(IoOperation::sync, file, 0, 0);
    world.drain();
    CHECK(all_remains(world.storage, "/f") == Remains{"a.", "ab"});
}

TEST_CASE("a sync of one file does nothing for another") {
    VolatileWorld world(never_destaged());
    const FileHandle first = world.make("/f", kSector);
    const FileHandle second = world.make("/g", kSector);
    world.write(first, 0, kSector, 'a');
    world.write(second, 0, kSector, 'b');
    REQUIRE(!world.storage.sync(second));
    CHECK(all_remains(world.storage, "/f") == Remains{".", "a"});
    CHECK(all_remains(world.storage, "/g") == Remains{"b"});
}

TEST_CASE("a durable write is durable when it completes, earlier writes need not be") {
    VolatileWorld world(never_destaged());
    const FileHandle file = world.make("/f", 2 * kSector);
    world.write(file, 0, 2 * kSector, 'a');
    const ums::IoRequest& request = world.post_write(file, 0, kSector, 'b', true);
    CHECK(all_remains(world.storage, "/f") == Remains{"..", ".a", "a.", "aa", "b.", "ba"});
    CHECK(request.completed_ns == 0);
    world.drain();
    CHECK(all_remains(world.storage, "/f") == Remains{"b.", "ba"});

    FileHandle again;
    REQUIRE(!world.storage.reopen(file, {.durable_writes = true}, again));
    world.write(again, kSector, kSector, 'c');
    CHECK(all_remains(world.storage, "/f") == Remains{"bc"});
}

TEST_CASE("a sync does not restore what a durable write has replaced") {
    VolatileWorld world(never_destaged());
    const FileHandle file = world.make("/f", kSector);
    world.write(file, 0, kSector, 'a');
    world.post(IoOperation::sync, file, 0, 0);
    world.post_write(file, 0, kSector, 'b', true);
    world.drain();
    CHECK(all_remains(world.storage, "/f") == Remains{"b"});
}

TEST_CASE("a write can be torn between units, but never within one") {
    for (const std::uint32_t unit : {512U, 4096U}) {
        VolatileWorld world(never_destaged(unit));
        const FileHandle file = world.make("/f", 8192);
        world.post_write(file, 0, 8192, 'a');
        const Remains remains = all_remains(world.storage, "/f");
        std::set<std::string> pieces;
        for (const std::string& text : remains) {
            for (std::size_t at = 0; at < text.size(); at += unit / kSector) pieces.insert(text.substr(at, unit / kSector));
        }
        const std::size_t sectors = unit / kSector;
        CHECK(pieces == std::set<std::string>{std::string(sectors, '.'), std::string(sectors, 'a')});
        if (unit == 4096) {
            CHECK(remains.size() == 4);
        } else {
            CHECK(remains.size() > 50);
        }
        for (std::uint64_t seed = 0; seed < kCuts; ++seed) {
            const PowerCut cut = world.storage.cut(seed);
            const std::string text = sectors_of(*cut.files.at("/f"));
            const bool is_torn = text.find('.') != std::string::npos && text.find('a') != std::string::npos;
            CHECK(cut.torn == (is_torn ? std::vector<ums::TornWrite>{{"/f", 0, 8192, true}} : std::vector<ums::TornWrite>{}));
            if (cut.mix == ums::CutMix::by_request) CHECK(!is_torn);
        }
        world.drain();
        // It is in the cache now, and may still be torn.
        bool has_torn = false;
        for (std::uint64_t seed = 0; seed < kCuts; ++seed) {
            const PowerCut cut = world.storage.cut(seed);
            has_torn |= !cut.torn.empty() && !cut.torn.front().was_in_flight;
        }
        CHECK(has_torn);
    }
}

TEST_CASE("a write smaller than a unit changes the whole unit and keeps the bytes beside it") {
    VolatileWorld world(never_destaged(4096));
    const FileHandle file = world.make("/f", 4096);
    world.write(file, 0, kSector, 'a', true);
    world.write(file, kSector, kSector, 'b');
    world.write(file, 2 * kSector, kSector, 'c');
    CHECK(all_remains(world.storage, "/f") == Remains{"a.......", "ab......", "abc....."});
    world.post_write(file, 3 * kSector, kSector, 'd');
    CHECK(all_remains(world.storage, "/f") == Remains{"a.......", "a..d....", "ab......", "ab.d....", "abc.....", "abcd...."});
    world.drain();
    REQUIRE(!world.storage.sync(file));
    CHECK(all_remains(world.storage, "/f") == Remains{"abcd...."});
}

TEST_CASE("a cut may keep all that the cache and the device hold: then it leaves what a reader sees") {
    VolatileWorld world(never_destaged());
    const FileHandle file = world.make("/f", 4 * kSector);
    world.write(file, 0, 2 * kSector, 'a');
    world.write(file, kSector, 2 * kSector, 'b');
    const Remains remains = all_remains(world.storage, "/f");
    CHECK(std::count(remains.begin(), remains.end(), sectors_of(*world.disk.find("/f"))) == 1);
    CHECK(remains.size() == 2 * 3 * 2);
}

// --- names and sizes ---

TEST_CASE("a new file may be missing until it is synced, and is there from then on") {
    VolatileWorld world(never_destaged());
    FileHandle file;
    REQUIRE(!world.storage.open("/f", {.create_new = true}, file));
    world.write(file, 0, kSector, 'a', true);
    CHECK(all_remains(world.storage, "/f") == Remains{"a", "missing"});
    world.post(IoOperation::sync, file, 0, 0);
    world.drain();
    CHECK(all_remains(world.storage, "/f") == Remains{"a"});
}

TEST_CASE("a removal may be undone until another file durably has the name") {
    VolatileWorld world(never_destaged());
    const FileHandle old = world.make("/f", kSector);
    world.write(old, 0, kSector, 'o', true);
    REQUIRE(!world.storage.remove(old));
    CHECK(all_remains(world.storage, "/f") == Remains{"missing", "o"});
    FileHandle file;
    REQUIRE(!world.storage.open("/f", {.create_new = true}, file));
    world.write(file, 0, kSector, 'n', true);
    CHECK(all_remains(world.storage, "/f") == Remains{"missing", "n", "o"});
    REQUIRE(!world.storage.sync(old));
    CHECK(all_remains(world.storage, "/f") == Remains{"missing", "n", "o"});
    REQUIRE(!world.storage.sync(file));
    CHECK(all_remains(world.storage, "/f") == Remains{"n"});
}

TEST_CASE("after a cut the size is one that the file has had, and added space without data reads as zeros") {
    VolatileWorld world(never_destaged());
    const FileHandle file = world.make("/f", kSector);
    REQUIRE(!world.storage.allocate(file, 0, 2 * kSector));
    REQUIRE(!world.storage.allocate(file, 0, 4 * kSector));
    CHECK(all_remains(world.storage, "/f") == Remains{".", "..", "...."});
    world.write(file, 3 * kSector, kSector, 'a');
    CHECK(all_remains(world.storage, "/f") == Remains{".", "..", "....", "...a"});
    world.post(IoOperation::truncate, file, kSector, 0);
    CHECK(all_remains(world.storage, "/f") == Remains{".", "..", "....", "...a"});
    world.drain();
    REQUIRE(!world.storage.sync(file));
    CHECK(all_remains(world.storage, "/f") == Remains{"."});
}

TEST_CASE("what a truncation removed does not come back when the file grows") {
    VolatileWorld world(never_destaged());
    const FileHandle file = world.make("/f", 2 * kSector);
    world.write(file, kSector, kSector, 'a');
    REQUIRE(!world.storage.truncate(file, kSector));
    REQUIRE(!world.storage.truncate(file, 3 * kSector));
    world.write(file, kSector, kSector, 'b');
    // The old size only goes with the old contents, the new one only with the new.
    CHECK(all_remains(world.storage, "/f") == Remains{".", "..", "...", ".a", ".b."});
    REQUIRE(!world.storage.sync(file));
    CHECK(all_remains(world.storage, "/f") == Remains{".b."});
}

TEST_CASE("a durable write also hardens the sizes without which it could not be found, and no others") {
    VolatileWorld world(never_destaged());
    const FileHandle file = world.make("/f", kSector);
    REQUIRE(!world.storage.allocate(file, 0, 3 * kSector));
    world.write(file, 0, kSector, 'a', true);
    CHECK(all_remains(world.storage, "/f") == Remains{"a", "a.."});
    world.write(file, kSector, kSector, 'b', true);
    CHECK(all_remains(world.storage, "/f") == Remains{"ab."});
    world.write(file, 3 * kSector, kSector, 'c', true);
    CHECK(all_remains(world.storage, "/f") == Remains{"ab.c"});
}

TEST_CASE("files that existed before are durable, opened or not") {
    ums::VirtualClock clock;
    ums::SimulatedStorage disk(clock, ums::simulated_disk(1));
    VolatileWorld first(never_destaged());
    first.make("/f", kSector);
    PowerCut cut = first.storage.cut(1);
    for (auto& [path, file] : cut.files) disk.put(path, std::move(file));
    ums::VolatileStorage again(disk, clock, never_destaged());
    CHECK(all_remains(again, "/f") == Remains{"."});
    FileHandle file;
    REQUIRE(!again.open("/f", {}, file));
    REQUIRE(!again.truncate(file, 2 * kSector));
    CHECK(all_remains(again, "/f") == Remains{".", ".."});
    FileHandle made;
    REQUIRE(!again.open("/g", {.create_new = true}, made));
    CHECK(disk.find("/g")->inode() != disk.find("/f")->inode());
}

// --- time and moments ---

TEST_CASE("the cache writes to the medium by itself, within the given time") {
    ums::VolatileOptions options;
    options.destage_min_ns = 10 * ums::kNsPerMs;
    options.destage_max_ns = 20 * ums::kNsPerMs;
    VolatileWorld world(options);
    const FileHandle file = world.make("/f", kSector);
    world.write(file, 0, kSector, 'a');
    const std::uint64_t back_ns = world.clock.now_ns();
    world.clock.advance_to(back_ns + 10 * ums::kNsPerMs - 1);
    CHECK(all_remains(world.storage, "/f") == Remains{".", "a"});
    world.clock.advance_to(back_ns + 20 * ums::kNsPerMs);
    CHECK(all_remains(world.storage, "/f") == Remains{"a"});
    FileHandle made;
    REQUIRE(!world.storage.open("/g", {.create_new = true}, made));
    REQUIRE(!world.storage.truncate(made, kSector));
    CHECK(all_remains(world.storage, "/g") == Remains{"", ".", "missing"});
    world.clock.advance_to(back_ns + 41 * ums::kNsPerMs);
    CHECK(all_remains(world.storage, "/g") == Remains{"."});
}

TEST_CASE("a cut depends only on its seed and leaves the running storage as it is") {
    VolatileWorld world(never_destaged());
    const FileHandle file = world.make("/f", 16 * kSector);
    world.write(file, 0, 8 * kSector, 'a');
    world.post_write(file, 4 * kSector, 12 * kSector, 'b');
    std::set<ums::CutMix> mixes;
    for (std::uint64_t seed = 0; seed < kCuts; ++seed) {
        const PowerCut first = world.storage.cut(seed);
        const PowerCut second = world.storage.cut(seed);
        mixes.insert(first.mix);
        CHECK(first.mix == second.mix);
        CHECK(first.torn == second.torn);
        CHECK(sectors_of(*first.files.at("/f")) == sectors_of(*second.files.at("/f")));
    }
    CHECK(mixes.size() == ums::kCutMixCount);
    CHECK(sectors_of(*world.disk.find("/f")) == "aaaaaaaa........");
    world.drain();
    CHECK(sectors_of(*world.disk.find("/f")) == "aaaabbbbbbbbbbbb");
    REQUIRE(!world.storage.sync(file));
    CHECK(all_remains(world.storage, "/f") == Remains{"aaaabbbbbbbbbbbb"});
}

TEST_CASE("the observer is called before each submission and completion, and may cut there") {
    VolatileWorld world(never_destaged());
    const FileHandle file = world.make("/f", kSector);
    std::vector<std::string> seen;
    std::vector<Remains> remains;
    std::uint64_t last = world.storage.moment();
    world.storage.set_observer([&](const ums::PowerMoment& moment) {
        CHECK(moment.number == ++last);
        CHECK(*moment.path == "/f");
        const bool is_write = moment.operation == IoOperation::write;
        seen.push_back((is_write ? "write " : "sync ") + std::to_string(static_cast<int>(moment.kind)));
        remains.push_back(all_remains(world.storage, "/f"));
        CHECK(world.storage.cut(1).moment == moment.number);
    });
    world.write(file, 0, kSector, 'a', true);
    REQUIRE(!world.storage.sync(file));
    CHECK(seen == std::vector<std::string>{"write 0", "write 1", "sync 2"});
    CHECK(remains == std::vector<Remains>{{"."}, {".", "a"}, {"a"}});
    world.storage.set_observer({});
}
