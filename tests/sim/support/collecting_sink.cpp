#include "tests/sim/support/collecting_sink.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sim::testing {

void CollectingSink::on_event(const Event& event) {
    const std::lock_guard guard(mutex_);
    events_.push_back(event);
}

void CollectingSink::on_finding(const Finding& finding) {
    const std::lock_guard guard(mutex_);
    findings_.push_back(finding);
}

std::vector<Event> CollectingSink::events() const {
    const std::lock_guard guard(mutex_);
    return events_;
}

std::vector<Finding> CollectingSink::findings() const {
    const std::lock_guard guard(mutex_);
    return findings_;
}

std::size_t CollectingSink::count_of(Severity severity, const std::string& text) const {
    const std::lock_guard guard(mutex_);
    return static_cast<std::size_t>(std::count_if(events_.begin(), events_.end(), [&](const Event& event) {
        return event.severity == severity && event.description.find(text) != std::string::npos;
    }));
}

std::string CollectingSink::text() const {
    const std::lock_guard guard(mutex_);
    std::string text;
    for (const Event& event : events_) text += fmt::format("{} ms {}: {}\n", event.tick_ms, event.user, event.description);
    for (const Finding& finding : findings_) {
        text += fmt::format("{} ms {}: FINDING {} page {} of {} ({}): {}\n", finding.moment.tick_ms, finding.moment.user,
                            name_of(finding.kind), finding.place.page_id, finding.place.path, finding.moment.phase, finding.description);
    }
    return text;
}

}  // namespace sim::testing
