#include "cli/run/run_command.hpp"
#include "cli/run/verify_arguments.hpp"
#include "cli/words/commands.hpp"

namespace cli {

Command verify_command() {
    return {
        .name = "verify",
        .operands = "",
        .summary = "say what has survived of a run after a crash",
        .description =
            "Run it after a crash, a kill -9, a power cut, a reset of the virtual machine, a failover or the restore of a snapshot. It "
            "reads the files that the run left, as SQL Server's recovery does, and says whether everything that was acknowledged is there: "
            "it reads the log from the last complete checkpoint to its end, and compares every page with what the log proves about it "
            "(docs/durability.md). Name the files as the run did, by the same -cfg or -dir.\n"
            "Writes nothing to the files, unless --repair asks for it. The next run deletes them, so verify first; 'run --resume' "
            "continues with them.",
        .switches = verify_switches(),
        .examples =
            "ioproof verify -dir /mnt/data\n"
            "ioproof verify -dir /mnt/data --ledger /other/disk/run.ledger\n"
            "ioproof verify -cfg sqliosim.hwcache.cfg.ini -log after.xml --json after.json",
        .exit_codes =
            "0 nothing that had been acknowledged is missing\n"
            "1 acknowledged writes are lost, or the storage failed\n"
            "2 wrong usage or configuration, or none of the files is ours\n"
            "3 no result: the run was cut off before its first change, or the files cannot be read, or have been measured since\n"
            "70 an internal error of ioproof\n"
            "130 stopped by a person, nothing wrong until then",
        .execute = [](const Call& call) { return run_on_files(call, parse_verify(call.words)); }};
}

}  // namespace cli
