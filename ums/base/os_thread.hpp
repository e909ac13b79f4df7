// Threads of the operating system: starting, naming and binding them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace ums {

// Why a thread was refused, for messages: the system does not say which of these is the cause.
inline constexpr const char* kThreadLimitText =
    "the limit of processes (ulimit -u, or pids.max of the control group) or of memory (ulimit -v; a thread's stack "
    "takes ulimit -s of it) is reached";

[[nodiscard]] std::string no_thread_text();

// Why no thread at all can be started, for messages.
inline constexpr const char* kThreadDeniedText =
    "cannot start a thread: a filter of system calls (seccomp) denies clone3, as old container engines do";

// Starts a thread. Throws std::system_error if the system refuses one; its text names the limit or the filter.
[[nodiscard]] std::thread start_thread(std::function<void()> work);

// Sets the name under which debuggers, top and perf show the calling thread. Linux keeps the first 15 characters. Never fails: a refused
// name is no reason to stop a run.
void name_this_thread(const std::string& name);

// The CPUs of a mask, one bit each, CPU 0 lowest; ascending.
[[nodiscard]] std::vector<std::uint32_t> cpus_of_mask(std::uint64_t mask);

// The CPUs on which the calling thread may run, ascending; none if the system does not tell.
[[nodiscard]] std::vector<std::uint32_t> cpus_of_this_thread();

// Lets the calling thread run on these CPUs only; none = no change. Never fails: a CPU that is not there, or that a container does not
// allow, is no reason to stop a run, either.
void bind_this_thread(std::span<const std::uint32_t> cpus);

[[nodiscard]] std::uint64_t this_thread_id();

}  // namespace ums
