// Keeps all messages and findings of a run.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "sim/event.hpp"

namespace sim::testing {

class CollectingSink final : public EventSink {
public:
    void on_event(const Event& event) override {
        const std::lock_guard guard(mutex_);
        events_.push_back(event);
    }
    void on_finding(const Finding& finding) override {
        const std::lock_guard guard(mutex_);
        findings_.push_back(finding);
    }

    [[nodiscard]] std::vector<Event> events() const {
        const std::lock_guard guard(mutex_);
        return events_;
    }
    [[nodiscard]] std::vector<Finding> findings() const {
        const std::lock_guard guard(mutex_);
        return findings_;
    }
    [[nodiscard]] std::size_t count(Severity severity) const {
        std::size_t count = 0;
        for (const Event& event : events()) count += event.severity == severity ? 1 : 0;
        return count;
    }

private:
    mutable std::mutex mutex_;
    std::vector<Event> events_;
    std::vector<Finding> findings_;
};

}  // namespace sim::testing
