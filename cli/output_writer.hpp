// Writes what a run reports to its files: log, findings, evidence. On a thread of its own: those files may be on a disk that does not
// answer, and the threads that report (the schedulers, which are measured; the thread that watches over the run) must continue.
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

#include "cli/patient_thread.hpp"
#include "reports/error_dump.hpp"
#include "reports/findings_file.hpp"
#include "reports/xml_log.hpp"
#include "sim/event.hpp"
#include "ums/base/clock.hpp"

namespace cli {

class OutputWriter final : public sim::EventSink {
public:
    // The files must outlive the writer and belong to its thread from now on, until flush() has returned true. `findings` may be null.
    // Throws std::system_error if no thread can be started.
    OutputWriter(reports::XmlLog& log, reports::FindingsFile* findings, reports::ErrorDump& evidence);
    OutputWriter(const OutputWriter&) = delete;
    OutputWriter& operator=(const OutputWriter&) = delete;
    // Waits until everything is written, however long that takes: a caller that cannot rely on that calls flush() before, and ends the
    // process.
    ~OutputWriter() override;

    // Any thread. While much is queued already, callers wait for the writer, at most a second since it last made progress: a fast disk
    // loses nothing, one that hangs delays nobody. What is then not written is counted: evidence first, messages after that.
    void on_begin() override;
    void on_event(const sim::Event& event) override;
    // A finding is written with its place on the device and the name of the file that has its evidence.
    void on_finding(const sim::Finding& finding) override;

    // Waits until everything is written. False if there was no progress for `patience`.
    [[nodiscard]] bool flush(std::chrono::milliseconds patience);
    // How long the writer has been busy with its present item; 0 if there is nothing to do. Any thread.
    [[nodiscard]] std::chrono::milliseconds stuck() const;

    // Adds to findings that were passed in what writing them has shown: the file of the evidence, the place on the device. After flush().
    void complete(std::vector<sim::Finding>& findings) const;
    // What is not in the files although it was passed in: a sentence each. After flush().
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
    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::deque<Item> queue_;
    std::size_t queued_evidence_ = 0;  // findings with everything that is known about them
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
