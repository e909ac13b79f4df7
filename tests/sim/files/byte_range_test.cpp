#include "sim/files/byte_range.hpp"

#include "tests/support/catch.hpp"

using sim::ByteRange;

TEST_CASE("a range of bytes is rounded out to both sides") {
    const ByteRange rounded = ByteRange{4608, 8192}.rounded_out(4096);
    CHECK(rounded.offset_bytes == 4096);
    CHECK(rounded.size_bytes == 12'288);
    CHECK(rounded.end_bytes() == 16'384);
}

TEST_CASE("a range of bytes that is aligned is rounded out to itself") {
    const ByteRange rounded = ByteRange{8192, 4096}.rounded_out(4096);
    CHECK(rounded.offset_bytes == 8192);
    CHECK(rounded.size_bytes == 4096);
    const ByteRange any = ByteRange{513, 7}.rounded_out(1);
    CHECK(any.offset_bytes == 513);
    CHECK(any.size_bytes == 7);
}
