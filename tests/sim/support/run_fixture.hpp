// An entire run in one call: on real files in a folder of its own, or in virtual time on a storage in memory.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sim/run/simulation.hpp"
#include "tests/sim/support/collecting_sink.hpp"
#include "tests/sim/support/memory_storage.hpp"
#include "tests/sim/support/recording_storage.hpp"
#include "ums/base/clock.hpp"
#include "ums/io/posix_storage.hpp"

namespace sim::testing {

// Ends the process, so that a hanging test reports where it hangs instead of running into the overall time limit.
class Watchdog {
public:
    Watchdog(std::string what, std::uint32_t seconds);
    ~Watchdog();

private:
    std::mutex mutex_;
    std::condition_variable done_changed_;
    bool done_ = false;
    std::thread thread_;
};

// A folder on a file system that allows direct I/O, removed with its contents.
class RunFolder {
public:
    RunFolder();
    explicit RunFolder(const std::filesystem::path& parent);
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;
    ~RunFolder();

    [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
    [[nodiscard]] std::string path() const { return path_.string(); }
    [[nodiscard]] bool is_empty() const { return std::filesystem::is_empty(path_); }

private:
    std::filesystem::path path_;
};

// One data file of 8 MB and one log file of 4 MB, no users, two CPUs, one second: each test adds what it needs.
[[nodiscard]] Options quiet_options(const std::string& folder);
// The same with all kinds of users, none of which sleeps long.
[[nodiscard]] Options busy_options(const std::string& folder);

[[nodiscard]] inline bool is_read(const Recorded& request) { return request.operation == ums::IoOperation::read; }
[[nodiscard]] inline bool is_write(const Recorded& request) { return request.operation == ums::IoOperation::write; }

// Of a Recorded or an ums::IoRequest.
template <typename Request>
[[nodiscard]] bool covers(const Request& request, std::uint64_t offset_bytes) {
    return request.offset_bytes <= offset_bytes && offset_bytes < request.offset_bytes + request.size_bytes;
}

[[nodiscard]] const UserResult& user(const Results& results, std::string_view name);
[[nodiscard]] const PhaseResult& phase(const Results& results, Phase phase, std::uint32_t cycle = 1);
[[nodiscard]] std::uint64_t wait_count(const Results& results, const std::string& type);

// Empty if the run was as it must be on a sound storage (passed, no finding, no overlapping transfers, consistent counters); otherwise one
// sentence.
[[nodiscard]] std::string what_is_wrong(const Options& options, const Results& results, const CollectingSink& sink,
                                        const RecordingStorage& storage);

// In virtual time, in memory.
class VirtualRun {
public:
    static constexpr const char* kFolder = "/memory";

    explicit VirtualRun(DiskModel model = random_disk(1, 50, 150)) : memory(clock, std::move(model)) {}

    // Runs to the end. More than once on the same files is possible; the recording goes on.
    Results run(const Options& options);
    // The same, but requests can examine or stop the simulation.
    Results run(const Options& options, const std::function<void(Simulation&)>& prepare);

    ums::VirtualClock clock;
    MemoryStorage memory;
    RecordingStorage storage{memory};
    CollectingSink sink;
};

// On real files.
class RealRun {
public:
    RealRun() = default;
    explicit RealRun(const std::filesystem::path& parent) : folder(parent) {}

    Results run(const Options& options) { return run(options, {}); }
    // `meanwhile` is called on another thread while the run goes on.
    Results run(const Options& options, const std::function<void(Simulation&)>& meanwhile);

    RunFolder folder;
    ums::RealClock clock;
    ums::PosixStorage posix;
    RecordingStorage storage{posix};
    CollectingSink sink;
};

// Waits, in real time, until the run has reached this phase. False after 30 seconds.
bool wait_for_phase(const Simulation& simulation, Phase phase);

}  // namespace sim::testing
