// What the last checkpoint of a run excepts from its promises, and what a verification makes of it. In virtual time, on files in memory.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "sim/page/log_layout.hpp"
#include "sim/verify/log_analysis.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::kPageBytes;

TEST_CASE("a page that is too old is not blamed on the storage if the checkpoint promises nothing about any page") {
    LeftRun left;
    const std::uint32_t page = left.busy_page();
    const sim::PageHeader header = left.header(page);
    left.put_version(page, header.version - 2, header.lsn - 1);
    REQUIRE(kinds(left.verify()) == "lost_write");
    left.change_each_record([](const sim::LogRecordHeader& record, std::span<std::byte> body) {
        if (record.kind != static_cast<std::uint16_t>(sim::LogRecordKind::checkpoint_end)) return;
        const std::uint32_t unknown_count = sim::kTooManyUnknown;
        std::memcpy(body.data() + offsetof(sim::CheckpointEnd, unknown_count), &unknown_count, sizeof unknown_count);
    });
    const sim::Results results = left.verify();
    INFO(left.run.sink.text());
    CHECK(kinds(results) == "");
    REQUIRE(results.durability);
    CHECK(results.durability->pages_released == left.data().size_bytes() / kPageBytes);
}
