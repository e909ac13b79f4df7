#include "ums/io/mount_table.hpp"

#include <sstream>

#include "tests/support/catch.hpp"

using namespace ums;

namespace {

std::string source_of(const std::string& path) {
    std::istringstream table(
        "22 1 0:21 / / rw,relatime - btrfs /dev/sda2 rw,subvol=/@\n"
        "23 22 0:22 / /proc rw,nosuid shared:5 - proc proc rw\n"
        "40 22 0:40 / /data rw shared:7 master:1 - xfs /dev/mapper/vg-data rw\n"
        "41 40 0:41 / /data/my\\040files rw - nfs4 server:/export\\134x rw\n"
        "42 22 0:42 / /over rw - tmpfs tmpfs rw\n"
        "43 22 0:43 / /over rw - btrfs /dev/sdb rw\n"
        "a broken line\n");
    return mount_source_of(path, table);
}

}  // namespace

TEST_CASE("the source of a file is that of the longest mount point above it") {
    CHECK(source_of("/home/x") == "/dev/sda2");
    CHECK(source_of("/data") == "/dev/mapper/vg-data");
    CHECK(source_of("/data/a/b") == "/dev/mapper/vg-data");
    CHECK(source_of("/database") == "/dev/sda2");
}

TEST_CASE("escaped blanks and backslashes in mount points and sources are understood") {
    CHECK(source_of("/data/my files/x") == "server:/export\\x");
}

TEST_CASE("of two mounts at the same point the later one counts") { CHECK(source_of("/over/x") == "/dev/sdb"); }

TEST_CASE("an empty mount table has no source") {
    std::istringstream empty;
    CHECK(mount_source_of("/x", empty).empty());
}

TEST_CASE("a mount has its own options and those of its file system, each once") {
    std::istringstream table(
        "40 22 8:1 / /my\\040data rw,noatime shared:7 - xfs /dev/sda1 rw,sunit=128,swidth=512\n41 1 0:5 / /x rw - tmpfs t\n");
    const std::vector<Mount> mounts = read_mounts(table);
    REQUIRE(mounts.size() == 2);
    CHECK(mounts[0].device == "8:1");
    CHECK(mounts[0].point == "/my data");
    CHECK(mounts[0].root == "/");
    CHECK(mounts[0].type == "xfs");
    CHECK(mounts[0].options == std::vector<std::string>{"rw", "noatime", "sunit=128", "swidth=512"});
    CHECK(mounts[1].options == std::vector<std::string>{"rw"});
    CHECK(mount_of("/my data/db", mounts)->source == "/dev/sda1");
    CHECK(!mount_of("/y", mounts));
}
