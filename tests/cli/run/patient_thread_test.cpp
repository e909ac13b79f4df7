#include "cli/run/patient_thread.hpp"

#include <atomic>
#include <future>
#include <memory>
#include <thread>

#include "tests/support/catch.hpp"

using namespace std::chrono_literals;

TEST_CASE("calls that return are waited for, one after the other") {
    cli::PatientThread thread;
    auto count = std::make_shared<std::atomic<int>>(0);
    for (int i = 1; i <= 100; ++i) {
        REQUIRE(thread.call([count] { ++*count; }, 10s));
        REQUIRE(count->load() == i);
    }
}

TEST_CASE("a call that does not return is abandoned, and no other is made until it does") {
    cli::PatientThread thread;
    auto release = std::make_shared<std::promise<void>>();
    auto later = std::make_shared<std::atomic<bool>>(false);
    CHECK_FALSE(thread.call([release] { release->get_future().wait(); }, 10ms));
    CHECK_FALSE(thread.call([later] { *later = true; }, 10ms));
    CHECK_FALSE(thread.wait(10ms));
    release->set_value();
    CHECK(thread.wait(10s));
    bool is_back = false;
    for (int i = 0; i < 1000 && !is_back; ++i) {
        is_back = thread.call([] {}, 1s);
        if (!is_back) std::this_thread::sleep_for(10ms);
    }
    CHECK(is_back);
    CHECK_FALSE(later->load());
}

TEST_CASE("the destructor does not wait for an unfinished call") {
    auto release = std::make_shared<std::promise<void>>();
    {
        cli::PatientThread thread;
        CHECK_FALSE(thread.call([release] { release->get_future().wait(); }, 10ms));
    }
    release->set_value();
}
