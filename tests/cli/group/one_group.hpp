// One group at a witness, without connections and in a time that the test makes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/group/group_state.hpp"

namespace group_test {

inline constexpr std::uint64_t kSecondUs = 1'000'000;

// A witness whose clocks advance only on command.
class Witness {
public:
    cli::GroupView hear(const cli::GroupBeat& beat, bool has_promises = true) { return state_.take(beat, now_, has_promises); }
    void pass(std::uint64_t seconds) {
        now_.monotonic_us += seconds * kSecondUs;
        now_.utc_us += seconds * kSecondUs;
    }
    // As after kill -9 and a much later restart, with a clock that counts from the new boot.
    void begin_again() {
        const std::string kept = state_.to_text();
        now_.monotonic_us = 7;
        state_ = cli::GroupState::from_text(kept, now_).value();
    }

private:
    cli::GroupState::Now now_{1000 * kSecondUs, 5000 * kSecondUs};
    cli::GroupState state_{now_};
};

inline cli::GroupBeat beat_of(std::uint32_t rank, std::uint32_t of, const std::string& plan, std::uint64_t session) {
    cli::GroupBeat beat;
    beat.group = "g";
    beat.terms.plan = plan;
    beat.terms.of = of;
    beat.terms.lease_ms = 10'000;
    beat.terms.wait_ms = 60'000;
    beat.rank = rank;
    beat.session = session;
    beat.host = "node-" + std::to_string(rank);
    beat.run_id = 100 + rank;
    return beat;
}

inline cli::GroupBeat owner(std::uint32_t rank, std::uint64_t session, std::uint32_t turn, const std::vector<std::string>& changes = {}) {
    cli::GroupBeat beat = beat_of(rank, 2, "hand-over", session);
    beat.terms.turns = 4;
    beat.terms.changes = changes;
    beat.turn = turn;
    beat.incarnation = turn;
    return beat;
}

}  // namespace group_test
