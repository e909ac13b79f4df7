#include "ums/base/os_thread.hpp"

#include <pthread.h>
#include <sched.h>

#include <array>
#include <thread>

#include "tests/support/catch.hpp"

using namespace ums;

TEST_CASE("a long thread name is cut, not refused") {
    std::string name;
    std::thread([&] {
        name_this_thread("a name of more than fifteen characters");
        std::array<char, 32> text{};
        pthread_getname_np(pthread_self(), text.data(), text.size());
        name = text.data();
    }).join();
    CHECK(name == "a name of more ");
}

TEST_CASE("a thread runs on the CPUs it is bound to, and an impossible CPU changes nothing") {
    cpu_set_t before;
    cpu_set_t bound;
    cpu_set_t after_impossible;
    int first_cpu = 0;
    std::thread([&] {
        sched_getaffinity(0, sizeof before, &before);
        while (first_cpu < 64 && CPU_ISSET(first_cpu, &before) == 0) ++first_cpu;
        if (CPU_ISSET(63, &before) == 0) bind_this_thread(std::uint64_t{1} << 63);
        bind_this_thread(0);
        sched_getaffinity(0, sizeof after_impossible, &after_impossible);
        bind_this_thread(std::uint64_t{1} << first_cpu);
        sched_getaffinity(0, sizeof bound, &bound);
    }).join();
    REQUIRE(first_cpu < 64);
    CHECK(CPU_EQUAL(&before, &after_impossible));
    CHECK(CPU_COUNT(&bound) == 1);
    CHECK(CPU_ISSET(first_cpu, &bound));
}
