#include "cli/rehearse/side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "ums/base/machine.hpp"
#include "ums/base/os_thread.hpp"

namespace cli {

void do_side_by_side(std::uint32_t jobs, std::uint64_t count, const std::function<void(std::uint64_t index)>& one) {
    std::atomic<std::uint64_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;  // guarded by `mutex`
    const auto work = [&] {
        try {
            for (std::uint64_t index = next++; index < count; index = next++) one(index);
        } catch (...) {
            const std::lock_guard guard(mutex);
            if (!failure) failure = std::current_exception();
            next = count;
        }
    };
    const std::uint64_t wanted = std::min<std::uint64_t>(jobs != 0 ? jobs : ums::this_machine().cpu_count, count);
    std::vector<std::thread> threads;
    try {
        threads.reserve(wanted);
        for (std::uint64_t i = 0; i < wanted; ++i) {
            threads.push_back(ums::start_thread([&work] {
                ums::name_this_thread("rehearsal");
                work();
            }));
        }
    } catch (const std::system_error&) {
        work();  // fewer threads than requested, because of the limit of processes, only take longer
    }
    for (std::thread& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace cli
