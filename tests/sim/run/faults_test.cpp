// Whatever a storage does wrong is found, named correctly, and reported once; nothing else is reported. In virtual time.
#include <cstdint>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "sim/page/log_layout.hpp"
#include "sim/page/page_codec.hpp"
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

// In virtual time: the page is damaged between two requests, some time into the main run.
struct VirtualDamage {
    Results results;
    std::vector<sim::Finding> findings;
    std::string text;
};

VirtualDamage run_virtually_damaged(const Options& options, std::uint64_t after_ms, const std::function<void(MemoryFile&)>& damage) {
    VirtualRun run;
    std::uint64_t start_ns = 0;
    bool is_done = false;
    VirtualDamage damaged;
    damaged.results = run.run(options, [&](sim::Simulation& simulation) {
        run.storage.set_tagger([&] {
            if (start_ns == 0 && simulation.phase() == Phase::main_run) start_ns = run.clock.now_ns();
            if (is_done || start_ns == 0 || run.clock.now_ns() < start_ns + after_ms * ums::kNsPerMs) return 0;
            damage(*run.memory.find(options.files[0].path));
            is_done = true;
            return 0;
        });
    });
    CHECK(is_done);
    damaged.findings = run.sink.findings();
    damaged.text = run.sink.text();
    return damaged;
}

}  // namespace

TEST_CASE("a byte flipped under a write load is found, unless the page is written before it is read") {
    const std::uint64_t seed = ums::testing::test_seed("flips under load");
    int found = 0;
    for (std::uint64_t trial = 0; trial < 20; ++trial) {
        ums::Prng prng(seed + trial);
        Options options = busy_options(VirtualRun::kFolder);
        options.seed = seed + trial;
        options.stop_on_error = false;
        options.files[0].initial_size_mb = 4;
        options.random_user.sleep_after_ms = 50;
        VirtualRun run(random_disk(seed, 50, 2000));
        const std::uint64_t page = 1 + prng.below(511);
        const std::uint64_t after_ms = prng.below(900);
        std::uint64_t start_ns = 0;
        bool is_flipped = false;
        bool is_read_first = false;
        bool is_decided = false;
        const Results results = run.run(options, [&](sim::Simulation& simulation) {
            // Between the completion of one request and the next: what is read or written first afterwards decides.
            run.storage.set_tamper([&](ums::IoRequest& request, const std::string& path) {
                if (is_flipped && !is_decided && path == options.files[0].path && request.owner != nullptr &&
                    covers(request, page * kPageBytes)) {
                    is_decided = true;
                    is_read_first = request.operation == ums::IoOperation::read;
                }
                if (start_ns == 0 && simulation.phase() == Phase::main_run) start_ns = run.clock.now_ns();
                if (is_flipped || start_ns == 0 || run.clock.now_ns() < start_ns + after_ms * ums::kNsPerMs) return;
                run.memory.find(options.files[0].path)->chunk(page * kPageBytes)[prng.below(kPageBytes)] ^= std::byte{1};
                is_flipped = true;
            });
        });
        REQUIRE(is_flipped);
        REQUIRE(is_decided);
        INFO("trial " << trial << ", page " << page << "\n" << run.sink.text());
        CHECK(pages_of(run.sink.findings()) == (is_read_first ? std::multiset<std::uint64_t>{page} : std::multiset<std::uint64_t>{}));
        CHECK(results.outcome == (is_read_first ? Outcome::failed : Outcome::passed));
        found += is_read_first ? 1 : 0;
    }
    CHECK(found > 0);
}

TEST_CASE("a zeroed page, another page and an older page are found and named") {
    const Options options = reading_options(VirtualRun::kFolder, 3);
    const auto kind_after = [&](const std::function<void(MemoryFile&)>& damage) {
        const VirtualDamage run = run_virtually_damaged(options, 300, damage);
        INFO(run.text);
        REQUIRE(run.findings.size() == 1);
        CHECK(run.findings[0].place.page_id == 77);
        CHECK(run.findings[0].place.path == options.files[0].path);
        CHECK(run.findings[0].evidence.image.size() == kPageBytes);
        CHECK(run.results.outcome == Outcome::failed);
        return run.findings[0].kind;
    };
    const auto page = [](MemoryFile& file, std::uint64_t number) { return file.chunk(number * kPageBytes); };
    // It has been written once, and never read: before that, it held zeros.
    CHECK(kind_after([&](MemoryFile& file) { std::memset(page(file, 77), 0, kPageBytes); }) == FindingKind::lost_write);
    CHECK(kind_after([&](MemoryFile& file) { std::memcpy(page(file, 77), page(file, 78), kPageBytes); }) == FindingKind::misdirected_write);
    CHECK(kind_after([&](MemoryFile& file) { page(file, 77)[8191] ^= std::byte{0x80}; }) == FindingKind::bit_corruption);
    CHECK(kind_after([&](MemoryFile& file) { page(file, 77)[0] ^= std::byte{0x80}; }) == FindingKind::bit_corruption);
    // Half of the page is that of the adjacent page.
    CHECK(kind_after([&](MemoryFile& file) { std::memcpy(page(file, 77) + 4096, page(file, 78) + 4096, 4096); }) ==
          FindingKind::misdirected_write);
}

TEST_CASE("a write that never arrives leaves an older version, which is found") {
    Options options = quiet_options(VirtualRun::kFolder);
    options.stop_on_error = false;
    options.files[0].initial_size_mb = 4;
    options.random_user.user_count = 2;
    options.random_user.sleep_after_ms = 50;
    options.checkpoint_interval_ms = 100;
    VirtualRun run;
    // The first write of the main run that holds page 200 is acknowledged; then the old bytes are restored.
    constexpr std::uint64_t kOffset = 200 * kPageBytes;
    std::vector<std::byte> old(kPageBytes);
    bool is_lost = false;
    options.random_user.jump_to_new_region_chance = 10000;
    options.test_cycle_duration_s = 5;
    const Results results = run.run(options, [&](sim::Simulation& simulation) {
        run.storage.set_tagger([&] {
            if (simulation.phase() == Phase::initial_checkpoint)
                run.memory.find(options.files[0].path)->read(kOffset, old.data(), kPageBytes);
            return 0;
        });
        run.storage.set_tamper([&](ums::IoRequest& request, const std::string& path) {
            const bool holds = path == options.files[0].path && request.operation == ums::IoOperation::write && covers(request, kOffset);
            if (is_lost || !holds || simulation.phase() != Phase::main_run) return;
            run.memory.find(options.files[0].path)->write(kOffset, old.data(), kPageBytes);
            is_lost = true;
        });
    });
    INFO(run.sink.text());
    REQUIRE(is_lost);
    REQUIRE(run.sink.findings().size() == 1);
    const sim::Finding finding = run.sink.findings()[0];
    CHECK(finding.kind == FindingKind::lost_write);
    CHECK(finding.place.page_id == 200);
    CHECK(or_empty(finding.received).version < or_empty(finding.expected).version);
    CHECK(results.outcome == Outcome::failed);
}

TEST_CASE("a read that reports success and fills nothing is found, and is transient if the next one is right") {
    VirtualRun run;
    Options options = reading_options(VirtualRun::kFolder, 5);
    bool is_done = false;
    const Results results = run.run(options, [&](sim::Simulation& simulation) {
        run.storage.set_tamper([&](ums::IoRequest& request, const std::string&) {
            const bool is_read = request.operation == ums::IoOperation::read && request.owner != nullptr;
            if (is_done || !is_read || simulation.phase() != Phase::main_run) return;
            sim::stamp_not_read(request.segments[0].data, kPageBytes);
            is_done = true;
        });
    });
    INFO(run.sink.text());
    REQUIRE(is_done);
    REQUIRE(run.sink.findings().size() == 1);
    CHECK(run.sink.findings()[0].kind == FindingKind::bytes_not_read);
    CHECK(or_empty(run.sink.findings()[0].comparison).not_read_bytes == kPageBytes);
    CHECK(run.sink.findings()[0].transient);
    CHECK(run.sink.findings()[0].reads == 2);
    CHECK(results.outcome == Outcome::failed);
}

TEST_CASE("the final audit finds a damaged block of the log") {
    VirtualRun run;
    Options options = busy_options(VirtualRun::kFolder);
    options.stop_on_error = false;
    options.random_user.sleep_after_ms = 50;
    bool is_done = false;
    const Results results = run.run(options, [&](sim::Simulation& simulation) {
        run.storage.set_tagger([&] {
            if (is_done || simulation.phase() != Phase::final_audit) return 0;
            // The last block of all: its VLF is in use.
            MemoryFile& log = *run.memory.find(options.files[1].path);
            std::uint64_t last = 0;
            std::uint64_t offset = 0;
            for (std::uint64_t at = kPageBytes; at + sizeof(sim::LogBlockHeader) <= log.size_bytes(); at += sim::kSectorBytes) {
                sim::LogBlockHeader header;
                log.read(at, reinterpret_cast<std::byte*>(&header), sizeof header);
                if (header.magic != sim::kLogMagic || header.sequence < last) continue;
                last = header.sequence;
                offset = at;
            }
            log.chunk(offset)[offset % kPageBytes + 100] ^= std::byte{4};
            is_done = last > 10;
            return 0;
        });
    });
    INFO(run.sink.text());
    REQUIRE(is_done);
    REQUIRE(run.sink.findings().size() == 1);
    CHECK(run.sink.findings()[0].kind == FindingKind::log_block_damaged);
    CHECK(run.sink.findings()[0].place.path == options.files[1].path);
    CHECK(results.outcome == Outcome::failed);
    CHECK(results.files[1].findings == 1);
}

TEST_CASE("a page that can never be read is an I/O error, one that is read on the second try a transient one") {
    for (const bool for_ever : {true, false}) {
        VirtualRun run;
        Options options = reading_options(VirtualRun::kFolder, 5);
        options.audit_user.user_count = options.read_ahead_user.user_count = options.random_user.user_count = 0;
        int failures = 0;
        run.storage.set_fault([&](const Recorded& request) {
            const std::uint64_t offset = 300 * kPageBytes;
            const bool hit =
                request.path == options.files[0].path && is_read(request) && covers(request, offset) && (for_ever || failures < 2);
            failures += hit ? 1 : 0;
            return hit ? std::make_error_code(std::errc::io_error) : std::error_code{};
        });
        const Results results = run.run(options);
        INFO(run.sink.text());
        CHECK(run.sink.count_of(sim::Severity::warning, "It is tried again") > 0);
        if (for_ever) {
            REQUIRE(run.sink.findings().size() == 1);
            CHECK(run.sink.findings()[0].kind == FindingKind::io_error);
            CHECK(run.sink.findings()[0].place.page_id == 300);
            CHECK(run.sink.findings()[0].reads == 5);
            CHECK(results.outcome == Outcome::failed);
        } else {
            CHECK(failures == 2);
            REQUIRE(run.sink.findings().size() == 1);
            CHECK(run.sink.findings()[0].kind == FindingKind::io_error);
            CHECK(run.sink.findings()[0].transient);
            CHECK(results.outcome == Outcome::failed);
        }
    }
}
