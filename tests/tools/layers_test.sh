#!/usr/bin/env bash
check=layers.sh
. "$(dirname "${BASH_SOURCE[0]}")/rule_tree.sh"

write ums/base/assert.hpp '#pragma once' '#include <cstdio>'
write ums/io/storage.hpp '#pragma once' '#include "ums/base/assert.hpp"'

accepts ums/sched/scheduler.cpp '#include "ums/io/storage.hpp"' '#include "ums/base/assert.hpp"' '#include <vector>'
accepts sim/run/simulation.cpp '#include "ums/sched/scheduler.hpp"' '#include "sim/results.hpp"'
accepts config/config.cpp '#include "sim/options.hpp"' '#include "sim/limits.hpp"' '#include "ums/base/assert.hpp"'
accepts reports/text.cpp '#include "sim/results.hpp"' '#include "sim/finding.hpp"' '#include "sim/event.hpp"' '#include "sim/limits.hpp"'
accepts cli/main.cpp \
    '#include "config/config.hpp"' '#include "reports/text.hpp"' '#include "sim/run/simulation.hpp"' '#include "ums/io/a.hpp"'
accepts cli/run/run.cpp '#include "cli/run/run.hpp"' '#include "cli/process/console.hpp"' '#include "cli/group/group_link.hpp"'
accepts cli/program.cpp '#include "cli/program.hpp"' '#include "cli/report/a.hpp"'
accepts tests/config/config_test.cpp '#include "config/config.hpp"' '#include "sim/options.hpp"' '#include "tests/support/catch.hpp"'
accepts sim/log/log.cpp '#include "sim/log/log.hpp"' '#include "sim/journal/journal.hpp"' '#include "sim/limits.hpp"'
accepts tests/sim/run_test.cpp '#include "tests/sim/fixture.hpp"'
accepts ums/base/comment.hpp '// #include "sim/options.hpp"'

reports 'ums/io/engine.cpp:2: includes sim/options.hpp: ums sees only ums' ums/io/engine.cpp '#include <span>' '#include "sim/options.hpp"'
reports 'sim/page.cpp:1: includes config/config.hpp: sim sees only' sim/page.cpp '#  include "config/config.hpp"'
reports 'sim/page.cpp:1: includes reports/text.hpp: sim sees only' sim/page.cpp '#include "reports/text.hpp"'
reports 'config/a.cpp:1: includes sim/results.hpp: of sim, config sees only' config/a.cpp '#include "sim/results.hpp"'
reports 'config/a.cpp:1: includes reports/text.hpp: config sees only' config/a.cpp '#include "reports/text.hpp"'
reports 'config/a.cpp:1: includes ums/io/storage.hpp: of ums, config sees only' config/a.cpp '#include "ums/io/storage.hpp"'
reports 'reports/a.cpp:1: includes sim/run/simulation.hpp: of sim, reports sees only' reports/a.cpp '#include "sim/run/simulation.hpp"'
reports 'reports/a.cpp:1: includes config/config.hpp: reports sees only' reports/a.cpp '#include "config/config.hpp"'
reports 'reports/a.cpp:1: includes cli/process/console.hpp: reports sees only' reports/a.cpp '#include "cli/process/console.hpp"'
reports 'sim/options.hpp:1: includes sim/run/simulation.hpp: plain data' sim/options.hpp '#include "sim/run/simulation.hpp"'
reports 'ums/base/a.hpp:1: includes ums/io/storage.hpp: inside ums' ums/base/a.hpp '#include "ums/io/storage.hpp"'
reports 'ums/io/a.hpp:1: includes ums/sched/scheduler.hpp: inside ums' ums/io/a.hpp '#include "ums/sched/scheduler.hpp"'
reports 'sim/journal/a.hpp:1: includes sim/run/a.hpp: inside sim a folder sees itself and those to its left' \
    sim/journal/a.hpp '#include "sim/run/a.hpp"'
reports 'sim/new/a.hpp:1: includes sim/page/a.hpp: sim/new is not known' sim/new/a.hpp '#include "sim/page/a.hpp"'
reports 'sim/names.cpp:1: includes sim/page/a.hpp: what lies directly in sim' sim/names.cpp '#include "sim/page/a.hpp"'
reports 'cli/words/a.hpp:1: includes cli/run/a.hpp: inside cli a folder sees itself and those to its left' \
    cli/words/a.hpp '#include "cli/run/a.hpp"'
reports 'cli/new/a.hpp:1: includes cli/words/a.hpp: cli/new is not known' cli/new/a.hpp '#include "cli/words/a.hpp"'
reports 'cli/run/a.cpp:1: includes cli/program.hpp: what lies directly in cli' cli/run/a.cpp '#include "cli/program.hpp"'
reports 'ums/new/a.hpp:1: includes ums/base/assert.hpp: ums/new is not known' ums/new/a.hpp '#include "ums/base/assert.hpp"'
reports 'ums/io/a.cpp:1: includes a.hpp: write the path from the root' ums/io/a.cpp '#include "a.hpp"'
reports 'ums/io/a.cpp:1: includes ../base/a.hpp: write the path from the root' ums/io/a.cpp '#include "../base/a.hpp"'
reports 'ums/io/a.cpp:1: includes ums/io/b.cpp: a .cpp is not included' ums/io/a.cpp '#include "ums/io/b.cpp"'
reports 'sim/a.cpp:1: includes ums/io/a.hpp: our own headers stand in quotation marks' sim/a.cpp '#include <ums/io/a.hpp>'
reports 'sim/a.cpp:1: includes tests/support/catch.hpp: only tests include tests' sim/a.cpp '#include "tests/support/catch.hpp"'
reports 'tests/ums/a_test.cpp:1: includes sim/options.hpp: ums sees only' tests/ums/a_test.cpp '#include "sim/options.hpp"'
reports 'tests/ums/a_test.cpp:1: includes tests/sim/a.hpp: tests share code' tests/ums/a_test.cpp '#include "tests/sim/a.hpp"'
reports 'tests/support/a.hpp:1: includes cli/process/console.hpp: sim sees only' tests/support/a.hpp '#include "cli/process/console.hpp"'

finish
