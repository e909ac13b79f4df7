// Many ranks of a group in one process, with which `./dev bench` loads a real witness.
//
//   group_load ADDR PORT KEY_FILE RANKS SECONDS PAGES_PER_BATCH
//
// Each rank sends beats, as a run does, and promises a batch whenever the previous one is recorded, but at most 50 a second. At the end
// it prints one line of JSON: batches and pages that the witness took, and how many it did not; stderr gets each reason once.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cli/group/group_link.hpp"
#include "cli/promises/witness_sink.hpp"
#include "ums/base/open_files.hpp"

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBatchInterval{20};
constexpr std::uint32_t kPagesOfFile = 65536;

struct Load {
    cli::WitnessAddress address;
    cli::TlsKeys keys;
    std::uint32_t ranks = 1;
    Clock::time_point end;
    std::uint32_t pages = 1;
    std::atomic<std::uint64_t> batches{0};
    std::atomic<std::uint64_t> failures{0};
    std::atomic<std::uint64_t> beats{0};
    std::mutex mutex;  // guards what follows
    std::map<std::string, std::uint64_t> problems;
};

bool has_taken(Load& load, const std::string& problem) {
    if (problem.empty()) return true;
    ++load.failures;
    const std::lock_guard guard(load.mutex);
    ++load.problems[problem];
    return false;
}

cli::GroupBeat beat_of(const Load& load, std::uint32_t rank) {
    cli::GroupBeat beat;
    beat.group = "load";
    beat.terms.plan = "side-by-side";
    beat.terms.of = load.ranks;
    beat.rank = rank;
    beat.session = rank + 1;
    beat.host = "node-" + std::to_string(rank);
    beat.run_id = rank + 1;
    beat.files = {"/mnt/volume/sqliosim.mdx", "/mnt/volume/sqliosim.ldx"};
    beat.stage = 2;
    return beat;
}

void promise(Load& load, std::uint32_t rank) {
    cli::GroupLink link(load.address, load.keys, beat_of(load, rank), [] {});
    link.start();
    cli::WitnessSink sink(load.address, load.keys);
    sim::PromiseSection section;
    section.run_id = section.section_id = rank + 1;
    section.incarnation = 1;
    section.host = "node-" + std::to_string(rank);
    section.files = {{1, false, 0, "/mnt/volume/" + std::to_string(rank)}};
    static_cast<void>(has_taken(load, sink.append(encode(section))));
    std::uint32_t page = 0;
    for (std::uint64_t number = 1; Clock::now() < load.end; ++number) {
        const auto next = Clock::now() + kBatchInterval;
        sim::PromiseBatch batch;
        batch.run_id = batch.section_id = rank + 1;
        batch.number = number;
        for (std::uint32_t i = 0; i < load.pages; ++i)
            batch.pages.push_back({1, page++ % kPagesOfFile, static_cast<std::uint32_t>(number), 7});
        if (has_taken(load, sink.append(encode(batch)))) ++load.batches;
        std::this_thread::sleep_until(next);
    }
    load.beats += link.knowledge().beats;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 7) return 2;
    ums::raise_open_files_limit();
    Load load;
    load.address = {.host = argv[1], .port = static_cast<std::uint16_t>(std::atoi(argv[2]))};
    load.keys.key_file = argv[3];
    load.ranks = static_cast<std::uint32_t>(std::atoi(argv[4]));
    load.end = Clock::now() + std::chrono::seconds(std::atoi(argv[5]));
    load.pages = static_cast<std::uint32_t>(std::atoi(argv[6]));
    std::vector<std::thread> threads;
    for (std::uint32_t rank = 0; rank < load.ranks; ++rank) threads.emplace_back([&load, rank] { promise(load, rank); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& [problem, count] : load.problems)
        std::fprintf(stderr, "%llu times: %s\n", static_cast<unsigned long long>(count), problem.c_str());
    std::printf("{\"batches\": %llu, \"pages\": %llu, \"beats\": %llu, \"failures\": %llu}\n",
                static_cast<unsigned long long>(load.batches), static_cast<unsigned long long>(load.batches * load.pages),
                static_cast<unsigned long long>(load.beats), static_cast<unsigned long long>(load.failures));
    return 0;
}
