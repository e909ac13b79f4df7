// TOML files: syntax errors with line and column, structure, types, exact percentages.
#include "tests/config/support.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/utf8.hpp"

using namespace config_test;

namespace {

std::string with_files(const std::string& text) { return text + kTomlFiles; }

}  // namespace

TEST_CASE("a TOML syntax error has file, line and column") {
    CHECK_THAT(toml_error("[config]\ncpu_count = = 2\n"), ContainsSubstring("test.toml:2:13: not valid TOML: "));
    CHECK_THAT(toml_error("[config\n"), ContainsSubstring("test.toml:1:8: not valid TOML: "));
    CHECK_THAT(toml_error("[config]\ncpu_count = 2\ncpu_count = 3\n"), ContainsSubstring("test.toml:3:"));
    CHECK_THAT(toml_error("[config]\n[config]\n"), ContainsSubstring("test.toml:2:"));
    CHECK_THAT(toml_error("[config]\ncpu_count = 99999999999999999999\n"), ContainsSubstring("test.toml:2:"));
    CHECK(toml_error("[config]\nerror_file = \"\xFF\"\n") == "test.toml:2: not valid UTF-8, which TOML must be");
}

TEST_CASE("a TOML file may begin with a byte order mark and have CRLF") {
    CHECK(quiet_toml("\xEF\xBB\xBF[config]\r\ncpu_count = 2\r\n" + std::string(kTomlFiles)).cpu_count == 2);
}

TEST_CASE("percentages map exactly to hundredths of a percent") {
    for (std::uint32_t hundredths = 0; hundredths <= 10000; ++hundredths) {
        std::string percent =
            std::to_string(hundredths / 100) + "." + std::to_string(hundredths % 100 / 10) + std::to_string(hundredths % 10);
        const auto loaded = load_toml(with_files("[random_user]\nrollback_chance_percent = " + percent));
        if (loaded.options.random_user.rollback_chance != hundredths) FAIL(percent);
    }
    CHECK(quiet_toml(with_files("[config]\ncache_hit_ratio_percent = 100\n")).cache_hit_ratio == 10000);
    CHECK(quiet_toml(with_files("[config]\ncache_hit_ratio_percent = 7\n")).cache_hit_ratio == 700);
    CHECK(quiet_toml(with_files("[config]\ncache_hit_ratio_percent = 1e1\n")).cache_hit_ratio == 1000);
}

TEST_CASE("percentages out of range or finer than two decimals are errors") {
    const auto error = [](const std::string& value) { return toml_error("[config]\ncache_hit_ratio_percent = " + value + "\n"); };
    const std::string allowed = "; allowed: 0.0 to 100.0 percent, at most two decimals";
    CHECK(error("100.01") == "test.toml:2:1: [config] cache_hit_ratio_percent = 100.01: is too large" + allowed);
    CHECK(error("101") == "test.toml:2:1: [config] cache_hit_ratio_percent = 101: is too large" + allowed);
    CHECK(error("9223372036854775807") == "test.toml:2:1: [config] cache_hit_ratio_percent = 9223372036854775807: is too large" + allowed);
    CHECK(error("-0.01") == "test.toml:2:1: [config] cache_hit_ratio_percent = -0.01: is too small" + allowed);
    CHECK(error("-1") == "test.toml:2:1: [config] cache_hit_ratio_percent = -1: is too small" + allowed);
    CHECK(error("0.001") == "test.toml:2:1: [config] cache_hit_ratio_percent = 0.001: has more than two decimals" + allowed);
    CHECK(error("nan") == "test.toml:2:1: [config] cache_hit_ratio_percent = nan: is not a number" + allowed);
    CHECK(error("-inf") == "test.toml:2:1: [config] cache_hit_ratio_percent = -inf: is not a number" + allowed);
    CHECK(error("\"10\"") ==
          "test.toml:2:1: [config] cache_hit_ratio_percent = 10: is a string, not a number: leave out the quotes" + allowed);
}

TEST_CASE("values of the wrong type are errors") {
    const auto error = [](const std::string& line) { return toml_error("[config]\n" + line + "\n"); };
    CHECK(error("cpu_count = \"2\"") ==
          "test.toml:2:1: [config] cpu_count = 2: is a string, not a whole number: leave out the quotes; allowed: 0 to 64 CPUs");
    CHECK(error("cpu_count = 2.0") == "test.toml:2:1: [config] cpu_count = 2.0: is not a whole number; allowed: 0 to 64 CPUs");
    CHECK(error("cpu_count = true") == "test.toml:2:1: [config] cpu_count = true: is not a whole number; allowed: 0 to 64 CPUs");
    CHECK(error("cpu_count = [1, 2]") == "test.toml:2:1: [config] cpu_count = [ 1, 2 ]: is not a whole number; allowed: 0 to 64 CPUs");
    CHECK(error("cpu_count = 1979-05-27") ==
          "test.toml:2:1: [config] cpu_count = 1979-05-27: is not a whole number; allowed: 0 to 64 CPUs");
    CHECK(error("stop_on_error = 1") == "test.toml:2:1: [config] stop_on_error = 1: is not a boolean; allowed: true or false");
    CHECK(error("stop_on_error = \"true\"") ==
          "test.toml:2:1: [config] stop_on_error = true: is a string, not a boolean: leave out the quotes; allowed: true or false");
    CHECK(error("error_file = 1") == "test.toml:2:1: [config] error_file = 1: is not a string in quotes; allowed: a string in quotes");
    CHECK(error("error_file = \"\"") == "test.toml:2:1: [config] error_file = : is empty; allowed: a string in quotes");
    CHECK_THAT(error("error_file = \"a\\u0000b\""), ContainsSubstring("error_file = a\\u0000b: contains a zero byte"));
    CHECK(error("affinity = -1") ==
          "test.toml:2:1: [config] affinity = -1: is too small; allowed: a mask of 64 bits, decimal or hexadecimal (0x...)");
    CHECK(
        error("affinity = \"0x1FFFFFFFFFFFFFFFF\"") ==
        "test.toml:2:1: [config] affinity = 0x1FFFFFFFFFFFFFFFF: is too large; allowed: a mask of 64 bits, decimal or hexadecimal (0x...)");
}

TEST_CASE("masks above 63 bits are written as a string") {
    CHECK(quiet_toml(with_files("[config]\naffinity = \"0xFFFFFFFFFFFFFFFF\"\n")).affinity == ~std::uint64_t{0});
    CHECK(quiet_toml(with_files("[config]\naffinity = \"18446744073709551615\"\n")).affinity == ~std::uint64_t{0});
    CHECK(quiet_toml(with_files("[config]\naffinity = 0x7FFFFFFFFFFFFFFF\n")).affinity == ~std::uint64_t{0} >> 1);
}

TEST_CASE("files are the tables of an array, possibly an inline one, in their order") {
    const sim::Options options = quiet_toml(
        "file = [ { path = \"z.mdx\", initial_size_mb = 4, max_size_mb = 4 },\n"
        "  { path = \"a.ldx\", initial_size_mb = 4, max_size_mb = 4, log_file = true } ]\n");
    REQUIRE(options.files.size() == 2);
    CHECK(options.files[0].path == "z.mdx");
    CHECK(options.files[1].path == "a.ldx");
}

TEST_CASE("dotted keys are the same as tables") { CHECK(quiet_toml("config.cpu_count = 2\n" + std::string(kTomlFiles)).cpu_count == 2); }

TEST_CASE("wrong structure is an error that shows the right one, all at once, in the order of the file") {
    CHECK(toml_error("cpu_count = 2\n[[random_user]]\nuser_count = 1\n[file]\npath = \"x\"\n[raid]\nx = 1\n") ==
          "test.toml:1:1: cpu_count: a key outside of a table; write it below a [section]\n"
          "test.toml:2:3: random_user: only [[file]] may occur several times; write [random_user]\n"
          "test.toml:4:2: file: files are written as tables, [[file]]\n"
          "test.toml:6:2: [raid]: unknown section; sections are [config], [random_user], [audit_user], [read_ahead_user], "
          "[bulk_update_user], "
          "[shrink_user], [backup_user], [columnstore_user], [tempdb_user], [version_store_user], [[file]]");
    CHECK(toml_error("file = [1]\n") == "test.toml:1:1: file: files are written as tables, [[file]]");
    CHECK(toml_error("[[files]]\npath = \"x\"\n") == "test.toml:1:3: [files]: unknown section; did you mean [[file]]?");
    CHECK(toml_error("test_cycles = [1]\n") == "test.toml:1:1: test_cycles: a key outside of a table; write it below a [section]");
}

TEST_CASE("TOML names are exact, and an INI name is an error that suggests the TOML name") {
    const auto warnings =
        load_toml("[config]\nCPUCount = 2\ncpu_cont = 3\nuser_count = 1\nmin_pages = 2\n" + std::string(kTomlFiles)).warnings;
    REQUIRE(warnings.size() == 4);
    CHECK(warnings[0] == "test.toml:2:1: CPUCount: unknown key, ignored; it is written cpu_count here");
    CHECK(warnings[1] == "test.toml:3:1: cpu_cont: unknown key, ignored; did you mean cpu_count?");
    CHECK(warnings[2] ==
          "test.toml:4:1: user_count: unknown key, ignored; it belongs to [random_user] or [audit_user] or [read_ahead_user] or "
          "[bulk_update_user] or [columnstore_user] or [tempdb_user] or [version_store_user]");
    CHECK(warnings[3] ==
          "test.toml:5:1: min_pages: unknown key, ignored; it belongs to [read_ahead_user] or [bulk_update_user] or "
          "[version_store_user]");
}

TEST_CASE("characters beyond ASCII are read anywhere in strings, comments and quoted keys") {
    const std::string name = "\u00C4\u00A0\u1680\u2028\u20AC\u3000\uFEFF\uFFFE\U0001F600\U000FFFFF";
    const sim::Options options = quiet_toml("# " + name + "\n[config]\nerror_file = \"" + name + "\" # " + name + "\n" + kTomlFiles);
    CHECK(options.error_file == name);
    CHECK(quiet_toml(with_files("[config]\nerror_file = '" + name + "'\n")).error_file == name);
    CHECK(quiet_toml(with_files("[config]\nerror_file = \"\\u00C4\\u20AC\"\n")).error_file == "\u00C4\u20AC");
    CHECK(quiet_toml(with_files("[config]\nerror_file = \"\"\"\\\n  \u00C4\"\"\"\n")).error_file == "\u00C4");
    const auto warnings = load_toml(with_files("[config]\n\"gr\u00F6\u00DFe\" = 1\n")).warnings;
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0] == "test.toml:2:1: gr\u00F6\u00DFe: unknown key, ignored");
}

// toml++ 3.3 and 3.4 have undefined behavior here, which the sanitizer finds: see config/toml_masking.hpp.
TEST_CASE("characters beyond ASCII outside of strings are errors, with the right column") {
    CHECK_THAT(toml_error("[config]\ngr\u00F6\u00DFe = 1\n"), ContainsSubstring("test.toml:2:3: not valid TOML: "));
    CHECK_THAT(toml_error("[config]\ncpu_count =\u00A01\n"), ContainsSubstring("test.toml:2:12: not valid TOML: "));
    for (std::uint32_t code = 0x80; code <= 0x10FFFF; code += code < 0x10000 ? 1 : 997) {
        if (code >= 0xD800 && code <= 0xDFFF) continue;
        std::string character;
        ums::append_utf8(character, code);
        CHECK_FALSE(toml_error("[config]" + character + "\ncpu_count = 1\n").empty());
    }
    CHECK_THAT(toml_error("[config]\nerror_file = \"\"\"\\\u00C4\"\"\"\n"), ContainsSubstring("test.toml:2:"));
}

TEST_CASE("private characters from U+100000 are refused, not mistaken for others") {
    CHECK(toml_error("[config]\nerror_file = \"\U001000C4\"\n") == "test.toml:2: characters U+100000 and above are not supported");
    CHECK(toml_error("[config]\nerror_file = \"\\U001000C4\"\n") == "test.toml:2: characters U+100000 and above are not supported");
}
