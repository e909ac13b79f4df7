// Keeps the first findings of a measurement, and the first of each kind, for its JSON and its page.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/event.hpp"
#include "sim/kept_findings.hpp"

namespace cli {

class FindingKeeper final : public sim::EventSink {
public:
    // A broken disk has as many findings as pages.
    static constexpr std::size_t kFindingsKept = 100;

    void on_event(const sim::Event& /*event*/) override {}
    void on_finding(const sim::Finding& finding) override {
        if (kept_.keeps(finding)) findings_.push_back(finding);
    }

    // After the measurement.
    [[nodiscard]] const std::vector<sim::Finding>& findings() const { return findings_; }

private:
    sim::KeptFindings kept_{kFindingsKept};
    std::vector<sim::Finding> findings_;
};

}  // namespace cli
