#include <cerrno>
#include <filesystem>
#include <utility>

#include "sim/files/file_creator.hpp"
#include "sim/files/transfer_failure.hpp"
#include "tests/sim/support/collecting_sink.hpp"
#include "tests/sim/support/faulty_storage.hpp"
#include "tests/sim/support/prepare_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"
#include "ums/base/units.hpp"
#include "ums/io/posix_storage.hpp"
#include "ums/io/simulated_storage.hpp"
#include "ums/sched/scheduler_group.hpp"

using namespace sim::testing;

namespace {

using ums::kMb;

// Creates a log file of 4 MB on a storage whose writes at one offset fail.
struct Creation {
    test::TempFolder folder;
    ums::PosixStorage posix;
    ums::RealClock clock;
    FaultyStorage storage{posix, clock};
    CollectingSink sink;
    sim::Journal journal{clock, sink};
    bool is_made = false;
    std::string message;
    std::uint32_t tries = 0;

    explicit Creation(std::uint64_t offset_bytes, std::uint32_t failures, Fate fate, sim::FileRole role = sim::FileRole::test) {
        storage.set_rule([this, offset_bytes, failures, fate](const ums::IoRequest& request) {
            const bool is_hit = request.operation == ums::IoOperation::write && request.offset_bytes == offset_bytes;
            return is_hit && tries++ < failures ? fate : Fate{};
        });
        sim::Options options;
        options.no_buffering = options.use_scatter_gather = false;
        sim::FileOptions file{.path = folder / "a.ldx", .initial_size_mb = 4, .max_size_mb = 4};
        file.is_log = true;
        file.role = role;
        sim::FileCreator creator(options, storage, journal, 4711);
        ums::SchedulerGroup group({}, storage, clock);
        auto make = [](sim::FileCreator& maker, const sim::FileOptions& wanted, sim::SimFile::Setup& out) -> ums::Task<void> {
            out = co_await prepare_file(maker, 7, wanted);
        };
        try {
            sim::SimFile::Setup setup;
            group.run(make(creator, file, setup));
            storage.close(setup.transfers);
            storage.close(setup.control);
            is_made = true;
        } catch (const sim::EnvironmentError& error) {
            message = error.what();
        }
    }
};

constexpr std::uint64_t kStampWriteOffset = 8192 + 2 * kMb;

bool is_at_stamp(const ums::IoRequest& request) {
    return request.operation == ums::IoOperation::write && request.offset_bytes == kStampWriteOffset;
}

// The same in virtual time.
struct VirtualCreation {
    ums::VirtualClock clock;
    ums::SimulatedStorage disk{clock, ums::simulated_disk(1)};
    FaultyStorage storage{disk, clock};
    CollectingSink sink;
    sim::Journal journal{clock, sink};
    sim::RunState state;
    ums::SchedulerGroup group{{}, storage, clock};

    ums::Task<void> make(sim::RunState* run) {
        const sim::Options options;
        sim::FileOptions file{.path = "/a.ldx", .initial_size_mb = 4, .max_size_mb = 4};
        file.is_log = true;
        sim::FileCreator creator(options, storage, journal, 4711, run);
        const sim::SimFile::Setup setup = co_await prepare_file(creator, 7, file);
        storage.close(setup.transfers);
        storage.close(setup.control);
    }
};

}  // namespace

TEST_CASE("a write that fails during creation is retried, and is a finding even though the file was created") {
    const Creation creation(kStampWriteOffset, 1, {.error = EIO});
    CHECK(creation.is_made);
    const auto findings = creation.sink.findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == sim::FindingKind::io_error);
    CHECK(findings[0].transient);
    CHECK(findings[0].request.is_write);
    CHECK(findings[0].place.is_log);
    CHECK(findings[0].place.file_id == 7);
    CHECK(findings[0].place.offset_bytes == kStampWriteOffset);
    CHECK(findings[0].place.size_bytes == kMb);
    CHECK(or_empty(findings[0].failure).error_code == EIO);
    CHECK(creation.sink.count_of(sim::Severity::warning, "It is tried again") == 1);
}

TEST_CASE("a write that is cut short during creation is a finding of its own kind") {
    const Creation creation(kStampWriteOffset, 1, {.transferred_bytes = 4096});
    CHECK(creation.is_made);
    const auto findings = creation.sink.findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == sim::FindingKind::short_transfer);
    CHECK_THAT(findings[0].description, ContainsSubstring("after 4096 bytes"));
}

TEST_CASE("a write that fails while a file of backups is created is a finding that says so") {
    const auto [fate, kind] = GENERATE(std::pair(Fate{.error = EIO}, sim::FindingKind::io_error),
                                       std::pair(Fate{.short_bytes = 4096}, sim::FindingKind::short_transfer));
    const Creation creation(0, 1, fate, sim::FileRole::backup);  // the signature page
    CHECK(creation.is_made);
    const auto findings = creation.sink.findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == kind);
    CHECK(findings[0].place.role == sim::FileRole::backup);
    CHECK_THAT(findings[0].description, ContainsSubstring("In a backup: A write of "));
}

TEST_CASE("a write that is first cut short, then fails, then succeeds is one finding") {
    const Creation creation(kStampWriteOffset, 1, {.error = EIO, .short_bytes = 4096});
    CHECK(creation.is_made);
    const auto findings = creation.sink.findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == sim::FindingKind::io_error);
    CHECK(findings[0].transient);
}

TEST_CASE("a write that keeps failing during creation is a finding, and no file is left behind") {
    const Creation creation(0, 1000, {.error = EIO});  // the signature page
    CHECK_FALSE(creation.is_made);
    CHECK(creation.tries == 1 + sim::kIoRetries);
    CHECK_THAT(creation.message, ContainsSubstring("a.ldx: the signature page cannot be written: Input/output error"));
    CHECK_FALSE(std::filesystem::exists(creation.folder / "a.ldx"));
    const auto findings = creation.sink.findings();
    REQUIRE(findings.size() == 1);
    CHECK_FALSE(findings[0].transient);
    CHECK(findings[0].reads == 1 + sim::kIoRetries);
}

TEST_CASE("unbuffered access that only the first write finds refused is not a finding, but the message names it") {
    const auto fails = [](std::uint32_t failures, std::uint32_t& tries) {
        return [failures, &tries](const ums::IoRequest& request) {
            const bool is_signature = request.operation == ums::IoOperation::write && request.offset_bytes == 0;
            return is_signature && tries++ < failures ? Fate{.error = EINVAL} : Fate{};
        };
    };
    VirtualCreation refused;
    std::uint32_t tries = 0;
    refused.storage.set_rule(fails(1000, tries));
    CHECK_THROWS_WITH(refused.group.run(refused.make(nullptr)), ContainsSubstring("/a.ldx: the file system refuses unbuffered writes"));
    CHECK(tries == 1 + sim::kIoRetries);
    CHECK(refused.sink.findings().empty());
    // A storage that refuses some of the tries is at fault, and so is one whose cache refuses a write.
    VirtualCreation once;
    tries = 0;
    once.storage.set_rule(fails(1, tries));
    once.group.run(once.make(nullptr));
    CHECK(once.sink.findings().size() == 1);
    const Creation buffered(0, 1000, {.error = EINVAL});
    CHECK(buffered.sink.findings().size() == 1);
}

TEST_CASE("a device that disappears during creation is a finding") {
    const Creation creation(kStampWriteOffset, 1000, {.error = ENODEV});
    CHECK_FALSE(creation.is_made);
    REQUIRE(creation.sink.findings().size() == 1);
    CHECK(or_empty(creation.sink.findings()[0].failure).error_code == ENODEV);
}

TEST_CASE("lack of space or memory during creation is not a finding") {
    const Creation full(kStampWriteOffset, 1000, {.error = ENOSPC});
    CHECK_FALSE(full.is_made);
    CHECK(full.tries == 1);
    CHECK(full.sink.findings().empty());
    CHECK_THAT(full.message, ContainsSubstring("cannot be stamped with zeros: No space left on device. The file system "));
    CHECK_THAT(full.message, ContainsSubstring("MB free"));
    const Creation short_of_memory(kStampWriteOffset, 2, {.error = ENOMEM});
    CHECK(short_of_memory.is_made);
    CHECK(short_of_memory.sink.findings().empty());
}

TEST_CASE("a write that is late during creation gives a warning, and a finding that is not a failure") {
    VirtualCreation creation;
    creation.storage.set_rule(
        [](const ums::IoRequest& request) { return Fate{.delay_ns = (is_at_stamp(request) ? 20'000 : 14'000) * ums::kNsPerMs}; });
    creation.group.run(creation.make(nullptr));
    const auto findings = creation.sink.findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == sim::FindingKind::stalled_io);
    CHECK(findings[0].is_warning);
    CHECK(findings[0].place.offset_bytes == kStampWriteOffset);
    CHECK(or_empty(findings[0].failure).duration_us >= 20'000'000);
    REQUIRE_FALSE(creation.sink.events().empty());
    CHECK_THAT(creation.sink.events()[0].description, ContainsSubstring("a.ldx completed after 20"));
}

TEST_CASE("a write that does not complete during creation gives a warning, and ends the run after two minutes") {
    VirtualCreation creation;
    creation.storage.set_rule([](const ums::IoRequest& request) { return Fate{.hold = is_at_stamp(request)}; });
    auto let_go = [](FaultyStorage& held_by, sim::RunState& state) -> ums::Task<void> {
        co_await ums::sleep_until(ums::Scheduler::current().now_ns() + 60 * ums::kNsPerSecond);
        CHECK(state.lost_requests() == 0);
        co_await ums::sleep_until(ums::Scheduler::current().now_ns() + 65 * ums::kNsPerSecond);
        CHECK(state.lost_requests() == 1);
        CHECK(state.outcome() == sim::Outcome::failed);
        held_by.release_held();
    };
    auto both = [&]() -> ums::Task<void> {
        ums::TaskGroup others;
        ums::Scheduler::current().fork(others, let_go(creation.storage, creation.state));
        co_await creation.make(&creation.state);
        co_await others.join();
    };
    creation.group.run(both());
    const auto findings = creation.sink.findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == sim::FindingKind::stalled_io);
    CHECK_FALSE(findings[0].is_warning);
    CHECK(findings[0].place.file_id == 7);
    CHECK(findings[0].place.offset_bytes == kStampWriteOffset);
    REQUIRE_FALSE(creation.sink.events().empty());
    CHECK_THAT(creation.sink.events()[0].description, ContainsSubstring("a.ldx has been outstanding for 1"));
}
