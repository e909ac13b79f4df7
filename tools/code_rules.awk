# Rules for C++: calls that have a better replacement here, and where tests belong. Reads file names; prints file:line: what to do. Checks
# only code: comments and the contents of strings are removed first.

# Bans a call or name in files whose names match `places`, except in those that match `except`.
function ban(pattern, places, except, replacement) {
    ++ban_count
    ban_pattern[ban_count] = pattern
    ban_places[ban_count] = places
    ban_except[ban_count] = except
    ban_replacement[ban_count] = replacement
}

BEGIN {
    product = "^(ums|sim|config|reports|cli)/"
    below_cli = "^(ums|sim|config|reports)/"
    everywhere = "."
    nowhere = "^$"
    name_after = "($|[^A-Za-z0-9_])"
    name_before = "(^|[^A-Za-z0-9_])"
    call_before = "(^|[^A-Za-z0-9_.>:])(std::|::)?"  # not a member

    ban(call_before "assert *\\(", everywhere, nowhere, "assert() is off in release builds: use UMS_ASSERT (ums/base/assert.hpp)")
    ban("# *include *<(cassert|assert\\.h)>", everywhere, nowhere, "use UMS_ASSERT (ums/base/assert.hpp)")
    ban(name_before "(std::(cout|cerr|clog)|v?f?printf|puts|fputs|putchar|perror)" name_after, below_cli, "^ums/base/assert\\.hpp$",
        "only cli prints: hand an event, a result or a string to the caller")
    ban(name_before "fmt::print", below_cli, nowhere, "only cli prints: hand an event, a result or a string to the caller")
    ban(call_before "(exit|_exit|_Exit|quick_exit|abort|terminate) *\\(", below_cli,
        "^ums/base/(assert\\.hpp|child_process\\.cpp|process_pause\\.cpp)$",
        "only cli ends the program: return an error, throw at start-up, or UMS_ASSERT")
    ban("(_clock|Clock|[cC]lock_type)::now *\\(", product, "^ums/base/clock\\.cpp$", "all time comes from ums::Clock")
    ban(call_before "(clock_gettime|gettimeofday|timespec_get) *\\(", product, "^ums/base/clock\\.cpp$", "all time comes from ums::Clock")
    ban("std::(time|clock) *\\(|" call_before "time *\\((NULL|nullptr|0|&)", product, nowhere, "all time comes from ums::Clock")
    ban(call_before "(rand|srand|drand48|rand_r) *\\(", everywhere, nowhere, "use ums::Prng: its sequence depends on the seed alone")
    ban("std::(mt19937|minstd_rand|default_random_engine|[a-z_]+_distribution)", everywhere, nowhere,
        "use ums::Prng: the standard library's sequences differ between platforms")
    ban("std::random_device", below_cli, nowhere, "the seed comes with the options; cli draws it")
    ban("this_thread::sleep_|" call_before "(usleep|nanosleep|clock_nanosleep) *\\(|::sleep *\\([0-9]", "^(ums/sched|sim)/", nowhere,
        "a scheduler's thread must not sleep: co_await ums::sleep_until")
    ban(call_before "(atoi|atol|atoll|atof|strtol|strtoul|strtoll|strtoull|strtod|sscanf|stoi|stol|stoul|stoull|stod) *\\(", product,
        nowhere, "use std::from_chars: it tells bad input and ignores the locale")
    ban(call_before "(sprintf|snprintf|vsprintf|strcpy|strcat|gets|strtok) *\\(", everywhere, nowhere, "use fmt::format or std::string")
    ban(call_before "(localtime|gmtime|ctime|asctime|strerror|tmpnam|mktemp) *\\(", everywhere, nowhere,
        "not safe with threads: use ums/base/calendar.hpp, std::error_code::message or mkstemp")
    ban(call_before "(localtime_r|gmtime_r|tzset) *\\(", product, "^ums/base/calendar\\.cpp$", "use ums/base/calendar.hpp")
    ban("std::system *\\(|" call_before "popen *\\(", product, nowhere, "no shell below the program: read /sys and /proc")
    ban("std::(format|expected)" name_after, everywhere, nowhere, "gcc 12 has neither: use fmt::format, or a result struct")
    ban("# *include *<(format|expected|print)>", everywhere, nowhere, "gcc 12 does not have it: use fmt")
    ban("# *include *<iostream>", below_cli, nowhere, "only cli prints")
    # gcc 12 miscompiles these: the task never begins, and the run waits for it forever.
    ban("(&&|\\|\\||\\?) *!?co_await|co_await.*co_await", everywhere, "^tests/ums/sched/task_test\\.cpp$",
        "gcc 12: a co_await stands alone, or gives a variable its first value")
    ban("(CHECK|REQUIRE)[A-Z_]* *\\(.*co_await", everywhere, nowhere, "gcc 12: co_await into a variable, then check that")
    # Allowed in cli: the terminal, signals, and the standard streams of the process.
    ban("# *include *<(sys/|unistd|fcntl|linux/|dirent|poll|pthread|mntent|termios|sched\\.h|arpa/|netinet/|netdb)",
        "^(sim|config|reports|cli)/", "^cli/(process/(console|stop_signals)|program)\\.cpp$",
        "what is the platform's stands in ums: output files in ums/base/output_place.hpp")
    ban("std::endl", everywhere, nowhere, "use '\\n'; flush where it matters")
    ban(name_before "volatile" name_after, everywhere, nowhere, "not for threads: use std::atomic")
    ban("^ *using namespace ", "\\.hpp$", nowhere, "a header must not open namespaces")
}

function fail(rule) {
    printf "%s:%d: %s\n", file, line_number, rule
    failures = 1
}

# Returns the code of a line, without comments and with empty strings. `open_end` keeps the end marker of a comment or raw string that
# continues on the next line.
function code_of(line, code, at, one, two, quote, delimiter) {
    code = ""
    at = 1
    while (at <= length(line)) {
        if (open_end != "") {
            quote = index(substr(line, at), open_end)
            if (quote == 0) return code
            at += quote + length(open_end) - 1
            open_end = ""
            continue
        }
        one = substr(line, at, 1)
        two = substr(line, at, 2)
        if (two == "//") return code
        if (two == "/*") {
            open_end = "*/"
            at += 2
        } else if (two == "R\"") {
            delimiter = substr(line, at + 2)
            sub(/\(.*/, "", delimiter)
            open_end = ")" delimiter "\""
            code = code "\"\""
            at += 3 + length(delimiter)
        } else if (one == "\"" || (one == "'" && code !~ /[0-9a-fA-F]$/)) {
            quote = one
            for (++at; at <= length(line) && substr(line, at, 1) != quote; ++at)
                if (substr(line, at, 1) == "\\") ++at
            ++at
            code = code quote quote
        } else {
            code = code one
            ++at
        }
    }
    return code
}

function check_place() {
    line_number = 1
    if (file ~ /_test\.cpp$/ && file !~ /^tests\/(ums|sim|config|reports|cli)\//)
        fail("no test program takes this file: put it below tests/<layer>/")
    if (file ~ /^tests\// && file !~ /^tests\/(ums|sim|config|reports|cli|support|fuse|bench)\//)
        fail("no test program takes this file: put it below tests/<layer>/, tests/support/, tests/fuse/ or tests/bench/")
}

# Finds unused using-declarations and namespace aliases. clang-tidy finds them only in files that are compiled alone.
function note_names(code, words, count, i) {
    if (code ~ /^ *(using [A-Za-z0-9_:]*::[A-Za-z0-9_]+;|namespace [A-Za-z0-9_]+ = .*;)$/) {
        sub(/^ *namespace /, "", code)
        sub(/ = .*|;$/, "", code)
        sub(/.*::/, "", code)
        short_name[line_number] = code
        return
    }
    count = split(code, words, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= count; ++i) is_used[words[i]] = 1
}

function check_file(line, code, has_pragma, has_test, i) {
    check_place()
    line_number = 0
    open_end = ""
    has_pragma = 0
    has_test = 0
    split("", short_name)
    split("", is_used)
    begin_names(file)
    while ((getline line < file) > 0) {
        ++line_number
        code = code_of(line)
        note_names(code)
        note_name(line, code)
        if (code ~ /^#pragma once$/) has_pragma = 1
        if (code ~ /^ *(TEST_CASE|TEMPLATE_TEST_CASE|SCENARIO|TEST_CASE_METHOD)/) {
            has_test = 1
            # CMake would split the name at ';', and Catch2 would take a leading '-' for a switch: the test would never run.
            if (line ~ /^[^"]*"(-|[^"]*;)/) fail("the name of a test has no ';' and does not begin with '-'")
        }
        for (i = 1; i <= ban_count; ++i)
            if (code ~ ban_pattern[i] && file ~ ban_places[i] && file !~ ban_except[i]) fail(ban_replacement[i])
    }
    close(file)
    for (line_number in short_name)
        if (file ~ /\.cpp$/ && !(short_name[line_number] in is_used)) fail("no use is made of " short_name[line_number])
    line_number = 1
    if (file ~ /\.hpp$/ && !has_pragma) fail("a header begins with #pragma once")
    if (file ~ /\.hpp$/ && has_test) fail("a test case in a header runs as often as it is included")
    if (file ~ /_test\.cpp$/ && !has_test) fail("a test file without a test case")
    if (file ~ /\.cpp$/ && file !~ /_test\.cpp$/ && has_test) fail("a file with test cases is named *_test.cpp")
}

{
    file = $0
    check_file()
}

END { exit failures }
