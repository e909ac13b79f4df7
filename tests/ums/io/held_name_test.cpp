// Operations on an open file affect that file, whatever its name refers to by then.
#include "ums/io/held_name.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/ums/io/child_process.hpp"
#include "tests/ums/io/temp_folder.hpp"
#include "ums/io/posix_storage.hpp"

using namespace ums;
using namespace ums::testing;
namespace fs = std::filesystem;

namespace {

std::string read_text(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

struct Held {
    explicit Held(std::string descriptor_folder = "/proc/self/fd") : storage(std::move(descriptor_folder)) {
        fs::create_directory(folder.file("sub"));
        REQUIRE(!storage.open(name(), {.create_new = true}, file));
    }
    ~Held() { storage.close(file); }

    [[nodiscard]] std::string name() const { return folder.file("sub/data"); }
    void put_other_file_there() const {
        std::ofstream(folder.file("other")) << "precious" << std::flush;
        fs::rename(folder.file("other"), name());
    }
    [[nodiscard]] bool reopens() {
        FileHandle again;
        const std::error_code error = storage.reopen(file, {.durable_writes = true}, again);
        if (error) {
            CHECK(error == std::errc::no_such_file_or_directory);
            return false;
        }
        CHECK((fcntl(again.value, F_GETFL) & O_DSYNC) != 0);
        FileStatus first;
        FileStatus second;
        REQUIRE(!storage.status_of(file, first));
        REQUIRE(!storage.status_of(again, second));
        CHECK(first.is_same_file(second));
        storage.close(again);
        return true;
    }

    TempFolder folder;
    PosixStorage storage;
    FileHandle file;
};

}  // namespace

TEST_CASE("reopening a file opens the same one, whatever its name refers to now") {
    Held held;
    CHECK(held.reopens());
    held.put_other_file_there();
    CHECK(held.reopens());
    fs::remove(held.name());
    CHECK(held.reopens());
}

TEST_CASE("if the system shows no descriptors, a file is reopened by its name, provided that the name still refers to it") {
    Held held("/nowhere");
    CHECK(held.reopens());
    fs::rename(held.folder.file("sub"), held.folder.file("renamed"));
    CHECK(held.reopens());
    fs::rename(held.folder.file("renamed"), held.folder.file("sub"));
    held.put_other_file_there();
    CHECK_FALSE(held.reopens());
    CHECK(read_text(held.name()) == "precious");
    fs::rename(held.name(), held.folder.file("elsewhere"));
    fs::create_symlink(held.folder.file("elsewhere"), held.name());
    CHECK_FALSE(held.reopens());
}

TEST_CASE("a symbolic link under the name is not followed") {
    Held held;
    fs::create_symlink(held.name(), held.folder.file("link"));
    FileHandle file;
    CHECK(held.storage.open(held.folder.file("link"), {}, file) == std::errc::too_many_symbolic_link_levels);
    FileStatus status;
    REQUIRE(!held.storage.status(held.folder.file("link"), status));
    CHECK(status.kind == FileKind::link);
    CHECK(status.link_target == fs::canonical(held.name()).string());
    CHECK_FALSE(status.is_dangling);
}

TEST_CASE("remove deletes the name of the held file, and nothing else") {
    Held held;
    SECTION("its own name") {
        CHECK(!held.storage.remove(held.file));
        CHECK_FALSE(fs::exists(held.name()));
        CHECK(held.storage.remove(held.file) == std::errc::no_such_file_or_directory);
    }
    SECTION("another file has taken the name") {
        held.put_other_file_there();
        CHECK(held.storage.remove(held.file) == std::errc::no_such_file_or_directory);
        CHECK(read_text(held.name()) == "precious");
    }
    SECTION("a symbolic link to the file has taken the name") {
        fs::rename(held.name(), held.folder.file("moved"));
        fs::create_symlink(held.folder.file("moved"), held.name());
        CHECK(held.storage.remove(held.file) == std::errc::no_such_file_or_directory);
        CHECK(fs::is_symlink(held.name()));
        CHECK(fs::exists(held.folder.file("moved")));
    }
    SECTION("the folder was renamed, and another folder has taken its name") {
        fs::rename(held.folder.file("sub"), held.folder.file("renamed"));
        fs::create_directory(held.folder.file("sub"));
        std::ofstream(held.name()) << "precious" << std::flush;
        CHECK(!held.storage.remove(held.file));
        CHECK(read_text(held.name()) == "precious");
        CHECK(fs::is_empty(held.folder.file("renamed")));
    }
    // No temporary name of ours is left behind.
    for (const auto& entry : fs::directory_iterator(held.folder.file("sub"))) CHECK(entry.path().filename() == "data");
}

TEST_CASE("remove needs no rename with a condition, but reports an error of the storage") {
    for (const int number : {EINVAL, ENOSYS, EOPNOTSUPP, EPERM, EIO}) {
        CAPTURE(number);
        Held held;
        const std::string report = in_child_process([&]() -> std::string {
            if (!forbid(SystemCall::renameat2, number)) return "no filter";
            return held.storage.remove(held.file) ? "failed" : "removed";
        });
        if (report == "no filter") continue;
        CHECK(report == (number == EIO ? "failed" : "removed"));
        CHECK(fs::exists(held.name()) == (number == EIO));
    }
}

TEST_CASE("the name of a file can be made durable, also in a folder that was renamed or may not be read") {
    Held held;
    CHECK(!held.storage.sync_name(held.file));
    REQUIRE(::chmod(held.folder.file("sub").c_str(), 0300) == 0);
    CHECK(!held.storage.sync_name(held.file));
    REQUIRE(::chmod(held.folder.file("sub").c_str(), 0755) == 0);
    fs::rename(held.folder.file("sub"), held.folder.file("renamed"));
    CHECK(!held.storage.sync_name(held.file));
}

TEST_CASE("it is known beforehand that a file cannot be removed") {
    Held held;
    CHECK(!held.storage.check_removal(held.file));
    const TempFolder folder;
    REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
    if (::geteuid() != 0) {
        REQUIRE(::chmod(held.folder.file("sub").c_str(), 0555) == 0);
        CHECK(held.storage.check_removal(held.file) == std::errc::permission_denied);
        REQUIRE(::chmod(held.folder.file("sub").c_str(), 0755) == 0);
        return;
    }
    // As another user, in a folder that belongs to root.
    REQUIRE(::chmod(held.folder.path().c_str(), 0755) == 0);
    for (const mode_t mode : {mode_t{0755}, mode_t{01777}, mode_t{0777}}) {
        REQUIRE(::chmod(held.folder.file("sub").c_str(), mode) == 0);
        const std::string report = in_child_process([&]() -> std::string {
            if (::setresuid(65534, 65534, 65534) != 0) return "cannot";
            return held.storage.check_removal(held.file) ? "no" : "yes";
        });
        CHECK(report == (mode == 0777 ? "yes" : "no"));
    }
}

TEST_CASE("it is known beforehand that a file cannot grow to a given size") {
    Held held;
    CHECK(!held.storage.check_size(held.file, 1 << 20));
    const std::string report = in_child_process([&]() -> std::string {
        const rlimit limit{.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return "cannot";
        const bool fits = !held.storage.check_size(held.file, 1 << 20);
        return fits && held.storage.check_size(held.file, (1 << 20) + 1) == std::errc::file_too_large ? "right" : "wrong";
    });
    CHECK(report == "right");
    CHECK(held.storage.check_size(held.file, std::uint64_t{1} << 62) == std::errc::file_too_large);
}
