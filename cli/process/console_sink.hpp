// Shows the messages of a run as lines on the console.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <spdlog/logger.h>

#include "cli/process/console.hpp"
#include "sim/event.hpp"
#include "sim/kept_findings.hpp"

namespace cli {

struct ConsoleSinkOptions {
    bool sqliosim_form = false;  // "DATE TIME TID USER TEXT" on the results' descriptor, as SQLIOSIM.COM shows its log
    bool errors_only = false;
    bool has_log = true;  // for the words about lines that are left out: a measurement has no log
};

class ConsoleSink final : public sim::EventSink {
public:
    // `console` must outlive the sink, which calls `wake`, from any thread, when there is something to flush.
    ConsoleSink(Console& console, std::function<void()> wake, const ConsoleSinkOptions& options);

    // Never block, because lines are only queued. Any thread, and several calls at once: also of those who do not share a CompositeSink.
    void on_event(const sim::Event& event) override;
    void on_finding(const sim::Finding& finding) override;

private:
    // A broken disk may produce a finding for every page; the log of a run has them all. The first of each kind is always shown.
    static constexpr std::uint64_t kFindingsShownMax = 20;
    // And a disk that is gone a thousand warnings within a second.
    static constexpr std::uint64_t kAlikeShownMax = 20;

    // Warnings raised at the same place of the program within one minute of the run.
    struct Alike {
        std::uint64_t minute = 0;
        std::uint64_t count = 0;
    };
    [[nodiscard]] std::uint64_t count_alike(const sim::Event& event);
    void show(const sim::Finding& finding);

    const ConsoleSinkOptions options_;
    std::shared_ptr<spdlog::logger> logger_;
    std::mutex mutex_;  // guards the rest
    sim::KeptFindings shown_{kFindingsShownMax};
    std::map<std::pair<std::string, std::uint32_t>, Alike> warnings_;
};

}  // namespace cli
