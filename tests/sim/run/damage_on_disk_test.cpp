// Damage to files on the disk, by ordinary system calls during a run, is found.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <future>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/sim/run/reading_run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"

using namespace sim::testing;
using sim::FindingKind;
using sim::kPageBytes;
using sim::Options;
using sim::Outcome;
using sim::Phase;
using sim::Results;

namespace {

// Damages `path` from outside, by ordinary system calls.
class Meddler {
public:
    explicit Meddler(const std::string& path) : fd_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {}
    Meddler(const Meddler&) = delete;
    Meddler& operator=(const Meddler&) = delete;
    ~Meddler() { ::close(fd_); }

    void flip(std::uint64_t offset_bytes) const {
        std::byte value{};
        ok_ = ok_ && ::pread(fd_, &value, 1, static_cast<off_t>(offset_bytes)) == 1;
        value ^= std::byte{0x10};
        ok_ = ok_ && ::pwrite(fd_, &value, 1, static_cast<off_t>(offset_bytes)) == 1;
    }
    void cut(std::uint64_t size_bytes) const { ok_ = ok_ && ::ftruncate(fd_, static_cast<off_t>(size_bytes)) == 0; }
    [[nodiscard]] bool is_ok() const { return fd_ >= 0 && ok_; }

private:
    const int fd_;
    mutable bool ok_ = true;
};

// One run that calls `damage` on the data file during the main run.
struct Damaged {
    Results results;
    std::vector<sim::Finding> findings;
    std::string text;
    bool is_done = false;
};

template <typename Damage>
Damaged run_with_damage(const Options& options_template, Damage damage) {
    RealRun run;
    Options options = options_template;
    for (sim::FileOptions& file : options.files) file.path = run.folder.file(file.path.substr(file.path.rfind('/') + 1));
    Damaged damaged;
    damaged.results = run.run(options, [&](sim::Simulation& simulation) {
        if (!wait_for_phase(simulation, Phase::main_run)) return;
        const Meddler meddler(options.files[0].path);
        damage(meddler);
        damaged.is_done = meddler.is_ok();
    });
    damaged.findings = run.sink.findings();
    damaged.text = run.sink.text();
    return damaged;
}

}  // namespace

TEST_CASE("a byte flipped on the disk during the run is found in all of 20 trials, and nothing else is") {
    const std::uint64_t seed = ums::testing::test_seed("flips on disk");
    // Five runs with four flips each, side by side, so that it does not take a minute.
    struct Trial {
        std::multiset<std::uint64_t> flipped;
        Damaged run;
    };
    const auto attempt = [](std::uint64_t trial_seed) {
        Trial trial;
        ums::Prng prng(trial_seed);
        trial.run = run_with_damage(reading_options("", trial_seed), [&](const Meddler& meddler) {
            while (trial.flipped.size() < 4) {
                const std::uint64_t page = prng.below(512);
                if (trial.flipped.count(page) != 0) continue;
                trial.flipped.insert(page);
                meddler.flip(page * kPageBytes + prng.below(kPageBytes));
                std::this_thread::sleep_for(std::chrono::milliseconds(prng.below(200)));
            }
        });
        return trial;
    };
    std::vector<std::future<Trial>> trials;
    for (std::uint64_t i = 0; i < 5; ++i) trials.push_back(std::async(std::launch::async, attempt, seed + i));
    for (std::future<Trial>& future : trials) {
        const auto [flipped, run] = future.get();
        INFO(run.text);
        REQUIRE(run.is_done);
        CHECK(pages_of(run.findings) == flipped);
        CHECK(std::all_of(run.findings.begin(), run.findings.end(),
                          [](const sim::Finding& finding) { return finding.kind == FindingKind::bit_corruption && !finding.transient; }));
        CHECK(run.results.outcome == Outcome::failed);
        CHECK(run.results.finding_count == flipped.size());
        CHECK(run.results.files[0].findings == flipped.size());
        CHECK(run.results.cycles_completed == 1);
    }
}

TEST_CASE("StopOnError TRUE ends the run at the first finding, FALSE runs to the end and reports each fault once") {
    for (const bool stop : {true, false}) {
        Options options = reading_options("", 7);
        options.stop_on_error = stop;
        options.test_cycle_duration_s = stop ? 60 : 1;
        const auto start = std::chrono::steady_clock::now();
        const Damaged run = run_with_damage(options, [&](const Meddler& meddler) {
            for (const std::uint64_t page : {3U, 100U, 101U, 102U, 511U}) meddler.flip(page * kPageBytes + 4000);
        });
        INFO(run.text);
        REQUIRE(run.is_done);
        CHECK(run.results.outcome == Outcome::failed);
        CHECK(!run.results.outcome_reason.empty());
        if (stop) {
            CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
            CHECK(run.results.cycles_completed == 0);
            CHECK(!run.findings.empty());
            CHECK(run.results.phases.back().phase == Phase::main_run);
        } else {
            CHECK(pages_of(run.findings) == std::multiset<std::uint64_t>{3, 100, 101, 102, 511});
            CHECK(run.results.cycles_completed == 1);
            CHECK(run.results.phases.back().phase == Phase::final_audit);
        }
    }
}

TEST_CASE("a file that is truncated from outside gives short transfers") {
    Options options = reading_options("", 1);
    options.stop_on_error = true;
    options.test_cycle_duration_s = 60;
    const Damaged run = run_with_damage(options, [](const Meddler& meddler) { meddler.cut(256 * kPageBytes); });
    INFO(run.text);
    REQUIRE(run.is_done);
    REQUIRE(!run.findings.empty());
    for (const sim::Finding& finding : run.findings) {
        CHECK(finding.kind == FindingKind::short_transfer);
        CHECK(finding.place.page_id >= 256);
    }
    CHECK(run.results.outcome == Outcome::failed);
}
