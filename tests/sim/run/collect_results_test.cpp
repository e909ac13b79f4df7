#include "sim/run/collect_results.hpp"

#include <system_error>

#include "tests/sim/support/virtual_world.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

using sim::testing::Fate;
using sim::testing::VirtualWorld;

TEST_CASE("the longest request of a file may be a late sync, which is among those over 15 s") {
    VirtualWorld world;
    world.storage.set_rule([](const ums::IoRequest& request) {
        return Fate{.delay_ns = (request.operation == ums::IoOperation::sync ? 20'000 : 2) * ums::kNsPerMs};
    });
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(1, ums::kMb);
        const ums::IoSegment segment{nullptr, sim::kPageBytes};
        const sim::TransferResult written =
            co_await file->transfer(ums::IoOperation::write, 0, {&segment, 1}, ums::WaitType::io_completion);
        CHECK_FALSE(written.error);
        CHECK(sim::result_of(*file, 100).max_io_time_us == 2'000);
        const std::error_code error = co_await file->sync();
        CHECK_FALSE(error);
        const sim::FileResult result = sim::result_of(*file, 100);
        CHECK(result.long_ios == 1);
        CHECK(result.max_io_time_us == 20'000'000);
        CHECK(result.total_io_time_us == 2'000);
    });
}
