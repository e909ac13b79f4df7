#include "ums/base/named_pipe.hpp"

#include <fstream>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"

namespace {

constexpr std::chrono::milliseconds kAtOnce{0};
constexpr std::chrono::milliseconds kLong{10'000};

}  // namespace

TEST_CASE("a reader waits for the wanted characters and discards the rest") {
    const test::TempFolder folder;
    ums::PipeReader reader;
    REQUIRE_FALSE(ums::PipeReader::open(folder / "p", reader));
    ums::PipeWriter writer;
    REQUIRE_FALSE(ums::PipeWriter::open(folder / "p", writer));
    for (const char what : std::string("aab")) writer.put(what);
    CHECK(reader.wait_for("b", kLong) == 'b');
    CHECK_FALSE(reader.wait_for("ab", kAtOnce));
    writer.put('a');
    reader.drain();
    CHECK_FALSE(reader.wait_for("a", kAtOnce));
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        writer.put('x');
    });
    CHECK(reader.wait_for("xy", kLong) == 'x');
    later.join();
}

TEST_CASE("a reader remembers what has arrived, also what it discarded") {
    const test::TempFolder folder;
    ums::PipeReader reader;
    REQUIRE_FALSE(ums::PipeReader::open(folder / "p", reader));
    ums::PipeWriter writer;
    REQUIRE_FALSE(ums::PipeWriter::open(folder / "p", writer));
    for (const char what : std::string("abc")) writer.put(what);
    CHECK_FALSE(reader.has_read('a'));
    CHECK(reader.wait_for("b", kLong) == 'b');
    writer.put('d');
    reader.drain();
    for (const char what : std::string("abcd")) {
        INFO(what);
        CHECK(reader.has_read(what));
    }
    CHECK_FALSE(reader.has_read('e'));
}

TEST_CASE("a writer never waits, even if the reader falls behind") {
    const test::TempFolder folder;
    ums::PipeReader reader;
    REQUIRE_FALSE(ums::PipeReader::open(folder / "p", reader));
    ums::PipeWriter writer;
    REQUIRE_FALSE(ums::PipeWriter::open(folder / "p", writer));
    for (int i = 0; i < 1'000'000; ++i) writer.put('a');
    CHECK(reader.wait_for("a", kAtOnce) == 'a');
}

TEST_CASE("something that is not a pipe, or a pipe without a reader, is not opened") {
    const test::TempFolder folder;
    std::ofstream(folder / "f") << "text";
    ums::PipeReader reader;
    ums::PipeWriter writer;
    CHECK(ums::PipeReader::open(folder / "f", reader) == std::errc::file_exists);
    CHECK(ums::PipeWriter::open(folder / "f", writer) == std::errc::not_a_stream);
    CHECK(ums::PipeWriter::open(folder / "none", writer) == std::errc::no_such_file_or_directory);
    { REQUIRE_FALSE(ums::PipeReader::open(folder / "p", reader)); }
    reader = {};
    CHECK(ums::PipeWriter::open(folder / "p", writer) == std::errc::no_such_device_or_address);
    CHECK(test::read_text(folder / "f") == "text");
}
