#include "tests/fuse/power_cache.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace faultfs {

namespace {

std::uint64_t power_number(std::string_view value, std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size()) throw std::invalid_argument(fmt::format("'{}': no number", text));
    return number;
}

std::pair<std::string_view, std::string_view> halves(std::string_view text, char separator) {
    const std::size_t at = text.find(separator);
    return {text.substr(0, at), at == std::string_view::npos ? std::string_view() : text.substr(at + 1)};
}

}  // namespace

PowerSpec parse_power(std::string_view text) {
    static constexpr std::array<std::string_view, 6> kModes = {"off",         "honest",           "flush_ignored",
                                                               "fua_ignored", "one_file_ignored", "rolled_back"};
    const auto [name, rest] = halves(text, ':');
    const auto mode = std::find(kModes.begin(), kModes.end(), name);
    if (mode == kModes.end()) throw std::invalid_argument(fmt::format("'{}': no such disk", text));
    PowerSpec spec;
    spec.mode = static_cast<PowerMode>(mode - kModes.begin());
    const auto [key, value] = halves(rest, '=');
    if (spec.mode == PowerMode::one_file_ignored) {
        if (key != "file" || value.empty()) throw std::invalid_argument(fmt::format("'{}': file=PATTERN is missing", text));
        spec.file_pattern = value;
    } else if (spec.mode == PowerMode::rolled_back) {
        if (key != "ms") throw std::invalid_argument(fmt::format("'{}': ms=N is missing", text));
        spec.back = std::chrono::milliseconds(power_number(value, text));
    } else if (!rest.empty()) {
        throw std::invalid_argument(fmt::format("'{}': nothing may follow the name", text));
    }
    return spec;
}

CutSpec parse_cut(std::string_view text) {
    CutSpec spec;
    for (std::string_view rest = text; !rest.empty();) {
        const auto [word, others] = halves(rest, ',');
        rest = others;
        const auto [key, value] = halves(word, '=');
        const std::uint64_t number = power_number(value, text);
        if (key == "seed") {
            spec.seed = number;
        } else if (key == "unit" && (number == 512 || number == 4096)) {
            spec.unit_bytes = number;
        } else if (key == "lost" && number <= 100) {
            spec.lost_percent = number;
        } else {
            throw std::invalid_argument(fmt::format("'{}': allowed are seed=N, unit=512|4096, lost=0...100", text));
        }
    }
    return spec;
}

bool PowerCache::is_ignored(const std::string& file) const {
    return spec_.mode == PowerMode::one_file_ignored && fnmatch(spec_.file_pattern.c_str(), file.c_str(), 0) == 0;
}

void PowerCache::write(const std::string& file, std::uint64_t offset, std::uint64_t size_bytes, const Bytes& before, bool durable) {
    if (!is_on()) return;
    if (spec_.mode == PowerMode::rolled_back) {
        past_.push_back({Clock::now(), file, offset, before, durable});
        past_.back().before.resize(size_bytes);
        while (past_.front().at + spec_.back < Clock::now()) past_.pop_front();
        return;
    }
    std::map<std::uint64_t, Sector>& sectors = files_[file];
    const bool is_durable = durable && spec_.mode != PowerMode::fua_ignored && !is_ignored(file);
    for (std::uint64_t done = 0; done < size_bytes; done += kSectorBytes) {
        if (is_durable) {
            sectors.erase(offset + done);
            continue;
        }
        Sector& sector = sectors[offset + done];
        sector.promised = sector.promised || durable;
        if (!sector.durable.empty()) continue;
        const std::uint64_t begin = std::min<std::uint64_t>(done, before.size());
        const std::uint64_t end = std::min<std::uint64_t>(done + kSectorBytes, before.size());
        sector.durable.assign(before.begin() + static_cast<std::ptrdiff_t>(begin), before.begin() + static_cast<std::ptrdiff_t>(end));
        sector.durable.resize(kSectorBytes);
    }
}

void PowerCache::sync(const std::string& file) {
    for (Past& past : past_) past.promised = past.promised || past.file == file;
    const auto found = files_.find(file);
    if (found == files_.end()) return;
    if (spec_.mode != PowerMode::flush_ignored && !is_ignored(file)) {
        files_.erase(found);
        return;
    }
    for (auto& [offset, sector] : found->second) sector.promised = true;
}

void PowerCache::shrink(const std::string& file, std::uint64_t size_bytes) {
    const auto found = files_.find(file);
    if (found != files_.end()) found->second.erase(found->second.lower_bound(size_bytes), found->second.end());
    std::erase_if(past_, [&](const Past& past) { return past.file == file && past.offset >= size_bytes; });
}

std::vector<PutBack> PowerCache::roll_back() {
    std::vector<PutBack> put;
    for (auto past = past_.rbegin(); past != past_.rend(); ++past) {
        if (past->at + spec_.back < Clock::now()) break;
        put.push_back({past->file, past->offset, std::move(past->before), past->promised});
    }
    past_.clear();
    return put;
}

std::vector<PutBack> PowerCache::cut(const CutSpec& spec) {
    if (spec_.mode == PowerMode::rolled_back) return roll_back();
    std::vector<PutBack> put;
    Random random(spec.seed);
    for (auto& [file, sectors] : files_) {
        std::uint64_t unit = ~std::uint64_t{0};
        bool is_lost = false;
        for (auto& [offset, sector] : sectors) {
            if (offset / spec.unit_bytes != std::exchange(unit, offset / spec.unit_bytes)) is_lost = random.below(100) < spec.lost_percent;
            if (is_lost) put.push_back({file, offset, std::move(sector.durable), sector.promised});
        }
    }
    files_.clear();
    return put;
}

}  // namespace faultfs
