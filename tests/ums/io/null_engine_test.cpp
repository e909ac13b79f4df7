#include "ums/io/null_engine.hpp"

#include <array>
#include <cstddef>
#include <thread>

#include "tests/support/catch.hpp"

TEST_CASE("the null engine returns every request at the next poll, complete and with its memory untouched") {
    ums::NullEngine engine;
    std::array<std::byte, 512> memory{};
    memory[7] = std::byte{9};
    const ums::IoSegment segment{memory.data(), memory.size()};
    std::array<ums::IoRequest, 3> requests;
    for (ums::IoRequest& request : requests) {
        request.size_bytes = memory.size();
        request.segments = &segment;
        request.segment_count = 1;
        engine.submit(request);
    }
    CHECK(engine.in_flight() == 3);
    ums::IoRequestList finished;
    engine.poll(finished);
    CHECK(engine.in_flight() == 0);
    for (ums::IoRequest& request : requests) {
        CHECK(finished.pop_front() == &request);
        CHECK(request.is_complete_transfer());
    }
    CHECK(finished.empty());
    CHECK(memory[7] == std::byte{9});
}

TEST_CASE("wait on the null engine ends with a wake-up, and does not sleep while a request is outstanding") {
    ums::NullEngine engine;
    std::thread waker([&] { engine.wake(); });
    engine.wait(3600 * ums::kNsPerSecond);
    waker.join();
    ums::IoRequest sync;
    sync.operation = ums::IoOperation::sync;
    engine.submit(sync);
    engine.wait(3600 * ums::kNsPerSecond);
    ums::IoRequestList finished;
    engine.poll(finished);
    CHECK(finished.pop_front() == &sync);
}
