#include "sim/page/measure_mark.hpp"

#include <array>
#include <cstring>
#include <string>

#include "sim/page/checksum.hpp"
#include "tests/support/catch.hpp"

using namespace sim;

TEST_CASE("the mark of a measured file has the bytes given in its header") {
    std::array<std::byte, kMeasureMarkBytes> mark{};
    make_measure_mark(mark.data());
    CHECK(std::memcmp(mark.data() + 4, "IOPM\1\0ioproof: data of a measurement, of no value\0", 50) == 0);
    std::uint32_t stored = 0;
    std::memcpy(&stored, mark.data(), 4);
    CHECK(stored == crc32c(mark.data() + 4, 508));
    CHECK(has_measure_mark(mark.data()));
    mark[511] = std::byte{1};
    CHECK_FALSE(has_measure_mark(mark.data()));
}

TEST_CASE("the mark of an unfinished file is also recognized as ours, and shows that the file is unfinished") {
    std::array<std::byte, kMeasureMarkBytes> mark{};
    make_unfinished_mark(mark.data());
    CHECK(std::memcmp(mark.data() + 4, "IOPM\1\0ioproof: unfinished file of a measurement, of no value\0", 59) == 0);
    CHECK(has_measure_mark(mark.data()));
    CHECK(has_unfinished_mark(mark.data()));
    make_measure_mark(mark.data());
    CHECK_FALSE(has_unfinished_mark(mark.data()));
}

TEST_CASE("writes to the first 512 bytes of a file keep the mark and change nothing else") {
    std::array<std::byte, kMeasureMarkBytes> mark{};
    make_measure_mark(mark.data());
    std::array<std::byte, 1024> data{};
    data.fill(std::byte{7});
    keep_measure_mark(data.data(), 0, data.size());
    CHECK(has_measure_mark(data.data()));
    CHECK(data[512] == std::byte{7});
    data.fill(std::byte{7});
    keep_measure_mark(data.data(), 500, data.size());
    CHECK(std::memcmp(data.data(), mark.data() + 500, 12) == 0);
    CHECK(data[12] == std::byte{7});
    data.fill(std::byte{7});
    keep_measure_mark(data.data(), 512, data.size());
    CHECK(data[0] == std::byte{7});
    keep_measure_mark(data.data(), 8, 8);
    CHECK(std::memcmp(data.data(), mark.data() + 8, 8) == 0);
    CHECK(data[8] == std::byte{7});
}
