// Calls into the storage that do not return for long: the person sees which, and for which file, while they last, and the run passes all
// the same. In virtual time: the storage lets time pass in the call, and does meanwhile what the control thread does every second.
#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;
using sim::Options;
using sim::Severity;

namespace {

// Lets the test act in the first call of one kind.
class PausingStorage final : public ums::ForwardingStorage {
public:
    using ForwardingStorage::ForwardingStorage;

    std::error_code open(const std::string& path, const ums::OpenOptions& how, ums::FileHandle& file) override {
        pause_in(how.create_new ? "creation" : "opening");
        return inner().open(path, how, file);
    }
    std::error_code reopen(ums::FileHandle file, const ums::OpenOptions& how, ums::FileHandle& again) override {
        pause_in("opening");
        return inner().reopen(file, how, again);
    }
    std::error_code status(const std::string& path, ums::FileStatus& status) override {
        if (is_at_its_end && is_at_its_end()) pause_in("query of the name");
        if (path == VirtualRun::kFolder) pause_in("query of the folder");
        return inner().status(path, status);
    }
    std::error_code remove(ums::FileHandle file) override {
        pause_in("deletion");
        return inner().remove(file);
    }
    std::error_code allocate(ums::FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) override {
        pause_in("allocation");
        return inner().allocate(file, offset_bytes, size_bytes);
    }
    std::error_code truncate(ums::FileHandle file, std::uint64_t size_bytes) override {
        pause_in("truncation");
        return inner().truncate(file, size_bytes);
    }
    std::error_code sync(ums::FileHandle file) override {
        pause_in("sync");
        return inner().sync(file);
    }
    std::error_code next_data(ums::FileHandle file, std::uint64_t offset_bytes, std::uint64_t& begin_bytes,
                              std::uint64_t& end_bytes) override {
        pause_in("search for holes");
        return inner().next_data(file, offset_bytes, begin_bytes, end_bytes);
    }
    std::error_code free_space(const std::string& path, std::uint64_t& free_bytes) override {
        pause_in("query of the free space");
        return inner().free_space(path, free_bytes);
    }
    void close(ums::FileHandle file) override {
        pause_in("closing");
        inner().close(file);
    }
    std::error_code drop_cache(ums::FileHandle file) override {
        pause_in("flush of cached pages");
        return inner().drop_cache(file);
    }

    std::string paused_call;
    std::function<void()> on_pause;
    std::function<bool()> is_at_its_end;  // the run: it looks for the names of its files

private:
    void pause_in(const std::string& call) {
        if (call != paused_call) return;
        paused_call.clear();
        on_pause();
    }
};

// Everything that a run does with its files besides requests: a data file with holes, a log, both deleted at the end.
Options all_calls_options() {
    Options options = quiet_options(VirtualRun::kFolder);
    options.files[0].sparse = true;
    options.delete_files_at_shutdown = true;
    return options;
}

}  // namespace

TEST_CASE("a call that does not return for 15 seconds is named while it lasts and when it is over, and the run passes") {
    for (const std::string call : {"creation", "query of the free space", "opening", "allocation", "truncation", "sync",
                                   "flush of cached pages", "search for holes", "deletion", "query of the folder", "closing"}) {
        VirtualRun run;
        PausingStorage storage(run.storage);
        storage.paused_call = call;
        sim::Simulation simulation(all_calls_options(), storage, run.clock, run.sink);
        std::size_t early = 0;
        std::size_t while_it_lasts = 0;
        std::vector<sim::Progress::Call> shown;
        const auto pass = [&](std::uint64_t seconds) {
            run.clock.advance_to(run.clock.now_ns() + seconds * ums::kNsPerSecond);
            simulation.look_at_calls();
        };
        storage.on_pause = [&] {
            pass(14);
            early = run.sink.count_of(Severity::warning, "Call ");
            pass(2);
            pass(1);
            while_it_lasts = run.sink.count_of(Severity::warning, "Call takes longer than 15 seconds: " + call + " of /memory");
            shown = simulation.progress().long_calls;
        };
        const sim::Results results = simulation.run();
        INFO(call << "\n" << run.sink.text());
        CHECK(storage.paused_call.empty());
        CHECK(early == 0);
        CHECK(while_it_lasts == 1);
        REQUIRE(shown.size() == 1);
        CHECK(shown[0].name == call);
        CHECK(shown[0].duration_us == 17'000'000);
        CHECK(run.sink.count_of(Severity::warning,
                                "Call took longer than 15 seconds: " + call + " of " + shown[0].path + " returned after 17000 ms.") == 1);
        CHECK(results.outcome == sim::Outcome::passed);
        CHECK(results.warning_count == 0);
        CHECK(run.sink.findings().empty());
        CHECK(simulation.progress().long_calls.empty());
    }
}

TEST_CASE("a run that does not learn at its end whether its files still have their names says so") {
    VirtualRun run;
    PausingStorage storage(run.storage);
    storage.paused_call = "query of the name";
    sim::Simulation simulation(quiet_options(VirtualRun::kFolder), storage, run.clock, run.sink);
    storage.is_at_its_end = [&] { return simulation.phase() == sim::Phase::summary; };
    storage.on_pause = [&] {
        run.clock.advance_to(run.clock.now_ns() + 16 * ums::kNsPerSecond);
        simulation.look_at_calls();
    };
    const sim::Results results = simulation.run();
    INFO(run.sink.text());
    CHECK(run.sink.count_of(Severity::warning, "Call takes longer than 15 seconds: query of the name of /memory/data.mdx") == 1);
    CHECK(results.outcome == sim::Outcome::passed);
}

TEST_CASE("a verification, too, names a call that does not return while it opens the files") {
    VirtualRun run;
    Options options = quiet_options(VirtualRun::kFolder);
    REQUIRE(run.run(options).outcome == sim::Outcome::passed);
    options.job = sim::Job::verify;
    PausingStorage storage(run.storage);
    storage.paused_call = "opening";
    sim::Simulation simulation(options, storage, run.clock, run.sink);
    storage.on_pause = [&] {
        run.clock.advance_to(run.clock.now_ns() + 16 * ums::kNsPerSecond);
        simulation.look_at_calls();
    };
    const sim::Results results = simulation.run();
    INFO(run.sink.text());
    CHECK(run.sink.count_of(Severity::warning, "Call takes longer than 15 seconds: opening of /memory/data.mdx") == 1);
    CHECK(results.finding_count == 0);
}

namespace {

// What the progress says in the first call of this kind.
bool is_creating_in(VirtualRun& run, sim::Job job, const std::string& call) {
    Options options = quiet_options(VirtualRun::kFolder);
    options.job = job;
    PausingStorage storage(run.storage);
    storage.paused_call = call;
    sim::Simulation simulation(options, storage, run.clock, run.sink);
    bool is_creating = false;
    storage.on_pause = [&] { is_creating = simulation.progress().is_creating; };
    CHECK(simulation.run().outcome == sim::Outcome::passed);
    CHECK(storage.paused_call.empty());
    CHECK_FALSE(simulation.progress().is_creating);
    return is_creating;
}

}  // namespace

TEST_CASE("the progress says whether a run creates files, and not that it does while files are opened that are there") {
    VirtualRun run;
    CHECK(is_creating_in(run, sim::Job::run, "allocation"));
    CHECK_FALSE(is_creating_in(run, sim::Job::run, "opening"));
    CHECK_FALSE(is_creating_in(run, sim::Job::resume, "opening"));
    CHECK_FALSE(is_creating_in(run, sim::Job::verify, "opening"));
}
