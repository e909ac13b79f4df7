#include "ums/io/power_lies.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/ums/io/volatile_world.hpp"

using ums::FileHandle;
using ums::LostPart;
using ums::LostWrite;
using ums::PowerCut;
using ums::testing::all_remains;
using ums::testing::kCuts;
using ums::testing::kSector;
using ums::testing::never_destaged;
using ums::testing::sectors_of;
using ums::testing::VolatileWorld;
using Remains = std::vector<std::string>;

namespace {

ums::VolatileOptions lying(ums::PowerLies lies) {
    ums::VolatileOptions options = never_destaged();
    options.lies = lies;
    return options;
}

// How many cuts of this moment lose something promised; checks that the list agrees with the files.
std::uint64_t count_lost(VolatileWorld& world, const std::string& path, const std::string& promised) {
    std::uint64_t count = 0;
    for (std::uint64_t seed = 0; seed < kCuts; ++seed) {
        const PowerCut cut = world.storage.cut(seed);
        std::vector<LostWrite> expected;
        const std::string text = sectors_of(*cut.files.at(path));
        for (std::size_t i = 0; i < promised.size(); ++i) {
            if (text.at(i) == promised[i]) continue;
            if (!expected.empty() && expected.back().offset_bytes + expected.back().size_bytes == i * kSector) {
                expected.back().size_bytes += kSector;
            } else {
                expected.push_back({path, LostPart::contents, i * kSector, kSector});
            }
        }
        CHECK(cut.lost == expected);
        count += cut.lost.empty() ? 0 : 1;
    }
    return count;
}

}  // namespace

TEST_CASE("an ignored flush loses synced writes, but no durable ones") {
    VolatileWorld world(lying({ums::PowerLie::flush_ignored}));
    const FileHandle file = world.make("/f", 2 * kSector);
    world.clock.advance_to(ums::kNsPerSecond);
    world.write(file, 0, kSector, 'a', true);  // also hardens the size
    world.write(file, kSector, kSector, 'b', true);
    world.write(file, kSector, kSector, 'c');
    REQUIRE(!world.storage.sync(file));
    std::uint64_t lost = 0;
    for (std::uint64_t seed = 0; seed < kCuts; ++seed) {
        const PowerCut cut = world.storage.cut(seed);
        if (cut.files.count("/f") == 0) {
            CHECK(cut.lost == std::vector<LostWrite>{{"/f", LostPart::name, 0, 2 * kSector}});
            continue;
        }
        const std::string text = sectors_of(*cut.files.at("/f"));
        CHECK((text == "ab" || text == "ac"));
        CHECK(cut.lost == (text == "ac" ? std::vector<LostWrite>{} : std::vector<LostWrite>{{"/f", LostPart::contents, kSector, kSector}}));
        lost += cut.lost.empty() ? 0 : 1;
    }
    CHECK(lost > 10);
}

TEST_CASE("a size whose sync was ignored is listed as lost") {
    VolatileWorld world(lying({ums::PowerLie::flush_ignored}));
    const FileHandle file = world.make("/f", 2 * kSector);
    std::uint64_t lost = 0;
    for (std::uint64_t seed = 0; seed < kCuts; ++seed) {
        const PowerCut cut = world.storage.cut(seed);
        if (cut.files.count("/f") == 0) continue;
        const bool is_short = sectors_of(*cut.files.at("/f")).empty();
        CHECK(cut.lost == (is_short ? std::vector<LostWrite>{{"/f", LostPart::size, 0, 2 * kSector}} : std::vector<LostWrite>{}));
        lost += is_short ? 1 : 0;
    }
    CHECK(lost > 10);
    // A size is a promise only once it was synced.
    REQUIRE(!world.storage.allocate(file, 0, 4 * kSector));
    const PowerCut cut = world.storage.cut(1);
    for (const LostWrite& each : cut.lost) CHECK(each.offset_bytes + each.size_bytes <= 2 * kSector);
}

TEST_CASE("a durable write whose FUA is ignored may be lost until a sync, which is honest") {
    VolatileWorld world(lying({ums::PowerLie::fua_ignored}));
    const FileHandle file = world.make("/f", 4 * kSector);
    world.write(file, kSector, 2 * kSector, 'a', true);
    CHECK(count_lost(world, "/f", ".aa") > 50);
    REQUIRE(!world.storage.sync(file));
    CHECK(count_lost(world, "/f", ".aa.") == 0);
    // What was not promised is no loss.
    world.write(file, 3 * kSector, kSector, 'b');
    CHECK(count_lost(world, "/f", ".aa") == 0);
}

TEST_CASE("a lost write whose bytes are there anyway is no loss") {
    VolatileWorld world(lying({ums::PowerLie::fua_ignored}));
    const FileHandle file = world.make("/f", kSector);
    world.write(file, 0, kSector, 'a');
    REQUIRE(!world.storage.sync(file));
    world.write(file, 0, kSector, 'a', true);
    CHECK(count_lost(world, "/f", "a") == 0);
    world.write(file, 0, kSector, 'b', true);
    CHECK(count_lost(world, "/f", "b") > 10);
}

TEST_CASE("the size that an ignored durable write needs is lost with the write") {
    VolatileWorld world(lying({ums::PowerLie::fua_ignored}));
    const FileHandle file = world.make("/f", kSector);
    REQUIRE(!world.storage.allocate(file, 0, 3 * kSector));
    world.write(file, 0, kSector, 'a', true);  // does not need the size
    for (std::uint64_t seed = 0; seed < kCuts; ++seed) {
        for (const LostWrite& lost : world.storage.cut(seed).lost) CHECK(lost.part == LostPart::contents);
    }
    world.write(file, kSector, kSector, 'b', true);
    std::uint64_t count = 0;
    for (std::uint64_t seed = 0; seed < kCuts; ++seed) {
        const PowerCut cut = world.storage.cut(seed);
        const bool is_short = cut.files.at("/f")->size_bytes() == kSector;
        const LostWrite expected{"/f", LostPart::size, kSector, 2 * kSector};
        CHECK(std::count(cut.lost.begin(), cut.lost.end(), expected) == (is_short ? 1 : 0));
        count += is_short ? 1 : 0;
    }
    CHECK(count > 10);
}

TEST_CASE("one file may be ignored while another one is treated honestly") {
    ums::VolatileOptions options = lying({ums::PowerLie::one_file_ignored});
    options.lying_path = "/f";
    VolatileWorld world(options);
    const FileHandle file = world.make("/f", kSector);
    const FileHandle honest = world.make("/g", kSector);
    for (const FileHandle each : {file, honest}) {
        world.write(each, 0, kSector, 'a', true);
        REQUIRE(!world.storage.sync(each));
    }
    CHECK(all_remains(world.storage, "/f") == Remains{"", ".", "a", "missing"});
    CHECK(all_remains(world.storage, "/g") == Remains{"a"});
    std::uint64_t lost = 0;
    for (std::uint64_t seed = 0; seed < kCuts; ++seed) {
        for (const LostWrite& each : world.storage.cut(seed).lost) {
            CHECK(each.path == "/f");
            ++lost;
        }
    }
    CHECK(lost > 50);
}

TEST_CASE("with overtaking, for a short time a later write may be there while a synced one is not") {
    ums::VolatileOptions options = lying({ums::PowerLie::overtaking});
    options.overtaking_ns = 5 * ums::kNsPerMs;
    VolatileWorld world(options);
    const FileHandle file = world.make("/f", 2 * kSector);
    world.clock.advance_to(ums::kNsPerSecond);
    bool has_overtaken = false;
    for (int turn = 0; turn < 20; ++turn) {
        const char text = static_cast<char>('a' + turn);
        world.write(file, 0, kSector, text);
        REQUIRE(!world.storage.sync(file));
        world.write(file, kSector, kSector, text);
        for (std::uint64_t seed = 0; seed < kCuts; ++seed) {
            const PowerCut cut = world.storage.cut(seed);
            const std::string left = sectors_of(*cut.files.at("/f"));
            if (left[1] != text || left[0] == text) continue;
            has_overtaken = true;
            CHECK(cut.lost == std::vector<LostWrite>{{"/f", LostPart::contents, 0, kSector}});
        }
        world.clock.advance_to(world.clock.now_ns() + 5 * ums::kNsPerMs);
        CHECK(all_remains(world.storage, "/f") == Remains{std::string(2, text)});
    }
    CHECK(has_overtaken);
}

TEST_CASE("a volume that is rolled back is in the state of that time, in all files") {
    ums::VolatileOptions options = lying({ums::PowerLie::rolled_back});
    options.rolled_back_ns = 10 * ums::kNsPerMs;
    VolatileWorld world(options);
    const FileHandle first = world.make("/f", 2 * kSector);
    const FileHandle second = world.make("/g", 2 * kSector);
    struct State {
        std::uint64_t at_ns;
        std::string first;
        std::string second;
    };
    std::vector<State> states;
    std::uint64_t lost = 0;
    for (int turn = 0; turn < 200; ++turn) {
        const char text = static_cast<char>('a' + turn % 26);
        world.write(turn % 2 == 0 ? first : second, turn % 3 == 0 ? 0 : kSector, kSector, text, turn % 5 != 0);
        if (turn % 7 == 0) REQUIRE(!world.storage.truncate(first, (turn % 2 == 0 ? 2 : 3) * kSector));
        if (turn % 4 == 0) REQUIRE(!world.storage.sync(first));
        states.push_back({world.clock.now_ns(), sectors_of(*world.disk.find("/f")), sectors_of(*world.disk.find("/g"))});
        const PowerCut cut = world.storage.cut(static_cast<std::uint64_t>(turn));
        const State* then = nullptr;
        for (const State& state : states) {
            if (state.at_ns + options.rolled_back_ns <= world.clock.now_ns()) then = &state;
        }
        if (then == nullptr) continue;
        CHECK(sectors_of(*cut.files.at("/f")) == then->first);
        CHECK(sectors_of(*cut.files.at("/g")) == then->second);
        CHECK(cut.torn.empty());
        lost += cut.lost.empty() ? 0 : 1;
    }
    CHECK(lost > 50);
}

TEST_CASE("what is written into a write hole is lost, however long ago it was") {
    ums::VolatileOptions options;
    options.lies = {ums::PowerLie::write_hole};
    options.lying_path = "/f";
    options.hole_begin_bytes = 2 * kSector;
    VolatileWorld world(options);
    const FileHandle file = world.make("/f", 4 * kSector);
    world.write(file, 0, 4 * kSector, 'a', true);
    CHECK(sectors_of(*world.disk.find("/f")) == "aaaa");
    CHECK(all_remains(world.storage, "/f") == Remains{"aa.."});
    CHECK(world.storage.cut(1).lost == std::vector<LostWrite>{{"/f", LostPart::contents, 2 * kSector, 2 * kSector}});
    for (int i = 0; i < 100; ++i) world.write(file, kSector, 3 * kSector, static_cast<char>('b' + i % 3));
    CHECK(world.storage.cut(1).lost == std::vector<LostWrite>{{"/f", LostPart::contents, 2 * kSector, 2 * kSector}});
    REQUIRE(!world.storage.sync(file));
    world.clock.advance_to(world.clock.now_ns() + 100 * ums::kNsPerSecond);
    CHECK(all_remains(world.storage, "/f") == Remains{"ab.."});
    CHECK(world.storage.cached_bytes() == 2 * kSector);
    const FileHandle other = world.make("/g", 4 * kSector);
    world.write(other, 0, 4 * kSector, 'a', true);
    CHECK(all_remains(world.storage, "/g") == Remains{"aaaa"});
}

TEST_CASE("lies and mixes have distinct names") {
    std::set<std::string> names;
    for (std::uint32_t i = 0; i < ums::kPowerLieCount; ++i) names.emplace(name_of(static_cast<ums::PowerLie>(i)));
    for (std::uint32_t i = 0; i < ums::kCutMixCount; ++i) names.emplace(name_of(static_cast<ums::CutMix>(i)));
    CHECK(names.size() == ums::kPowerLieCount + ums::kCutMixCount);
    for (std::uint32_t i = 0; i < ums::kPowerLieCount; ++i) {
        const auto lie = static_cast<ums::PowerLie>(i);
        CHECK(ums::power_lie_of(name_of(lie)) == lie);
    }
    CHECK(!ums::power_lie_of("honest"));
}
