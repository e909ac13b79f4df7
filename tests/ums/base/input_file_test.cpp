#include "ums/base/input_file.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

using ums::read_input_file;

namespace {

constexpr std::size_t kMegabyte = 1024UL * 1024;

std::string write(const test::TempFolder& folder, const std::string& bytes) {
    std::ofstream((folder.path() / "file").string(), std::ios::binary) << bytes;
    return (folder.path() / "file").string();
}

}  // namespace

TEST_CASE("a regular file is read to its last byte, up to the limit") {
    const test::TempFolder folder;
    for (const std::size_t size_bytes : {std::size_t{0}, std::size_t{1}, 256UL * 1024, kMegabyte - 1, kMegabyte}) {
        std::string bytes(size_bytes, 'x');
        if (!bytes.empty()) bytes.back() = '\0';
        const ums::InputFile file = read_input_file(write(folder, bytes), kMegabyte);
        CHECK(file.problem.empty());
        CHECK(file.bytes == bytes);
    }
    const ums::InputFile large = read_input_file(write(folder, std::string(kMegabyte + 1, 'x')), kMegabyte);
    CHECK(large.problem == "is larger than 1 MB");
    CHECK(large.is_unfit);
    CHECK(large.bytes.empty());
}

TEST_CASE("a file of the system that reports no size is read") {
    CHECK_THAT(read_input_file("/proc/self/status", kMegabyte).bytes, ContainsSubstring("Pid:"));
}

TEST_CASE("anything but a regular file is refused immediately, without being opened") {
    const test::TempFolder folder;
    const std::string pipe = (folder.path() / "pipe").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(read_input_file(pipe, kMegabyte).problem == "is a FIFO; only regular files are read");
    CHECK(read_input_file(folder.path().string(), kMegabyte).problem == "is a folder; only regular files are read");
    CHECK(read_input_file("/dev/zero", kMegabyte).problem == "is a device; only regular files are read");
    CHECK(read_input_file("/dev/tty", kMegabyte).is_unfit);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = (folder.path() / "s").string();
    if (name.size() < sizeof address.sun_path) {
        std::memcpy(address.sun_path, name.c_str(), name.size());
        const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        REQUIRE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        CHECK(read_input_file(name, kMegabyte).problem == "is a socket; only regular files are read");
        ::close(listener);
    }
    REQUIRE(::symlink(pipe.c_str(), (folder.path() / "link").string().c_str()) == 0);
    CHECK(read_input_file((folder.path() / "link").string(), kMegabyte).is_unfit);
}

TEST_CASE("a refusal by the system is reported in its own words") {
    const test::TempFolder folder;
    const ums::InputFile missing = read_input_file((folder.path() / "missing").string(), kMegabyte);
    CHECK(missing.problem == "cannot be opened: No such file or directory");
    CHECK(!missing.is_unfit);
    CHECK_THAT(read_input_file(write(folder, "x") + "/below", kMegabyte).problem, ContainsSubstring("Not a directory"));
    CHECK_THAT(read_input_file("", kMegabyte).problem, ContainsSubstring("cannot be opened"));
}
