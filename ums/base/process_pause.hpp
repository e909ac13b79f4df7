// This process as a whole: stopped for a while as a machine is that freezes, ended as one that loses its power, begun anew.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace ums {

// Stops all threads of this process where they are (SIGSTOP); another process, which holds nothing of it, wakes it after that time. Returns
// then. False if there can be no other process: nothing has happened.
bool stop_this_process(std::chrono::milliseconds wake_after);

// kill -9.
[[noreturn]] void kill_this_process();

// The same program with these words in the place of this process; nothing is finished, nothing is written. Returns only if the system
// refuses.
void begin_this_process_again(const std::vector<std::string>& words);

}  // namespace ums
