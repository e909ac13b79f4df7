// `ioproof run --inject`: injects faults between the run and its real files, and reports what became of them. Without --inject it only
// passes everything through.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/event.hpp"
#include "sim/options.hpp"
#include "sim/rehearsal/fault_injector.hpp"
#include "sim/run/simulation.hpp"

namespace cli {

class RehearsalOnFiles final : public sim::EventSink {
public:
    // `files` and `clock` must outlive the object.
    RehearsalOnFiles(ums::Storage& files, const ums::Clock& clock, const sim::Options& options, std::vector<sim::FaultPlan> plans);

    [[nodiscard]] bool is_enabled() const { return injector_ != nullptr; }
    // The storage that the run works with.
    [[nodiscard]] ums::Storage& storage() { return injector_ ? static_cast<ums::Storage&>(*injector_) : files_; }
    // Until unfollow(), the phase of this run decides where faults may be injected.
    void follow(const sim::Simulation& simulation);
    void unfollow();

    // "stale_read:1e-05, …"; empty if nothing is injected.
    [[nodiscard]] const std::string& faults_text() const { return faults_text_; }
    // Compares what was injected with what was found. Only after the run.
    [[nodiscard]] std::string comparison_text() const;

    void on_event(const sim::Event& /*event*/) override {}
    void on_finding(const sim::Finding& finding) override;

private:
    ums::Storage& files_;
    std::string faults_text_;
    std::unique_ptr<sim::FaultInjector> injector_;
    mutable std::mutex mutex_;  // guards findings_
    std::vector<sim::Finding> findings_;
};

}  // namespace cli
