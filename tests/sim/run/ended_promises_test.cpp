// The end of a run whose promises cannot be taken back. In virtual time, on files in memory.
#include <optional>
#include <string>
#include <utility>

#include "sim/promises/promise_keeper.hpp"
#include "sim/run/simulation.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;

namespace {

// Accepts everything, except perhaps at the end.
class EndingKeeper final : public sim::PromiseKeeper {
public:
    explicit EndingKeeper(std::string trouble) : trouble_(std::move(trouble)) {}

    [[nodiscard]] std::string name() const override { return "the ledger of a test"; }
    [[nodiscard]] std::optional<sim::Promises> load(const Wanted& /*wanted*/) override { return std::nullopt; }
    void begin(const sim::PromiseSection& /*section*/) override {}
    void take_from(sim::PromiseBook& /*book*/) override {}
    void end(bool /*are_removed*/) override { has_ended_ = true; }
    [[nodiscard]] Status status() const override {
        Status status;
        if (has_ended_) status.stopped_because = trouble_;
        return status;
    }

private:
    const std::string trouble_;
    bool has_ended_ = false;
};

}  // namespace

TEST_CASE("files are not deleted at the end if a ledger that has no room still holds promises about them") {
    const bool is_full = GENERATE(false, true);
    VirtualRun run;
    sim::Options options = quiet_options(VirtualRun::kFolder);
    options.delete_files_at_shutdown = true;
    EndingKeeper keeper(is_full ? "No space left on device" : "");
    const sim::Results results = sim::Simulation(options, run.storage, run.clock, run.sink, &keeper).run();
    CHECK(results.outcome == sim::Outcome::passed);
    CHECK(run.memory.file_count() == (is_full ? options.files.size() : 0));
    CHECK(run.sink.count_of(sim::Severity::warning, "The files are not deleted") == (is_full ? 1 : 0));
}
