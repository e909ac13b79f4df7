#include "ums/base/output_handle.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <utility>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"
#include "tests/ums/io/resource_limit.hpp"
#include "ums/base/output_place.hpp"

namespace {

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

ums::OutputHandle made(const std::string& path, ums::OutputAccess access = ums::OutputAccess::everyone) {
    ums::OutputHandle file;
    REQUIRE_FALSE(ums::create_output(path, access, file));
    return file;
}

mode_t permissions_of(const std::string& path) {
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_mode & 0777U;
}

}  // namespace

TEST_CASE("written bytes are in the file at their offsets, unless they were truncated") {
    const test::TempFolder folder;
    const std::string path = (folder.path() / "file").string();
    ums::OutputHandle file = made(path);
    CHECK_FALSE(file.write("one two"));
    CHECK_FALSE(file.write_at(4, "TWO, three"));
    CHECK(bytes_of(path) == "one TWO, three");
    CHECK(file.size_bytes() == 14);
    std::string head;
    CHECK_FALSE(file.read_head(3, head));
    CHECK(head == "one");
    CHECK_FALSE(file.read_head(100, head));
    CHECK(head == "one TWO, three");
    CHECK_FALSE(file.truncate(3));
    file.append_only();
    CHECK_FALSE(file.write("."));
    CHECK(bytes_of(path) == "one.");
}

TEST_CASE("overwriting leaves only the new bytes, and the old ones if there is no room for more than they are") {
    const test::TempFolder folder;
    const std::string path = (folder.path() / "file").string();
    ums::OutputHandle file = made(path);
    for (const char* bytes : {"old", "longer", "new"}) {
        CHECK_FALSE(file.overwrite(bytes));
        CHECK(bytes_of(path) == bytes);
    }
    const ums::testing::ResourceLimit limit(RLIMIT_FSIZE, 5);
    CHECK(file.overwrite("too long") == std::errc::file_too_large);
    CHECK(bytes_of(path) == "new");
}

TEST_CASE("a full device is an error, and closing a handle twice is not") {
    ums::OutputStatus status;
    REQUIRE_FALSE(ums::read_output_status("/dev/full", status));
    ums::OutputHandle file;
    REQUIRE_FALSE(ums::open_output_stream("/dev/full", status, file));
    CHECK(file.write("x") == std::errc::no_space_on_device);
    CHECK(file.is_open());
    CHECK_FALSE(file.close());
    CHECK_FALSE(file.is_open());
    CHECK_FALSE(file.close());
    CHECK(file.write("x") == std::errc::bad_file_descriptor);
    CHECK(file.size_bytes() == std::nullopt);
}

TEST_CASE("only one handle at a time holds the lock of a file, until it is closed") {
    const test::TempFolder folder;
    const std::string path = (folder.path() / "file").string();
    ums::OutputHandle first = made(path);
    CHECK(first.lock());
    ums::OutputHandle second;
    REQUIRE_FALSE(ums::open_existing_output(path, second));
    CHECK_FALSE(second.lock());
    ums::OutputHandle owner = std::move(first);
    CHECK_FALSE(second.lock());
    owner = ums::OutputHandle();
    CHECK(second.lock());
}

TEST_CASE("a private file takes over the permissions of another file") {
    const test::TempFolder folder;
    const std::string path = (folder.path() / "file").string();
    const std::string other_path = (folder.path() / "other").string();
    ums::OutputHandle file = made(path, ums::OutputAccess::this_user);
    CHECK((permissions_of(path) & 077U) == 0);
    const ums::OutputHandle other = made(other_path);
    REQUIRE(::chmod(other_path.c_str(), 0640) == 0);
    file.copy_permissions(other);
    CHECK(permissions_of(path) == 0640);
    file.copy_permissions(ums::OutputHandle());
    CHECK(permissions_of(path) == 0640);
}

TEST_CASE("a private file that takes the place of another user's file belongs to that user") {
    constexpr uid_t kUser = 1234;
    constexpr gid_t kGroup = 4321;
    const test::TempFolder folder;
    const std::string path = (folder.path() / "file").string();
    const std::string other_path = (folder.path() / "other").string();
    ums::OutputHandle file = made(path, ums::OutputAccess::this_user);
    const ums::OutputHandle other = made(other_path);
    REQUIRE(::chmod(other_path.c_str(), 0640) == 0);
    if (::chown(other_path.c_str(), kUser, kGroup) != 0) {
        WARN("not run: files cannot be given to another user here");
        return;
    }
    file.copy_permissions(other);
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK(status.st_uid == kUser);
    CHECK(status.st_gid == kGroup);
    CHECK(permissions_of(path) == 0640);
}
