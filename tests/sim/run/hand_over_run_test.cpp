// A run that takes over the files of another owner in its group. In virtual time, on files in memory.
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/errors.hpp"
#include "sim/group/run_group.hpp"
#include "sim/promises/promise_keeper.hpp"
#include "sim/rehearsal/promise_memory.hpp"
#include "sim/run/simulation.hpp"
#include "tests/sim/support/old_first_pages.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;

namespace {

constexpr std::uint64_t kWantedRun = 0x1234;

// The owner before was this run; 0: it had told nobody of a run.
class NextOwner final : public sim::RunGroup {
public:
    explicit NextOwner(std::uint64_t wanted) : wanted_(wanted) {}

    void begins(std::uint64_t /*run_id*/, std::vector<std::string> /*paths*/) override {}
    [[nodiscard]] bool may_pass(Meeting /*meeting*/, std::uint32_t /*cycle*/) override { return true; }
    [[nodiscard]] std::uint64_t rest_us() const override { return 0; }
    [[nodiscard]] std::uint64_t wanted_run_id() const override { return wanted_; }
    [[nodiscard]] bool hands_files_over() const override { return true; }
    void verified(const sim::TakeOverResult& /*what*/) override {}
    void takes_over(sim::TakeOver /*what*/) override {}
    void explain(sim::Finding& /*finding*/) const override {}

private:
    const std::uint64_t wanted_;
};

// Knows this section of the run, or nothing.
class KeptSection final : public sim::PromiseKeeper {
public:
    explicit KeptSection(std::optional<sim::PromiseSection> section) : section_(std::move(section)) {}

    [[nodiscard]] std::string name() const override { return "the ledger of a test"; }
    [[nodiscard]] std::optional<sim::Promises> load(const Wanted& wanted) override {
        if (!section_ || wanted.run_id != section_->run_id) return std::nullopt;
        sim::Promises promises;
        promises.begin(*section_);
        return promises;
    }
    void begin(const sim::PromiseSection& /*section*/) override {}
    void take_from(sim::PromiseBook& /*book*/) override {}
    void end(bool /*are_removed*/) override {}
    [[nodiscard]] Status status() const override { return {}; }

private:
    const std::optional<sim::PromiseSection> section_;
};

sim::PromiseSection section_of(std::uint32_t incarnation) {
    sim::PromiseSection section;
    section.run_id = kWantedRun;
    section.section_id = 5;
    section.incarnation = incarnation;
    section.host = "h";
    return section;
}

// On a volume with the files of an earlier run, or on an empty one.
sim::Results take_over(bool has_old_files, std::optional<sim::PromiseSection> section, std::uint64_t wanted = kWantedRun) {
    VirtualRun run;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    if (has_old_files) REQUIRE(run.run(options).outcome == sim::Outcome::passed);
    options.job = sim::Job::resume;
    KeptSection keeper(std::move(section));
    NextOwner group(wanted);
    return sim::Simulation(options, run.storage, run.clock, run.sink, &keeper, &group).run();
}

}  // namespace

TEST_CASE("an owner that was lost before it had made the files leaves nothing to take over, and the storage is not blamed") {
    const bool has_old_files = GENERATE(true, false);
    const bool has_announced = GENERATE(true, false);
    CAPTURE(has_old_files, has_announced);
    const sim::Results results = take_over(has_old_files, has_announced ? std::optional(section_of(0)) : std::nullopt);
    CHECK(results.finding_count == 0);
    CHECK(results.outcome == sim::Outcome::not_done);
    CHECK_THAT(results.outcome_reason, ContainsSubstring("lost before it had made the files"));
}

TEST_CASE("files of another run in place of those that the owner before had made are blamed on the storage") {
    const sim::Results results = take_over(true, section_of(1));
    CHECK(results.finding_count == 1);
    CHECK(results.outcome == sim::Outcome::failed);
}

TEST_CASE("one file of the owner before that is gone, or blank, on the next one is blamed on the storage, if it had been made") {
    const bool is_gone = GENERATE(true, false);
    const bool had_made_files = GENERATE(true, false);
    CAPTURE(is_gone, had_made_files);
    VirtualRun run;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    sim::PromiseMemory ledger;
    const sim::Results made = sim::Simulation(options, run.storage, run.clock, run.sink, &ledger).run();
    REQUIRE(made.outcome == sim::Outcome::passed);
    const std::string& path = options.files[0].path;
    if (is_gone) {
        ums::FileHandle file;
        REQUIRE(!run.memory.open(path, {}, file));
        REQUIRE(!run.memory.remove(file));
        run.memory.close(file);
    } else {
        const std::vector<std::byte> zeros(8192);
        run.memory.find(path)->write(0, zeros.data(), zeros.size());
    }
    options.job = sim::Job::resume;
    NextOwner group(made.run_id);
    KeptSection nothing(std::nullopt);
    sim::PromiseKeeper& keeper = had_made_files ? static_cast<sim::PromiseKeeper&>(ledger) : nothing;
    const sim::Results results = sim::Simulation(options, run.storage, run.clock, run.sink, &keeper, &group).run();
    CHECK(results.outcome == (had_made_files ? sim::Outcome::failed : sim::Outcome::not_done));
    REQUIRE(results.findings.size() == (had_made_files ? 1U : 0U));
    if (!had_made_files) return;
    CHECK(results.findings[0].kind == sim::FindingKind::lost_write);
    CHECK_THAT(results.findings[0].description, ContainsSubstring(is_gone ? "The file is not there." : "zeros, or nothing"));
}

TEST_CASE("a file of the owner before is known by its name from the root, however the next one spells it") {
    VirtualRun run;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    sim::PromiseMemory ledger;
    const sim::Results made = sim::Simulation(options, run.storage, run.clock, run.sink, &ledger).run();
    REQUIRE(made.outcome == sim::Outcome::passed);
    const std::string folder = GENERATE(as<std::string>(), "/memory/.", "/memory/", "./memory", "../memory");
    options.files[0].path = folder + "/data.mdx";
    options.job = sim::Job::resume;
    NextOwner group(made.run_id);
    const sim::Results results = sim::Simulation(options, run.storage, run.clock, run.sink, &ledger, &group).run();
    CHECK(results.outcome == sim::Outcome::failed);  // here, names are compared letter by letter, so it is not there
    CHECK(results.findings.size() == 1);
}

TEST_CASE("a file that the owner before did not have is no loss, but refused") {
    VirtualRun run;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    sim::PromiseMemory ledger;
    const sim::Results made = sim::Simulation(options, run.storage, run.clock, run.sink, &ledger).run();
    REQUIRE(made.outcome == sim::Outcome::passed);
    options.files.push_back(options.files[0]);
    options.files.back().path = std::string(VirtualRun::kFolder) + "/more.mdx";
    options.job = sim::Job::resume;
    NextOwner group(made.run_id);
    sim::Simulation next(options, run.storage, run.clock, run.sink, &ledger, &group);
    CHECK_THROWS_AS(next.run(), sim::RefusedError);
}

TEST_CASE("files of an earlier run are not taken over from an owner that was lost before it had told anyone of its run") {
    const bool has_old_files = GENERATE(true, false);
    const sim::Results results = take_over(has_old_files, std::nullopt, 0);
    CHECK(results.finding_count == 0);
    CHECK(results.outcome == sim::Outcome::not_done);
    CHECK_THAT(results.outcome_reason, ContainsSubstring("lost before it had made the files"));
}

TEST_CASE("first pages of an earlier run that come back only once do not make the files of the owner before those of another run") {
    VirtualRun run;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    sim::PromiseMemory ledger;
    const sim::Results made = sim::Simulation(options, run.storage, run.clock, run.sink, &ledger).run();
    REQUIRE(made.outcome == sim::Outcome::passed);
    OldFirstPages storage(run.storage);
    storage.answer_with_run(made.run_id + 1, options);
    options.job = sim::Job::resume;
    NextOwner group(made.run_id);
    const sim::Results results = sim::Simulation(options, storage, run.clock, run.sink, &ledger, &group).run();
    CHECK(results.outcome == sim::Outcome::failed);
    CHECK(results.run_id == made.run_id);
    REQUIRE_FALSE(results.findings.empty());
    CHECK(results.findings[0].transient);
}
