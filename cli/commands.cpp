#include "cli/commands.hpp"

#include "cli/bench_arguments.hpp"
#include "cli/preflight_arguments.hpp"
#include "cli/rehearse_arguments.hpp"
#include "cli/report_arguments.hpp"

namespace cli {

const std::vector<Command>& commands() {
    static const std::vector<Command> table{
        {.name = "run",
         .operands = "",
         .summary = "run the test",
         .description =
             "Makes the files, writes every page, runs all users for the given time, and reads and verifies every page at the end. "
             "Switches win over the configuration file.\n"
             "Files are made and overwritten only if they do not exist or were made by ioproof before; *.mdf, *.ndf, *.ldf and block "
             "devices are refused.\n"
             "Ctrl-C ends a run in order, with the summary; a second Ctrl-C ends it at once.",
         .switches = run_switches(),
         .examples = "ioproof run -dir /mnt/data -size 256 -d 60\n"
                     "ioproof run -cfg sqliosim.hwcache.cfg.ini -dir /mnt/data -log run.log.xml\n"
                     "ioproof run -dir /mnt/data -size 1024 -d 300 --status 8080\n"
                     "ioproof run -dir /mnt/data --seed 4711 --engine threads --ephemeral"},
        {.name = "preflight",
         .operands = "DIR…",
         .kind = Operand::folders,
         .summary = "say what SQL Server will meet in these folders",
         .description =
             "Looks at file system and mount options, direct I/O, how writes are made durable and what that costs, sectors, alignment, "
             "stripes, queue settings, limits and other users of the disk. Each line is OK, WARN or FAIL; those that are not OK say "
             "why, who says so, and the command that cures it. A temporary file without a name is written to each folder.",
         .switches = preflight_switches(),
         .examples = "ioproof preflight /mnt/data /mnt/log\nioproof preflight /mnt/data --json -",
         .exit_codes = "0 no FAIL\n1 at least one FAIL\n2 wrong usage\n3 a folder is missing, read-only or full"},
        {.name = "report",
         .operands = "FILE",
         .kind = Operand::files,
         .summary = "show the results that a run wrote with --json",
         .description = "Prints the results of an earlier run; with --html it writes them as one self-contained page.",
         .switches = report_switches(),
         .examples = "ioproof report results.json --html results.html"},
        {.name = "compare",
         .operands = "BEFORE AFTER",
         .kind = Operand::files,
         .summary = "two results side by side: before and after",
         .description = "Shows what differs between two results that runs wrote with --json, and which differences exceed the noise.",
         .switches = report_switches(),
         .examples = "ioproof compare before.json after.json"},
        {.name = "rehearse",
         .operands = "",
         .summary = "prove on a simulated disk that faults are found",
         .description = "Runs whole tests on a disk in memory that goes wrong on purpose, and compares what was found with what was done.",
         .switches = rehearse_switches(),
         .examples = "ioproof rehearse --seeds 100\nioproof rehearse --fault stale_read --seed 7 --verbose",
         .exit_codes = "0 every fault was found and named, nothing else reported\n1 otherwise\n2 wrong usage"},
        {.name = "bench",
         .operands = "FILE…",
         .kind = Operand::files,
         .summary = "measure this path's speed on files",
         .description =
             "Measures what a run's own path does on these files: scheduler, engine, pages, verification. A file that a run or a "
             "measurement left behind is used as it is; one that is missing is made, filled with pages, and stays. Other files are "
             "refused. The FILE null: is no file: requests succeed at once, which shows what the path costs without a device.",
         .switches = bench_switches(),
         .examples = "ioproof bench null: --verify=off\nioproof bench /mnt/data/bench.mdx --depth 64 --seconds 10",
         .exit_codes = "0 done\n1 a page was wrong\n2 wrong usage\n3 it could not be done\n130 stopped by a person"},
        {.name = "config show",
         .operands = "",
         .summary = "print the configuration a run with these switches would use",
         .description = "Takes the switches of run: defaults, file and switches are put together and printed. Nothing is run.",
         .switches = run_switches(),
         .examples = "ioproof config show -cfg sqliosim.cfg.ini -dir /mnt/data -size 64"},
        {.name = "config explain",
         .operands = "[NAME]",
         .kind = Operand::parameter,
         .summary = "say what a parameter means; without NAME: all of them",
         .description = "Says what a parameter or a section means, its unit, range and default. The same stands in ioproof.conf(5).",
         .examples = "ioproof config explain CacheHitRatio"},
    };
    return table;
}

}  // namespace cli
