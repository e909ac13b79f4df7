#include "reports/diskspd/diskspd_ranges.hpp"

#include "reports/diskspd/diskspd_profile_text.hpp"
#include "tests/support/catch.hpp"

TEST_CASE("DiskSpd: shares of requests are mapped to a target of a given size") {
    reports::DiskspdTarget target;
    target.distribution = {{90, 10}, {0, 10}, {5, 20}};
    target.is_distribution_in_percent = true;
    const auto percent = reports::effective_ranges(target, 1000);
    REQUIRE(percent.size() == 4);
    CHECK(percent[0].span == 100);
    CHECK(percent[1].io_percent == 0);
    CHECK(percent[2].span == 200);
    CHECK(percent[3].io_percent == 5);
    CHECK(percent[3].span == 600);
    target.is_distribution_in_percent = false;
    target.block_bytes = 100;
    target.distribution = {{90, 600}, {10, 600}};
    const auto cut = reports::effective_ranges(target, 1000);
    REQUIRE(cut.size() == 2);
    CHECK(cut[1].span == 400);
    CHECK(reports::effective_ranges(target, 600).size() == 1);
    CHECK(reports::effective_ranges(target, 699).size() == 1);  // no place for a block
    CHECK(reports::effective_ranges(target, 700).size() == 2);
    CHECK(reports::diskspd_distribution_text({{90, 1 << 20}}, false, "") == "    100.0% of IO => [     0    -      1MiB)\n");
    CHECK(reports::diskspd_distribution_text({{90, 1 << 20}, {10, 0}}, false, "") ==
          "    90% of IO => [     0    -      1MiB)\n"
          "    10% of IO => [     1MiB -       end)\n");
    target.distribution = {{90, 600}, {10, 0}};
    REQUIRE(reports::effective_ranges(target, 1000).size() == 2);
    CHECK(reports::effective_ranges(target, 1000)[1].span == 400);
    target.distribution.clear();
    CHECK(reports::effective_ranges(target, 1000).empty());
}
