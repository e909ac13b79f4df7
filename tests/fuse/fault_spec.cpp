#include "tests/fuse/fault_spec.hpp"

#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

namespace faultfs {

namespace {

constexpr std::array<std::string_view, 15> kNames = {"stale_read",        "lost_write",       "reverted_page",  "torn_page",
                                                     "misdirected_write", "misdirected_read", "zeroed_page",    "bytes_not_read",
                                                     "bit_corruption",    "foreign_page",     "future_version", "short_transfer",
                                                     "io_error",          "stalled_io",       "stale_block"};

[[noreturn]] void refuse(std::string_view text, std::string_view what) {
    throw std::invalid_argument(fmt::format("fault '{}': {}", text, what));
}

template <class Number>
Number number_of(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) throw std::invalid_argument(fmt::format("'{}' is no number", text));
    return value;
}

void set_pages(FaultSpec& spec, std::string_view value) {
    if (value == "last") {
        spec.only_last_page = true;
        return;
    }
    const auto dash = value.find('-');
    spec.first_page = number_of<std::uint64_t>(value.substr(0, dash));
    spec.last_page = dash == std::string_view::npos ? spec.first_page : number_of<std::uint64_t>(value.substr(dash + 1));
}

void set_choice(std::string& field, std::string_view value, std::initializer_list<std::string_view> allowed) {
    for (const std::string_view one : allowed) {
        if (value == one) {
            field = value;
            return;
        }
    }
    throw std::invalid_argument(fmt::format("'{}' is not allowed", value));
}

using Setter = std::function<void(FaultSpec&, std::string_view)>;

template <class Number>
Setter number(Number FaultSpec::*field) {
    return [field](FaultSpec& spec, std::string_view value) { spec.*field = number_of<Number>(value); };
}

Setter flag(bool FaultSpec::*field) {
    return [field](FaultSpec& spec, std::string_view value) { spec.*field = number_of<int>(value) != 0; };
}

const std::map<std::string_view, Setter>& setters() {
    static const std::map<std::string_view, Setter> table = {
        {"file", [](FaultSpec& spec, std::string_view value) { spec.file_pattern = value; }},
        {"op",
         [](FaultSpec& spec, std::string_view value) {
             std::string op;
             set_choice(op, value, {"read", "write", "sync"});
             spec.on_write = op == "write";
             spec.on_sync = op == "sync";
         }},
        {"pages", set_pages},
        {"nth", number(&FaultSpec::nth)},
        {"rate", number(&FaultSpec::rate)},
        {"seed", [](FaultSpec& spec, std::string_view value) { spec.random = Random(number_of<std::uint64_t>(value)); }},
        {"count", number(&FaultSpec::count)},
        {"after", number(&FaultSpec::after_s)},
        {"min_writes", number(&FaultSpec::min_writes)},
        {"middle", flag(&FaultSpec::only_middle)},
        {"whole", flag(&FaultSpec::whole_request)},
        {"reads", number(&FaultSpec::reads)},
        {"unit", number(&FaultSpec::unit_bytes)},
        {"bits", number(&FaultSpec::bits)},
        {"shift", number(&FaultSpec::shift_bytes)},
        {"sector", flag(&FaultSpec::whole_sector)},
        {"to",
         [](FaultSpec& spec, std::string_view value) {
             set_choice(spec.to, value, {"next", "far", "other"});
         }},
        {"source",
         [](FaultSpec& spec, std::string_view value) {
             set_choice(spec.source, value, {"random", "run", "opened"});
         }},
        {"bytes", number(&FaultSpec::bytes)},
        {"seconds", number(&FaultSpec::seconds)},
        {"error", number(&FaultSpec::error)},
        {"back", number(&FaultSpec::back)},
    };
    return table;
}

bool is_write_by_nature(Effect effect) {
    return effect == Effect::lost_write || effect == Effect::reverted_page || effect == Effect::misdirected_write;
}

bool is_read_by_nature(Effect effect) {
    return effect == Effect::stale_read || effect == Effect::misdirected_read || effect == Effect::bytes_not_read;
}

void check(const FaultSpec& spec) {
    if (spec.on_write && is_read_by_nature(spec.effect)) throw std::invalid_argument("happens to reads only");
    if (!spec.on_write && is_write_by_nature(spec.effect)) throw std::invalid_argument("happens to writes only");
    if (spec.on_sync && spec.effect != Effect::io_error) throw std::invalid_argument("does not happen to syncs");
    if (spec.nth == 0) throw std::invalid_argument("nth counts from 1");
    if (spec.unit_bytes != 512 && spec.unit_bytes != 4096) throw std::invalid_argument("unit is 512 or 4096");
    if (spec.shift_bytes >= kPageBytes) throw std::invalid_argument("shift is less than a page");
}

}  // namespace

std::string_view name_of(Effect effect) { return kNames[static_cast<std::size_t>(effect)]; }

std::uint64_t Random::next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

bool FaultSpec::fires() {
    if (fired >= count) return false;
    ++seen;
    if (rate >= 0 ? !random.chance(rate) : seen % nth != 0) return false;
    ++fired;
    return true;
}

FaultSpec parse_fault(std::string_view text) {
    FaultSpec spec;
    spec.text = text;
    const auto colon = text.find(':');
    const std::string_view kind = text.substr(0, colon);
    std::size_t index = 0;
    while (index < kNames.size() && kNames[index] != kind) ++index;
    if (index == kNames.size()) refuse(text, "the class is not known");
    spec.effect = static_cast<Effect>(index);
    spec.on_write = is_write_by_nature(spec.effect);
    try {
        std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
        while (!rest.empty()) {
            const std::string_view pair = rest.substr(0, rest.find(','));
            rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
            const auto equal = pair.find('=');
            const auto setter = setters().find(pair.substr(0, equal));
            if (equal == std::string_view::npos || setter == setters().end()) refuse(pair, "the key is not known");
            setter->second(spec, pair.substr(equal + 1));
        }
        check(spec);
    } catch (const std::invalid_argument& error) {
        refuse(text, error.what());
    }
    return spec;
}

}  // namespace faultfs
