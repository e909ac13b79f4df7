// The contents of the log files, read back by the test's own parser.
#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "sim/page/log_layout.hpp"
#include "tests/sim/support/log_parser.hpp"
#include "tests/sim/support/rig.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"

using namespace sim::testing;

namespace {

// What was appended to the log, in order of the LSNs.
struct Appended {
    sim::LogChange change;
    std::uint64_t size_bytes = 0;
    std::uint64_t lsn = 0;
};

ums::Task<std::uint64_t> append(Rig& rig, std::vector<Appended>& appended, sim::LogChange change, std::uint64_t size_bytes) {
    sim::LogReservation reservation = co_await rig.log->space().reserve(size_bytes);
    const std::uint64_t lsn = co_await rig.log->append(reservation, change, size_bytes);
    appended.push_back({change, size_bytes, lsn});
    co_return lsn;
}

sim::LogChange update(std::uint32_t file_id, std::uint32_t page_id, std::uint32_t version) {
    sim::LogChange change;
    change.kind = sim::LogRecordKind::page_update;
    change.file_id = file_id;
    change.page_id = page_id;
    change.version = version;
    return change;
}

std::vector<ParsedBlock> sorted_log(const Rig& rig) {
    auto blocks = LogParser::whole_log(rig.log_path(), rig.settings.log_mb, rig.settings.log_alignment_bytes);
    std::sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
    return blocks;
}

bool is_noise(const std::vector<std::byte>& body) {
    std::set<std::byte> values(body.begin(), body.end());
    return body.size() < 64 || values.size() > 16;
}

}  // namespace

TEST_CASE("every committed record is in the file, in order, with its contents") {
    for (const std::uint32_t alignment_bytes : {512U, 4096U}) {
        Rig rig({.log_mb = 8, .log_alignment_bytes = alignment_bytes});
        std::vector<Appended> appended;
        rig.run([&](Rig& r) -> ums::Task<void> {
            for (std::uint32_t i = 0; i < 200; ++i) {
                const std::uint64_t lsn = co_await append(r, appended, update(1, 1000 + i, i + 1), 32 + 57 * i);
                if (i % 3 == 0) co_await r.log->harden(lsn);
            }
            sim::LogChange resize;
            resize.kind = sim::LogRecordKind::file_resize;
            resize.file_id = 1;
            resize.page_count = 4711;
            co_await append(r, appended, resize, 0);
        });
        std::uint64_t sequence = 0;
        std::size_t next = 0;
        for (const ParsedBlock& block : sorted_log(rig)) {
            REQUIRE(block.is_sound);
            CHECK(block.sequence == ++sequence);
            CHECK(block.run_id == Rig::kRunId);
            CHECK(block.file_id == 2);
            CHECK(block.size_bytes % alignment_bytes == 0);
            CHECK(block.offset_bytes % alignment_bytes == 0);
            CHECK(block.size_bytes <= 60 * 1024);
            CHECK(block.first_lsn == (std::uint64_t{block.vlf_sequence} << 32 | std::uint64_t{block.vlf_sector} << 12));
            for (const ParsedRecord& record : block.records) {
                REQUIRE(next < appended.size());
                const Appended& given = appended[next++];
                CHECK(record.lsn == given.lsn);
                CHECK(record.kind == static_cast<std::uint16_t>(given.change.kind));
                CHECK(record.file_id == given.change.file_id);
                CHECK(record.page_id == given.change.page_id);
                CHECK(record.version == given.change.version);
                CHECK(record.page_count == given.change.page_count);
                CHECK(record.size_bytes == std::max<std::uint64_t>((given.size_bytes + 7) / 8 * 8, 32));
                CHECK(is_noise(record.body));
            }
        }
        CHECK(next == appended.size());
        CHECK(next == 201);
    }
}

TEST_CASE("the record kinds have the numbers of format 4") {
    CHECK(static_cast<int>(sim::LogRecordKind::page_update) == 1);
    CHECK(static_cast<int>(sim::LogRecordKind::filler) == 2);
    CHECK(static_cast<int>(sim::LogRecordKind::checkpoint_begin) == 3);
    CHECK(static_cast<int>(sim::LogRecordKind::checkpoint_end) == 4);
    CHECK(static_cast<int>(sim::LogRecordKind::file_resize) == 5);
    CHECK(static_cast<int>(sim::LogRecordKind::checkpoint_sums) == 6);
    CHECK(static_cast<int>(sim::LogRecordKind::page_unknown) == 7);
    CHECK(static_cast<int>(sim::LogRecordKind::resume) == 8);
    CHECK(static_cast<int>(sim::LogRecordKind::file_cuts) == 9);
}

TEST_CASE("a block's header gives its place in the virtual log file") {
    Rig rig({.log_mb = 4});
    rig.run([](Rig& r) -> ums::Task<void> {
        std::vector<Appended> appended;
        for (std::uint32_t i = 0; i < 60; ++i) {
            const std::uint64_t lsn = co_await append(r, appended, update(1, i, 1), 30'000);
            co_await r.log->harden(lsn);
        }
    });
    const auto vlfs = LogParser::vlfs(4, 512);
    std::uint32_t vlf_sequence = 0;
    std::size_t blocks = 0;
    for (const auto& [begin_bytes, end_bytes] : vlfs) {
        ++vlf_sequence;
        for (const ParsedBlock& block : LogParser::blocks(rig.log_path(), begin_bytes, end_bytes)) {
            CHECK(block.vlf_sequence == vlf_sequence);
            CHECK(block.vlf_sector == (block.offset_bytes - begin_bytes) / 512);
            CHECK(block.vlf_sectors == (end_bytes - begin_bytes) / 512);
            CHECK(block.incarnation == 1);
            CHECK(block.hardened_sequence == block.sequence - 1);  // each was waited for in turn
            CHECK(block.offset_bytes + block.size_bytes <= end_bytes);
            ++blocks;
        }
    }
    CHECK(blocks == 60);
}

TEST_CASE("a record that is larger than a block continues in a filler of the next one") {
    Rig rig({.log_mb = 4});
    std::vector<Appended> appended;
    const std::vector<std::uint64_t> sizes = {61'360, 61'361, 61'368, 64'000, 122'720};
    rig.run([&](Rig& r) -> ums::Task<void> {
        for (const std::uint64_t size_bytes : sizes) co_await append(r, appended, update(1, 7, 1), size_bytes);
    });
    std::vector<ParsedRecord> records;
    for (const ParsedBlock& block : sorted_log(rig)) {
        REQUIRE(block.is_sound);
        records.insert(records.end(), block.records.begin(), block.records.end());
    }
    std::vector<std::uint64_t> updates;
    std::vector<std::uint64_t> fillers;
    for (const ParsedRecord& record : records) (record.kind == 2 ? fillers : updates).push_back(record.size_bytes);
    CHECK(updates == std::vector<std::uint64_t>(5, 61'360));
    CHECK(fillers == std::vector<std::uint64_t>{32, 32, 2'640, 61'360});
    // A commit waits for the last part.
    for (const Appended& given : appended) {
        const auto place =
            std::find_if(records.begin(), records.end(), [&](const ParsedRecord& record) { return record.lsn == given.lsn; });
        REQUIRE(place != records.end());
        CHECK(place->kind == (given.size_bytes > 61'360 ? 2 : 1));
        CHECK(place->page_id == 7);
    }
}

TEST_CASE("when many tasks append at the same time, on several schedulers, LSNs are unique, ascend in each task, and are in the file") {
    const std::uint64_t seed = ums::testing::test_seed("many who append");
    Rig rig({.cpu_count = 2, .log_mb = 16, .log_flushes_max = 8});
    constexpr int kTasks = 20;
    constexpr int kRecords = 60;
    std::vector<std::vector<std::uint64_t>> lsns(kTasks);
    bool all_hardened = true;
    rig.run([&](Rig& r) -> ums::Task<void> {
        auto user = [](Rig& shared, std::uint64_t user_seed, std::uint32_t number, std::vector<std::uint64_t>& out,
                       bool& hardened) -> ums::Task<void> {
            ums::Prng prng(user_seed);
            for (std::uint32_t i = 0; i < kRecords; ++i) {
                std::vector<Appended> appended;
                const std::uint64_t lsn = co_await append(shared, appended, update(1, number, i), prng.between(32, 8000));
                out.push_back(lsn);
                if (!prng.chance(3000)) continue;
                const bool is_hard = co_await shared.log->harden(lsn);
                if (!is_hard) hardened = false;
            }
        };
        ums::TaskGroup group;
        for (std::uint32_t i = 0; i < kTasks; ++i) {
            (*r.schedulers)[i % 2].spawn(group, "User", user(r, seed + i, i, lsns[i], all_hardened));
        }
        co_await group.join();
    });
    CHECK(all_hardened);
    std::set<std::uint64_t> in_file;
    std::uint64_t last_lsn = 0;
    std::vector<std::uint32_t> next_version(kTasks, 0);
    for (const ParsedBlock& block : sorted_log(rig)) {
        REQUIRE(block.is_sound);
        for (const ParsedRecord& record : block.records) {
            REQUIRE(record.lsn > last_lsn);
            last_lsn = record.lsn;
            in_file.insert(record.lsn);
            REQUIRE(record.version == next_version.at(record.page_id)++);
        }
    }
    CHECK(in_file.size() == kTasks * kRecords);
    for (const auto& of_task : lsns) {
        CHECK(std::is_sorted(of_task.begin(), of_task.end()));
        CHECK(std::all_of(of_task.begin(), of_task.end(), [&](std::uint64_t lsn) { return in_file.count(lsn) == 1; }));
    }
}

TEST_CASE("after a lap of the ring the newest blocks have replaced the oldest ones, and the rest can still be read") {
    Rig rig({.log_mb = 1});
    rig.run([](Rig& r) -> ums::Task<void> {
        std::vector<Appended> appended;
        for (std::uint32_t i = 0; i < 80; ++i) {
            const std::uint64_t lsn = co_await append(r, appended, update(1, i, 1), 20'000);
            co_await r.log->harden(lsn);
            if (i % 10 == 9) r.log->truncate(r.log->end_lsn());
        }
    });
    std::uint64_t newest = 0;
    std::size_t sound = 0;
    for (const ParsedBlock& block : sorted_log(rig)) {
        sound += block.is_sound ? 1 : 0;
        newest = std::max(newest, block.sequence);
    }
    CHECK(newest == 80);
    CHECK(sound > 30);
}
