#include "cli/group/group_member.hpp"

#include <chrono>
#include <future>
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

cli::GroupSettings hand_over_of_two() {
    cli::GroupSettings settings;
    settings.name = "g";
    settings.terms.plan = "hand-over";
    settings.terms.of = settings.terms.turns = 2;
    settings.terms.wait_ms = 1000;
    return settings;
}

void begin_first_turn(cli::GroupMember& member) {
    const cli::GracefulStop stop;
    member.join(stop);
    REQUIRE(member.wait_for_turn(stop).has_value());
    member.begin_turn(1, 1);
}

}  // namespace

TEST_CASE("findings of a turn whose end the witness did not hear of are not taken back by the last words of the run") {
    const test::IoproofFolder folder;
    witness_test::write_key(folder, "key", witness_test::kKey);
    auto rig = std::make_unique<witness_test::Rig>(folder);
    const cli::WitnessAddress address{.host = "127.0.0.1", .port = rig->port()};
    cli::GroupSettings settings = hand_over_of_two();
    cli::GroupMember first(settings, address, witness_test::key_of(folder), {});
    begin_first_turn(first);
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

TEST_CASE("the first owner makes no files before the witness knows of its run") {
    const test::IoproofFolder folder;
    witness_test::write_key(folder, "key", witness_test::kKey);
    auto rig = std::make_unique<witness_test::Rig>(folder);
    const cli::WitnessAddress address{.host = "127.0.0.1", .port = rig->port()};
    cli::GroupSettings settings = hand_over_of_two();
    settings.terms.wait_ms = 60'000;
    cli::GroupMember owner(settings, address, witness_test::key_of(folder), {});
    begin_first_turn(owner);
    rig.reset();
    owner.begins(7, {"/d/a.mdx"});
    for (int i = 0; i < 10; ++i) {
        CHECK_FALSE(owner.may_pass(sim::RunGroup::Meeting::begin, 0));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    rig = std::make_unique<witness_test::Rig>(folder, address.port);
    bool may_pass = false;
    for (int i = 0; i < 300 && !may_pass; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        may_pass = owner.may_pass(sim::RunGroup::Meeting::begin, 0);
    }
    CHECK(may_pass);
}

TEST_CASE("a run that comes while its witness is being restarted waits for it, but not long if nothing ever answers at its address") {
    const test::IoproofFolder folder;
    witness_test::write_key(folder, "key", witness_test::kKey);
    auto rig = std::make_unique<witness_test::Rig>(folder);
    const cli::WitnessAddress address{.host = "127.0.0.1", .port = rig->port()};
    rig.reset();
    cli::GroupSettings settings = hand_over_of_two();
    settings.terms.wait_ms = 60'000;
    const bool comes_back = GENERATE(true, false);
    settings.terms.lease_ms = comes_back ? 10'000 : 1000;
    cli::GroupMember member(settings, address, witness_test::key_of(folder), {});
    const cli::GracefulStop stop;
    auto joined = std::async(std::launch::async, [&] { member.join(stop); });
    CHECK(joined.wait_for(std::chrono::milliseconds(500)) == std::future_status::timeout);
    if (comes_back) {
        rig = std::make_unique<witness_test::Rig>(folder, address.port);
        CHECK_NOTHROW(joined.get());
    } else {
        CHECK_THROWS_WITH(joined.get(), ContainsSubstring("Connection refused"));
    }
}

TEST_CASE("a side-by-side run whose group is refused by the witness that was restarted does not say that no witness came back") {
    const test::IoproofFolder folder;
    witness_test::write_key(folder, "key", witness_test::kKey);
    auto rig = std::make_unique<witness_test::Rig>(folder);
    const cli::WitnessAddress address{.host = "127.0.0.1", .port = rig->port()};
    cli::GroupSettings settings = hand_over_of_two();
    settings.terms.plan = "side-by-side";
    settings.terms.turns = 1;
    settings.terms.lease_ms = 1000;
    cli::GroupMember member(settings, address, witness_test::key_of(folder), {});
    const cli::GracefulStop stop;
    member.join(stop);
    rig.reset();
    folder.write("store/g.group", "damaged");
    rig = std::make_unique<witness_test::Rig>(folder, address.port);
    bool may_pass = false;
    for (int i = 0; i < 100 && !may_pass; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        may_pass = member.may_pass(sim::RunGroup::Meeting::begin, 0);
    }
    REQUIRE(may_pass);
    sim::Results results;
    member.complete(results);
    CHECK(results.outcome == sim::Outcome::not_done);
    CHECK(results.group->is_without_witness);
    CHECK_THAT(results.outcome_reason, ContainsSubstring("refuses this run (its file g.group cannot be read, or is damaged"));
}

TEST_CASE("a run that comes back after another process has taken its rank does not begin, because that one may use the same files") {
    const test::IoproofFolder folder;
    witness_test::write_key(folder, "key", witness_test::kKey);
    auto rig = std::make_unique<witness_test::Rig>(folder);
    const cli::WitnessAddress address{.host = "127.0.0.1", .port = rig->port()};
    cli::GroupSettings settings = hand_over_of_two();
    settings.terms.plan = "side-by-side";
    settings.terms.turns = 1;
    settings.terms.lease_ms = 3000;
    cli::GroupMember first(settings, address, witness_test::key_of(folder), {});
    const cli::GracefulStop stop;
    first.join(stop);
    CHECK_FALSE(first.may_pass(sim::RunGroup::Meeting::begin, 0));
    // The witness moves to another port, so that only the other process reaches it until it is back.
    rig.reset();
    rig = std::make_unique<witness_test::Rig>(folder);
    const cli::WitnessAddress elsewhere{.host = "127.0.0.1", .port = rig->port()};
    std::this_thread::sleep_for(std::chrono::milliseconds(settings.terms.lease_ms + 300));
    cli::GroupMember second(settings, elsewhere, witness_test::key_of(folder), {});
    second.join(stop);
    rig.reset();
    rig = std::make_unique<witness_test::Rig>(folder, address.port);
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    CHECK_THROWS_WITH(first.may_pass(sim::RunGroup::Meeting::begin, 0), ContainsSubstring("another process is or was rank 0"));
}

TEST_CASE("a run waits for another one that is at work for longer than for one that does not come") {
    const test::IoproofFolder folder;
    witness_test::write_key(folder, "key", witness_test::kKey);
    const witness_test::Rig rig(folder);
    const cli::WitnessAddress address{.host = "127.0.0.1", .port = rig.port()};
    cli::GroupSettings settings = hand_over_of_two();
    const bool is_reader = GENERATE(true, false);
    settings.terms.plan = is_reader ? "readers" : "side-by-side";
    settings.terms.turns = 1;
    settings.terms.lease_ms = 1000;
    cli::GroupMember owner(settings, address, witness_test::key_of(folder), {});
    settings.rank = 1;
    cli::GroupMember other(settings, address, witness_test::key_of(folder), {});
    const cli::GracefulStop stop;
    owner.join(stop);
    other.join(stop);
    const auto passes = [](cli::GroupMember& member, sim::RunGroup::Meeting meeting, int tries) {
        bool may_pass = member.may_pass(meeting, 1);
        for (int i = 1; i < tries && !may_pass; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            may_pass = member.may_pass(meeting, 1);
        }
        return may_pass;
    };
    static_cast<void>(owner.may_pass(sim::RunGroup::Meeting::begin, 1));
    REQUIRE(passes(other, sim::RunGroup::Meeting::begin, 100));
    // The owner creates its files.
    CHECK_FALSE(passes(other, sim::RunGroup::Meeting::main_run, 30));
    static_cast<void>(owner.may_pass(sim::RunGroup::Meeting::main_run, 1));
    CHECK(passes(other, sim::RunGroup::Meeting::main_run, 100));
}
