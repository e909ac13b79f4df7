// Where users work. In virtual time, on files in memory.
#include "sim/users/page_region.hpp"

#include <algorithm>
#include <cstdint>

#include "tests/sim/support/worker_world.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/prng.hpp"

using namespace sim::testing;

TEST_CASE("regions of users lie within the file, and reach both of its ends") {
    WorkerWorld world;
    world.run([](WorkerWorld& w) -> ums::Task<void> {
        const std::uint32_t pages = w.data().file.pages();
        ums::Prng prng(1);
        std::uint32_t first_page = pages;
        std::uint32_t end_page = 0;
        for (int i = 0; i < 1000; ++i) {
            const sim::PageRegion region = sim::choose_region(w.context(), prng, pages - 9, pages - 9);
            REQUIRE(region.data == &w.data());
            REQUIRE(region.page_count == pages - 9);
            first_page = std::min(first_page, region.first_page);
            end_page = std::max(end_page, region.first_page + region.page_count);
        }
        CHECK(first_page == 0);
        CHECK(end_page == pages);
        const sim::PageRegion whole = sim::choose_region(w.context(), prng, pages + 1, pages + 100);
        CHECK(whole.first_page == 0);
        CHECK(whole.page_count == pages);
        co_return;
    });
}
