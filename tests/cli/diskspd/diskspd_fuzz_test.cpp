// Any command line, profile or parameter file must quickly give arguments, or a UsageError with a message.
#include <string>
#include <vector>

#include "cli/diskspd/diskspd_arguments.hpp"
#include "cli/diskspd/diskspd_specification.hpp"
#include "cli/diskspd/profile_reader.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/sqlio/sqlio_arguments.hpp"
#include "cli/sqlio/sqlio_specification.hpp"
#include "reports/diskspd/diskspd_profile_text.hpp"
#include "reports/diskspd/diskspd_profile_xml.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"
#include "ums/base/prng.hpp"

namespace {

// A word that is often an option with some value.
std::string random_word(ums::Prng& prng) {
    static const std::string kLetters = "abBcCdDefFghiIjlLnNoOpPrRsStTuvwWxXyzZ:?kmq-";
    static const std::vector<std::string> kValues{
        "",    "1",   "8K",    "0",        "-1", "4b",          "g0,1",    "s50",    "dpct10/20:90/80",
        "i",   "xml", "pxml",  "s",        "uw", "99999999999", "1G:2G",   "random", "0x3",
        "r,f", " 8",  "1.1.1", "dabs5/1M", "c4", "S2",          "PROCESS", "\xff",   "10i"};
    std::string word = "-";
    word += kLetters[prng.below(kLetters.size())];
    word += kValues[prng.below(kValues.size())];
    if (prng.below(4) == 0) word += kValues[prng.below(kValues.size())];
    if (prng.below(20) == 0) word.insert(prng.below(word.size() + 1), 1, static_cast<char>(prng.below(256)));
    if (prng.below(10) == 0) word = "file" + word;
    return word;
}

std::vector<std::string> random_words(ums::Prng& prng) {
    std::vector<std::string> words;
    for (std::uint64_t i = prng.below(7); i > 0; --i) words.push_back(random_word(prng));
    words.emplace_back("t.dat");
    return words;
}

}  // namespace

TEST_CASE("any command line of DiskSpd is understood or refused") {
    ums::Prng prng(ums::testing::test_seed("diskspd arguments"));
    int understood = 0;
    for (int i = 0; i < 20000; ++i) {
        const std::vector<std::string> words = random_words(prng);
        try {
            const cli::DiskspdArguments arguments = cli::parse_diskspd(words, 1);
            if (arguments.profile.time_spans.empty()) continue;
            cli::check_diskspd_profile(arguments.profile);
            CHECK_FALSE(reports::diskspd_profile_text(arguments.profile, arguments.text_style).empty());
            // Outside of CHECK, which would count the UsageError for a refused target, like "#1", as a failure.
            const sim::MeasureSpec spec = cli::diskspd_specification(arguments, arguments.profile);
            CHECK_FALSE(spec.timespans.empty());
            ++understood;
        } catch (const cli::UsageError& error) {
            CHECK_FALSE(std::string(error.what()).empty());
        }
    }
    CHECK(understood > 100);
}

TEST_CASE("any command line and parameter file of SQLIO is understood or refused") {
    ums::Prng prng(ums::testing::test_seed("sqlio arguments"));
    const std::string text = "# files\na.dat 4 0x0 100\nb.dat 2 0x3\n/data/c.dat\n";
    int understood = 0;
    for (int i = 0; i < 20000; ++i) {
        try {
            cli::SqlioArguments arguments = cli::parse_sqlio(random_words(prng));
            std::string damaged = text;
            for (std::uint64_t k = prng.below(4); k > 0; --k) damaged[prng.below(damaged.size())] = static_cast<char>(prng.below(256));
            cli::add_sqlio_parameters(arguments, damaged, "param.txt");
            const std::vector<bool> missing(arguments.files.size(), true);
            const sim::MeasureSpec spec = cli::sqlio_specification(arguments, missing);
            CHECK(spec.timespans.at(0).targets.size() == arguments.files.size());
            ++understood;
        } catch (const cli::UsageError& error) {
            CHECK_FALSE(std::string(error.what()).empty());
        }
    }
    CHECK(understood > 100);
}

TEST_CASE("any profile is understood or refused") {
    ums::Prng prng(ums::testing::test_seed("diskspd profiles"));
    const std::string whole = reports::diskspd_profile_xml(
        cli::parse_diskspd({"-r4K", "-rdpct10/20:90/80", "-w30", "-g10i", "-Z1M,f&<>", "-a0,1", "-D", "-L", "a.dat", "*1"}, 1).profile);
    int understood = 0;
    for (int i = 0; i < 5000; ++i) {
        std::string text = whole;
        for (std::uint64_t k = prng.below(4); k > 0; --k) {
            const std::size_t place = prng.below(text.size());
            switch (prng.below(3)) {
                case 0: text[place] = static_cast<char>(prng.below(256)); break;
                case 1: text.erase(place, prng.below(30)); break;
                default: text.insert(place, text.substr(prng.below(text.size()), prng.below(60))); break;
            }
        }
        try {
            reports::DiskspdProfile profile = cli::read_diskspd_profile(text, "p.xml").profile;
            profile.is_profile_only = true;
            cli::check_diskspd_profile(profile);
            CHECK_FALSE(reports::diskspd_profile_text(profile, reports::DiskspdTextStyle::v2_2).empty());
            ++understood;
        } catch (const cli::UsageError& error) {
            CHECK(std::string(error.what()).find(':') != std::string::npos);
        }
    }
    CHECK(understood > 100);
}
