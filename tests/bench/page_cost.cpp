// A fixed number of rounds of one part of the path, for counting instructions (tests/bench/instructions.sh). Uses no time, threads or
// device, so the count is the same in every run.
//
//   page_cost path|read|scatter|write|make|verify ROUNDS
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/bench/bench_file.hpp"
#include "sim/page/page_codec.hpp"
#include "sim/page/page_verifier.hpp"
#include "sim/page/word_fill.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/io/forwarding_storage.hpp"
#include "ums/io/null_engine.hpp"
#include "ums/io/posix_storage.hpp"
#include "ums/sched/scheduler_group.hpp"

namespace {

constexpr std::uint64_t kRunId = 77;
constexpr std::uint32_t kPages = 256;

// Holds written pages in memory; a read copies from there with a small, constant number of instructions.
class CopyEngine final : public ums::IoEngine {
public:
    CopyEngine(std::byte* image, const bool& copies) : image_(image), copies_(copies) {}
    [[nodiscard]] std::string_view name() const override { return "copy"; }
    void submit(ums::IoRequest& request) override {
        std::byte* place = image_ + request.offset_bytes;
        for (std::uint32_t i = 0; i < request.segment_count && copies_; ++i) {
            const ums::IoSegment& segment = request.segments[i];
            const bool is_read = request.operation == ums::IoOperation::read;
            sim::xor_words(reinterpret_cast<std::uint64_t*>(is_read ? segment.data : place),
                           reinterpret_cast<const std::uint64_t*>(is_read ? place : segment.data), segment.size_bytes / 8, 0);
            place += segment.size_bytes;
        }
        null_.submit(request);
    }
    void poll(ums::IoRequestList& finished) override { null_.poll(finished); }
    void wait(std::uint64_t timeout_ns) override { null_.wait(timeout_ns); }
    void wake() override { null_.wake(); }
    [[nodiscard]] std::uint32_t in_flight() const override { return null_.in_flight(); }

private:
    std::byte* image_;
    const bool& copies_;
    ums::NullEngine null_;
};

class CopyStorage final : public ums::ForwardingStorage {
public:
    CopyStorage() : ums::ForwardingStorage(nothing_) {}
    std::unique_ptr<ums::IoEngine> make_engine(const ums::EngineOptions&, std::string&) override {
        return std::make_unique<CopyEngine>(memory_.data(), copies);
    }

    bool copies = true;

private:
    ums::PosixStorage nothing_;  // never used, because no file is opened
    ums::MemoryRegion memory_{std::size_t{kPages} * sim::kPageBytes, ums::MemoryKind::plain};
};

class SilentSink final : public sim::EventSink {
public:
    void on_event(const sim::Event&) override {}
    void on_finding(const sim::Finding&) override { std::abort(); }
};

// One file of the measurement, and the tasks that work on it.
struct Rig {
    CopyStorage storage;
    ums::VirtualClock clock;
    SilentSink sink;
    sim::Journal journal{clock, sink};
    sim::RunState run;
    ums::Semaphore outstanding{sim::kOutstandingIoMax};
    sim::BenchOptions options;
    std::unique_ptr<sim::BenchFile> file;

    Rig() {
        options.depth = 8;
        options.block_bytes_max = 64 * sim::kPageBytes;
        sim::SimFile::Setup setup;
        setup.id = 1;
        setup.size_bytes = std::uint64_t{kPages} * sim::kPageBytes;
        const std::uint64_t size_bytes = setup.size_bytes;
        file = std::make_unique<sim::BenchFile>(std::move(setup), kRunId, size_bytes, options,
                                                sim::FileContext{storage, outstanding, run, journal}, run);
    }
};

ums::Task<void> transfers(Rig& rig, std::uint64_t rounds) {
    rig.storage.copies = false;
    std::vector<std::byte> memory(sim::kPageBytes);
    const ums::IoSegment segment{memory.data(), memory.size()};
    for (std::uint64_t i = 0; i < rounds; ++i) {
        co_await rig.file->data.file.transfer(ums::IoOperation::read, i % kPages * sim::kPageBytes, {&segment, 1},
                                              ums::WaitType::io_completion);
    }
}

ums::Task<void> reads(Rig& rig, std::uint64_t rounds, std::uint32_t count) {
    sim::RangeReader reader = rig.file->make_reader();
    for (std::uint64_t i = 0; i < rounds; ++i) {
        const auto first = static_cast<std::uint32_t>(i * count % kPages);
        if (co_await reader.read(rig.file->data, first, count, {.keep = false}) != count) std::abort();
    }
}

ums::Task<void> writes(Rig& rig, std::uint64_t rounds) {
    sim::PageWriter writer = rig.file->make_writer();
    ums::Prng prng(1);
    for (std::uint64_t i = 0; i < rounds; ++i) {
        co_await rig.file->write_pages(writer, static_cast<std::uint32_t>(i % kPages), 1, prng);
    }
}

ums::Task<void> work(Rig& rig, std::string_view part, std::uint64_t rounds) {
    co_await writes(rig, kPages);
    if (part == "path") co_await transfers(rig, rounds);
    if (part == "read") co_await reads(rig, rounds, 1);
    if (part == "scatter") co_await reads(rig, rounds, 64);
    if (part == "write") co_await writes(rig, rounds);
}

void make_pages(std::uint64_t rounds) {
    const ums::MemoryRegion page(sim::kPageBytes, ums::MemoryKind::plain);
    for (std::uint64_t i = 0; i < rounds; ++i) {
        sim::make_page({kRunId, 1, 5, static_cast<std::uint32_t>(i + 1), 0, 99}, page.data());
    }
}

void verify_pages(std::uint64_t rounds) {
    const ums::MemoryRegion page(sim::kPageBytes, ums::MemoryKind::plain);
    sim::ExpectedPage expected{kRunId, 1, 5, {}};
    expected.entry.version = 3;
    expected.entry.checksum = sim::make_page({kRunId, 1, 5, 3, 0, 99}, page.data());
    for (std::uint64_t i = 0; i < rounds; ++i) {
        if (!sim::page_matches(page.data(), expected)) std::abort();
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view part = argc == 3 ? argv[1] : "";
    const std::string_view number = argc == 3 ? argv[2] : "";
    std::uint64_t rounds = 0;
    std::from_chars(number.data(), number.data() + number.size(), rounds);
    if (rounds == 0) {
        std::fprintf(stderr, "page_cost: path, read, scatter, write, make or verify, and how many rounds\n");
        return 2;
    }
    if (part == "make") {
        make_pages(rounds);
    } else if (part == "verify") {
        verify_pages(rounds);
    } else {
        Rig rig;
        ums::SchedulerGroup schedulers({}, rig.storage, rig.clock);
        schedulers.run(work(rig, part, rounds));
    }
    return 0;
}
