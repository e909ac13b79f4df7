#include "ums/io/disk_users.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"
#include "ums/io/file_system_space.hpp"
#include "ums/io/kernel_version.hpp"

using namespace ums;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

// Redirects the error output to a new file.
class ErrorsInFile {
public:
    explicit ErrorsInFile(const fs::path& path) : before_(::dup(STDERR_FILENO)) {
        const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        REQUIRE(before_ >= 0);
        REQUIRE(file >= 0);
        REQUIRE(::dup2(file, STDERR_FILENO) == STDERR_FILENO);
        ::close(file);
    }
    ~ErrorsInFile() {
        ::dup2(before_, STDERR_FILENO);
        ::close(before_);
    }
    ErrorsInFile(const ErrorsInFile&) = delete;
    ErrorsInFile& operator=(const ErrorsInFile&) = delete;

private:
    int before_;
};

}  // namespace

TEST_CASE("I/O limits are found for this device only, in all groups above, in both versions of control groups") {
    const test::TempFolder folder;
    const fs::path root = folder.path();
    write(root / "proc/self/cgroup", "3:blkio:/job\n0::/system/sql\n");
    write(root / "sys/fs/cgroup/system/sql/io.max", "8:16 rbps=5 wbps=6\n8:0 rbps=max wbps=1048576 riops=max wiops=100\n");
    write(root / "sys/fs/cgroup/system/io.max", "8:0 rbps=7 wbps=max riops=max wiops=max\n");
    write(root / "sys/fs/cgroup/blkio/job/blkio.throttle.read_iops_device", "8:0 42\n8:32 43\n");
    const std::vector<std::string> limits = io_limits_of("8:0", root.string());
    REQUIRE(limits.size() == 4);
    CHECK_THAT(limits[0], ContainsSubstring("wbps=1048576 in ") && ContainsSubstring("system/sql/io.max"));
    CHECK_THAT(limits[1], ContainsSubstring("wiops=100"));
    CHECK_THAT(limits[2], ContainsSubstring("rbps=7"));
    CHECK_THAT(limits[3], ContainsSubstring("42 in ") && ContainsSubstring("read_iops_device"));
    CHECK(io_limits_of("9:9", root.string()).empty());
}

TEST_CASE("processes with files open below the folder are named, but not those below a folder whose name is longer") {
    const test::TempFolder folder;
    const fs::path proc = folder.path();
    write(proc / "41/comm", "sqlservr\n");
    fs::create_directories(proc / "41/fd");
    fs::create_symlink("/data/db/a.mdf", proc / "41/fd/3");
    write(proc / "42/comm", "other\n");
    fs::create_directories(proc / "42/fd");
    fs::create_symlink("/data/dbs/a.mdf", proc / "42/fd/3");
    fs::create_directories(proc / "self");
    CHECK(processes_below("/data/db", proc.string()) == std::vector<std::string>{"sqlservr (41)"});
    CHECK(processes_below("/nowhere", proc.string()).empty());
}

TEST_CASE("the file of our own output is no other process's file, although the shell that opened it holds it, too") {
    const test::TempFolder folder;
    const fs::path proc = folder.path() / "proc";
    const fs::path data = fs::canonical(folder.path()) / "data";
    fs::create_directories(data);
    write(proc / "41/comm", "timeout\n");
    fs::create_directories(proc / "41/fd");
    fs::create_symlink(data / "run.log", proc / "41/fd/2");
    std::vector<std::string> meanwhile;
    {
        const ErrorsInFile redirected(data / "run.log");
        meanwhile = processes_below(data.string(), proc.string());
    }
    CHECK(meanwhile.empty());
    CHECK(processes_below(data.string(), proc.string()) == std::vector<std::string>{"timeout (41)"});
}

TEST_CASE("other file systems and swap space on the same disk are its users, our own file system and other disks are not") {
    const test::TempFolder folder;
    const fs::path sys = folder.path() / "sys";
    for (const char* partition : {"sda1", "sda2", "sda3"}) write(sys / "devices/sda" / partition / "partition", "1");
    for (const char* partition : {"sda1", "sda2", "sda3"}) {
        const std::string number = std::string("8:") + partition[3];
        write(sys / "class/block" / partition / "dev", number + "\n");
        fs::create_directories(sys / "dev/block");
        fs::create_symlink("../../devices/sda/" + std::string(partition), sys / "dev/block" / number);
    }
    write(sys / "devices/sda/dev", "8:0\n");
    const std::string mountinfo =
        "1 0 8:1 / /data rw - xfs /dev/sda1 rw\n2 0 8:2 / / rw - ext4 /dev/sda2 rw\n3 0 8:2 / /home rw - ext4 /dev/sda2 rw\n"
        "4 0 9:1 / /far rw - ext4 /dev/ioproof-test-far rw\n5 0 0:5 / /tmp rw - tmpfs tmpfs rw\n";
    write(folder.path() / "proc/self/mountinfo", mountinfo);
    std::istringstream table(mountinfo);
    const std::vector<ums::Mount> mounts = ums::read_mounts(table);
    const ums::BlockDeviceRoots roots{sys.string(), (folder.path() / "proc").string()};
    if (fs::exists("/dev/sda1") || fs::exists("/dev/sda2") || fs::exists("/dev/sda3")) {
        WARN("skipped: this machine has a /dev/sda");
        return;
    }
    CHECK(other_users_of_disks({"sda"}, mounts.front(), mounts, roots) == std::vector<std::string>{"/ (ext4)"});
    // A RAID's first disk holds the system, too, and its last one nothing else.
    CHECK(other_users_of_disks({"md0", "sda", "sdb"}, mounts.front(), mounts, roots) == std::vector<std::string>{"/ (ext4)"});
    CHECK(other_users_of_disks({"md0", "sdb"}, mounts.front(), mounts, roots).empty());
    write(folder.path() / "proc/swaps", "Filename Type Size Used Priority\n/dev/sda3 partition 1 0 -2\n");
    CHECK(other_users_of_disks({"sda"}, mounts.front(), mounts, roots) == std::vector<std::string>{"/ (ext4)", "/dev/sda3 (swap)"});
}

TEST_CASE("kernel versions compare as numbers, and this kernel has one") {
    CHECK(KernelVersion{5, 10} > KernelVersion{5, 9});
    CHECK(KernelVersion{6, 0} > KernelVersion{5, 19});
    CHECK(kernel_version() > KernelVersion{4, 0});
    CHECK_THAT(system_text(), ContainsSubstring(": Linux "));
}

TEST_CASE("a file system has no more free space than its size, and a missing folder is an error") {
    FileSystemSpace space;
    REQUIRE_FALSE(read_file_system_space("/", space));
    CHECK(space.size_bytes > 0);
    CHECK(space.free_bytes <= space.size_bytes);
    CHECK(read_file_system_space("/nowhere", space) == std::errc::no_such_file_or_directory);
}

TEST_CASE("a file system that says it has 0 bytes does not count its space: that is not a full one") {
    FileSystemSpace space;
    CHECK(read_file_system_space("/proc", space) == std::errc::operation_not_supported);
}

TEST_CASE("this process sees a mount at /") { CHECK(mount_of("/", mounts_of_this_process()).has_value()); }
