// Hands every event and finding of a run to several receivers, in their order: log first, then the console.
#pragma once

#include <utility>
#include <vector>

#include "sim/event.hpp"

namespace cli {

class CompositeSink final : public sim::EventSink {
public:
    // The receivers must outlive this object.
    explicit CompositeSink(std::vector<sim::EventSink*> receivers) : receivers_(std::move(receivers)) {}

    void on_event(const sim::Event& event) override {
        for (sim::EventSink* receiver : receivers_) receiver->on_event(event);
    }
    void on_finding(const sim::Finding& finding) override {
        for (sim::EventSink* receiver : receivers_) receiver->on_finding(finding);
    }

private:
    std::vector<sim::EventSink*> receivers_;
};

}  // namespace cli
