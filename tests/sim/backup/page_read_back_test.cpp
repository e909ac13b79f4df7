#include "sim/backup/page_read_back.hpp"

#include <cstdint>
#include <vector>

#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"

using sim::testing::WorkerWorld;

TEST_CASE("a whole file is read back in blocks without gaps, up to its last page") {
    WorkerWorld world;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        const std::uint32_t pages = w.data().file.pages();
        for (const std::uint32_t block_pages : {8U, 100U, pages, 2 * pages}) {
            CAPTURE(block_pages);
            std::vector<sim::ReadBackRange> ranges;
            sim::add_whole_file(ranges, w.data(), block_pages);
            std::uint32_t next = 0;
            for (const sim::ReadBackRange& range : ranges) {
                CHECK(range.data == &w.data());
                CHECK(range.first_page == next);
                CHECK(range.page_count <= block_pages);
                next += range.page_count;
            }
            CHECK(next == pages);
        }
        co_return;
    });
}
