#include "ums/base/os_thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "ums/base/machine.hpp"

namespace ums {

std::string no_thread_text() { return fmt::format("cannot start a thread: {}", kThreadLimitText); }

std::thread start_thread(std::function<void()> work) {
    try {
        return std::thread(std::move(work));
    } catch (const std::system_error& error) {
        if (error.code().value() == EAGAIN) throw std::system_error(error.code(), no_thread_text());
        // The kernel itself never refuses a thread so. Only after ENOSYS does the C library call clone instead of clone3.
        if (error.code().value() == EPERM) throw std::system_error(error.code(), kThreadDeniedText);
        throw;
    }
}

void name_this_thread(const std::string& name) {
    constexpr std::size_t kNameLengthMax = 15;  // a longer name is refused, not cut
    pthread_setname_np(pthread_self(), name.substr(0, kNameLengthMax).c_str());
}

std::vector<std::uint32_t> cpus_of_mask(std::uint64_t mask) {
    std::vector<std::uint32_t> cpus;
    for (std::uint32_t cpu = 0; cpu < 64; ++cpu) {
        if ((mask >> cpu & 1) != 0) cpus.push_back(cpu);
    }
    return cpus;
}

std::vector<std::uint32_t> cpus_of_this_thread() {
    return cpus_allowed([](std::span<std::uint64_t> mask) {
        return ::sched_getaffinity(0, mask.size_bytes(), reinterpret_cast<cpu_set_t*>(mask.data())) == 0;
    });
}

void bind_this_thread(std::span<const std::uint32_t> cpus) {
    if (cpus.empty()) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const std::uint32_t cpu : cpus) CPU_SET(cpu, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

std::uint64_t this_thread_id() {
    thread_local const auto id = static_cast<std::uint64_t>(gettid());
    return id;
}

}  // namespace ums
