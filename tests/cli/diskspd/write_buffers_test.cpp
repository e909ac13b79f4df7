#include "cli/diskspd/write_buffers.hpp"

#include <filesystem>
#include <fstream>

#include "cli/process/exit_codes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"
#include "ums/base/units.hpp"

using cli::WriteBuffers;

namespace {

reports::DiskspdTarget buffered_target(std::uint64_t buffer_bytes, const std::string& path = {}) {
    reports::DiskspdTarget target;
    target.buffer_bytes = buffer_bytes;
    target.buffer_path = path;
    return target;
}

}  // namespace

TEST_CASE("DiskSpd: targets with the same -Z share one buffer, others have their own") {
    WriteBuffers buffers;
    const auto first = buffers.buffer_of(buffered_target(4096), 7);
    CHECK(first->size() == 4096);
    CHECK(buffers.buffer_of(buffered_target(4096), 7) == first);
    CHECK(*buffers.buffer_of(buffered_target(4096), 8) != *first);
    CHECK(buffers.buffer_of(buffered_target(8192), 7)->size() == 8192);
}

TEST_CASE("DiskSpd: a buffer repeats the bytes of its file, whatever the seed is") {
    const test::TempFolder folder(std::filesystem::current_path());
    const std::string path = folder.path() / "bytes";
    const std::string empty = folder.path() / "empty";
    std::ofstream(path) << "abc";
    WriteBuffers buffers;
    const auto first = buffers.buffer_of(buffered_target(5, path), 7);
    CHECK(*first == std::vector{std::byte{'a'}, std::byte{'b'}, std::byte{'c'}, std::byte{'a'}, std::byte{'b'}});
    CHECK(buffers.buffer_of(buffered_target(5, path), 8) == first);
    std::ofstream(empty) << "";
    CHECK_THROWS_WITH(buffers.buffer_of(buffered_target(5, empty), 7), ContainsSubstring("is empty"));
}

TEST_CASE("DiskSpd: the buffers of -Z have a limit together, and the text names it") {
    WriteBuffers buffers(4 * ums::kMb);
    const auto first = buffers.buffer_of(buffered_target(3 * ums::kMb), 1);
    CHECK(buffers.buffer_of(buffered_target(3 * ums::kMb), 1) == first);
    CHECK_THROWS_AS(buffers.buffer_of(buffered_target(2 * ums::kMb), 1), cli::UsageError);
    CHECK_THROWS_WITH(buffers.buffer_of(buffered_target(3 * ums::kMb), 2), ContainsSubstring("at most 4 MB together"));
    CHECK_THROWS_AS(buffers.buffer_of(buffered_target(~std::uint64_t{0}), 1), cli::UsageError);
    CHECK(buffers.buffer_of(buffered_target(ums::kMb), 1)->size() == ums::kMb);
}
