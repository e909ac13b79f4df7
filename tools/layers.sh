#!/usr/bin/env bash
# layers.sh [folder]: checks that includes point one way (ums <- sim <- config, reports <- cli). Prints file:line and the broken rule; exit
# code 1 if there is one. Needs bash, find and any awk.
set -euo pipefail
root=${1:-$(dirname "${BASH_SOURCE[0]}")/..}
cd "$root"

{ find ums sim config reports cli tests -type f \( -name '*.hpp' -o -name '*.cpp' \) 2>/dev/null || true; } |
    LC_ALL=C sort | LC_ALL=C awk '
BEGIN {
    sees["ums"] = " ums "
    sees["sim"] = " ums sim "
    sees["config"] = " ums sim config "
    sees["reports"] = " ums sim reports "
    sees["cli"] = " ums sim config reports cli "
    # Folders of ums; each sees itself and those to its left.
    sees["ums/base"] = " base "
    sees["ums/io"] = " base io "
    sees["ums/sched"] = " base io sched "
    # Folders of sim, likewise; all see the plain data above them.
    sim_order = " ledger page group promises journal files pool diagnosis log buffer context users workers backup verify readers " \
                "recovery run bench rehearsal preflight "
    # Folders of cli, likewise; what lies directly in cli sees them all.
    cli_order = " process words link promises group witness status rehearse run powertest measuring diskspd sqlio report "
    # What config and reports see of sim: plain data, which includes only plain data.
    plain["config"] = " sim/options.hpp sim/file_role.hpp sim/limits.hpp "
    plain["reports"] = " sim/group/group_fact.hpp sim/group/group_result.hpp sim/backup_results.hpp sim/file_role.hpp " \
                   "sim/preflight_line.hpp sim/results.hpp sim/latency_result.hpp sim/finding.hpp sim/kept_findings.hpp " \
                   "sim/event.hpp sim/limits.hpp " \
                       "sim/errors.hpp sim/database_name.hpp sim/bench/bench_results.hpp sim/bench/measure_spec.hpp " \
                       "sim/bench/measure_results.hpp sim/files/latency_counts.hpp sim/page/page_layout.hpp sim/page/log_layout.hpp " \
                       "sim/backup/backup_format.hpp "
    plain["sim"] = " sim/group/group_fact.hpp sim/group/group_result.hpp sim/file_role.hpp " \
                   "sim/backup_results.hpp " \
                   "sim/options.hpp sim/limits.hpp sim/preflight_line.hpp sim/results.hpp sim/latency_result.hpp " \
                   "sim/finding.hpp " \
                   "sim/event.hpp sim/errors.hpp sim/bench/bench_options.hpp sim/bench/bench_results.hpp sim/bench/measure_spec.hpp " \
                   "sim/bench/measure_results.hpp sim/files/latency_counts.hpp sim/page/page_layout.hpp " \
                   "sim/page/log_layout.hpp "
}

function contains(list, word) { return index(list, " " word " ") > 0 }

function broken(rule) {
    printf "%s:%d: includes %s: %s\n", file, line_number, included, rule
    failures = 1
}

# Files directly in sim are data that all of sim sees; they see none of its folders.
function check_order_inside_sim(folder_included) {
    folder_included = included
    sub(/^sim\//, "", folder_included)
    if (folder_included !~ /\//) return
    sub(/\/.*/, "", folder_included)
    if (contains(plain["sim"], included)) return
    if (folder ~ /\.[ch]pp$/) return broken("what lies directly in sim includes nothing from its folders but plain data")
    if (!contains(sim_order, folder)) return broken("sim/" folder " is not known to tools/layers.sh")
    if (index(sim_order, " " folder_included " ") > index(sim_order, " " folder " "))
        return broken("inside sim a folder sees itself and those to its left:" sim_order)
}

# The program itself lies directly in cli; no folder sees it.
function check_order_inside_cli(folder_included) {
    if (folder ~ /\.[ch]pp$/) return
    folder_included = included
    sub(/^cli\//, "", folder_included)
    if (folder_included !~ /\//) return broken("what lies directly in cli is included only there")
    sub(/\/.*/, "", folder_included)
    if (!contains(cli_order, folder)) return broken("cli/" folder " is not known to tools/layers.sh")
    if (index(cli_order, " " folder_included " ") > index(cli_order, " " folder " "))
        return broken("inside cli a folder sees itself and those to its left:" cli_order)
}

# A file below tests/<layer> sees what the layer sees, and tests/support.
function check(layer, is_test, target, target_folder) {
    target = included
    sub(/\/.*/, "", target)
    if (target == "tests") {
        if (!is_test) broken("only tests include tests")
        else if (included !~ /^tests\/support\//) {
            if (index(included, "tests/" layer "/") != 1) broken("tests share code through tests/support only")
        }
        return
    }
    if (!(target in sees)) return broken("write the path from the root: a layer (ums, sim, config, reports, cli) or tests/support")
    if (included ~ /\.cpp$/) return broken("a .cpp is not included")
    if (!contains(sees[layer], target)) return broken(layer " sees only" sees[layer] "(ums <- sim <- config, reports <- cli)")
    if (is_test) return
    if ((layer == "config" || layer == "reports") && target == "sim" && !contains(plain[layer], included))
        return broken("of sim, " layer " sees only" plain[layer])
    if ((layer == "config" || layer == "reports") && target == "ums" && included !~ /^ums\/base\//)
        return broken("of ums, " layer " sees only ums/base: it does no I/O and runs no tasks")
    if (contains(plain["sim"], file) && !contains(plain["sim"], included))
        return broken("plain data includes only plain data:" plain["sim"])
    if (layer == "ums") {
        target_folder = included
        sub(/^ums\//, "", target_folder)
        sub(/\/.*/, "", target_folder)
        if (!(("ums/" folder) in sees)) return broken("ums/" folder " is not known to tools/layers.sh")
        if (!contains(sees["ums/" folder], target_folder)) return broken("inside ums: base <- io <- sched")
    }
    if (layer == "sim" && target == "sim") check_order_inside_sim()
    if (layer == "cli" && target == "cli") check_order_inside_cli()
}

function check_file(is_test, layer, line) {
    is_test = (file ~ /^tests\//)
    layer = file
    sub(/^tests\//, "", layer)
    folder = layer
    sub(/\/.*/, "", layer)
    sub(/^[^\/]*\//, "", folder)
    sub(/\/.*/, "", folder)
    if (is_test && (layer == "support" || layer == "bench")) layer = "sim"
    line_number = 0
    while ((getline line < file) > 0) {
        ++line_number
        if (line !~ /^[ \t]*#[ \t]*include[ \t]*["<]/) continue
        own_style = (line ~ /include[ \t]*"/)
        included = line
        sub(/^[^"<]*["<]/, "", included)
        sub(/[">].*/, "", included)
        if (own_style) check(layer, is_test)
        else if (included ~ /^(ums|sim|config|reports|cli|tests)\//) broken("our own headers stand in quotation marks")
    }
    close(file)
}

{
    file = $0
    check_file()
}

END { exit failures }
'
