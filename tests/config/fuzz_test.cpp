// Any bytes in a file must give options or a ConfigError, and nothing else.
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/options_writer.hpp"
#include "tests/config/random_options.hpp"
#include "tests/config/support.hpp"
#include "tests/support/catch.hpp"

using namespace config;
using namespace config_test;

namespace {

std::string random_bytes(ums::Prng& prng) {
    std::string bytes;
    const std::uint64_t length = prng.between(0, 300);
    // Mostly characters with a meaning for one of the readers.
    static const std::string kSpecial = "[]=;#\n\r\t \"'\\{},.-_+0x1eTFfile\xEF\xBB\xBF\xFF\xFE";
    const bool only_special = prng.chance(5000);
    for (std::uint64_t i = 0; i < length; ++i) {
        bytes += only_special ? kSpecial[prng.below(kSpecial.size())] : static_cast<char>(prng.below(256));
    }
    return bytes;
}

// Deletes, duplicates, replaces and inserts pieces.
void mutate(std::string& text, ums::Prng& prng) {
    const std::uint64_t changes = prng.between(1, 8);
    for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) {
        const std::size_t at = prng.below(text.size());
        const std::size_t length = prng.below(20);
        switch (prng.below(4)) {
            case 0: text.erase(at, length); break;
            case 1: text.insert(at, text.substr(at, length)); break;
            case 2: text[at] = static_cast<char>(prng.below(256)); break;
            default: text.insert(at, random_bytes(prng).substr(0, length)); break;
        }
    }
}

// Whether the text was accepted; if so, the options must survive writing and reading.
bool try_load(Dialect dialect, const std::string& text) {
    Configuration loaded;
    try {
        loaded = load(dialect, text);
    } catch (const ConfigError& error) {
        const std::string message = error.what();
        REQUIRE_FALSE(message.empty());
        return false;
    }
    const Configuration again = load(dialect, write_options(loaded.options, dialect));
    REQUIRE(again.options == loaded.options);
    return true;
}

}  // namespace

TEST_CASE("random bytes never crash a reader") {
    const std::uint64_t seed = test_seed("random bytes");
    INFO("seed " << seed);
    ums::Prng prng(seed);
    for (int i = 0; i < 20000; ++i) {
        const std::string bytes = random_bytes(prng);
        try_load(Dialect::ini, bytes);
        try_load(Dialect::toml, bytes);
    }
}

TEST_CASE("damaged files are accepted with sound options or refused with a message") {
    const std::uint64_t seed = test_seed("damaged files");
    INFO("seed " << seed);
    ums::Prng prng(seed);
    int accepted = 0;
    int refused = 0;
    for (int i = 0; i < 1000; ++i) {
        const sim::Options options = random_options(prng);
        for (const Dialect dialect : {Dialect::ini, Dialect::toml}) {
            std::string text = write_options(options, dialect);
            mutate(text, prng);
            ++(try_load(dialect, text) ? accepted : refused);
        }
    }
    // Both must happen, or the test proves nothing.
    CHECK(accepted > 100);
    CHECK(refused > 100);
}

TEST_CASE("deep nesting, long lines and many sections do no harm") {
    for (const Dialect dialect : {Dialect::ini, Dialect::toml}) {
        try_load(dialect, "x = " + std::string(100000, '['));
        try_load(dialect, "x = " + std::string(100000, '{'));
        try_load(dialect, std::string(100000, '['));
        try_load(dialect, "[" + std::string(100000, 'a') + "]\n");
        try_load(dialect, "[CONFIG]\n" + std::string(100000, 'a') + " = 1\n");
        try_load(dialect, "[config]\n" + std::string(100000, 'a') + " = 1\n");
        std::string sections;
        for (int i = 0; i < 5000; ++i)
            sections += dialect == Dialect::ini
                            ? "[File" + std::to_string(i) + "]\nFileName=" + std::to_string(i) + "\nInitialSize=1\nMaxSize=1\n"
                            : "[[file]]\npath=\"" + std::to_string(i) + "\"\ninitial_size_mb=1\nmax_size_mb=1\n";
        CHECK_THAT(error_of(dialect, sections), ContainsSubstring("5000 files are named; allowed: at most 4095"));
    }
}

TEST_CASE("nesting that would exhaust the parser's stack is refused with its line") {
    const auto levels = [](const std::string& piece, int count) {
        std::string text;
        for (int i = 0; i < count; ++i) text += piece;
        return text;
    };
    const std::string message = "nested too deeply";
    CHECK_THAT(toml_error("[config]\n" + levels("a.", 5000) + "a = 1"), ContainsSubstring("test.toml:2: " + message));
    CHECK_THAT(toml_error("\n[" + levels("a.", 5000) + "a]"), ContainsSubstring("test.toml:2: " + message));
    CHECK_THAT(toml_error("a = [" + levels("\n[", 5000)), ContainsSubstring(message));
    CHECK_THAT(toml_error("a = " + levels("{a.a.a.a=", 1000)), ContainsSubstring(message));
    // Neither quotes nor comments nor the ends of strings may hide it.
    for (const char* before :
         {R"('""')", R"("'")", R"("\"'")", "\"\"\"\n\" \"\" ' \"\"\"\"\"", "'''\n' \" '''''", "'' # '\"\n", "\"\" # \"\"\"\n"}) {
        INFO(before);
        CHECK_THAT(toml_error("a = [" + std::string(before) + "\n, {" + levels("a.", 100) + "a = 1}]"), ContainsSubstring(message));
    }
}

TEST_CASE("dots and brackets in strings and comments do not count as nesting") {
    const std::string text = std::string(500, '.') + std::string(500, '[');
    for (const std::string quote : {"\"", "'", "\"\"\"", "'''"}) {
        INFO(quote);
        const Configuration loaded = load_toml("[config]\nerror_file = " + quote + text + quote + " # " + text + kTomlFiles);
        CHECK(loaded.options.error_file == text);
    }
}

TEST_CASE("lines, sections and keys beyond what a configuration needs are refused quickly") {
    const auto begin = std::chrono::steady_clock::now();
    for (const Dialect dialect : {Dialect::ini, Dialect::toml}) {
        const std::string section = dialect == Dialect::ini ? "[CONFIG]\n" : "[config]\n";
        CHECK_THAT(error_of(dialect, section + "x = '" + std::string(20'000, 'a') + "'\n"),
                   ContainsSubstring(":2: the line has more than 16384 bytes"));
        std::string keys = section;
        for (int i = 0; i < 200'000; ++i) keys += fmt::format("Unknown{} = 1\n", i);
        CHECK_THAT(error_of(dialect, keys), ContainsSubstring(":100002: there are more than 100000 keys"));
        std::string sections;
        for (int i = 0; i < 200'000; ++i) sections += fmt::format("[Unknown{}]\n", i);
        CHECK_THAT(error_of(dialect, sections), ContainsSubstring(":10001: there are more than 10000 sections"));
    }
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}

TEST_CASE("of many warnings and errors the first are shown, and the others are counted") {
    std::string text = "[CONFIG]\n";
    for (int i = 0; i < 90'000; ++i) text += fmt::format("MaxMemoryMV{} = 1\n", i);
    const std::vector<std::string> warnings = load_ini(text + kIniFiles).warnings;
    REQUIRE(warnings.size() == 51);
    CHECK(warnings.front() == "test.ini:2: MaxMemoryMV0: unknown key, ignored; did you mean MaxMemoryMB?");
    CHECK(warnings.back() == "and 89950 more warnings");
    std::string sections;
    for (int i = 0; i < 9'000; ++i) sections += fmt::format("[Unknown{}]\n", i);
    CHECK_THAT(ini_error(sections), ContainsSubstring("test.ini:20: [Unknown19]") && ContainsSubstring("\nand 8980 more errors"));
}
