// Writes what a run reports to its files: log, findings, evidence. On a thread of its own, because these files may be on a disk that does
// not answer, and the threads that report must continue: the schedulers are being measured, and the control thread watches over the run.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

#include "cli/run/patient_thread.hpp"
#include "reports/error_dump.hpp"
#include "reports/findings_file.hpp"
#include "reports/xml_log.hpp"
#include "sim/event.hpp"
#include "sim/kept_findings.hpp"
#include "ums/base/clock.hpp"

namespace cli {

class OutputWriter final : public sim::EventSink {
public:
    // The files must outlive the writer, and belong to its thread until flush() has returned true. `findings` may be null. Throws
    // std::system_error if no thread can be started.
    OutputWriter(reports::XmlLog& log, reports::FindingsFile* findings, reports::ErrorDump& evidence);
    OutputWriter(const OutputWriter&) = delete;
    OutputWriter& operator=(const OutputWriter&) = delete;
    // Waits until everything is written, however long that takes. A caller that cannot rely on that calls flush() first, and ends the
    // process if it fails.
    ~OutputWriter() override;

    // Any thread. While the queue is full, callers wait for the writer, but no longer than a second after it last made progress: a fast
    // disk loses nothing, and one that hangs delays no one. What is not written then is counted: first evidence, then messages.
    void on_begin() override;
    void on_event(const sim::Event& event) override;
    // Writes a finding with its place on the device, and with the name of the file that has its evidence.
    void on_finding(const sim::Finding& finding) override;

    // Waits until everything is written. False if the writer made no progress for `patience`.
    [[nodiscard]] bool flush(std::chrono::milliseconds patience);
    // How long the writer has been busy with its present item; 0 if it is idle. Any thread.
    [[nodiscard]] std::chrono::milliseconds stuck() const;

    // Adds to the findings what was learned by writing them: the file of the evidence, the place on the device. Knows only those that the
    // results keep: the first ones. Only after flush().
    void complete(std::vector<sim::Finding>& findings) const;
    // One sentence for each kind of output that was passed in, but is missing from the files. Only after flush().
    [[nodiscard]] std::vector<std::string> failures() const;

private:
    struct Begin {};
    struct Item {
        std::variant<Begin, sim::Event, sim::Finding> payload;
        bool has_evidence = false;  // counted in queued_evidence_
    };
    struct Known {
        std::string dump_path;
        std::optional<sim::DevicePlace> device;
    };

    void work();
    void enqueue(Item item);
    void write(const Begin& begin);
    void write(const sim::Event& event);
    void write(sim::Finding& finding);
    [[nodiscard]] std::optional<sim::DevicePlace> place_of(const sim::Finding& finding);
    [[nodiscard]] bool is_stuck() const;
    [[nodiscard]] bool is_full() const;

    const ums::RealClock clock_;
    reports::XmlLog& log_;
    reports::FindingsFile* const findings_file_;
    reports::ErrorDump& evidence_;
    PatientThread places_;
    sim::KeptFindings kept_;    // only the writer's thread uses it
    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::deque<Item> queue_;
    std::size_t queued_evidence_ = 0;  // findings queued with all their evidence
    std::uint64_t without_evidence_ = 0;
    std::uint64_t left_out_ = 0;
    std::uint64_t done_ = 0;
    bool is_busy_ = false;
    bool is_ending_ = false;
    std::uint64_t busy_since_ns_ = 0;
    std::unordered_map<std::uint64_t, Known> known_;  // by the finding's number
    std::thread thread_;
};

}  // namespace cli
