// Statements of the documents about the program, its files and its sources must be true.
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/process/exit_codes.hpp"
#include "cli/words/commands.hpp"
#include "config/config.hpp"
#include "reports/thresholds.hpp"
#include "sim/journal/history.hpp"
#include "sim/ledger/page_ledger.hpp"
#include "sim/limits.hpp"
#include "tests/support/catch.hpp"
#include "ums/io/threads_engine.hpp"

namespace fs = std::filesystem;

namespace {

const fs::path kRoot = IOPROOF_SOURCE_ROOT;

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::vector<fs::path> documents() {
    std::vector<fs::path> found{kRoot / "README.md", kRoot / "ARCHITECTURE.md", kRoot / "tests/fuse/README.md"};
    for (const auto& entry : fs::directory_iterator(kRoot / "docs")) {
        if (entry.path().extension() == ".md") found.push_back(entry.path());
    }
    return found;
}

// The project's files, by their path from the root.
std::vector<std::string> our_files() {
    std::vector<std::string> files;
    for (const char* folder : {"ums", "sim", "config", "reports", "cli", "tests", "tools", "docs", "samples", "cmake", ".ci"}) {
        if (!fs::exists(kRoot / folder)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
            if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(kRoot).string());
        }
    }
    for (const auto& entry : fs::directory_iterator(kRoot)) {
        if (entry.is_regular_file()) files.push_back(entry.path().filename().string());
    }
    return files;
}

// Splits a line as a shell does, as far as the documents need it: quotes, comments, redirections.
std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words;
    std::string word;
    char quote = 0;
    bool is_open = false;
    for (const char each : line + " ") {
        if (quote != 0) {
            each == quote ? quote = 0 : (word += each, 0);
        } else if (each == '\'' || each == '"') {
            quote = each;
            is_open = true;
        } else if (each != ' ') {
            word += each;
            is_open = true;
        } else if (is_open) {
            if (word[0] == '#' || word[0] == '|' || word[0] == '>' || word[0] == '&') break;
            words.push_back(std::exchange(word, {}));
            is_open = false;
        }
    }
    return words;
}

// The calls of the program in code blocks, without its name; a backslash continues a line.
std::vector<std::string> calls_in(const std::string& text) {
    std::vector<std::string> calls;
    bool is_code = false;
    std::string joined;
    for (std::string line : lines_of(text)) {
        if (line.starts_with("```")) is_code = !is_code;
        if (!is_code) continue;
        line.erase(0, line.find_first_not_of(" $"));
        joined += line;
        if (joined.ends_with('\\')) {
            joined.back() = ' ';
            continue;
        }
        if (joined.starts_with("ioproof ")) calls.push_back(joined.substr(8));
        joined.clear();
    }
    return calls;
}

cli::Switches switches_of(const cli::Command& command) {
    if (command.switches_of.empty()) return command.switches;
    for (const cli::Command& other : cli::commands()) {
        if (other.name == command.switches_of) return other.switches;
    }
    return {};
}

std::vector<std::string> quoted_in(const std::string& text) {
    std::vector<std::string> quoted;
    static const std::regex kQuoted("`([^`]+)`");
    for (auto each = std::sregex_iterator(text.begin(), text.end(), kQuoted); each != std::sregex_iterator(); ++each) {
        quoted.push_back((*each)[1]);
    }
    return quoted;
}

bool matches_a_file(const std::vector<std::string>& files, const std::string& pattern) {
    return std::any_of(files.begin(), files.end(), [&](const std::string& file) {
        const fs::path path(file);
        return ::fnmatch(pattern.c_str(), file.c_str(), 0) == 0 ||
               ::fnmatch(pattern.c_str(), (path.parent_path() / path.stem()).c_str(), 0) == 0;
    });
}

}  // namespace

TEST_CASE("every call of the program in the documents uses existing commands and switches") {
    std::size_t calls = 0;
    for (const fs::path& document : documents()) {
        for (const std::string& call : calls_in(text_of(document))) {
            INFO(document.filename().string() << ": ioproof " << call);
            const std::vector<std::string> words = words_of(call);
            const cli::Command* const command = cli::find_command(words);
            REQUIRE(command != nullptr);
            if (!command->options.empty()) {  // another tool's command line, which has its own tests
                ++calls;
                continue;
            }
            cli::Switches switches = switches_of(*command);
            for (const std::string& word : words) {
                if (word == "--") {  // the rest is for the runs of a powertest
                    switches = switches_of(*cli::find_command({"run"}));
                    continue;
                }
                const bool is_switch = word.size() > 1 && word[0] == '-' && word != "--help" && word != "-h";
                if (!is_switch) continue;
                INFO(word);
                CHECK(cli::find_switch(switches, word) != nullptr);
            }
            ++calls;
        }
    }
    CHECK(calls > 20);
}

TEST_CASE("every link among the documents leads to a file") {
    static const std::regex kLink(R"(\]\(([^)#]+)(#[^)]*)?\))");
    std::size_t links = 0;
    for (const fs::path& document : documents()) {
        const std::string text = text_of(document);
        for (auto each = std::sregex_iterator(text.begin(), text.end(), kLink); each != std::sregex_iterator(); ++each) {
            const std::string target = (*each)[1];
            if (target.find("://") != std::string::npos) continue;
            INFO(document.filename().string() << ": " << target);
            CHECK(fs::exists(document.parent_path() / target));
            ++links;
        }
    }
    CHECK(links > 20);
}

TEST_CASE("the exit codes in the README are those of the program") {
    const std::string text = text_of(kRoot / "README.md");
    const std::size_t begin = text.find("## Exit codes");
    REQUIRE(begin != std::string::npos);
    const std::string section = text.substr(begin, text.find("\n## ", begin + 1) - begin);
    std::set<int> told;
    static const std::regex kRow(R"(\n\| (\d+) \|)");
    for (auto row = std::sregex_iterator(section.begin(), section.end(), kRow); row != std::sregex_iterator(); ++row) {
        told.insert(std::stoi((*row)[1]));
    }
    using cli::ExitCode;
    std::set<int> codes;
    for (const ExitCode code :
         {ExitCode::ok, ExitCode::integrity, ExitCode::usage, ExitCode::environment, ExitCode::internal_error, ExitCode::stopped}) {
        codes.insert(cli::to_int(code));
    }
    CHECK(told == codes);
}

TEST_CASE("figures in the README are those of the program") {
    static const std::regex kSpace("\\s+");
    const std::string text = std::regex_replace(text_of(kRoot / "README.md"), kSpace, " ");
    const auto told = [&](const char* pattern) {
        std::smatch match;
        return std::regex_search(text, match, std::regex(pattern)) ? std::stoull(match[1].str()) : 0;
    };
    CHECK(told("never more than the data files at their largest, and never less than (\\d+) MB") == sim::kBufferPoolMbMin);
    CHECK(told("history of operations holds the last (\\d+) of each scheduler") == sim::kOperationsKept);
    CHECK(told("the ledger, (\\d+) bytes a page") == sizeof(sim::PageLedger::Entry));
    CHECK(told("plus (\\d+) bytes for each page of the data files") == sizeof(sim::PageLedger::Entry));
    CHECK(told("came back late \\(over (\\d+) s") == sim::kLongIoSeconds);
    CHECK(told("`long_io` \\(requests over (\\d+) s\\)") == sim::kLongIoSeconds);
    CHECK(told("up to (\\d+) I/O threads for each CPU") == ums::kEngineThreadsMax);
    CHECK(told("one pair of files in each folder, data files of (\\d+) GB") * 1024 == config::kDefaultSizeMb);
    CHECK(told("\\(samples/soak.toml, data files of (\\d+) GB\\)") * 1024 == config::kDefaultSizeMb);
}

TEST_CASE("every figure, class and unit that the README lists for --fail-on is understood, and others are not") {
    const std::string text = text_of(kRoot / "README.md");
    const std::size_t begin = text.find("| `[CLASS.]FIGURE` |");
    REQUIRE(begin != std::string::npos);
    const std::string row = text.substr(begin, text.find('\n', begin) - begin);
    const std::size_t classes = row.find("of one CLASS");
    const std::size_t counts = row.find("a count:");
    REQUIRE((classes != std::string::npos && counts != std::string::npos && classes < counts));
    const auto is_understood = [](const std::string& expression) {
        std::string problem;
        return reports::parse_thresholds(expression, problem).has_value();
    };
    const std::vector<std::string> times = quoted_in(row.substr(row.find("a time:"), classes - row.find("a time:")));
    const std::vector<std::string> io_classes = quoted_in(row.substr(classes, counts - classes));
    CHECK(times.size() > 8);
    CHECK(io_classes.size() == sim::kIoClassCount);
    for (const std::string& figure : times) {
        INFO(figure);
        for (const char* unit : {"us", "ms", "s"}) CHECK(is_understood(figure + " >= 5 " + unit));
        for (const std::string& io_class : io_classes) CHECK(is_understood(io_class + "." + figure + " > 5 ms"));
    }
    const std::vector<std::string> numbers = quoted_in(row.substr(counts));
    CHECK(numbers.size() == 3);
    for (const std::string& figure : numbers) {
        INFO(figure);
        CHECK(is_understood(figure + " > 0"));
        CHECK_FALSE(is_understood(figure + " > 5 ms"));
    }
    CHECK_FALSE(is_understood("p12 > 5 ms"));
    CHECK_FALSE(is_understood("sync.p99 > 5 ms"));
}

TEST_CASE("the quick start is what the README says") {
    const std::string readme = text_of(kRoot / "README.md");
    const std::string dev = text_of(kRoot / "dev");
    static const std::regex kFolder(R"(works in a folder `([\w-]+)`)");
    std::smatch match;
    REQUIRE(std::regex_search(readme, match, kFolder));
    CHECK(dev.find("$PWD/" + match[1].str()) != std::string::npos);
    CHECK(dev.find("samples/quick.ini") != std::string::npos);
    CHECK(dev.find("need_packages build") != std::string::npos);
}

TEST_CASE("there are as many examples of results as the README says") {
    const std::string guide = text_of(kRoot / "docs/reading_the_result.md");
    const std::size_t begin = guide.find("\n## Five results");
    REQUIRE(begin != std::string::npos);
    std::size_t examples = 0;
    for (const std::string& line : lines_of(guide.substr(begin + 1, guide.find("\n## ", begin + 1) - begin))) {
        if (line.starts_with("### ")) ++examples;
    }
    CHECK(examples == 5);
    const std::string readme = std::regex_replace(text_of(kRoot / "README.md"), std::regex("\\s+"), " ");
    CHECK(readme.find("with five results as examples: sound, slow, throttled, stale reads, full disk") != std::string::npos);
}

TEST_CASE("the two tables of the README's example speak of the same run") {
    const std::string text = text_of(kRoot / "README.md");
    static const std::regex kRow(R"(sqliosim\.mdx .* ([\d,]+)  good   right)");
    static const std::regex kVerdict(R"(PASS: ([\d,]+) page reads were verified)");
    std::smatch row;
    std::smatch verdict;
    REQUIRE(std::regex_search(text, row, kRow));
    REQUIRE(std::regex_search(text, verdict, kVerdict));
    CHECK(row[1] == verdict[1]);
}

TEST_CASE("the glossary is in alphabetical order, explains each term once, and names only existing documents") {
    std::vector<std::string> terms;
    static const std::regex kTerm(R"(^\*\*([^*]+)\*\*)");
    for (const std::string& line : lines_of(text_of(kRoot / "docs/glossary.md"))) {
        std::smatch match;
        if (!std::regex_search(line, match, kTerm)) continue;
        std::string term = match[1];
        std::transform(term.begin(), term.end(), term.begin(), [](unsigned char letter) { return std::tolower(letter); });
        terms.push_back(std::move(term));
    }
    CHECK(terms.size() > 30);
    CHECK(std::is_sorted(terms.begin(), terms.end()));
    CHECK(std::adjacent_find(terms.begin(), terms.end()) == terms.end());
}

TEST_CASE("the README names exactly the existing samples") {
    const std::string text = text_of(kRoot / "README.md");
    const std::size_t begin = text.find("[samples](samples)");
    REQUIRE(begin != std::string::npos);
    std::set<std::string> named;
    for (const std::string& name : quoted_in(text.substr(begin, text.find("\n\n", begin) - begin))) named.insert(name);
    std::set<std::string> samples;
    for (const auto& entry : fs::directory_iterator(kRoot / "samples")) samples.insert(entry.path().filename().string());
    CHECK(named == samples);
}

TEST_CASE("every file that the tour names exists") {
    const std::vector<std::string> files = our_files();
    const std::string text = text_of(kRoot / "ARCHITECTURE.md");
    const std::size_t begin = text.find("## Tour");
    REQUIRE(begin != std::string::npos);
    static const std::regex kFolder(R"(\*\*([a-z/]+)\*\*)");
    std::string folder;
    std::size_t named = 0;
    for (const std::string& line : lines_of(text.substr(begin))) {
        if (!line.starts_with("| ") || line.starts_with("| Files")) continue;
        const std::string first_cell = line.substr(2, line.find(" | ", 2) - 2);
        std::smatch match;
        if (std::regex_search(first_cell, match, kFolder)) folder = match[1];
        for (const std::string& name : quoted_in(first_cell)) {
            INFO(folder << "/" << name);
            CHECK(matches_a_file(files, folder + "/" + name));
            ++named;
        }
    }
    CHECK(named > 150);
}

TEST_CASE("every file and name in the developers' guides exists in the sources") {
    const std::vector<std::string> files = our_files();
    std::string sources;
    for (const std::string& file : files) {
        const std::string extension = fs::path(file).extension().string();
        if (extension != ".md" && file != "tests/cli/documents_test.cpp") sources += text_of(kRoot / file);
    }
    static const std::regex kFile(R"([\w./*-]*\.(cpp|hpp|md|sh|py|awk|json|toml|ini)|\.?[\w*-]+(/[\w.*-]+)+|\.[\w-]+)");
    static const std::regex kName(R"((?:[\w]+::)*([A-Za-z_]\w{3,})(?:\(.*\))?)");
    for (const std::string& token : quoted_in(text_of(kRoot / "docs/HACKING.md"))) {
        if (token.ends_with('_')) continue;  // a prefix of names
        INFO(token);
        std::smatch match;
        if (std::regex_match(token, kFile)) {
            const bool is_there = matches_a_file(files, token) || matches_a_file(files, "*/" + token) || fs::exists(kRoot / token) ||
                                  std::any_of(files.begin(), files.end(), [&](const std::string& file) { return file == token; });
            CHECK((is_there || sources.find(token) != std::string::npos));
        } else if (std::regex_match(token, match, kName)) {
            CHECK(sources.find(match[1].str()) != std::string::npos);
        }
    }
}
