// A page that was found wrong and rewritten: the promise is what the file now holds.
#include <vector>

#include "sim/page/page_codec.hpp"
#include "sim/rehearsal/owner_view.hpp"
#include "sim/rehearsal/promise_memory.hpp"
#include "sim/rehearsal/rehearsal_options.hpp"
#include "sim/run/simulation.hpp"
#include "tests/sim/support/collecting_sink.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

TEST_CASE("a repaired page is promised as the repair wrote it") {
    sim::Options options = sim::rehearsal_options(3);
    options.tempdb_user = {};
    options.backup_user = {};
    options.write_through = GENERATE(false, true);
    ums::VirtualClock clock;
    ums::SimulatedStorage disk(clock, ums::simulated_disk(3));
    sim::OwnerView volume(disk, clock, options);
    sim::PromiseMemory ledger;
    sim::testing::CollectingSink sink;
    sim::Simulation simulation(options, volume, clock, sink, &ledger);
    // The last write of one page is lost, and found by the final audit.
    std::uint32_t lost_page = 0;
    std::string path;
    const auto lose = [&](const sim::OwnerView::PageWrite& write) {
        const sim::PageHeader before = sim::read_header(write.before.data());
        const bool is_wanted = lost_page == 0 && simulation.phase() == sim::Phase::final_checkpoint && write.page_id != 0;
        if (!is_wanted || before.magic != sim::kPageMagic) return;
        lost_page = write.page_id;
        path = write.path;
        disk.find(path)->write(std::uint64_t{lost_page} * sim::kPageBytes, write.before.data(), sim::kPageBytes);
    };
    volume.set_watch({lose, {}, {}, {}});
    static_cast<void>(simulation.run());
    INFO(sink.text());
    REQUIRE(sink.findings().size() == 1);
    CHECK(sink.findings().front().repaired);
    sim::testing::PageBuffer standing;
    disk.find(path)->read(std::uint64_t{lost_page} * sim::kPageBytes, standing.data(), sim::kPageBytes);
    const sim::PageHeader header = sim::read_header(standing.data());
    const sim::Promises::Page promised = ledger.promises().page(volume.id_of(path), lost_page);
    if (promised.version == 0 && !options.write_through) return;  // no sync followed: nothing is promised, which is safe
    CHECK(promised.version == header.version);
    CHECK(promised.checksum == header.checksum);
}
