#include "ums/io/file_extents.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"
#include "tests/ums/io/temp_folder.hpp"
#include "ums/base/prng.hpp"

using namespace ums;

namespace {

constexpr std::size_t kPieceBytes = 4096;

std::string noise(Prng& prng, std::size_t size_bytes) {
    std::string bytes(size_bytes, '\0');
    for (char& byte : bytes) byte = static_cast<char>(prng.next());
    return bytes;
}

void write_and_sync(const std::string& path, const std::string& bytes) {
    std::ofstream(path) << bytes << std::flush;
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ::fsync(fd);  // the file system may allocate the blocks late
    ::close(fd);
}

bool has_anonymous_device(const std::string& path) {
    struct stat facts {};
    return ::stat(path.c_str(), &facts) != 0 || major(facts.st_dev) == 0;
}

// What the device itself holds there; nothing if this user may not read it.
std::optional<std::string> read_device(const DeviceOffset& place) {
    const int fd = ::open(place.device.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return std::nullopt;
    std::string bytes(kPieceBytes, '\0');
    ::posix_fadvise(fd, static_cast<off_t>(place.offset_bytes), kPieceBytes, POSIX_FADV_DONTNEED);
    const bool complete = ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(place.offset_bytes)) == ssize_t{kPieceBytes};
    ::close(fd);
    return complete ? std::optional(bytes) : std::nullopt;
}

}  // namespace

TEST_CASE("the device holds the file's bytes where the file system says they are") {
    const testing::TempFolder folder;
    Prng prng(testing::test_seed("device offsets"));
    const std::string path = folder.file("data");
    const std::string bytes = noise(prng, 64 * kPieceBytes);
    write_and_sync(path, bytes);
    const auto first = device_offset_of(path, 0);
    if (has_anonymous_device(path)) {
        CHECK_FALSE(first);
        WARN("the file system here has no device of its own");
        return;
    }
    if (!first) {
        SUCCEED("the file system here does not tell");
        WARN("the file system here does not tell where its files are");
        return;
    }
    CHECK(first->device.compare(0, 5, "/dev/") == 0);
    CHECK(device_offset_of(path, 100)->offset_bytes == first->offset_bytes + 100);
    bool could_look = false;
    for (const std::size_t piece : {0U, 1U, 31U, 63U}) {
        const auto place = device_offset_of(path, piece * kPieceBytes);
        REQUIRE(place);
        const auto found = read_device(*place);
        if (!found) continue;
        could_look = true;
        CHECK((*found == bytes.substr(piece * kPieceBytes, kPieceBytes)));
    }
    if (!could_look) WARN("the device itself may not be read here");
}

TEST_CASE("no place is given for a hole, the end of a file, a missing file, or something that is not a file") {
    const testing::TempFolder folder;
    const std::string path = folder.file("holes");
    std::filesystem::resize_file((std::ofstream(path), path), 1 << 20);
    CHECK_FALSE(device_offset_of(path, 8192));
    write_and_sync(folder.file("short"), "x");
    CHECK_FALSE(device_offset_of(folder.file("short"), 1 << 20));
    CHECK_FALSE(device_offset_of(folder.file("missing"), 0));
    CHECK_FALSE(device_offset_of(folder.path(), 0));
    CHECK_FALSE(device_offset_of("/dev/null", 0));
    CHECK_FALSE(device_offset_of("/proc/self/maps", 0));
}

TEST_CASE("on a block device the place is the offset itself") {
    for (const auto& entry : std::filesystem::directory_iterator("/sys/class/block")) {
        const std::string device = "/dev/" + entry.path().filename().string();
        const auto place = device_offset_of(device, 123 * 8192);
        if (!place) continue;  // this user may not open it
        CHECK(place->device == device);
        CHECK(place->offset_bytes == 123 * 8192);
        return;
    }
    SUCCEED("no block device may be opened here");
    WARN("no block device may be opened here");
}
