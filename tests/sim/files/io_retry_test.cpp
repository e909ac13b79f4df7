#include "sim/files/io_retry.hpp"

#include <vector>

#include "tests/sim/support/virtual_world.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

using sim::testing::Fate;
using sim::testing::VirtualWorld;

namespace {

using ums::kMb;
constexpr std::uint64_t kRetriedPage = 5;

struct Attempt {
    bool success = false;
    std::uint32_t requests = 0;  // how many reached the storage for this page
    std::uint64_t took_us = 0;
};

// One transfer of page 5 under `rule`, which gets the number of the attempt, from 1. Other pages are sound unless the rule says otherwise.
Attempt attempt(VirtualWorld& world, ums::IoOperation operation, const std::function<Fate(std::uint32_t, const ums::IoRequest&)>& rule) {
    Attempt result;
    world.storage.set_rule([&](const ums::IoRequest& request) {
        if (request.offset_bytes == kRetriedPage * sim::kPageBytes) ++result.requests;
        return rule(result.requests, request);
    });
    const std::uint64_t start_us = world.now_us();
    world.run([&](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(3, kMb);
        const ums::IoSegment segment{nullptr, sim::kPageBytes};
        sim::IoRetry retry(*file, w.state, w.journal);
        const std::uint64_t offset_bytes = kRetriedPage * sim::kPageBytes;
        if (operation == ums::IoOperation::read) {
            result.success = co_await retry.read(offset_bytes, {&segment, 1}, ums::WaitType::pageiolatch_sh);
        } else {
            result.success = co_await retry.write(offset_bytes, {&segment, 1}, ums::WaitType::io_completion);
        }
        const bool counted = sim::sum_of(file->counters(), &sim::FileCounters::write_retries) ==
                             (operation == ums::IoOperation::write ? std::min(result.requests - 1, sim::kIoRetries) : 0);
        if (result.success) CHECK(counted);
        CHECK(file->finding_count == w.sink.findings().size());
    });
    result.took_us = world.now_us() - start_us;
    return result;
}

Fate only_page(const ums::IoRequest& request, Fate fate) { return request.offset_bytes == kRetriedPage * sim::kPageBytes ? fate : Fate{}; }

}  // namespace

TEST_CASE("a transfer that succeeds is made once") {
    VirtualWorld world;
    const Attempt result = attempt(world, ums::IoOperation::read, [](auto, const auto&) { return Fate{}; });
    CHECK(result.success);
    CHECK(result.requests == 1);
    CHECK(world.sink.events().empty());
}

TEST_CASE("a transfer that succeeds on the second try is a warning and a transient finding") {
    for (const auto operation : {ums::IoOperation::read, ums::IoOperation::write}) {
        VirtualWorld world;
        const Attempt result =
            attempt(world, operation, [](std::uint32_t number, const auto&) { return Fate{.error = number == 1 ? EIO : 0}; });
        CHECK(result.success);
        CHECK(result.requests == 2);
        REQUIRE(world.sink.findings().size() == 1);
        CHECK(world.sink.findings()[0].kind == sim::FindingKind::io_error);
        CHECK(world.sink.findings()[0].transient);
        CHECK(or_empty(world.sink.findings()[0].failure).error_code == EIO);
        CHECK(world.sink.findings()[0].request.is_write == (operation == ums::IoOperation::write));
        CHECK(world.sink.count_of(sim::Severity::warning) == 1);
        CHECK(world.sink.count_of(sim::Severity::error) == 0);
        CHECK_FALSE(world.state.is_stopping());
        CHECK_THAT(world.sink.events()[0].description,
                   ContainsSubstring("of 8192 bytes at offset 0xa000 of f3.mdx failed: Input/output error"));
    }
}

TEST_CASE("a temporary shortage on this machine is not a finding") {
    VirtualWorld world;
    const Attempt result =
        attempt(world, ums::IoOperation::read, [](std::uint32_t number, const auto&) { return Fate{.error = number == 1 ? ENOMEM : 0}; });
    CHECK(result.success);
    CHECK(world.sink.findings().empty());
    CHECK(world.sink.count_of(sim::Severity::warning) == 1);
}

TEST_CASE("a lasting shortage on this machine ends the run without a finding: the storage is not to blame") {
    VirtualWorld world;
    const Attempt result = attempt(world, ums::IoOperation::read, [](auto, const auto&) { return Fate{.error = ENOMEM}; });
    CHECK_FALSE(result.success);
    CHECK(result.requests == 5);
    CHECK(world.sink.findings().empty());
    CHECK(world.state.outcome() == sim::Outcome::not_done);
    CHECK_THAT(world.state.reason(), ContainsSubstring("out of memory"));
}

TEST_CASE("a finding names all causes of one request, and is the storage's even if other tries failed because of the machine") {
    for (const bool recovers : {true, false}) {
        CAPTURE(recovers);
        VirtualWorld world;
        const Attempt result = attempt(world, ums::IoOperation::read, [&](std::uint32_t number, const auto& request) {
            if (number == 1) return only_page(request, {.error = ENOMEM});
            if (number == 2) return only_page(request, {.error = ENODATA});
            return only_page(request, {.error = recovers ? 0 : EIO});
        });
        CHECK(result.success == recovers);
        const auto findings = world.sink.findings();
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].transient == recovers);
        CHECK(or_empty(findings[0].failure).error_code == (recovers ? ENODATA : EIO));
        CHECK_THAT(findings[0].description,
                   ContainsSubstring(recovers ? "Other tries: " : ", No data available.") && ContainsSubstring("memory"));
    }
}

TEST_CASE("a lasting shortage after an error of the storage ends the run, and the error is a finding") {
    VirtualWorld world;
    const Attempt result = attempt(world, ums::IoOperation::read, [](std::uint32_t number, const auto& request) {
        return only_page(request, {.error = number == 1 ? EIO : ENOMEM});
    });
    CHECK_FALSE(result.success);
    REQUIRE(world.sink.findings().size() == 1);
    CHECK(or_empty(world.sink.findings()[0].failure).error_code == EIO);
    CHECK(world.state.outcome() == sim::Outcome::not_done);
}

TEST_CASE("a read that fails is retried four times, with growing pauses, and is then a finding") {
    VirtualWorld world;
    const Attempt result = attempt(world, ums::IoOperation::read, [](auto, const auto& r) { return only_page(r, {.error = EIO}); });
    CHECK_FALSE(result.success);
    CHECK(result.requests == 5);
    CHECK(result.took_us == 611'000);
    CHECK_FALSE(world.state.is_stopping());
    const auto findings = world.sink.findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == sim::FindingKind::io_error);
    CHECK_FALSE(findings[0].request.is_write);
    CHECK(findings[0].place.file_id == 3);
    CHECK(findings[0].place.path == "f3.mdx");
    CHECK(findings[0].place.page_id == kRetriedPage);
    CHECK(findings[0].place.offset_bytes == kRetriedPage * sim::kPageBytes);
    CHECK(or_empty(findings[0].failure).error_code == EIO);
    CHECK(findings[0].reads == 5);
    CHECK(findings[0].description == "A read of 8192 bytes failed, even when tried again: Input/output error.");
}

TEST_CASE("a write that fails is a finding that names the write") {
    VirtualWorld world;
    const Attempt result = attempt(world, ums::IoOperation::write, [](auto, const auto& r) { return only_page(r, {.error = EIO}); });
    CHECK_FALSE(result.success);
    CHECK(result.requests == 5);
    REQUIRE(world.sink.findings().size() == 1);
    CHECK(world.sink.findings()[0].request.is_write);
}

TEST_CASE("a transfer that stays short is a finding of its own kind") {
    VirtualWorld world;
    const Attempt result =
        attempt(world, ums::IoOperation::read, [](auto, const auto& r) { return only_page(r, {.transferred_bytes = 512}); });
    CHECK_FALSE(result.success);
    CHECK(result.requests == 5);
    REQUIRE(world.sink.findings().size() == 1);
    CHECK(world.sink.findings()[0].kind == sim::FindingKind::short_transfer);
    CHECK(or_empty(world.sink.findings()[0].failure).error_code == 0);
    CHECK(world.sink.findings()[0].description == "A read of 8192 bytes returned success after 512 bytes.");
}

TEST_CASE("lack of space ends the run immediately, without a finding, and the message names the place") {
    for (const int error : {ENOSPC, EDQUOT, EFBIG}) {
        for (const auto operation : {ums::IoOperation::read, ums::IoOperation::write}) {
            VirtualWorld world;
            const Attempt result = attempt(world, operation, [error](auto, const auto& r) { return only_page(r, {.error = error}); });
            CHECK_FALSE(result.success);
            CHECK(result.requests == 1);
            CHECK(world.sink.findings().empty());
            CHECK(world.sink.count_of(sim::Severity::error) == 1);
            CHECK(world.state.outcome() == sim::Outcome::not_done);
            CHECK_THAT(world.state.reason(), ContainsSubstring("f3.mdx: a "));
            CHECK_THAT(world.state.reason(), ContainsSubstring("of 8192 bytes at offset 0xa000 failed"));
            CHECK_THAT(world.state.reason(), ContainsSubstring(std::error_code(error, std::system_category()).message()));
            CHECK_THAT(world.state.reason(), ContainsSubstring("file system"));
        }
    }
}

TEST_CASE("a temporary lack of space is not a finding either") {
    VirtualWorld world;
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(3, kMb);
        for (const int error : {ENOSPC, EDQUOT, EIO}) {
            const std::error_code code(error, std::system_category());
            sim::report_recovered_transfer(*file, {ums::IoOperation::write, 0, sim::kPageBytes, code, 0});
        }
        co_return;
    });
    REQUIRE(world.sink.findings().size() == 1);
    CHECK(or_empty(world.sink.findings()[0].failure).error_code == EIO);
}

TEST_CASE("a device that no longer accepts requests has failed: one finding for the file, and the end of the run") {
    for (const int error : {ENODEV, ENXIO, EROFS, ESTALE, ESHUTDOWN}) {
        VirtualWorld world;
        const Attempt result =
            attempt(world, ums::IoOperation::write, [error](auto, const auto& r) { return only_page(r, {.error = error}); });
        CHECK_FALSE(result.success);
        CHECK(result.requests == 1);
        REQUIRE(world.sink.findings().size() == 1);
        CHECK(world.sink.findings()[0].kind == sim::FindingKind::io_error);
        CHECK(or_empty(world.sink.findings()[0].failure).error_code == error);
        CHECK(world.state.outcome() == sim::Outcome::failed);
        // What became read-only can still be read.
        const std::string meaning = error == EROFS ? "has become read-only and takes no more writes." : "the storage is gone.";
        for (const std::string& text : {world.state.reason(), world.sink.findings()[0].description}) {
            CAPTURE(text);
            CHECK_THAT(text, ContainsSubstring(meaning));
            CHECK((text.find("every other access") == std::string::npos) == (error == EROFS));
        }
    }
}

TEST_CASE("a storage that fails every request has failed: one finding for all requests of the file, and the end of the run") {
    VirtualWorld world;
    world.storage.set_rule([](const ums::IoRequest&) { return Fate{.error = EIO}; });
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto file = w.make_file(3, kMb);
        auto read = [](VirtualWorld& in, sim::SimFile& from, std::uint64_t page) -> ums::Task<void> {
            const ums::IoSegment segment{nullptr, sim::kPageBytes};
            sim::IoRetry retry(from, in.state, in.journal);
            const bool is_read = co_await retry.read(page * sim::kPageBytes, {&segment, 1}, ums::WaitType::pageiolatch_sh);
            CHECK_FALSE(is_read);
            CHECK(retry.has_reported());
        };
        ums::TaskGroup reads;
        for (std::uint64_t page = 0; page < 20; ++page) ums::Scheduler::current().fork(reads, read(w, *file, page));
        co_await reads.join();
    });
    REQUIRE(world.sink.findings().size() == 1);
    CHECK(world.sink.findings()[0].kind == sim::FindingKind::io_error);
    CHECK_FALSE(world.sink.findings()[0].transient);
    CHECK_THAT(world.sink.findings()[0].description, ContainsSubstring("the storage is gone"));
    CHECK(world.state.outcome() == sim::Outcome::failed);
    CHECK_THAT(world.state.reason(), ContainsSubstring("the storage is gone"));
}

TEST_CASE("a failure while the run is stopping is retried without pauses, because only this shows whether it lasts") {
    VirtualWorld world;
    world.state.stop(sim::Outcome::stopped, "enough");
    const Attempt result = attempt(world, ums::IoOperation::read, [](auto, const auto& r) { return only_page(r, {.error = EIO}); });
    CHECK_FALSE(result.success);
    CHECK(result.requests == 5);
    CHECK(result.took_us < sim::kRetryPausesMs[0] * 1000);
    REQUIRE(world.sink.findings().size() == 1);
    CHECK_FALSE(world.sink.findings()[0].transient);
    CHECK(world.sink.findings()[0].reads == 5);
    CHECK_THAT(world.sink.findings()[0].description, ContainsSubstring("A read of 8192 bytes failed"));

    VirtualWorld other;
    other.state.stop(sim::Outcome::stopped, "enough");
    CHECK(attempt(other, ums::IoOperation::write, [](std::uint32_t number, const auto&) {
              return Fate{.error = number == 1 ? EIO : 0};
          }).success);
    REQUIRE(other.sink.findings().size() == 1);
    CHECK(other.sink.findings()[0].transient);
}
