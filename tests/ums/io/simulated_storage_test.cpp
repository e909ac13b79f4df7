#include "ums/io/simulated_storage.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/support/catch.hpp"

using ums::FileHandle;
using ums::SimulatedStorage;

namespace {

constexpr std::uint64_t kChunk = ums::SimulatedFile::kChunkBytes;

struct World {
    ums::VirtualClock clock;
    SimulatedStorage storage{clock, ums::simulated_disk(1)};

    FileHandle make(const char* path) {
        FileHandle file;
        REQUIRE(!storage.open(path, {.create_new = true}, file));
        return file;
    }
};

// When requests that were posted at the same time complete, in the order of posting.
std::vector<std::uint64_t> durations(std::uint64_t seed, int count) {
    const ums::DiskModel disk = ums::simulated_disk(seed);
    std::vector<std::uint64_t> result;
    ums::IoRequest request;
    request.size_bytes = kChunk;
    for (int i = 0; i < count; ++i) result.push_back(disk(request, static_cast<std::uint32_t>(i + 1)));
    return result;
}

}  // namespace

TEST_CASE("the simulated disk depends on its seed, queues, reorders, and is slow now and then") {
    CHECK(durations(1, 1000) == durations(1, 1000));
    CHECK(durations(1, 1000) != durations(2, 1000));
    const auto queued = durations(1, 1000);
    CHECK(queued.back() > 50 * queued.front());
    CHECK(!std::is_sorted(queued.begin(), queued.end()));

    const ums::DiskModel disk = ums::simulated_disk(3);
    int slow = 0;
    int very_slow = 0;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        ums::IoRequest request;
        request.submitted_ns = i * ums::kNsPerSecond;  // nothing is queued
        const std::uint64_t duration = disk(request, 1);
        slow += duration > 500 * ums::kNsPerUs ? 1 : 0;
        very_slow += duration > 5 * ums::kNsPerMs ? 1 : 0;
    }
    CHECK((slow > 100 && slow < 400));
    CHECK((very_slow > 5 && very_slow < 60));
}

TEST_CASE("written bytes are read back, holes read as zeros and are reported as holes") {
    World world;
    const FileHandle file = world.make("/f");
    REQUIRE(!world.storage.truncate(file, 10 * kChunk));
    const std::vector<std::byte> text(100, std::byte{7});
    world.storage.find("/f")->write(3 * kChunk + 50, text.data(), text.size());
    std::vector<std::byte> read(200, std::byte{1});
    std::size_t transferred = 0;
    REQUIRE(!world.storage.read(file, 3 * kChunk, read.data(), read.size(), transferred));
    CHECK(transferred == 200);
    CHECK(read[49] == std::byte{0});
    CHECK(read[50] == std::byte{7});
    CHECK(read[149] == std::byte{7});
    CHECK(read[150] == std::byte{0});
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    REQUIRE(!world.storage.next_data(file, 0, begin, end));
    CHECK(begin == 3 * kChunk);
    CHECK(end == 4 * kChunk);
    REQUIRE(!world.storage.next_data(file, end, begin, end));
    CHECK(begin == 10 * kChunk);
    world.storage.close(file);
    CHECK(world.storage.open_count() == 0);
}

TEST_CASE("a file that is truncated and grows again reads as zeros there") {
    World world;
    const FileHandle file = world.make("/f");
    const std::vector<std::byte> ones(2 * kChunk, std::byte{1});
    world.storage.find("/f")->write(0, ones.data(), ones.size());
    REQUIRE(!world.storage.truncate(file, kChunk / 2));
    REQUIRE(!world.storage.truncate(file, 2 * kChunk));
    std::vector<std::byte> read(2 * kChunk, std::byte{9});
    std::size_t transferred = 0;
    REQUIRE(!world.storage.read(file, 0, read.data(), read.size(), transferred));
    CHECK(read[kChunk / 2 - 1] == std::byte{1});
    CHECK(read[kChunk / 2] == std::byte{0});
    CHECK(read.back() == std::byte{0});
    world.storage.close(file);
}

TEST_CASE("names, locks and space work as in a file system") {
    World world;
    world.storage.set_capacity(4 * kChunk);
    const FileHandle file = world.make("/f");
    FileHandle again;
    CHECK(world.storage.open("/f", {.create_new = true}, again) == std::errc::file_exists);
    CHECK(world.storage.open("/g", {}, again) == std::errc::no_such_file_or_directory);
    REQUIRE(!world.storage.open("/f", {}, again));
    CHECK(!world.storage.lock(file));
    CHECK(world.storage.lock(again) == std::errc::resource_unavailable_try_again);
    CHECK(world.storage.allocate(file, 0, 5 * kChunk) == std::errc::no_space_on_device);
    CHECK(!world.storage.allocate(file, 0, 4 * kChunk));
    std::uint64_t free_bytes = 1;
    REQUIRE(!world.storage.free_space("/f", free_bytes));
    CHECK(free_bytes == 0);
    ums::FileStatus first;
    ums::FileStatus second;
    const FileHandle other = world.make("/other");
    REQUIRE(!world.storage.status("/f", first));
    REQUIRE(!world.storage.status("/other", second));
    CHECK(first.inode != second.inode);
    world.storage.close(file);
    CHECK(!world.storage.lock(again));
    world.storage.close(again);
    world.storage.close(other);
}
