#include "cli/powertest/campaign.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "cli/exit_codes.hpp"
#include "cli/powertest/state_folder.hpp"
#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using namespace std::chrono_literals;

TEST_CASE("a stopped campaign lets the command of a cut or a restore end, however long that takes") {
    const test::IoproofFolder folder;
    std::filesystem::create_directory(folder.path() / "volume");
    cli::CampaignState state;
    state.plan = {.folder = folder.path().string(),
                  .run_words = {"-dir", "volume"},
                  .cycles = 1,
                  .cut = "true",
                  .restore = "touch begun && sleep 11 && touch ended",
                  .timeout_s = 60,
                  .moments = {"any"}};
    state.phase = cli::CampaignPhase::cutting;
    cli::StateFolder((folder.path() / "state").string()).save(state);
    const auto process = folder.start({"powertest", "--state", "state"});
    for (int i = 0; i < 1000 && !folder.has("begun"); ++i) std::this_thread::sleep_for(10ms);
    REQUIRE(folder.has("begun"));
    process->send(SIGINT);
    CHECK(process->wait() == cli::to_int(cli::ExitCode::stopped));
    CHECK(folder.has("ended"));
}
