#include "tests/sim/support/run_fixture.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "sim/limits.hpp"

namespace sim::testing {

namespace {

constexpr std::uint32_t kPatienceSeconds = 200;

bool takes_direct_io(const std::filesystem::path& folder) {
    const std::string name = (folder / "direct").string();
    const int fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
    if (fd >= 0) ::close(fd);
    ::unlink(name.c_str());
    return fd >= 0;
}

std::filesystem::path make_folder(const std::filesystem::path& parent) {
    std::string pattern = (parent / "ioproof-run-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder for tests can be made in " + parent.string());
    return pattern;
}

}  // namespace

Watchdog::Watchdog(std::string what, std::uint32_t seconds)
    : thread_([this, what = std::move(what), seconds] {
          std::unique_lock guard(mutex_);
          if (done_changed_.wait_for(guard, std::chrono::seconds(seconds), [this] { return done_; })) return;
          std::fprintf(stderr, "watchdog: %s does not end\n", what.c_str());
          std::abort();
      }) {}

Watchdog::~Watchdog() {
    {
        const std::lock_guard guard(mutex_);
        done_ = true;
    }
    done_changed_.notify_one();
    thread_.join();
}

RunFolder::RunFolder() {
    for (const std::filesystem::path& parent : {std::filesystem::temp_directory_path(), std::filesystem::current_path()}) {
        if (!path_.empty()) std::filesystem::remove_all(path_);
        path_ = make_folder(parent);
        if (takes_direct_io(path_)) return;
    }
}

RunFolder::RunFolder(const std::filesystem::path& parent) : path_(make_folder(parent)) {}

RunFolder::~RunFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

Options quiet_options(const std::string& folder) {
    Options options;
    options.cpu_count = 2;
    options.test_cycle_duration_s = 1;
    options.max_memory_mb = 8;
    options.seed = 1;
    options.random_user.user_count = 0;
    options.audit_user.user_count = 0;
    options.read_ahead_user.user_count = 0;
    options.bulk_update_user.user_count = 0;
    options.files = {{.path = folder + "/data.mdx", .initial_size_mb = 8, .max_size_mb = 16},
                     {.path = folder + "/log.ldx", .initial_size_mb = 4, .max_size_mb = 4, .is_log = true}};
    return options;
}

Options busy_options(const std::string& folder) {
    Options options = quiet_options(folder);
    options.random_user.user_count = 4;
    options.audit_user = {.user_count = 1, .buffers_validated_pages = 64, .delay_after_cycles = 2, .delay_ms = 20};
    options.read_ahead_user = {.user_count = 1, .min_pages = 16, .max_pages = 64, .delay_after_cycles = 2, .delay_ms = 20};
    options.bulk_update_user = {.user_count = 1, .min_pages = 16, .max_pages = 64, .delay_after_cycles = 2, .delay_ms = 10};
    return options;
}

const UserResult& user(const Results& results, std::string_view name) {
    for (const UserResult& user : results.users) {
        if (user.name == name) return user;
    }
    throw std::logic_error("no user " + std::string(name));
}

const PhaseResult& phase(const Results& results, Phase wanted, std::uint32_t cycle) {
    for (const PhaseResult& phase : results.phases) {
        if (phase.phase == wanted && (phase.cycle == cycle)) return phase;
    }
    throw std::logic_error("no phase " + std::string(name_of(wanted)));
}

std::uint64_t wait_count(const Results& results, const std::string& type) {
    for (const WaitResult& wait : results.waits) {
        if (wait.type == type) return wait.count;
    }
    return 0;
}

namespace {

std::string wrong_counters(const Options& options, const Results& results) {
    std::uint64_t requests = 0;
    std::uint64_t verified_pages = 0;
    for (const FileResult& file : results.files) {
        requests += file.reads + file.scatter_reads + file.writes + file.gather_writes;
        if (file.is_log) {
            if (file.scatter_reads + file.gather_writes != 0) return "a log file has multi-page requests";
            continue;
        }
        verified_pages += file.pages_verified;
        if (file.pages_verified * kPageBytes != file.read_bytes) {
            return fmt::format("{}: {} pages verified, {} read", file.path, file.pages_verified, file.read_bytes / kPageBytes);
        }
        if (file.written_bytes % kPageBytes != 0) return "a part of a page was written";
        if (file.write_retries != 0 || file.findings != 0) return file.path + ": retries or findings";
        if (file.total_io_time_us < file.max_io_time_us) return file.path + ": the longest request is longer than all together";
        // An added part is stamped with zeros 1 MB at a time.
        if (!options.use_scatter_gather && !options.stamp_files && file.scatter_reads + file.gather_writes != 0)
            return file.path + ": multi-page requests";
    }
    std::uint64_t phase_pages = 0;
    std::uint64_t log_bytes = 0;
    for (const PhaseResult& phase : results.phases) {
        phase_pages += phase.pages_verified;
        log_bytes += phase.log_bytes_written;
        if (phase.pages_verified != phase.pages_read) return "a phase read pages without verifying them";
    }
    if (phase_pages > verified_pages) return "the phases verified more pages than the files had";
    std::uint64_t scheduler_requests = 0;
    for (const SchedulerResult& scheduler : results.schedulers) scheduler_requests += scheduler.io_requests;
    if (scheduler_requests < requests) return fmt::format("{} requests of schedulers, {} of files", scheduler_requests, requests);
    const UserResult& random = user(results, "RandomUser");
    const UserResult& bulk = user(results, "BulkUpdateUser");
    if (log_bytes < random.log_bytes + bulk.log_bytes)
        return fmt::format("users logged {} bytes, {} were written", random.log_bytes, log_bytes);
    if (random.count == 0 && random.cycles != 0) return "a user that does not exist worked";
    return {};
}

}  // namespace

std::string what_is_wrong(const Options& options, const Results& results, const CollectingSink& sink, const RecordingStorage& storage) {
    const std::vector<Finding> findings = sink.findings();
    const bool has_failures = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) { return !finding.is_warning; });
    if (has_failures || results.finding_count != 0 || !results.findings.empty()) return "findings:\n" + sink.text();
    if (results.outcome != Outcome::passed) return "outcome: " + results.outcome_reason + "\n" + sink.text();
    if (!storage.overlaps().empty()) return storage.overlaps().front();
    if (sink.count_of(Severity::error) != 0) return "errors:\n" + sink.text();
    if (results.cycles_completed != options.test_cycles) return fmt::format("{} cycles completed", results.cycles_completed);
    if (results.phases.size() != 1 + std::size_t{5} * options.test_cycles) return fmt::format("{} phases", results.phases.size());
    if (options.max_outstanding_io != 0 && storage.in_flight_max() > options.max_outstanding_io) {
        return fmt::format("{} requests at a time", storage.in_flight_max());
    }
    return wrong_counters(options, results);
}

Results VirtualRun::run(const Options& options) { return run(options, {}); }

Results VirtualRun::run(const Options& options, const std::function<void(Simulation&)>& prepare) {
    const Watchdog watchdog("a run in virtual time", kPatienceSeconds);
    Simulation simulation(options, storage, clock, sink);
    if (prepare) prepare(simulation);
    return simulation.run();
}

Results RealRun::run(const Options& options, const std::function<void(Simulation&)>& meanwhile) {
    const Watchdog watchdog("a run on real files", kPatienceSeconds);
    Simulation simulation(options, storage, clock, sink);
    if (!meanwhile) return simulation.run();
    std::thread other([&] { meanwhile(simulation); });
    try {
        Results results = simulation.run();
        other.join();
        return results;
    } catch (...) {
        other.join();
        throw;
    }
}

bool wait_for_phase(const Simulation& simulation, Phase phase) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (simulation.phase() < phase) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

}  // namespace sim::testing
