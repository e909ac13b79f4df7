#include "reports/thresholds.hpp"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "reports/limit_words.hpp"
#include "reports/text.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

using Figure = Threshold::Figure;

constexpr std::array<std::pair<std::string_view, Figure>, 5> kFigures{{{"average", Figure::average},
                                                                       {"longest", Figure::longest},
                                                                       {"throttled", Figure::throttled},
                                                                       {"long_io", Figure::long_io},
                                                                       {"warnings", Figure::warnings}}};

bool is_time(Figure figure) { return figure == Figure::percentile || figure == Figure::average || figure == Figure::longest; }

std::string class_names() {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < sim::kIoClassCount; ++i) names.push_back(sim::name_of(static_cast<sim::IoClass>(i)));
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string figure_names() {
    std::vector<std::string> names;
    for (const double percent : sim::kLatencyPercents) names.push_back(fmt::format("p{}", percent));
    for (const auto& [name, figure] : kFigures) names.emplace_back(name);
    return fmt::format("{}", fmt::join(names, ", "));
}

// Takes the name of a class, and the point after it, off the front of `text`.
std::optional<sim::IoClass> take_class(std::string_view& text) {
    for (std::size_t i = 0; i < sim::kIoClassCount; ++i) {
        const auto io_class = static_cast<sim::IoClass>(i);
        const std::string_view name = sim::name_of(io_class);
        if (text.substr(0, name.size()) != name || text.substr(name.size(), 1) != ".") continue;
        text.remove_prefix(name.size() + 1);
        return io_class;
    }
    return std::nullopt;
}

bool set_figure(Threshold& threshold, std::string_view name) {
    for (const auto& [known, figure] : kFigures) {
        if (name != known) continue;
        threshold.figure = figure;
        return true;
    }
    for (std::size_t i = 0; i < sim::kLatencyPercents.size(); ++i) {
        if (name != fmt::format("p{}", sim::kLatencyPercents[i])) continue;
        threshold.figure = Figure::percentile;
        threshold.percentile = i;
        return true;
    }
    return false;
}

// "5 ms", "100". False if it is not a number of this kind.
bool set_limit(Threshold& threshold, std::string_view text) {
    const auto limit = is_time(threshold.figure) ? limit_time_us(text) : limit_number(text);
    if (!limit || (!is_time(threshold.figure) && *limit != std::floor(*limit))) return false;
    threshold.limit = *limit;
    return true;
}

std::optional<Threshold> parse_one(std::string_view text, std::string& problem) {
    Threshold threshold;
    threshold.expression = text;
    const auto refused = [&](const std::string& reason) {
        problem = fmt::format("'{}' is not a limit: {}", ums::printable(text), reason);
        return std::nullopt;
    };
    const std::size_t sign = text.find('>');
    if (sign == std::string_view::npos) return refused("write FIGURE > VALUE, such as p99 > 50 ms or log_flush.p99.9 > 5 ms");
    threshold.at_limit = text.substr(sign + 1, 1) == "=";
    std::string_view left = limit_trimmed(text.substr(0, sign));
    std::string_view right = limit_trimmed(text.substr(sign + (threshold.at_limit ? 2 : 1)));
    threshold.io_class = take_class(left);
    if (!set_figure(threshold, left)) {
        return refused(fmt::format("'{}' is not allowed; allowed are {}; before a time also one of {}, as in read.p99 > 5 ms",
                                   ums::printable(left), figure_names(), class_names()));
    }
    if (threshold.io_class && !is_time(threshold.figure)) return refused(fmt::format("{} is counted for a file, not for a class", left));
    threshold.file = take_limit_file(right);
    if (set_limit(threshold, right)) return threshold;
    return refused(is_time(threshold.figure) ? "allowed is a number with us, ms or s, such as 5 ms; 'in FILE' may follow"
                                             : "allowed is a whole number without a unit; 'in FILE' may follow");
}

// --- judging ---

// What was measured in one place. Nothing without requests.
struct Measured {
    double value = 0;
    std::string path;
    std::string io_class;
};

std::string measured_text(const Threshold& threshold, double value) {
    return is_time(threshold.figure) ? limit_time_text(value, threshold.limit) : count_text(static_cast<std::uint64_t>(value));
}

double time_us(const Threshold& threshold, const sim::LatencyResult& latency) {
    switch (threshold.figure) {
        case Figure::average: return latency.mean_ns / 1000;
        case Figure::longest: return static_cast<double>(latency.max_ns) / 1000;
        default: return static_cast<double>(latency.percentiles_ns[threshold.percentile]) / 1000;
    }
}

double count_in(const Threshold& threshold, const sim::FileResult& file) {
    if (threshold.figure == Figure::throttled) return static_cast<double>(file.throttle_count);
    if (threshold.figure == Figure::long_io) return static_cast<double>(file.long_ios);
    return static_cast<double>(file.warnings);
}

void keep_worse(std::optional<Measured>& worst, Measured measured) {
    if (!worst || measured.value > worst->value) worst = std::move(measured);
}

// Of files of backups, only late requests are counted.
void keep_worse_of_backups(std::optional<Measured>& worst, const Threshold& threshold, const sim::Results& results) {
    if (!results.backup || (threshold.figure != Figure::long_io && threshold.figure != Figure::warnings)) return;
    for (const sim::BackupFileResult& file : results.backup->files) {
        if (!is_about_file(threshold, file.path, "")) continue;
        keep_worse(worst, {static_cast<double>(threshold.figure == Figure::long_io ? file.long_ios : file.warnings), file.path, ""});
    }
}

std::optional<Measured> worst_of(const Threshold& threshold, const sim::Results& results) {
    std::optional<Measured> worst;
    for (const sim::FileResult& file : results.files) {
        if (!is_about_file(threshold, file.path, file.named_as)) continue;
        if (!is_time(threshold.figure)) {
            keep_worse(worst, {count_in(threshold, file), file.path, ""});
            continue;
        }
        for (std::size_t i = 0; i < sim::kIoClassCount; ++i) {
            const auto io_class = static_cast<sim::IoClass>(i);
            if (file.latency[i].count == 0 || (threshold.io_class && *threshold.io_class != io_class)) continue;
            keep_worse(worst, {time_us(threshold, file.latency[i]), file.path, std::string(sim::name_of(io_class))});
        }
    }
    keep_worse_of_backups(worst, threshold, results);
    return worst;
}

}  // namespace

std::optional<std::vector<Threshold>> parse_thresholds(std::string_view text, std::string& problem) {
    std::vector<Threshold> thresholds;
    for (const std::string_view expression : limit_expressions(text)) {
        auto threshold = parse_one(expression, problem);
        if (!threshold) return std::nullopt;
        thresholds.push_back(std::move(*threshold));
    }
    return thresholds;
}

bool is_about_file(const Threshold& threshold, std::string_view path, std::string_view named_as) {
    const auto is_name_of = [&threshold](std::string_view each) {
        return threshold.file == each || threshold.file == each.substr(each.find_last_of('/') + 1);
    };
    return threshold.file.empty() || is_name_of(path) || is_name_of(named_as);
}

sim::ThresholdResult evaluate_threshold(const Threshold& threshold, const sim::Results& results) {
    sim::ThresholdResult result;
    result.expression = threshold.expression;
    result.limit = threshold.limit;
    const auto worst = worst_of(threshold, results);
    if (!worst) return result;
    result.is_exceeded = worst->value > threshold.limit || (threshold.at_limit && worst->value == threshold.limit);
    result.measured = measured_text(threshold, worst->value);
    result.value = worst->value;
    result.path = worst->path;
    result.io_class = worst->io_class;
    return result;
}

std::string threshold_text(const sim::ThresholdResult& result) {
    if (result.measured.empty()) return fmt::format("{}: there was nothing to measure", ums::printable(result.expression));
    return fmt::format("{}: {} was measured {} {}", ums::printable(result.expression), result.measured,
                       result.io_class.empty() ? std::string("in") : fmt::format("for {} of", result.io_class),
                       ums::printable(result.path));
}

}  // namespace reports
