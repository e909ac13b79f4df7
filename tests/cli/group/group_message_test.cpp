#include "cli/group/group_message.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/figures.hpp"

using MessageJson = nlohmann::ordered_json;
using test::Figures;

TEST_CASE("each field of a beat is in its message under its own name, and is decoded into the same field") {
    cli::GroupBeat beat;
    beat.group = "g-1";
    beat.state = "working";
    beat.files = {"/a", "/b"};
    beat.is_turn_over = true;
    beat.terms.changes = {"kill", "fence"};
    Figures fields;
    fields.set(beat.rank, "rank");
    fields.set(beat.session, "session");
    fields.set(beat.number, "number");
    fields.set(beat.host, "host");
    fields.set(beat.run_id, "run_id");
    fields.set(beat.clock_offset_us, "clock_offset_us");
    fields.set(beat.stage, "stage");
    fields.set(beat.turn, "turn");
    fields.set(beat.findings, "findings");
    fields.set(beat.failure, "failure");
    fields.set(beat.incarnation, "incarnation");
    fields.set(beat.first_vlf, "first_vlf");
    fields.set(beat.found_lsn, "found_lsn");
    fields.set(beat.known_revision, "known_revision");
    Figures terms;
    terms.set(beat.terms.plan, "plan");
    terms.set(beat.terms.of, "of");
    terms.set(beat.terms.turns, "turns");
    terms.set(beat.terms.lease_ms, "lease_ms");
    terms.set(beat.terms.wait_ms, "wait_ms");
    terms.set(beat.terms.bursts, "bursts");
    terms.set(beat.terms.burst_s, "burst_s");
    terms.set(beat.terms.coherence, "coherence");
    const auto json = MessageJson::parse(cli::encode(beat));
    CHECK(fields.wrong_in(json) == "");
    CHECK(terms.wrong_in(json["terms"]) == "");
    CHECK(json["group"] == "g-1");
    CHECK(json["state"] == "working");
    CHECK(json["files"] == MessageJson::parse(R"(["/a", "/b"])"));
    CHECK(json["is_turn_over"] == true);
    CHECK(json["terms"]["changes"] == MessageJson::parse(R"(["kill", "fence"])"));
    const auto decoded = cli::decode_beat(cli::encode(beat));
    REQUIRE(decoded);
    CHECK(cli::encode(*decoded) == cli::encode(beat));
}

TEST_CASE("each field of a view, of its peers and of its turns is in its message under its own name, and is decoded into the same field") {
    cli::GroupView view;
    Figures fields;
    fields.set(view.problem, "problem");
    fields.set(view.trouble, "trouble");
    fields.set(view.utc_us, "utc_us");
    fields.set(view.revision, "revision");
    fields.set(view.released_stage, "released_stage");
    fields.set(view.released_utc_us, "released_utc_us");
    fields.set(view.failure, "failure");
    view.missing = {3, 5};
    cli::GroupPeer& other = view.peers.emplace().emplace_back();
    other.files = {"/a", "/b"};
    Figures peer;
    peer.set(other.rank, "rank");
    peer.set(other.session, "session");
    peer.set(other.host, "host");
    peer.set(other.state, "state");
    peer.set(other.run_id, "run_id");
    peer.set(other.clock_offset_us, "clock_offset_us");
    peer.set(other.stage, "stage");
    peer.set(other.findings, "findings");
    cli::GroupTurn& last = view.turns.emplace_back();
    Figures turn;
    turn.set(last.number, "number");
    turn.set(last.rank, "rank");
    turn.set(last.session, "session");
    turn.set(last.host, "host");
    turn.set(last.run_id, "run_id");
    turn.set(last.incarnation, "incarnation");
    turn.set(last.first_vlf, "first_vlf");
    turn.set(last.found_lsn, "found_lsn");
    turn.set(last.clock_offset_us, "clock_offset_us");
    turn.set(last.began_utc_us, "began_utc_us");
    turn.set(last.ended_utc_us, "ended_utc_us");
    turn.set(last.ended_by, "ended_by");
    turn.set(last.findings, "findings");
    for (const bool is_over : {false, true}) {
        view.is_over = is_over;
        view.is_rank_taken = !is_over;
        const std::string message = cli::encode(view);
        const auto json = MessageJson::parse(message);
        CHECK(fields.wrong_in(json) == "");
        CHECK(json["missing"] == MessageJson({3, 5}));
        CHECK(json["is_over"] == is_over);
        CHECK(json["is_rank_taken"] == !is_over);
        CHECK(peer.wrong_in(json["peers"].at(0)) == "");
        CHECK(json["peers"].at(0)["files"] == MessageJson::parse(R"(["/a", "/b"])"));
        CHECK(turn.wrong_in(json["turns"].at(0)) == "");
        const auto decoded = cli::decode_view(message);
        REQUIRE(decoded);
        CHECK(cli::encode(*decoded) == message);
    }
}

TEST_CASE("a message with values in values without end is refused, and not copied until the stack is used up") {
    constexpr std::size_t kLevels = 500'000;
    const std::string nested = std::string(kLevels, '[') + std::string(kLevels, ']');
    const std::string terms = R"({"of": 1, "lease_ms": 1000, "wait_ms": 1000, "changes": )" + nested + "}";
    CHECK_FALSE(cli::decode_beat(R"({"group": "g", "rank": 0, "session": 1, "terms": )" + terms + "}"));
    CHECK_FALSE(cli::decode_view(R"({"utc_us": 1, "turns": )" + nested + "}"));
}

TEST_CASE("a fraction, even a huge one, is no value of a message, and is ignored in a field that is not known") {
    const auto beat = [](const std::string& rank, const std::string& stage) {
        return R"({"group": "g", "session": 1, "state": "joined", "terms": {"of": 2, "lease_ms": 1000, "wait_ms": 1000}, "rank": )" + rank +
               R"(, "stage": )" + stage + R"(, "unknown": 0.5})";
    };
    CHECK(cli::decode_beat(beat("1", "2")));
    for (const char* number : {"1e300", "-1e300", "0.5", "18446744073709551616"}) {
        CHECK_FALSE(cli::decode_beat(beat(number, "2")));
        CHECK_FALSE(cli::decode_beat(beat("1", number)));
    }
}
