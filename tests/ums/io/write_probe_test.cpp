#include "ums/io/write_probe.hpp"

#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/ums/io/temp_folder.hpp"
#include "ums/base/units.hpp"

using namespace ums;
namespace fs = std::filesystem;

namespace {

using ums::kMb;

}  // namespace

TEST_CASE("the probe leaves no name behind, not even while it works, and measures what it should") {
    const testing::TempFolder folder;
    const RealClock clock;
    WriteProbe probe(folder.file("."), 2 * kMb, clock);
    CHECK(fs::is_empty(folder.file(".")));
    for (const WriteTimes& times :
         {probe.plain_writes(kNever / 2, 7), probe.dsync_writes(kNever / 2, 7), probe.synced_writes(kNever / 2, 7)}) {
        CHECK(times.count == 7);
        CHECK(times.min_ns > 0);
        CHECK(times.min_ns <= times.mean_ns);
        CHECK(times.mean_ns <= times.max_ns);
    }
    CHECK(probe.dsync_writes(0, 1000).count == 1);
    if (const auto extents = probe.extent_count()) CHECK(*extents >= 1);
}

TEST_CASE("if no file can be created in a folder, the error names the folder") {
    const RealClock clock;
    CHECK_THROWS_WITH(WriteProbe("/proc/self", kMb, clock), ContainsSubstring("/proc/self"));
    CHECK_THROWS_WITH(WriteProbe("/there/is/no/such/folder", kMb, clock), ContainsSubstring("/there/is/no/such/folder"));
}
