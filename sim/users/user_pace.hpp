// The rhythm of a user: a number of cycles, then a delay (0 cycles: no delays); the end of the main run wakes it immediately.
#pragma once

#include <cstdint>

#include "sim/context/run_context.hpp"

namespace sim {

class UserPace {
public:
    UserPace(RunContext& context, std::uint32_t delay_after_cycles, std::uint32_t delay_ms)
        : context_(context), delay_after_cycles_(delay_after_cycles), delay_ms_(delay_ms) {}

    // Await it after each cycle. False: the user must end.
    ums::Task<bool> next_cycle() {
        const bool due = delay_after_cycles_ != 0 && ++cycles_ >= delay_after_cycles_;
        if (due) cycles_ = 0;
        if (due && delay_ms_ != 0) {
            const std::uint64_t deadline_ns = context_.now_ns() + std::uint64_t{delay_ms_} * ums::kNsPerMs;
            co_await context_.run.users_stop().wait(ums::WaitType::sleep_task, deadline_ns);
        } else {
            co_await ums::Scheduler::current().yield_if_due();
        }
        co_await rest();
        co_return !context_.run.users_must_stop();
    }

private:
    // Between two bursts of a group's load.
    ums::Task<void> rest() {
        if (context_.group == nullptr) co_return;
        const std::uint64_t rest_us = context_.group->rest_us();
        if (rest_us == 0) co_return;
        co_await context_.run.users_stop().wait(ums::WaitType::sleep_task, context_.now_ns() + rest_us * 1000);
    }

    RunContext& context_;
    const std::uint32_t delay_after_cycles_;
    const std::uint32_t delay_ms_;
    std::uint32_t cycles_ = 0;
};

}  // namespace sim
