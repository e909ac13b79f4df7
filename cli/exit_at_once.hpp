// What a second Ctrl-C does: the process ends at once, whatever its threads wait for. Nothing is drained and no file is removed; the
// XML log is whole at any time and stays so.
#pragma once

#include "cli/exit_codes.hpp"

namespace cli {

// From now on SIGINT and SIGTERM end the process, and SIGHUP is ignored: a terminal that goes away may send it twice, and that is no
// second request. `redraws`: a progress line may have to be erased.
void exit_at_once_on_signals(bool redraws);

// The exit code then: ExitCode::stopped, unless something else is set, for example when a finding comes in. Any thread.
void set_exit_at_once_code(ExitCode code);

}  // namespace cli
