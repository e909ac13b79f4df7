#include "sim/page/word_fill.hpp"

#include <vector>

#include "tests/support/catch.hpp"

TEST_CASE("any number of words is filled and combined, and none beyond") {
    for (std::size_t count = 0; count < 70; ++count) {
        std::vector<std::uint64_t> from(count + 1);
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = i * 0x9e3779b97f4a7c15ULL;
        std::vector<std::uint64_t> out(count + 1, 1);
        sim::fill_words(out.data(), count, 77);
        for (std::size_t i = 0; i < count; ++i) REQUIRE(out[i] == 77);
        sim::xor_words(out.data(), from.data(), count, 5);
        for (std::size_t i = 0; i < count; ++i) REQUIRE(out[i] == (from[i] ^ 5));
        CHECK(out[count] == 1);
    }
}
