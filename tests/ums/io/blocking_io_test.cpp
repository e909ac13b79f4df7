#include "ums/io/blocking_io.hpp"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/ums/io/engines.hpp"

using namespace ums;

namespace {

// Returns scripted results and records the calls.
class ScriptedCalls final : public BlockingCalls {
public:
    std::int64_t transfer(const IoRequest&, const TransferPiece& piece, bool durable) override {
        calls.push_back((durable ? "durable " : "plain ") + std::to_string(piece.offset_bytes));
        return next();
    }
    std::int64_t sync(FileHandle) override { return called("sync"); }
    std::int64_t allocate(FileHandle, std::uint64_t offset_bytes, std::uint64_t size_bytes) override {
        return called("allocate " + std::to_string(offset_bytes) + " " + std::to_string(size_bytes));
    }
    std::int64_t truncate(FileHandle, std::uint64_t size_bytes) override { return called("truncate " + std::to_string(size_bytes)); }
    void pause() override { calls.push_back("pause"); }

    std::deque<std::int64_t> results;
    std::vector<std::string> calls;

private:
    std::int64_t called(const std::string& call) {
        calls.push_back(call);
        return next();
    }
    std::int64_t next() {
        REQUIRE(!results.empty());
        const std::int64_t result = results.front();
        results.pop_front();
        return result;
    }
};

using Calls = std::vector<std::string>;

}  // namespace

TEST_CASE("a transfer continues after short counts, interruptions and pauses") {
    std::vector<std::byte> memory(100);
    const std::vector<IoSegment> segments{{memory.data(), 60}, {memory.data() + 60, 40}};
    IoRequest request = testing::make_request(IoOperation::read, {}, 1000, segments);
    ScriptedCalls calls;
    calls.results = {30, -EINTR, 30, -EAGAIN, 40};
    perform_blocking(request, calls);
    CHECK(request.is_complete_transfer());
    CHECK(calls.calls == Calls{"plain 1000", "plain 1030", "plain 1030", "plain 1060", "pause", "plain 1060"});
}

TEST_CASE("a call that is deferred forever ends with an error") {
    std::vector<std::byte> memory(100);
    const std::vector<IoSegment> segments{{memory.data(), 100}};
    IoRequest request = testing::make_request(IoOperation::read, {}, 0, segments);
    ScriptedCalls calls;
    calls.results.assign(kDeferralsMax, -EAGAIN);
    perform_blocking(request, calls);
    CHECK(request.error == std::errc::resource_unavailable_try_again);
}

TEST_CASE("a write that fills the disk reports the error and how far it got") {
    std::vector<std::byte> memory(100);
    const std::vector<IoSegment> segments{{memory.data(), 100}};
    IoRequest request = testing::make_request(IoOperation::write, {}, 0, segments);
    ScriptedCalls calls;
    calls.results = {64, -ENOSPC};
    perform_blocking(request, calls);
    CHECK(request.error == std::errc::no_space_on_device);
    CHECK(request.transferred_bytes == 64);
}

TEST_CASE("a durable write that the file system does not support is written and then synced") {
    std::vector<std::byte> memory(100);
    const std::vector<IoSegment> segments{{memory.data(), 100}};
    IoRequest request = testing::make_request(IoOperation::write, {}, 0, segments);
    request.durable = true;
    ScriptedCalls calls;

    SECTION("and is complete when the sync has succeeded") {
        calls.results = {-EOPNOTSUPP, 40, 60, -EINTR, 0};
        perform_blocking(request, calls);
        CHECK(request.is_complete_transfer());
        CHECK(calls.calls == Calls{"durable 0", "plain 0", "plain 40", "sync", "sync"});
    }
    SECTION("and fails with the error of the sync") {
        calls.results = {-EOPNOTSUPP, 100, -EIO};
        perform_blocking(request, calls);
        CHECK(request.error == std::errc::io_error);
    }
    SECTION("and is not synced if it failed") {
        calls.results = {-EOPNOTSUPP, -EIO};
        perform_blocking(request, calls);
        CHECK(request.error == std::errc::io_error);
        CHECK(calls.calls == Calls{"durable 0", "plain 0"});
    }
    SECTION("and fails if the plain write is refused, too") {
        calls.results = {-EOPNOTSUPP, -EOPNOTSUPP};
        perform_blocking(request, calls);
        CHECK(request.error == std::errc::operation_not_supported);
    }
    SECTION("as is one that a filter of system calls forbids") {
        calls.results = {-EPERM, 100, 0};
        perform_blocking(request, calls);
        CHECK(request.is_complete_transfer());
        CHECK(calls.calls == Calls{"durable 0", "plain 0", "sync"});
    }
}

TEST_CASE("a durable write that the file system supports needs no sync") {
    std::vector<std::byte> memory(10);
    const std::vector<IoSegment> segments{{memory.data(), 10}};
    IoRequest request = testing::make_request(IoOperation::write, {}, 0, segments);
    request.durable = true;
    ScriptedCalls calls;
    calls.results = {10};
    perform_blocking(request, calls);
    CHECK(request.is_complete_transfer());
    CHECK(calls.calls == Calls{"durable 0"});
}

TEST_CASE("sync, allocate and truncate pass on their arguments and are retried when interrupted") {
    ScriptedCalls calls;
    calls.results = {-EINTR, 0, -EINTR, -ENOSPC, -EAGAIN, 0};
    IoRequest sync = testing::make_request(IoOperation::sync, {});
    IoRequest allocate = testing::make_request(IoOperation::allocate, {}, 8192, 4096);
    IoRequest truncate = testing::make_request(IoOperation::truncate, {}, 12288);
    perform_blocking(sync, calls);
    perform_blocking(allocate, calls);
    perform_blocking(truncate, calls);
    CHECK(!sync.error);
    CHECK(allocate.error == std::errc::no_space_on_device);
    CHECK(!truncate.error);
    CHECK(calls.calls == Calls{"sync", "sync", "allocate 8192 4096", "allocate 8192 4096", "truncate 12288", "pause", "truncate 12288"});
}
