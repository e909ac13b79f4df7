// This process as a whole: stopped for a while like a machine that freezes, ended like one that loses its power, restarted.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace ums {

// False for the first process of a PID namespace, as that of a container usually is: the system shields it from what would stop it.
[[nodiscard]] bool can_stop_this_process();

// Stops all threads of this process where they are (SIGSTOP); a timer of the system wakes it after that time, which is more than 0. Then
// returns. False, without having stopped, if it cannot be stopped, or the system refuses the timer.
bool stop_this_process(std::chrono::milliseconds wake_after);

// kill -9.
[[noreturn]] void kill_this_process();

// Replaces this process by the same program with these arguments; nothing is finished or written first. Returns only if the system refuses.
void begin_this_process_again(const std::vector<std::string>& words);

}  // namespace ums
