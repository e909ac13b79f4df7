#include "cli/process/console_sink.hpp"

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <spdlog/sinks/base_sink.h>

#include "reports/finding_text.hpp"
#include "reports/log_events.hpp"
#include "ums/base/printable.hpp"

namespace cli {
namespace {

// spdlog's last step: queues a formatted line on the console.
class ConsoleQueue final : public spdlog::sinks::base_sink<std::mutex> {
public:
    ConsoleQueue(Console& console, std::function<void()> wake, bool as_results)
        : console_(console), wake_(std::move(wake)), as_results_(as_results) {}

private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        spdlog::memory_buf_t line;
        formatter_->format(message, line);
        const std::string_view text(line.data(), line.size());
        if (as_results_) {
            console_.add_result(text);
        } else {
            console_.add_message(text, highlight_of(message));
        }
        wake_();
    }
    void flush_() override {}

    static Highlight highlight_of(const spdlog::details::log_msg& message) {
        if (message.level < spdlog::level::warn || message.color_range_end <= message.color_range_start) return {};
        return {message.level == spdlog::level::warn ? Highlight::Color::yellow : Highlight::Color::red, message.color_range_start,
                message.color_range_end};
    }

    Console& console_;
    const std::function<void()> wake_;
    const bool as_results_;
};

spdlog::level::level_enum level_of(sim::Severity severity) {
    switch (severity) {
        case sim::Severity::warning: return spdlog::level::warn;
        case sim::Severity::error: return spdlog::level::err;
        case sim::Severity::info: break;
    }
    return spdlog::level::info;
}

spdlog::log_clock::time_point time_of(std::uint64_t utc_us) { return spdlog::log_clock::time_point(std::chrono::microseconds(utc_us)); }

std::string place_of(const sim::Finding& finding) { return fmt::format("{} {}", finding.place.path, reports::finding_place(finding)); }

}  // namespace

ConsoleSink::ConsoleSink(Console& console, std::function<void()> wake, const ConsoleSinkOptions& options)
    : options_(options),
      logger_(
          std::make_shared<spdlog::logger>("console", std::make_shared<ConsoleQueue>(console, std::move(wake), options.sqliosim_form))) {
    logger_->set_pattern(options.sqliosim_form ? "%D %H:%M:%S %v" : "%H:%M:%S %^%l:%$ %v");
    logger_->set_level(options.errors_only ? spdlog::level::err : spdlog::level::info);
}

std::uint64_t ConsoleSink::count_alike(const sim::Event& event) {
    constexpr std::uint64_t kMinuteMs = 60'000;
    const std::lock_guard guard(mutex_);
    Alike& alike = warnings_[{event.source_file, event.line}];
    const std::uint64_t minute = event.tick_ms / kMinuteMs;
    if (alike.minute != minute) alike = {minute, 0};
    return ++alike.count;
}

// In SQLIOSim's form the console is a log, too: everything is shown.
void ConsoleSink::on_event(const sim::Event& event) {
    if (event.severity == sim::Severity::warning && !options_.sqliosim_form) {
        const std::uint64_t count = count_alike(event);
        if (count > kAlikeShownMax + 1) return;
        if (count > kAlikeShownMax) {
            logger_->log(time_of(event.utc_us), spdlog::source_loc{}, spdlog::level::warn,
                         fmt::format("more than {} such warnings within a minute; further ones are {}", kAlikeShownMax,
                                     options_.has_log ? "in the log only" : "not shown"));
            return;
        }
    }
    const std::string system = event.system_text.empty() ? "" : fmt::format(" ({})", event.system_text);
    const std::string text = options_.sqliosim_form ? fmt::format("{} {} {}{}", event.thread_id, event.user, event.description, system)
                                                    : event.description + system;
    logger_->log(time_of(event.utc_us), spdlog::source_loc{}, level_of(event.severity), ums::printable(text));
}

// In SQLIOSim's form with the words of its log, which scripts look for.
void ConsoleSink::show(const sim::Finding& finding) {
    if (options_.sqliosim_form) return on_event(reports::finding_event(finding));
    const auto level = finding.is_warning ? spdlog::level::warn : spdlog::level::err;
    const char* const what = finding.is_warning ? "" : "FINDING ";
    logger_->log(time_of(finding.moment.utc_us), spdlog::source_loc{}, level,
                 ums::printable(
                     fmt::format("{}{}: {}: {}", what, sim::name_of(finding.kind), place_of(finding), reports::finding_sentence(finding))));
}

void ConsoleSink::on_finding(const sim::Finding& finding) {
    if (finding.is_warning) return show(finding);
    std::unique_lock lock(mutex_);
    const bool is_shown = shown_.keeps(finding);
    const bool is_first_left_out = shown_.has_just_filled_up();
    lock.unlock();
    if (is_first_left_out) {
        const char* const rest = options_.has_log ? "the rest are in the log, and here only" : "of the rest only";
        logger_->log(time_of(finding.moment.utc_us), spdlog::source_loc{}, spdlog::level::err,
                     fmt::format("more than {} findings; {} the first of each other kind", kFindingsShownMax, rest));
    }
    if (is_shown) show(finding);
}

}  // namespace cli
