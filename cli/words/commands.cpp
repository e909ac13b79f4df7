#include "cli/words/commands.hpp"

#include <algorithm>

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
