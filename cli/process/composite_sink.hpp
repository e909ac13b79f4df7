// Passes every event and finding of a run to several receivers, in order. One call at a time, so that the command line may add its own
// events to those of a simulation.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "sim/event.hpp"

namespace cli {

class CompositeSink final : public sim::EventSink {
public:
    // The receivers must outlive this object. Any thread may call it.
    explicit CompositeSink(std::vector<sim::EventSink*> receivers) : receivers_(std::move(receivers)) {}

    void on_begin() override {
        const std::lock_guard lock(mutex_);
        for (sim::EventSink* receiver : receivers_) receiver->on_begin();
    }
    void on_event(const sim::Event& event) override {
        const std::lock_guard lock(mutex_);
        for (sim::EventSink* receiver : receivers_) receiver->on_event(event);
    }
    void on_finding(const sim::Finding& finding) override {
        const std::lock_guard lock(mutex_);
        for (sim::EventSink* receiver : receivers_) receiver->on_finding(finding);
    }

    // Several calls at once are allowed.
    void on_moment(sim::Moment moment) override {
        for (sim::EventSink* receiver : receivers_) receiver->on_moment(moment);
    }

private:
    std::mutex mutex_;
    const std::vector<sim::EventSink*> receivers_;
};

}  // namespace cli
