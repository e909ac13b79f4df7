#include "cli/group/group_member.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tests/cli/witness/witness_rig.hpp"

namespace {

// Empty if the witness knows of none within ten seconds.
std::string failure_known_to(const cli::GroupMember& member) {
    std::string failure = member.failure();
    for (int i = 0; i < 100 && failure.empty(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        failure = member.failure();
    }
    return failure;
}

}  // namespace

TEST_CASE("findings of a turn whose end the witness did not hear of are not taken back by the last words of the run") {
    const test::IoproofFolder folder;
    witness_test::write_key(folder, "key", witness_test::kKey);
    auto rig = std::make_unique<witness_test::Rig>(folder);
    const cli::WitnessAddress address{.host = "127.0.0.1", .port = rig->port()};
    cli::GroupSettings settings;
    settings.name = "g";
    settings.terms.plan = "hand-over";
    settings.terms.of = settings.terms.turns = 2;
    settings.terms.wait_ms = 1000;
    cli::GroupMember first(settings, address, witness_test::key_of(folder), {});
    {
        const cli::GracefulStop stop;
        first.join(stop);
        REQUIRE(first.wait_for_turn(stop).has_value());
    }
    first.begin_turn(1, 1);
    rig.reset();
    first.end_turn(2, "");
    first.end(0);
    rig = std::make_unique<witness_test::Rig>(folder, address.port);
    settings.rank = 1;
    cli::GroupMember second(settings, address, witness_test::key_of(folder), {});
    const cli::GracefulStop stop;
    second.join(stop);
    CHECK_THAT(failure_known_to(second), ContainsSubstring("ended with 2 findings"));
}
