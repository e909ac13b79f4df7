// What only the operating system can show: how files are opened, where threads run, two concurrent runs, full file systems.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sim/limits.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_cpus.hpp"
#include "ums/base/os_thread.hpp"
#include "ums/base/units.hpp"

using namespace sim::testing;
using sim::Options;
using sim::Outcome;
using sim::Phase;
using sim::Results;

namespace {

using ums::kMb;

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// The value after "name:" in a file of /proc.
std::string field_of(const std::string& text, const std::string& name) {
    const std::size_t begin = text.find(name + ":");
    if (begin == std::string::npos) return {};
    const std::size_t value = text.find_first_not_of(" \t", begin + name.size() + 1);
    return text.substr(value, text.find('\n', value) - value);
}

// The flags with which this process has the file open, one entry per descriptor.
std::multiset<int> open_flags(const std::string& path) {
    std::multiset<int> flags;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code error;
        if (std::filesystem::read_symlink(entry.path(), error).string() != path || error) continue;
        const std::string info = text_of("/proc/self/fdinfo/" + entry.path().filename().string());
        flags.insert(std::stoi(field_of(info, "flags"), nullptr, 8));
    }
    return flags;
}

// The CPUs that the threads with this name may use, as the kernel writes them.
std::set<std::string> allowed_cpus(const std::string& name_begin) {
    std::set<std::string> cpus;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
        const std::string status = text_of(entry.path() / "status");
        if (field_of(status, "Name").rfind(name_begin, 0) == 0) cpus.insert(field_of(status, "Cpus_allowed_list"));
    }
    return cpus;
}

// The lowest and the highest CPU that this process may use and that fits into a mask of 64; nothing, with a warning, if there is none.
std::optional<std::pair<std::uint32_t, std::uint32_t>> two_cpus() {
    std::vector<std::uint32_t> cpus = ums::cpus_of_this_thread();
    std::erase_if(cpus, [](std::uint32_t cpu) { return cpu >= 64; });
    if (cpus.empty()) {
        WARN("not tried: this process may use only CPUs from 64 on");
        return std::nullopt;
    }
    const auto [low, high] = std::minmax_element(cpus.begin(), cpus.end());
    return std::pair(*low, *high);
}

// Those of the engine's threads, each of which should have these.
std::set<std::string> cpus_of_io(const std::string& wanted) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until there are some
    const std::vector<std::string> lists = ums::testing::cpus_unless("io ", [&](const std::string& list) { return list != wanted; });
    return {lists.begin(), lists.end()};
}

// Examines something once the main run has begun, then ends the run.
template <typename Look>
Results run_and_look(RealRun& run, const Options& options, Look look) {
    return run.run(options, [&](sim::Simulation& simulation) {
        wait_for_phase(simulation, Phase::main_run);
        look();
        simulation.request_stop();
    });
}

// A file system in memory of this many bytes; needs privileges.
class SmallFileSystem {
public:
    explicit SmallFileSystem(std::uint64_t size_bytes) {
        const std::string options = "size=" + std::to_string(size_bytes);
        mounted_ = ::mount("ioproof-test", folder_.path().c_str(), "tmpfs", 0, options.c_str()) == 0;
    }
    SmallFileSystem(const SmallFileSystem&) = delete;
    SmallFileSystem& operator=(const SmallFileSystem&) = delete;
    ~SmallFileSystem() {
        if (mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
    }
    [[nodiscard]] bool is_mounted() const { return mounted_; }
    [[nodiscard]] std::string path() const { return folder_.path(); }
    [[nodiscard]] bool is_empty() const { return folder_.is_empty(); }

private:
    RunFolder folder_;
    bool mounted_ = false;
};

}  // namespace

TEST_CASE("NoBuffering and scatter/gather open files with O_DIRECT, WriteThrough with O_DSYNC") {
    for (int i = 0; i < 8; ++i) {
        RealRun run;
        Options options = quiet_options(run.folder.path());
        options.files[0].initial_size_mb = options.files[1].initial_size_mb = 1;
        options.no_buffering = (i & 1) != 0;
        options.write_through = (i & 2) != 0;
        options.use_scatter_gather = (i & 4) != 0;
        std::map<std::string, std::multiset<int>> flags;
        run_and_look(run, options, [&] {
            for (const sim::FileOptions& file : options.files) flags[file.path] = open_flags(file.path);
        });
        for (const sim::FileOptions& file : options.files) {
            // One descriptor for transfers, one that holds the lock and changes the size.
            const std::multiset<int>& found = flags[file.path];
            REQUIRE(found.size() == 2);
            const bool is_unbuffered = options.no_buffering || options.use_scatter_gather;
            CHECK(std::all_of(found.begin(), found.end(), [&](int value) { return ((value & O_DIRECT) != 0) == is_unbuffered; }));
            CHECK(std::count_if(found.begin(), found.end(), [](int value) { return (value & O_DSYNC) != 0; }) ==
                  (options.write_through ? 1 : 0));
        }
    }
}

TEST_CASE("Affinity binds the schedulers' threads to CPUs in turn, 0 leaves them unbound") {
    const auto cpus_here = two_cpus();
    if (!cpus_here) return;
    const auto [low, high] = *cpus_here;
    const auto run_with = [](std::uint64_t affinity, std::uint32_t cpu_count) {
        RealRun run;
        Options options = quiet_options(run.folder.path());
        options.files[0].initial_size_mb = options.files[1].initial_size_mb = 1;
        options.affinity = affinity;
        options.cpu_count = cpu_count;
        std::set<std::string> cpus;
        run_and_look(run, options, [&] { cpus = allowed_cpus("scheduler"); });
        return cpus;
    };
    CHECK(run_with(std::uint64_t{1} << low, 2) == std::set{std::to_string(low)});
    CHECK(run_with(std::uint64_t{1} << high, 1) == std::set{std::to_string(high)});
    CHECK(run_with(std::uint64_t{1} << low | std::uint64_t{1} << high, 4) == std::set{std::to_string(low), std::to_string(high)});
    CHECK(run_with(0, 2) == std::set{field_of(text_of("/proc/self/status"), "Cpus_allowed_list")});
}

TEST_CASE("IOAffinity binds the engine's threads") {
    const auto cpus_here = two_cpus();
    if (!cpus_here) return;
    const auto [low, high] = *cpus_here;
    for (const std::uint32_t cpu : {low, high}) {
        RealRun run;
        Options options = busy_options(run.folder.path());
        options.engine = sim::EngineChoice::threads;
        options.io_affinity = std::uint64_t{1} << cpu;
        std::set<std::string> cpus;
        const Results results = run_and_look(run, options, [&] { cpus = cpus_of_io(std::to_string(cpu)); });
        CHECK(results.engine == "threads");
        CHECK(cpus == std::set{std::to_string(cpu)});
    }
}

TEST_CASE("with IOAffinity=0 the engine's threads may run on all CPUs, whatever Affinity says") {
    const auto cpus_here = two_cpus();
    if (!cpus_here) return;
    const auto [low, high] = *cpus_here;
    RealRun run;
    Options options = busy_options(run.folder.path());
    options.engine = sim::EngineChoice::threads;
    options.affinity = std::uint64_t{1} << high;
    // Not the process's own list: that may also name CPUs that are not there.
    std::string all;
    std::thread([&all] {
        ums::bind_this_thread(ums::cpus_of_this_thread());
        all = field_of(text_of("/proc/thread-self/status"), "Cpus_allowed_list");
    }).join();
    std::set<std::string> cpus;
    run_and_look(run, options, [&] { cpus = cpus_of_io(all); });
    CHECK(cpus == std::set{all});
}

TEST_CASE("CPUSimulation burns CPUCyclesMin to CPUCyclesMax cycles for each page") {
    const auto pages_with = [](bool simulate, std::uint64_t cycles) {
        RealRun run;
        Options options = quiet_options(run.folder.path());
        options.cpu_count = 1;
        options.random_user.user_count = 1;
        options.random_user.read_write_ratio = 0;
        options.random_user.sleep_after_ms = 0;
        options.cache_hit_ratio = 10000;
        options.random_user.cpu_simulation = simulate;
        options.random_user.cpu_cycles_min = cycles;
        options.random_user.cpu_cycles_max = cycles;
        const Results results = run.run(options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        return user(results, "RandomUser").pages_read;
    };
    // A CPU has between 0.5 and 10 billion cycles per second.
    const std::uint64_t burning = pages_with(true, 20'000'000);
    CHECK(burning < 600);
    CHECK(pages_with(false, 20'000'000) > 4 * burning);
}

TEST_CASE("CPUSimulation leaves the CPU to others and ends with the main run, however long it takes for a page") {
    RealRun run;
    Options options = busy_options(run.folder.path());
    options.cpu_count = 1;
    options.random_user.user_count = 1;
    options.random_user.cpu_simulation = true;
    options.random_user.cpu_cycles_min = options.random_user.cpu_cycles_max = 1'000'000'000'000;  // minutes
    const auto start = std::chrono::steady_clock::now();
    const Results results = run.run(options);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    CHECK(user(results, "AuditUser").pages_read > 64);
}

TEST_CASE("Sparse leaves holes where nothing was written") {
    for (const bool sparse : {true, false}) {
        RealRun run;
        Options options = quiet_options(run.folder.path());
        options.files[0].sparse = sparse;
        const Results results = run.run(options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        struct stat facts {};
        REQUIRE(::stat(options.files[0].path.c_str(), &facts) == 0);
        CHECK(facts.st_size == 8 * kMb);
        const std::uint64_t stored_bytes = static_cast<std::uint64_t>(facts.st_blocks) * 512;
        CHECK((stored_bytes < 4 * kMb) == sparse);
        CHECK(results.files[0].sparse == sparse);
        CHECK((phase(results, Phase::initial_update).pages_written == 0) == sparse);
        // The audit skips holes.
        CHECK((phase(results, Phase::final_audit).pages_read < 512) == sparse);
    }
}

TEST_CASE("all of several data files and log files get their share of the work") {
    RealRun run;
    Options options = busy_options(run.folder.path());
    options.files.clear();
    for (const char* name : {"a", "b", "c"}) {
        options.files.push_back({.path = run.folder.file(std::string(name) + ".mdx"), .initial_size_mb = 2, .max_size_mb = 4});
        options.files.push_back(
            {.path = run.folder.file(std::string(name) + ".ldx"), .initial_size_mb = 1, .max_size_mb = 1, .is_log = true});
    }
    const Results results = run.run(options);
    CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
    REQUIRE(results.files.size() == 6);
    for (std::size_t i = 0; i < 6; ++i) {
        const sim::FileResult& file = results.files[i];
        CHECK(file.path == options.files[i].path);
        CHECK(file.file_id == i + 1);
        CHECK(file.is_log == options.files[i].is_log);
        CHECK(file.size_bytes == options.files[i].initial_size_mb * kMb);
        CHECK(std::filesystem::file_size(file.path) == file.size_bytes);
        CHECK(file.written_bytes > 0);
        if (!file.is_log) CHECK(file.pages_verified >= 256);
    }
}

TEST_CASE("the engines give the same results") {
    for (const sim::EngineChoice engine : {sim::EngineChoice::automatic, sim::EngineChoice::threads}) {
        RealRun run;
        Options options = busy_options(run.folder.path());
        options.engine = engine;
        options.cpu_count = 8;
        const Results results = run.run(options);
        CHECK(what_is_wrong(options, results, run.sink, run.storage) == "");
        CHECK(results.schedulers.size() == 8);
        CHECK(!results.engine.empty());
        if (engine == sim::EngineChoice::threads) CHECK(results.engine == "threads");
    }
}

TEST_CASE("two runs work side by side on different files, while a second run on the same files is refused and does no harm") {
    RealRun first;
    RealRun second;
    Options options = busy_options(first.folder.path());
    Options other_options = busy_options(second.folder.path());
    bool was_refused = false;
    Results other_results;
    const Results results = first.run(options, [&](sim::Simulation& simulation) {
        wait_for_phase(simulation, Phase::main_run);
        ums::PosixStorage storage;
        CollectingSink sink;
        sim::Simulation intruder(options, storage, first.clock, sink);
        try {
            intruder.run();
        } catch (const sim::EnvironmentError& error) {
            was_refused = std::string(error.what()).find("in use by another run") != std::string::npos;
        }
        other_results = second.run(other_options);
    });
    CHECK(was_refused);
    CHECK(what_is_wrong(options, results, first.sink, first.storage) == "");
    CHECK(what_is_wrong(other_options, other_results, second.sink, second.storage) == "");
    CHECK(results.run_id != other_results.run_id);
    CHECK(std::filesystem::exists(options.files[0].path));
}

TEST_CASE("a file system that is too small is an error that says so, one that is full when a file grows is a warning") {
    SmallFileSystem small(10 * kMb);
    if (!small.is_mounted()) {
        WARN("not run: file systems cannot be mounted by this user");
        SUCCEED();
        return;
    }
    RealRun run;
    Options options = busy_options(small.path());
    options.no_buffering = options.use_scatter_gather = false;
    CHECK_THROWS_AS(run.run(options), sim::EnvironmentError);
    CHECK(small.is_empty());

    options.files[0].initial_size_mb = 7;
    options.files[1].initial_size_mb = options.files[1].max_size_mb = 2;
    options.files[0].shrinkable = true;
    options.files[0].increment_mb = 4;
    options.shrink_user = {.min_interval_s = 1, .max_interval_s = 1, .min_extends = 1, .max_extends = 1};
    // Long enough for one of the changes to be a growth.
    for (options.seed = 1; options.seed < 10 && run.sink.count_of(sim::Severity::warning) == 0; ++options.seed) {
        CHECK(run.run(options).outcome == Outcome::passed);
    }
    CHECK(run.sink.count_of(sim::Severity::warning, "It stays as it is") > 0);
    CHECK(run.sink.findings().empty());
}
