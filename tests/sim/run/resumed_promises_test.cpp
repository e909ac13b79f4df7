// Which promises of a ledger hold when a run continues with its files. In virtual time, on files in memory.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/rehearsal/promise_memory.hpp"
#include "sim/run/simulation.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Job;
using sim::Outcome;

namespace {

// Keeps promises, and what each run said when it began them.
class SectionKeeper final : public sim::PromiseKeeper {
public:
    std::vector<sim::PromiseSection> sections;
    sim::PromiseMemory ledger;

    [[nodiscard]] std::string name() const override { return ledger.name(); }
    [[nodiscard]] std::optional<sim::Promises> load(const Wanted& wanted) override { return ledger.load(wanted); }
    void begin(const sim::PromiseSection& section) override {
        sections.push_back(section);
        ledger.begin(section);
    }
    void take_from(sim::PromiseBook& book) override { ledger.take_from(book); }
    void end(bool are_removed) override { ledger.end(are_removed); }
    [[nodiscard]] Status status() const override { return ledger.status(); }
};

}  // namespace

TEST_CASE("a run that continues keeps what a ledger was promised if it has found all of it, and begins anew if something was wrong") {
    constexpr std::uint64_t kWrongByte = std::uint64_t{100} * sim::kPageBytes + 4000;
    VirtualRun run{random_disk(1, 200, 600)};
    sim::Options options = busy_options(VirtualRun::kFolder);
    SectionKeeper keeper;
    const auto work = [&](Job job) {
        options.job = job;
        return sim::Simulation(options, run.storage, run.clock, run.sink, &keeper).run();
    };
    REQUIRE(work(Job::run).outcome == Outcome::passed);
    REQUIRE(keeper.sections.size() == 2);
    CHECK(keeper.sections[0].incarnation == 0);
    CHECK(keeper.sections[1].incarnation == 1);
    CHECK(keeper.sections[1].keeps_section == 0);
    const std::uint64_t last_number = keeper.ledger.promises().last_number();
    REQUIRE(last_number > 0);

    REQUIRE(work(Job::resume).outcome == Outcome::passed);
    REQUIRE(keeper.sections.size() == 3);
    CHECK(keeper.sections[2].incarnation == 2);
    CHECK(keeper.sections[2].keeps_section == keeper.sections[1].section_id);
    CHECK(keeper.sections[2].keeps_number == last_number);

    ums::SimulatedFile& data = *run.memory.find(options.files[0].path);
    std::byte byte{};
    data.read(kWrongByte, &byte, 1);
    byte ^= std::byte{1};
    data.write(kWrongByte, &byte, 1);
    const sim::DurabilityResult verified = work(Job::verify).durability.value();
    const sim::Results repair = work(Job::repair);
    CHECK(repair.outcome == Outcome::failed);
    REQUIRE(repair.durability);
    REQUIRE(repair.durability->promises);
    CHECK(verified.promises.value().pages > 0);
    CHECK(repair.durability->promises->pages == verified.promises.value().pages);
    REQUIRE(keeper.sections.size() == 4);
    CHECK(keeper.sections[3].incarnation == 3);
    CHECK(keeper.sections[3].keeps_section == 0);
    CHECK(kinds(work(Job::verify)) == "");
}

TEST_CASE("a run that continues says if the ledger could not be used for what the crash had left") {
    LeftRun left;
    SectionKeeper keeper;
    sim::Options options = left.options;
    options.job = Job::resume;
    const auto resume = [&] { return sim::Simulation(options, left.run.storage, left.run.clock, left.run.sink, &keeper).run().outcome; };
    const auto unused = [&left](const std::string& why) { return left.run.sink.count_of(sim::Severity::warning, why); };
    REQUIRE(resume() == Outcome::passed);
    CHECK(unused("was verified without " + keeper.name() + ". It knew nothing of this run before.") == 1);
    REQUIRE(resume() == Outcome::passed);
    CHECK(unused("was verified without") == 1);
    REQUIRE(left.work(Job::resume).outcome == Outcome::passed);
    REQUIRE(resume() == Outcome::passed);
    CHECK(unused("The log is newer than its promises") == 1);
    CHECK(unused("was verified without") == 2);
}

TEST_CASE("a ledger is promised no size of a file that is never made durable, and a replica is not named there") {
    VirtualRun run;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    options.files[0].durability = sim::Durability::none;
    options.files.push_back({.path = options.files[0].path + ":replica", .initial_size_mb = 1, .max_size_mb = 1, .sparse = true});
    SectionKeeper keeper;
    REQUIRE(sim::Simulation(options, run.storage, run.clock, run.sink, &keeper).run().outcome == Outcome::passed);
    REQUIRE(keeper.sections.size() == 2);
    const std::vector<sim::PromisedFile>& files = keeper.sections[1].files;
    REQUIRE(files.size() == 2);
    CHECK_FALSE(files[0].is_log);
    CHECK(files[0].page_count == 0);
    CHECK(files[1].is_log);
    CHECK(files[1].page_count == (options.files[1].initial_size_mb << 20) / sim::kPageBytes);
}
