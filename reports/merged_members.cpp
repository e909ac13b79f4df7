#include "reports/merged_members.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include <fmt/format.h>

#include "reports/results_document.hpp"

namespace reports {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kRanksMax = 65'536;
constexpr std::int64_t kClockOffsetUsMax = 10'000'000'000'000'000;  // more than 300 years

// The object may be of a newer version of the program: whatever exists must have the right type.
class Reader {
public:
    Reader(const NamedResults& file, const Json& json) : file_(file), json_(json) {}

    [[nodiscard]] std::string text(const char* key) const {
        const auto found = json_.find(key);
        if (found == json_.end() || found->is_null()) return {};
        if (!found->is_string()) refuse(key, "a text");
        return found->get<std::string>();
    }
    [[nodiscard]] std::uint32_t number(const char* key, std::uint32_t least, std::uint32_t most) const {
        const auto found = json_.find(key);
        const std::int64_t value = found != json_.end() && found->is_number_integer() ? found->get<std::int64_t>() : -1;
        if (value < std::int64_t{least} || value > std::int64_t{most}) {
            refuse(key, fmt::format("a number from {} to {}", least, most));
        }
        return static_cast<std::uint32_t>(value);
    }
    // Null if there is none.
    [[nodiscard]] const Json* object(const char* key) const {
        const auto found = json_.find(key);
        if (found == json_.end() || found->is_null()) return nullptr;
        if (!found->is_object()) refuse(key, "an object or null");
        return &*found;
    }
    [[noreturn]] void refuse(const char* key, const std::string& wanted) const {
        throw ResultsDocumentError(fmt::format("'{}': its group's '{}' is not {}.", file_.name, key, wanted));
    }

private:
    const NamedResults& file_;
    const Json& json_;
};

void read_clock(const Reader& group, const NamedResults& file, MergedMember& member) {
    const Json* const clock = group.object("clock");
    if (clock == nullptr) return;
    const Reader reader(file, *clock);
    const std::uint32_t round_trip_us = reader.number("round_trip_us", 0, ~std::uint32_t{0});
    const auto offset = clock->find("offset_us");
    if (offset == clock->end() || !offset->is_number_integer()) reader.refuse("offset_us", "a number");
    const auto offset_us = offset->get<std::int64_t>();
    if (offset_us > kClockOffsetUsMax || offset_us < -kClockOffsetUsMax) reader.refuse("offset_us", "the difference of two clocks");
    if (round_trip_us == 0) return;
    member.clock_offset_us = offset_us;
    member.clock_error_us = (round_trip_us + 1) / 2;
}

// Missing in files of earlier versions, which tell only how the turn before ended.
void read_planned_losses(const Json& turn, const NamedResults& file, MergedMember& member) {
    const auto losses = turn.find("planned_losses");
    if (losses == turn.end()) return;
    for (const Json& lost : *losses) {
        const Reader reader(file, lost);
        member.planned_losses.push_back({reader.number("number", 1, member.turn - 1), reader.number("rank", 0, member.of - 1)});
    }
}

void read_turn(const Reader& group, const NamedResults& file, MergedMember& member) {
    const Json* const turn = group.object("turn");
    if (turn == nullptr) return;
    const Reader reader(file, *turn);
    member.turn = reader.number("number", 1, kRanksMax);
    member.turns = reader.number("turns", member.turn, kRanksMax);
    read_planned_losses(*turn, file, member);
    const Json* const previous = reader.object("previous");
    if (previous == nullptr) return;
    const Reader before(file, *previous);
    member.previous_rank = before.number("rank", 0, member.of - 1);
    member.previous_ended_by = before.text("ended_by");
}

}  // namespace

std::optional<MergedMember> member_of(const NamedResults& file) {
    const Json* const json = Reader(file, *file.results).object("group");
    if (json == nullptr) return std::nullopt;
    const Reader group(file, *json);
    MergedMember member;
    member.group = group.text("name");
    member.plan = group.text("plan");
    member.host = group.text("host");
    member.witness = group.text("witness");
    member.of = group.number("of", 1, kRanksMax);
    member.rank = group.number("rank", 0, member.of - 1);
    read_clock(group, file, member);
    read_turn(group, file, member);
    return member;
}

MergedGaps gaps_of(const std::vector<MergedMember>& members) {
    MergedGaps gaps;
    std::set<std::uint32_t> ranks;
    std::set<std::uint32_t> turns;
    for (const MergedMember& member : members) {
        gaps.of = std::max(gaps.of, member.of);
        gaps.turn_count = std::max(gaps.turn_count, member.turns);
        ranks.insert(member.rank);
        turns.insert(member.turn);
        for (const sim::LostTurnResult& lost : member.planned_losses) {
            ranks.insert(lost.rank);
            turns.insert(lost.number);
        }
        if (!member.previous_rank || !sim::is_planned_loss(member.previous_ended_by)) continue;
        ranks.insert(*member.previous_rank);
        turns.insert(member.turn - 1);
    }
    // With more ranks than turns, the others only wait for the end.
    const std::uint32_t awaited = gaps.turn_count == 0 ? gaps.of : std::min(gaps.of, gaps.turn_count);
    for (std::uint32_t rank = 0; rank < awaited; ++rank) {
        if (!ranks.contains(rank)) gaps.ranks.push_back(rank);
    }
    for (std::uint32_t turn = 1; turn <= gaps.turn_count; ++turn) {
        if (!turns.contains(turn)) gaps.turns.push_back(turn);
    }
    return gaps;
}

}  // namespace reports
