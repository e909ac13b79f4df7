#include "ums/io/blocking_pool.hpp"

#include <pthread.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/ums/io/child_process.hpp"
#include "tests/ums/io/engines.hpp"
#include "tests/ums/io/resource_limit.hpp"

using namespace ums;

namespace {

// New threads then need memory of their own instead of the stack of a thread that has ended.
void ask_for_large_stacks() {
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, std::size_t{100} << 20);
    ::pthread_setattr_default_np(&attributes);
    ::pthread_attr_destroy(&attributes);
}

}  // namespace

TEST_CASE("a pool that gets no more threads does everything with its first one, and reports that") {
    if constexpr (test::kIsSanitized) {
        WARN("not tried: the sanitizer needs memory for a thread, too");
    } else {
        const std::string result = testing::in_child_process([]() -> std::string {
            constexpr std::size_t kCount = 8;
            BlockingPool pool({.threads_max = 4, .cpus = {}, .thread_name = "test"}, [] {});
            std::vector<IoRequest> requests(kCount);
            IoRequestList posted;
            for (IoRequest& request : requests) {
                request.operation = IoOperation::sync;  // of no file: fails immediately
                request.file = FileHandle{-1};
                posted.push_back(request);
            }
            IoRequestList finished;
            std::size_t count = 0;
            ask_for_large_stacks();
            {
                // The limit of processes does not apply to root, but a thread also needs a stack.
                const testing::ResourceLimit limit(RLIMIT_AS, 1 << 20);
                pool.submit(posted);
            }
            for (int i = 0; i < 5000 && count < kCount; ++i) {
                pool.collect(finished);
                while (finished.pop_front() != nullptr) ++count;
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            return std::to_string(count) + (pool.is_short_of_threads() ? " done, threads are missing" : " done");
        });
        CHECK(result == "8 done, threads are missing");
    }
}

TEST_CASE("a pool whose first thread is refused is not created") {
    if constexpr (test::kIsSanitized) {
        WARN("not tried: the sanitizer needs memory for a thread, too");
    } else {
        const std::string result = testing::in_child_process([]() -> std::string {
            ask_for_large_stacks();
            const testing::ResourceLimit limit(RLIMIT_AS, 1 << 20);
            try {
                const BlockingPool pool({.threads_max = 4, .cpus = {}, .thread_name = "test"}, [] {});
            } catch (const std::system_error& error) {
                return error.what();
            }
            return "made";
        });
        CHECK_THAT(result, ContainsSubstring("pids.max"));
    }
}
