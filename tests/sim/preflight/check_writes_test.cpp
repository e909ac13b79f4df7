#include <string>
#include <vector>

#include "sim/preflight/checks.hpp"
#include "tests/support/catch.hpp"

namespace {

// Why durable writes of 100 us on a disk of this name, which is called rotational, are suspicious.
std::string suspicion_on(const std::string& disk_name) {
    sim::PreflightFacts facts;
    facts.was_probed = true;
    facts.dsync_writes.times.count = facts.synced_writes.times.count = 100;
    facts.dsync_writes.times.mean_ns = facts.synced_writes.times.mean_ns = 100'000;
    ums::BlockLayer disk;
    disk.name = disk_name;
    disk.is_rotational = true;
    facts.layers = {disk};
    std::vector<sim::PreflightLine> found;
    const std::string folder = "/data";
    sim::Lines lines(found, "durable writes", folder);
    check_write_times(facts, lines);
    REQUIRE(found.size() == 1);
    CHECK(found[0].grade == sim::PreflightGrade::warn);
    return found[0].reason;
}

}  // namespace

TEST_CASE("a fast virtio disk is not called a rotating one, although its flag says so") {
    CHECK_THAT(suspicion_on("sda"), ContainsSubstring("suspiciously fast for a rotating disk"));
    CHECK_THAT(suspicion_on("vda"), ContainsSubstring("virtio shows every disk as a rotating one"));
}
