#include "ums/base/prng.hpp"

#include <array>

#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"

namespace ums {
namespace {

TEST_CASE("splitmix64 gives the published sequence") {
    std::uint64_t state = 1234567;
    CHECK(splitmix64(state) == 6457827717110365317ULL);
    CHECK(splitmix64(state) == 3203168211198807973ULL);
    CHECK(splitmix64(state) == 9817491932198370423ULL);
}

TEST_CASE("the generator gives the sequence of xoshiro256** seeded by splitmix64") {
    Prng prng(0);
    CHECK(prng.next() == 0x99ec5f36cb75f2b4ULL);
    CHECK(prng.next() == 0xbf6e1f784956452aULL);
    CHECK(prng.next() == 0x1a5f849d4933e6e0ULL);
}

TEST_CASE("equal seeds give equal sequences, different seeds different ones") {
    const std::uint64_t seed = testing::test_seed("prng");
    Prng a(seed);
    Prng b(seed);
    Prng c(seed + 1);
    bool differs = false;
    for (int i = 0; i < 100; ++i) {
        const std::uint64_t value = a.next();
        CHECK(value == b.next());
        differs |= value != c.next();
    }
    CHECK(differs);
}

TEST_CASE("below and between stay inside their bounds and reach every value evenly") {
    Prng prng(42);
    std::array<int, 10> seen{};
    for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t value = prng.below(seen.size());
        REQUIRE(value < seen.size());
        ++seen[value];
    }
    for (const int count : seen) CHECK(std::abs(count - 10'000) < 500);  // five standard deviations
    CHECK(prng.below(1) == 0);
    bool low = false;
    bool high = false;
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t value = prng.between(7, 9);
        REQUIRE((value >= 7 && value <= 9));
        low |= value == 7;
        high |= value == 9;
    }
    CHECK((low && high));
    CHECK(prng.between(5, 5) == 5);
}

TEST_CASE("a chance of 0 never hits, one of 10000 always, one of 2500 one time in four") {
    Prng prng(7);
    int hits = 0;
    for (int i = 0; i < 100'000; ++i) {
        REQUIRE_FALSE(prng.chance(0));
        REQUIRE(prng.chance(10'000));
        hits += prng.chance(2'500) ? 1 : 0;
    }
    CHECK(std::abs(hits - 25'000) < 700);
}

}  // namespace
}  // namespace ums
