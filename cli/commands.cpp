#include "cli/commands.hpp"

#include <algorithm>

#include "cli/bench_command.hpp"
#include "cli/config_command.hpp"
#include "cli/diskspd/diskspd_command.hpp"
#include "cli/powertest/powertest_command.hpp"
#include "cli/preflight_command.hpp"
#include "cli/rehearse_command.hpp"
#include "cli/report_command.hpp"
#include "cli/run_command.hpp"
#include "cli/sqlio/sqlio_command.hpp"
#include "cli/sweep_command.hpp"
#include "cli/verify_command.hpp"
#include "cli/witness/witness_command.hpp"

namespace cli {

const std::vector<Command>& commands() {
    static const std::vector<Command> all{run_command(),         verify_command(),        preflight_command(), report_command(),
                                          compare_command(),     rehearse_command(),      powertest_command(), bench_command(),
                                          sweep_command(),       diskspd_command(),       sqlio_command(),     witness_command(),
                                          config_show_command(), config_explain_command()};
    return all;
}

const Command* find_command(const std::vector<std::string>& words) {
    const auto begins_with = [&](const Command& command) {
        const std::size_t blank = command.name.find(' ');
        if (words.empty() || words[0] != command.name.substr(0, blank)) return false;
        return blank == std::string_view::npos || (words.size() > 1 && words[1] == command.name.substr(blank + 1));
    };
    const auto found = std::find_if(commands().begin(), commands().end(), begins_with);
    return found == commands().end() ? nullptr : &*found;
}

}  // namespace cli
