// Keeps all messages and findings of a run. Thread-safe, so that a test can read them during the run.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "sim/event.hpp"

namespace sim::testing {

class CollectingSink final : public EventSink {
public:
    void on_event(const Event& event) override;
    void on_finding(const Finding& finding) override;

    [[nodiscard]] std::vector<Event> events() const;
    [[nodiscard]] std::vector<Finding> findings() const;
    // Messages that contain `text`.
    [[nodiscard]] std::size_t count_of(Severity severity, const std::string& text = {}) const;
    // All of it, for INFO().
    [[nodiscard]] std::string text() const;

private:
    mutable std::mutex mutex_;
    std::vector<Event> events_;
    std::vector<Finding> findings_;
};

}  // namespace sim::testing
