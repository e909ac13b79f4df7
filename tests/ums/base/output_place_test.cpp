#include "ums/base/output_place.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

namespace {

using Type = ums::OutputStatus::Type;

ums::OutputStatus status_of(const std::string& path) {
    ums::OutputStatus status;
    REQUIRE_FALSE(ums::read_output_status(path, status));
    return status;
}

}  // namespace

TEST_CASE("the status of a name is read through links and without opening anything") {
    const test::TempFolder folder;
    const std::string file = (folder.path() / "file").string();
    const std::string pipe = (folder.path() / "pipe").string();
    const std::string link = (folder.path() / "link").string();
    const std::string lost = (folder.path() / "lost").string();
    std::ofstream(file) << "abc";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::filesystem::create_symlink(file, link);
    std::filesystem::create_symlink(file + ".gone", lost);
    CHECK(status_of(file).type == Type::regular);
    CHECK(status_of(link).size_bytes == 3);
    CHECK(status_of(pipe).type == Type::pipe);
    CHECK(status_of(folder.path().string()).type == Type::folder);
    CHECK(status_of("/dev/null").is_harmless_device);
    CHECK(status_of("/dev/zero").type == Type::device);
    CHECK_FALSE(status_of("/dev/zero").is_harmless_device);
    CHECK_FALSE(status_of(file).is_standard_output());
    ums::OutputStatus status;
    CHECK(ums::read_output_status(lost, status) == std::errc::no_such_file_or_directory);
    CHECK(ums::is_name_taken(lost));
    CHECK_FALSE(ums::is_name_taken(file + ".gone"));
    CHECK(ums::real_path(link) == ums::real_path(file));
    CHECK(ums::output_identity(link) == ums::output_identity(file));
    CHECK(ums::output_identity(pipe) != ums::output_identity(file));
    CHECK(ums::output_identity("/dev/null") == "");
    CHECK(ums::output_identity(lost) == std::nullopt);
}

TEST_CASE("a file is created only where nothing exists, and a link is not opened instead") {
    const test::TempFolder folder;
    const std::string file = (folder.path() / "file").string();
    const std::string link = (folder.path() / "link").string();
    std::filesystem::create_symlink(file, link);
    ums::OutputHandle output;
    CHECK(ums::create_output(link, ums::OutputAccess::everyone, output) == std::errc::file_exists);
    CHECK_FALSE(std::filesystem::exists(file));
    CHECK_FALSE(ums::create_output(file, ums::OutputAccess::everyone, output));
    CHECK(ums::create_output(file, ums::OutputAccess::everyone, output) == std::errc::file_exists);
    CHECK(ums::open_existing_output(link, output) == std::errc::too_many_symbolic_link_levels);
    CHECK_FALSE(ums::open_existing_output(file, output));
    CHECK(ums::open_existing_output(file + ".gone", output) == std::errc::no_such_file_or_directory);
    CHECK_FALSE(output.is_open());
}

TEST_CASE("a pipe can only be opened when it has a reader, and is then written to") {
    const test::TempFolder folder;
    const std::string pipe = (folder.path() / "pipe").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    ums::OutputHandle output;
    CHECK(ums::open_output_stream(pipe, status_of(pipe), output) == std::errc::no_such_device_or_address);
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(reader >= 0);
    REQUIRE_FALSE(ums::open_output_stream(pipe, status_of(pipe), output));
    CHECK_FALSE(output.write("abc"));
    std::string bytes(10, '\0');
    CHECK(::read(reader, bytes.data(), bytes.size()) == 3);
    ::close(reader);
}

TEST_CASE("a file that takes the name of a pipe or a device before it is opened is not written to") {
    const test::TempFolder folder;
    const std::string pipe = (folder.path() / "pipe").string();
    const std::string file = (folder.path() / "file").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::ofstream(file) << "abc";
    for (const ums::OutputStatus& expected : {status_of(pipe), status_of("/dev/null")}) {
        ums::OutputHandle output;
        CHECK(ums::open_output_stream(file, expected, output) == std::errc::file_exists);
        CHECK_FALSE(output.is_open());
    }
    CHECK(std::filesystem::file_size(file) == 3);
}

TEST_CASE("a file replaces another one atomically, and its folder tells whether files may be created there") {
    const test::TempFolder folder;
    const std::string file = (folder.path() / "file").string();
    const std::string beside = ums::temporary_name_beside(file);
    CHECK(std::filesystem::path(beside).parent_path() == folder.path());
    CHECK(beside != file);
    CHECK(beside != ums::temporary_name_beside(file));
    std::ofstream(file) << "old";
    std::ofstream(beside) << "newer";
    CHECK_FALSE(ums::replace_output(beside, file));
    CHECK(std::filesystem::file_size(file) == 5);
    CHECK_FALSE(ums::is_name_taken(beside));
    CHECK(ums::replace_output(beside, file) == std::errc::no_such_file_or_directory);
    ums::remove_output(file);
    CHECK_FALSE(ums::is_name_taken(file));
    CHECK_FALSE(ums::check_output_folder(file));
    CHECK(ums::check_output_folder(file + ".gone/file") == std::errc::no_such_file_or_directory);
}

TEST_CASE("a name is made durable, and a file system that cannot sync folders is no error") {
    const test::TempFolder folder;
    CHECK_FALSE(ums::sync_folder_of((folder.path() / "file").string()));
    CHECK_FALSE(ums::sync_folder_of("/proc/self/status"));
    CHECK(ums::sync_folder_of((folder.path() / "gone" / "file").string()) == std::errc::no_such_file_or_directory);
}
