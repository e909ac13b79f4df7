#include "ums/base/os_thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/sysinfo.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/ums/io/child_process.hpp"
#include "tests/ums/io/resource_limit.hpp"

using namespace ums;

TEST_CASE("when the system refuses a thread, the error names the limit") {
    if constexpr (test::kIsSanitized) {
        WARN("not tried: the sanitizer needs memory for a thread, too");
    } else {
        const std::string text = ums::testing::in_child_process([]() -> std::string {
            // The limit of processes does not apply to root, but a thread also needs a stack.
            const ums::testing::ResourceLimit limit(RLIMIT_AS, 1 << 20);
            try {
                start_thread([] {}).join();
            } catch (const std::system_error& error) {
                return error.what();
            }
            return "started";
        });
        CHECK(text.find("cannot start a thread: the limit of processes (ulimit -u, or pids.max") != std::string::npos);
    }
}

TEST_CASE("when a filter of system calls denies threads, the error names the filter") {
    if constexpr (test::kIsSanitized) {
        WARN("not tried: a sanitizer starts no threads after a fork");
    } else {
        const std::string text = ums::testing::in_child_process([]() -> std::string {
            if (!ums::testing::forbid(ums::testing::SystemCall::clone3, EPERM)) return "no filter";
            try {
                start_thread([] {}).join();
            } catch (const std::system_error& error) {
                return error.what();
            }
            return "started";
        });
        if (text == "no filter") {
            WARN("not tried: no filter can be set here");
        } else {
            CHECK(text ==
                  "cannot start a thread: a filter of system calls (seccomp) denies clone3, as old container engines do: "
                  "Operation not permitted");
        }
    }
}

TEST_CASE("a long thread name is truncated, not refused") {
    std::string name;
    std::thread([&] {
        name_this_thread("a name of more than fifteen characters");
        std::array<char, 32> text{};
        pthread_getname_np(pthread_self(), text.data(), text.size());
        name = text.data();
    }).join();
    CHECK(name == "a name of more ");
}

TEST_CASE("a thread runs on the CPUs that it is bound to, and an impossible CPU changes nothing") {
    cpu_set_t before;
    cpu_set_t bound;
    cpu_set_t after_impossible;
    int first_cpu = 0;
    std::thread([&] {
        sched_getaffinity(0, sizeof before, &before);
        while (first_cpu < 64 && CPU_ISSET(first_cpu, &before) == 0) ++first_cpu;
        for (const std::uint32_t cpu : {63U, 200U, 1023U, 1024U}) {
            if (cpu >= static_cast<std::uint32_t>(get_nprocs_conf())) bind_this_thread({&cpu, 1});
        }
        bind_this_thread({});
        sched_getaffinity(0, sizeof after_impossible, &after_impossible);
        const auto first = static_cast<std::uint32_t>(first_cpu);
        bind_this_thread({&first, 1});
        sched_getaffinity(0, sizeof bound, &bound);
    }).join();
    REQUIRE(first_cpu < 64);
    CHECK(CPU_EQUAL(&before, &after_impossible));
    CHECK(CPU_COUNT(&bound) == 1);
    CHECK(CPU_ISSET(first_cpu, &bound));
}
