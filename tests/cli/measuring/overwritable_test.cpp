#include "cli/measuring/overwritable.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"
#include "ums/io/posix_storage.hpp"

namespace {

std::string counting_bytes(std::size_t size_bytes) {
    std::string bytes(size_bytes, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
    return bytes;
}

bool holds_nothing(const std::string& path) {
    ums::PosixStorage storage;
    return cli::holds_nothing(storage, path);
}

}  // namespace

TEST_CASE("a file that was created for a measurement may be overwritten") {
    const test::TempFolder folder;
    const std::string path = folder / "t.dat";
    std::ofstream(path).close();
    CHECK(holds_nothing(path));
    std::filesystem::resize_file(path, std::uintmax_t{1} << 40);  // a hole
    CHECK(holds_nothing(path));
    std::ofstream(path, std::ios::binary) << std::string(3'000'000, '\0');
    CHECK(holds_nothing(path));
    std::ofstream(path, std::ios::binary) << counting_bytes(3'000'100);
    CHECK(holds_nothing(path));
    std::ofstream(path, std::ios::binary) << counting_bytes(1 << 20) << std::string(1 << 20, '\0') << counting_bytes(512);
    CHECK(holds_nothing(path));
}

TEST_CASE("a single other byte makes a file foreign") {
    const test::TempFolder folder;
    const std::string path = folder / "t.dat";
    for (const std::size_t place : {std::size_t{0}, std::size_t{1'048'575}, std::size_t{1'048'576}, std::size_t{2'999'999}}) {
        std::string bytes(3'000'000, '\0');
        bytes[place] = 'x';
        std::ofstream(path, std::ios::binary) << bytes;
        INFO(place);
        CHECK_FALSE(holds_nothing(path));
    }
    std::string shifted = counting_bytes(4096);
    shifted.erase(0, 1);
    std::ofstream(path, std::ios::binary) << shifted;
    CHECK_FALSE(holds_nothing(path));
    std::ofstream(path, std::ios::binary) << "Dear vendor";
    CHECK_FALSE(holds_nothing(path));
}

TEST_CASE("names of databases, folders, links and missing files may never be overwritten") {
    const test::TempFolder folder;
    std::ofstream(folder / "empty.mdf").close();
    CHECK_FALSE(holds_nothing(folder / "empty.mdf"));
    CHECK_FALSE(holds_nothing(folder.path().string()));
    std::ofstream(folder / "t.dat").close();
    std::filesystem::create_symlink(folder / "t.dat", folder / "link.dat");
    CHECK_FALSE(holds_nothing(folder / "link.dat"));
    CHECK_FALSE(holds_nothing(folder / "missing.dat"));
}
