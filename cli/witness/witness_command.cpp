#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/link/tls.hpp"
#include "cli/link/witness_address.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/process/stop_signals.hpp"
#include "cli/witness/witness_server.hpp"
#include "cli/witness/witness_shelf.hpp"
#include "cli/words/commands.hpp"
#include "cli/words/switch_words.hpp"
#include "ums/base/printable.hpp"

namespace cli {
namespace {

const std::vector<Switch>& witness_table() {
    static const std::vector<Switch> table = [] {
        std::vector<Switch> switches{
            Switch{.name = "listen",
                   .value = "ADDR:PORT",
                   .help = "where runs find it (default: 127.0.0.1:7017, this machine only; 0.0.0.0 is all of its\naddresses; port 0: any "
                           "free one)"},
            Switch{.name = "store",
                   .value = "DIR",
                   .help = "keep the promises in this folder, a file for each run; it is created if it is missing"},
        };
        switches.insert(switches.end(), tls_switches().begin(), tls_switches().end());
        return switches;
    }();
    return table;
}

struct WitnessArguments {
    WitnessAddress address{.host = "127.0.0.1"};
    std::string store;
    TlsKeys keys;
};

WitnessArguments parse_witness(const std::vector<std::string>& words) {
    const SwitchWords typed = parse_words(witness_table(), words);
    if (!typed.operands.empty()) {
        throw UsageError(fmt::format("'{}' is not a switch; the folder is named with --store DIR", typed.operands.front()));
    }
    WitnessArguments arguments;
    for (const SwitchWord& word : typed.switches) {
        if (word.name == "listen") arguments.address = parse_listen_address(word);
        if (word.name == "store") arguments.store = word.value;
        set_tls_value(arguments.keys, word);
    }
    if (arguments.store.empty()) throw UsageError("witness: --store DIR is missing: where promises are kept");
    return arguments;
}

ExitCode execute_witness(const Call& call) {
    const WitnessArguments arguments = parse_witness(call.words);
    const GracefulStop stop;
    // Report wrong keys before touching the folder.
    static_cast<void>(tls_context(TlsSide::server, arguments.keys));
    WitnessShelf shelf(arguments.store);
    const WitnessServer server(arguments.address, arguments.keys, shelf);
    for (const std::string& damage : shelf.damages()) {
        call.console.add_message(fmt::format("warning: {}; the file stays as it is, and promises of its run are refused\n",
                                             ums::printable(damage.substr(0, damage.find_last_not_of('.') + 1))));
    }
    for (const std::string& damage : shelf.groups().damages()) {
        call.console.add_message(fmt::format("warning: {}; the file stays as it is, and its group is refused\n", ums::printable(damage)));
    }
    call.console.add_message(fmt::format("Witness of {} runs listens on {}; Ctrl-C ends it\n", shelf.run_count(), server.address()));
    call.console.flush("");
    while (!stop.wait(std::chrono::hours(1))) {
    }
    return ExitCode::ok;
}

}  // namespace

Command witness_command() {
    return {
        .name = "witness",
        .operands = "",
        .summary = "keep promises for runs on other machines",
        .description =
            "Runs with --witness send here what their storage has acknowledged, and 'ioproof verify --witness' demands it after a power "
            "cut (docs/witness.md). A promise counts when it is on stable storage here, so this machine should not lose power together "
            "with the one that runs the test.\n"
            "Connections are TLS 1.3; only those who have the key, or a certificate of the authority, can read or write. Ctrl-C or "
            "SIGTERM ends it. You may kill and restart it at any moment: runs continue meanwhile, and record again when it is back.",
        .switches = witness_table(),
        .examples =
            "ioproof witness --listen 0.0.0.0:7017 --store /srv/witness --key-file witness.key\n"
            "ioproof run -dir /mnt/data -d 600 --witness 10.0.0.5:7017 --key-file witness.key\n"
            "ioproof verify -dir /mnt/data --witness 10.0.0.5:7017 --key-file witness.key",
        .exit_codes =
            "0 it was stopped\n"
            "2 wrong usage\n"
            "3 the folder, the keys or the address cannot be used\n"
            "70 an internal error of ioproof",
        .execute = execute_witness};
}

}  // namespace cli
