// A name that does not lead to the tested file any more when the run ends.
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;

namespace {

void remove_name(VirtualRun& run, const std::string& path) {
    ums::FileHandle file;
    REQUIRE_FALSE(run.memory.open(path, {}, file));
    REQUIRE_FALSE(run.memory.remove(file));
    run.memory.close(file);
}

// Calls `act` once, while the run works with its files.
void meanwhile(VirtualRun& run, std::function<void()> act) {
    run.storage.set_fault([act = std::move(act), count = 0](const Recorded& request) mutable {
        if (request.of_load && ++count == 5) act();
        return std::error_code{};
    });
}

}  // namespace

TEST_CASE("a run at whose end the name of a data file or of a log is gone is not done, unless it was to delete the files") {
    for (const bool is_log : {false, true}) {
        for (const bool deletes : {false, true}) {
            CAPTURE(is_log, deletes);
            VirtualRun run;
            sim::Options options = quiet_options(VirtualRun::kFolder);
            options.delete_files_at_shutdown = deletes;
            const std::string path = options.files.at(is_log ? 1 : 0).path;
            meanwhile(run, [&] { remove_name(run, path); });
            const sim::Results results = run.run(options);
            CHECK(results.finding_count == 0);
            CHECK(results.outcome == (deletes ? sim::Outcome::passed : sim::Outcome::not_done));
            if (!deletes) CHECK_THAT(results.outcome_reason, ContainsSubstring(path + ": the name is gone"));
        }
    }
}

TEST_CASE("a run at whose end the name of a file of its backups is gone is not done if it was to keep them") {
    for (const char* const name : {"/ioproof_backup_1.bak", "/ioproof_backup.trn", "/restored_1_data.mdx"}) {
        for (const bool keeps : {false, true}) {
            CAPTURE(name, keeps);
            VirtualRun run;
            sim::Options options = quiet_options(VirtualRun::kFolder);
            options.delete_files_at_shutdown = keeps;  // says nothing about them
            options.backup_user.folders = options.backup_user.restore_folder = VirtualRun::kFolder;
            options.backup_user.keep_files = keeps;
            const std::string path = std::string(VirtualRun::kFolder) + name;
            meanwhile(run, [&] { remove_name(run, path); });
            const sim::Results results = run.run(options);
            CHECK(results.finding_count == 0);
            CHECK(results.outcome == (keeps ? sim::Outcome::not_done : sim::Outcome::passed));
            if (keeps) CHECK_THAT(results.outcome_reason, ContainsSubstring(path + ": the name is gone"));
        }
    }
}

TEST_CASE("a run at whose end another file has the name of one of its own passes with a warning") {
    VirtualRun run;
    const sim::Options options = quiet_options(VirtualRun::kFolder);
    const std::string path = options.files.at(0).path;
    meanwhile(run, [&] {
        remove_name(run, path);
        run.memory.put(path, std::make_unique<ums::SimulatedFile>(999));
    });
    CHECK(run.run(options).outcome == sim::Outcome::passed);
    CHECK(run.sink.count_of(sim::Severity::warning, "leads to another file") == 1);
}
