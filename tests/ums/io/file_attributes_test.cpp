#include "ums/io/file_attributes.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/ums/io/temp_folder.hpp"

using namespace ums;

TEST_CASE("a file with a hole is sparse, a fully written one is not") {
    const testing::TempFolder folder;
    std::ofstream(folder.file("full")) << std::string(1 << 20, 'x') << std::flush;
    std::ofstream(folder.file("holes")) << "x";
    std::filesystem::resize_file(folder.file("holes"), 1 << 20);
    const int full = open(folder.file("full").c_str(), O_RDONLY | O_CLOEXEC);
    fsync(full);  // the file system may count the blocks late
    close(full);

    FileAttributes attributes;
    REQUIRE(!read_file_attributes(folder.file("full"), attributes));
    CHECK_FALSE(attributes.is_sparse);
    CHECK_FALSE(attributes.is_encrypted);
    REQUIRE(!read_file_attributes(folder.file("holes"), attributes));
    CHECK(attributes.is_sparse);
}

TEST_CASE("a compressed file is recognized if the file system reports it") {
    const testing::TempFolder folder;
    std::ofstream(folder.file("packed")) << "x";
    const int file = open(folder.file("packed").c_str(), O_RDONLY | O_CLOEXEC);
    int flags = 0;
    const bool has_flags = ioctl(file, FS_IOC_GETFLAGS, &flags) == 0;
    flags |= FS_COMPR_FL;
    const bool is_set = has_flags && ioctl(file, FS_IOC_SETFLAGS, &flags) == 0;
    close(file);
    FileAttributes attributes;
    REQUIRE(!read_file_attributes(folder.file("packed"), attributes));
    if (!is_set) WARN("this file system cannot mark a file as compressed");
    CHECK(attributes.is_compressed == is_set);
}

TEST_CASE("a folder has no attributes, a missing file is an error") {
    const testing::TempFolder folder;
    FileAttributes attributes;
    CHECK(!read_file_attributes(folder.path(), attributes));
    CHECK_FALSE(attributes.is_sparse);
    CHECK(read_file_attributes(folder.file("missing"), attributes) == std::errc::no_such_file_or_directory);
}
