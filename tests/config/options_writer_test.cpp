// Written options must be read back as the same options.
#include "config/options_writer.hpp"

#include "config/ini_reader.hpp"
#include "tests/config/random_options.hpp"
#include "tests/config/support.hpp"
#include "tests/support/catch.hpp"

using namespace config;
using namespace config_test;

namespace {

std::string error_of_writing(const std::string& name, Dialect dialect) {
    sim::Options options;
    options.files.push_back({.path = name});
    try {
        write_options(options, dialect);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("random valid options survive writing and reading, in both dialects") {
    const std::uint64_t seed = test_seed("options_writer");
    ums::Prng prng(seed);
    for (int i = 0; i < 500; ++i) {
        const sim::Options options = random_options(prng);
        for (const Dialect dialect : {Dialect::ini, Dialect::toml}) {
            const std::string text = write_options(options, dialect);
            const Configuration loaded = load(dialect, text);
            INFO("seed " << seed << ", round " << i << "\n" << text);
            check_quiet(loaded);
            REQUIRE(loaded.options == options);
            REQUIRE(write_options(loaded.options, dialect) == text);
        }
    }
}

TEST_CASE("adjusted values do not change when they are read again") {
    const Configuration once = load_ini(
        "[CONFIG]\nMaxMemoryMB=32\n[File1]\nFileName=a.mdx\nInitialSize=64\nMaxSize=128\nIncrement=10\nShrinkable=TRUE\n"
        "[File2]\nFileName=a.ldx\nInitialSize=4\nMaxSize=4\nLogFile=TRUE\nShrinkable=TRUE\n");
    REQUIRE(once.warnings.size() == 2);
    CHECK(quiet_ini(write_options(once.options, Dialect::ini)) == once.options);
    CHECK(quiet_toml(write_options(once.options, Dialect::toml)) == once.options);
}

TEST_CASE("the INI file has SQLIOSim's sections and keys") {
    sim::Options options;
    options.files.push_back({.path = "/d/sqliosim.mdx", .initial_size_mb = 64, .max_size_mb = 128, .increment_mb = 10, .shrinkable = true});
    options.files.push_back({.path = "/d/sqliosim.ldx", .initial_size_mb = 32, .max_size_mb = 32, .is_log = true});
    const std::string text = write_options(options, Dialect::ini);
    CHECK_THAT(text,
               ContainsSubstring("\n[CONFIG]\nErrorFile=sqliosim.log.xml\nCPUCount=0\n") &&
                   ContainsSubstring("\nCacheHitRatio=1000\nNoBuffering=TRUE\n") && ContainsSubstring("\n[RandomUser]\nUserCount=-1\n") &&
                   ContainsSubstring("\n[File1]\nFileName=/d/sqliosim.mdx\nInitialSize=64\nMaxSize=128\nIncrement=10\nShrinkable=TRUE\n"
                                     "LogFile=FALSE\nSparse=FALSE\n") &&
                   ContainsSubstring("\n[File2]\nFileName=/d/sqliosim.ldx\n"));
}

TEST_CASE("the TOML file has names with units and percentages") {
    sim::Options options;
    options.random_user.rollback_chance = 1205;
    options.affinity = ~std::uint64_t{0};
    options.files.push_back({.path = "a\"b.mdx", .initial_size_mb = 64, .max_size_mb = 128});
    CHECK_THAT(write_options(options, Dialect::toml), ContainsSubstring("\n[config]\nerror_file = \"sqliosim.log.xml\"\n") &&
                                                          ContainsSubstring("\ncache_hit_ratio_percent = 10.0\n") &&
                                                          ContainsSubstring("\nrollback_chance_percent = 12.05\n") &&
                                                          ContainsSubstring("\naffinity = \"0xFFFFFFFFFFFFFFFF\"\n") &&
                                                          ContainsSubstring("\n[[file]]\npath = \"a\\\"b.mdx\"\ninitial_size_mb = 64\n"));
}

TEST_CASE("the list of options equals the INI file, and contains every name") {
    sim::Options options;
    options.files.push_back({.path = " a\nb.mdx", .initial_size_mb = 64, .max_size_mb = 128});
    const std::vector<RawSection> listed = listed_options(options);
    REQUIRE(listed.back().name == "File1");
    CHECK(listed.back().entries.front().key == "FileName");
    CHECK(listed.back().entries.front().value.text == " a\nb.mdx");
    options.files.front().path = " a'b.mdx";
    Problems problems;
    const RawConfig written = read_ini(write_options(options, Dialect::ini), "x", problems);
    const std::vector<RawSection> again = listed_options(options);
    REQUIRE(written.sections.size() == again.size());
    for (std::size_t i = 0; i < again.size(); ++i) {
        CHECK(written.sections[i].name == again[i].name);
        REQUIRE(written.sections[i].entries.size() == again[i].entries.size());
        for (std::size_t k = 0; k < again[i].entries.size(); ++k) {
            CHECK(written.sections[i].entries[k].key == again[i].entries[k].key);
            CHECK(written.sections[i].entries[k].value.text == again[i].entries[k].value.text);
        }
    }
}

TEST_CASE("names that a dialect cannot express are errors, not changed") {
    CHECK(error_of_writing("a\nb", Dialect::ini) ==
          "[File1] FileName = a\\u000ab: cannot be written to an INI file, whose values are one line; write TOML");
    CHECK(error_of_writing("a\rb", Dialect::ini) ==
          "[File1] FileName = a\\u000db: cannot be written to an INI file, whose values are one line; write TOML");
    CHECK(error_of_writing("a\nb", Dialect::toml).empty());
    CHECK(error_of_writing("\xFF", Dialect::toml) ==
          "[[file]] path = \\xff: cannot be written to TOML, which is UTF-8, here without U+100000 and above; write INI");
    for (const char* bad :
         {"\xC0\x80", "\xC3", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE0\x80\x80", "a\x80", "\xF0\x80\x80\x80", "\xF4\x80\x80\x80"}) {
        CHECK_FALSE(error_of_writing(bad, Dialect::toml).empty());
        CHECK(error_of_writing(bad, Dialect::ini).empty());
    }
}
