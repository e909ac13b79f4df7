#!/usr/bin/env bash
check=house_rules.sh
. "$(dirname "${BASH_SOURCE[0]}")/rule_tree.sh"

test_case='TEST_CASE("a short read comes back as short") {}'
lines() { awk -v count="$1" 'BEGIN { for (i = 1; i <= count; ++i) print "// line " i }'; }
columns() { awk -v count="$1" 'BEGIN { line = "//"; while (length(line) < count) line = line "x"; print line }'; }
use() { reports "sim/a.cpp:2: $1" sim/a.cpp '// what follows is banned' "$2"; }

write ums/base/good.hpp '#pragma once' '// assert( and rand() in a comment, "…" in UTF-8' 'int f(int value);'

# Texts.
reports 'sim/a.cpp:801: longer than 800 lines' sim/a.cpp "$(lines 801)"
reports "sim/a.cpp:1: a tabulator" sim/a.cpp $'\tint x;'
accepts sim/a.cpp "$(lines 400)"
warns "sim/a.cpp:401: warning: longer than 400 lines" sim/a.cpp "$(lines 401)"
reports 'sim/a.cpp:2: longer than 140 columns' sim/a.cpp '' "$(columns 141)"
accepts sim/a.cpp "$(columns 139)…"
accepts docs/a.md "$(columns 300)"
reports 'docs/a.md:1: leftover note' docs/a.md "to be done: TO""DO"
reports 'sim/a.cpp:1: leftover note' sim/a.cpp "int x;  // FIX""ME"
reports 'sim/a.cpp:1: leftover note' sim/a.cpp "int x;  // X""XX: why"
accepts sim/a.cpp '// a TODOLIST is a word of its own'
reports 'README.md:1: a path of somebody' README.md "see /wo""rk/notes"
reports 'sim/a.cpp:1: a path of somebody' sim/a.cpp "const char* path = \"/ho""me/somebody/x\";"
accepts tests/sim/a_test.cpp "$test_case" "CHECK(source_of(\"/ho""me/x\") == device);" 'CHECK(std::stoi(text) == 1);'
accepts README.md "ioproof -dir /mnt/nvme0/wo""rk/x"
reports 'dev:1: blanks at the end' dev 'echo '
reports 'sim/a.cpp:1: ends with a carriage return' sim/a.cpp $'int x;\r'
accepts samples/a.ini $'[CONFIG]\r' $'\tA=1 '

# The tour of ARCHITECTURE.md.
write ARCHITECTURE.md '`stray` is named too early' '## Tour' '| **ums/base** `good` `*_user` | what |' '| `parts/*` `other.md` | what |'
reports 'sim/stray.cpp:1: the tour of ARCHITECTURE.md does not name it' sim/stray.cpp 'int x;'
reports 'sim/good_one.hpp:1: the tour of ARCHITECTURE.md does not name it' sim/good_one.hpp '#pragma once'
reports 'sim/user_of.hpp:1: the tour of ARCHITECTURE.md does not name it' sim/user_of.hpp '#pragma once'
accepts sim/random_user.hpp '#pragma once'
accepts sim/parts/a.cpp 'int x;'
accepts ums/base/good.cpp 'int x;'
accepts tests/support/stray.hpp '#pragma once'
rm "$tree/ARCHITECTURE.md"

# Places.
reports 'sim/a_test.cpp:1: no test program takes this file' sim/a_test.cpp "$test_case"
reports 'tests/a_test.cpp:1: no test program takes this file' tests/a_test.cpp "$test_case"
reports 'tests/other/a_test.cpp:1: no test program takes this file' tests/other/a_test.cpp "$test_case"
reports 'tests/other/helper.cpp:1: no test program takes this file' tests/other/helper.cpp 'int x;'
reports 'tests/sim/a.cpp:1: a file with test cases is named' tests/sim/a.cpp "$test_case"
reports 'tests/sim/a_test.cpp:1: a test file without a test case' tests/sim/a_test.cpp '// TEST_CASE("later")'
reports "tests/sim/a_test.cpp:1: the name of a test has no ';'" tests/sim/a_test.cpp 'TEST_CASE("reads; writes") {}'
reports "tests/sim/a_test.cpp:1: the name of a test has no ';'" tests/sim/a_test.cpp 'TEST_CASE("-dir is taken") {}'
accepts tests/sim/a_test.cpp "$test_case"
accepts tests/sim/a_test.cpp 'TEST_CASE("a b-c") { int x; f("a;b"); }'
accepts tests/support/helper.cpp 'int x;'
reports 'sim/a.hpp:1: a header begins with #pragma once' sim/a.hpp 'int x;'

# Calls with a better replacement.
use 'assert() is off' 'assert(x > 0);'
use 'use UMS_ASSERT' '#include <cassert>'
accepts sim/a.cpp 'static_assert(sizeof(int) == 4);' 'UMS_ASSERT(x);' 'verify.assert(x);'
use 'only cli prints' 'std::cout << x;'
use 'only cli prints' 'std::fprintf(stderr, "x");'
use 'only cli prints' 'printf("x");'
use 'only cli prints' 'fmt::print("x");'
use 'only cli prints' '#include <iostream>'
accepts cli/a.cpp 'std::cout << fmt::format("{}", 1);'
accepts ums/base/assert.hpp '#pragma once' 'std::fprintf(stderr, "x");' 'std::abort();'
use 'only cli ends the program' 'std::exit(1);'
use 'all time comes from ums::Clock' 'auto t = std::chrono::steady_clock::now();'
use 'all time comes from ums::Clock' 'clock_gettime(CLOCK_MONOTONIC, &now);'
use 'all time comes from ums::Clock' 'seed = time(nullptr);'
accepts ums/base/clock.cpp 'auto t = std::chrono::steady_clock::now();'
accepts sim/a.cpp 'auto t = clock.now_ns();' 'write_time(0);' 'file.time(0);'
use 'use ums::Prng' 'int x = rand() % 6;'
use 'use ums::Prng' 'std::mt19937 engine;'
use 'use ums::Prng' 'std::uniform_int_distribution<int> dice(1, 6);'
use 'the seed comes with the options' 'std::random_device device;'
use "a scheduler's thread must not sleep" 'std::this_thread::sleep_for(1ms);'
use "a scheduler's thread must not sleep" 'usleep(10);'
use 'use std::from_chars' 'int x = atoi(text);'
use 'use std::from_chars' 'int x = std::stoi(text);'
use 'use fmt::format' 'snprintf(text, sizeof text, "%d", x);'
use 'not safe with threads' 'auto* fields = gmtime(&seconds);'
use 'use ums/base/calendar.hpp' 'gmtime_r(&seconds, &fields);'
accepts ums/base/calendar.cpp 'gmtime_r(&seconds, &fields);'
use 'no shell below the program' 'std::system("lsblk");'
use 'gcc 12 has neither' 'auto text = std::format("{}", x);'
use 'gcc 12 does not have it' '#include <format>'
use 'what is the platform'"'"'s stands in ums' '#include <unistd.h>'
use 'what is the platform'"'"'s stands in ums' '#include <sys/stat.h>'
reports 'reports/a.cpp:1: what is the platform'"'"'s stands in ums' reports/a.cpp '#include <fcntl.h>'
reports 'config/a.hpp:2: what is the platform'"'"'s stands in ums' config/a.hpp '#pragma once' '#include <sys/types.h>'
reports 'cli/a.cpp:1: what is the platform'"'"'s stands in ums' cli/a.cpp '#include <sys/stat.h>'
accepts cli/process/console.cpp '#include <sys/ioctl.h>'
accepts ums/base/a.cpp '#include <unistd.h>'
use "use '\\n'" 'out << std::endl;'
use 'gcc 12: a co_await stands alone' 'if (ready && co_await grow()) return;'
use 'gcc 12: a co_await stands alone' 'const int x = ready ? co_await grow() : 0;'
use 'gcc 12: a co_await stands alone' 'co_await harden(co_await mark());'
use 'gcc 12: co_await into a variable' 'CHECK_FALSE(co_await file.resize(1));'
accepts sim/a.cpp 'case 1: co_await yield(); break;' 'const bool grown = co_await grow(a && b);'
use 'not for threads' 'volatile bool stop = false;'
reports 'sim/a.hpp:2: a header must not open namespaces' sim/a.hpp '#pragma once' 'using namespace std;'

reports 'sim/a.cpp:1: no use is made of fs' sim/a.cpp 'namespace fs = std::filesystem;' '// fs::path'
reports 'sim/a.cpp:1: no use is made of Folder' sim/a.cpp 'using test::Folder;' 'const char* text = "Folder";'
accepts sim/a.cpp 'namespace fs = std::filesystem;' 'using test::Folder;' 'fs::path path(Folder().path());'

# Names in anonymous namespaces. `unnamed LINE...`: such a namespace with these lines.
unnamed() { printf '%s\n' 'namespace sim {' 'namespace {' '' "$@" '' '}  // namespace' '}  // namespace sim'; }
write sim/a.cpp "$(unnamed 'constexpr int kLimit = 3;' 'struct Place {' '    int x;' '};' 'int at(const Place& place,' \
    '       int from = f(1));' '[[nodiscard]] std::map<int, int> places(int from, std::vector<int> all) {' '}' \
    'using Bytes = std::span<int>;' 'int f();')"
reports 'sim/log/b.cpp:4: kLimit: also in sim/a.cpp:4' sim/log/b.cpp "$(unnamed 'const std::size_t kLimit{4};')"
reports 'sim/b.cpp:4: Place: also in sim/a.cpp:5' sim/b.cpp "$(unnamed 'class Place final : public Other {' '};')"
reports 'sim/b.cpp:5: at: also in sim/a.cpp:9' sim/b.cpp "$(unnamed 'template <int x>' 'long at(const Place& other, int x) {' '}')"
reports 'sim/b.cpp:4: places: also in sim/a.cpp:10' sim/b.cpp "$(unnamed 'int places(int a, std::vector<int> b = {1, 2}) {')"
reports 'sim/b.cpp:4: places: also in sim/a.cpp:10' sim/b.cpp "$(unnamed 'std::array<int, 2> places{1, 2};')"
reports 'sim/b.cpp:4: Bytes: also in sim/a.cpp:12' sim/b.cpp "$(unnamed 'using Bytes = std::span<char>;')"
accepts sim/b.cpp "$(unnamed 'using Bytes = std::span<int>;' 'int at(const Place& place);' 'int f(int x);' 'struct Place;' \
    '// int kLimit;' 'int g(int kLimit) {' '    const int kLimit = 3;' '}' 'namespace fs = std::filesystem;' 'const fs::path folder;' \
    'int h() {' '}')"
accepts sim/b.cpp 'namespace sim {' 'int Place::kLimit = 3;' 'int f() { return 1; }' '}  // namespace sim'
accepts sim/b.cpp 'namespace other {' 'namespace {' 'int kLimit = 3;' '}  // namespace' '}  // namespace other'
accepts cli/b.cpp "$(unnamed 'int kLimit = 3;')"
rm "$tree/sim/a.cpp"

# Comments and strings are not code.
accepts sim/a.cpp '/* rand()' '   printf("x") */ int x;' 'const char* text = "rand() \" printf(";' 'char quote = '"'\"'"'; // assert(x)' \
    'const char* raw = R"x(printf(' 'rand()' ')x";' 'int big = 1'"'"'000; // exit(1)'
reports 'sim/a.cpp:2: use ums::Prng' sim/a.cpp '/* a comment */ const char* raw = R"(' ')"; int x = rand();'

finish
