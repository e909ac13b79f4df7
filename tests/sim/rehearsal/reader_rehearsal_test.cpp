// Files that one host writes while others read them, in one virtual time.
#include "sim/rehearsal/reader_rehearsal.hpp"

#include <optional>
#include <string>

#include "tests/sim/rehearsal/hosts_rehearsals.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"

using sim::HostsReport;
using sim::HostsTally;
using sim::ReaderFault;
using sim::testing::add_rehearsals;
using Coherence = sim::RunGroup::Coherence;

TEST_CASE("faults between an owner and its readers are found and named, and an honest volume is never blamed") {
    for (std::uint32_t i = 0; i < sim::kReaderFaultCount; ++i) {
        const auto fault = static_cast<ReaderFault>(i);
        HostsTally sum;
        const std::uint64_t seeds = test::fewer_if_sanitized(6);
        add_rehearsals(seeds, sum, [&](std::uint64_t seed) { return sim::rehearse_readers(seed, fault); });
        INFO(name_of(fault));
        if (seeds < 6) continue;
        CHECK(sum.hosts >= seeds);
        CHECK((sum.given > 0) == (fault != ReaderFault::honest));
    }
}

TEST_CASE("if the owner or the witness is lost, no one is blamed, earlier faults are found, and no reader reports that all was right") {
    for (std::uint32_t i = 1; i < sim::kHostLossCount; ++i) {
        const auto loss = static_cast<sim::HostLoss>(i);
        HostsTally sum;
        const std::uint64_t seeds = test::fewer_if_sanitized(6);
        for (const ReaderFault fault : {ReaderFault::honest, ReaderFault::lost_write, ReaderFault::stale_cache}) {
            add_rehearsals(seeds, sum, [&](std::uint64_t seed) {
                HostsReport report = sim::rehearse_readers(seed, fault, std::nullopt, loss);
                CHECK_THAT(report.text, ContainsSubstring(std::string(name_of(loss))));
                return report;
            });
        }
        INFO(name_of(loss));
        if (seeds < 6) continue;
        CHECK(sum.losses > 0);
        CHECK(sum.given > 0);
    }
    const HostsReport nobody = sim::rehearse_readers(5, ReaderFault::honest, std::nullopt, sim::HostLoss::none);
    CHECK(nobody.tally.losses == 0);
    CHECK(nobody.tally.is_good());
}

TEST_CASE("the same seed gives the same report, and each coherence of a volume a different one") {
    const auto text = [](Coherence coherence) { return sim::rehearse_readers(5, ReaderFault::stale_cache, coherence).text; };
    for (const Coherence coherence : {Coherence::strict, Coherence::close_to_open}) {
        const HostsReport honest = sim::rehearse_readers(5, ReaderFault::honest, coherence);
        INFO(honest.text << honest.problem);
        CHECK(honest.tally.is_good());
        CHECK(text(coherence) == text(coherence));
    }
    CHECK(text(Coherence::strict) != text(Coherence::close_to_open));
    const std::string drawn = sim::rehearse_readers(5, ReaderFault::stale_cache).text;
    CHECK((drawn == text(Coherence::strict) || drawn == text(Coherence::close_to_open)));
}

TEST_CASE("each fault of readers has its own name") { sim::testing::check_names(sim::kReaderFaultCount, sim::reader_fault_of); }
