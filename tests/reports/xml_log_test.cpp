#include "reports/xml_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <regex>
#include <thread>
#include <vector>

#include "reports/log_events.hpp"
#include "sim/errors.hpp"
#include "tests/reports/example_results.hpp"
#include "tests/reports/temporary_folder.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/count_of.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/xml_checker.hpp"
#include "ums/base/prng.hpp"

using reports::XmlLog;
using test::FileSizeLimit;
using test::xml_error;

namespace {

sim::Event event_of(std::string description) {
    sim::Event event;
    event.utc_us = 1'764'000'000'000'000;
    event.user = "Monitor";
    event.description = std::move(description);
    return event;
}

std::string refusal_of(const std::string& path) {
    try {
        XmlLog log(path);
    } catch (const sim::RefusedError& error) {
        return error.what();
    }
    return "not refused";
}

// Reads as readers do: from front to back, until the end.
std::string read_in_chunks(const std::string& path, std::size_t chunk_bytes) {
    std::string content;
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    for (;;) {
        const std::size_t before = content.size();
        content.resize(before + chunk_bytes);
        const ssize_t size = ::read(descriptor, content.data() + before, chunk_bytes);
        content.resize(before + static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
        if (size <= 0) break;
    }
    ::close(descriptor);
    return content;
}

[[noreturn]] void log_until_killed(const std::string& path) {
    XmlLog log(path);
    log.on_begin();  // replaces the file of the previous round
    for (std::size_t i = 0;; ++i) log.on_event(event_of("event " + std::to_string(i) + std::string(i * 37 % 9'000, 'x')));
}

}  // namespace

TEST_CASE("a log has the head that parsers expect, and every entry between the root's tags") {
    const TemporaryFolder folder;
    const std::string path = folder.file("sqliosim.log.xml");
    XmlLog log(path);
    CHECK(read_file(path) ==
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<?xml-stylesheet type=\"text/xsl\" href=\"ErrorLog.xslt\"?>\n"
          "<ERRORLOG>\n<!-- --></ERRORLOG>\n");
    log.on_event(event_of("first"));
    log.on_finding(example_finding());
    const std::string content = read_file(path);
    CHECK(xml_error(content) == "");
    CHECK(count_of(content, "<ENTRY ") == 2);
    CHECK(count_of(content, "TYPE='ERROR'") == 1);
    CHECK_THAT(content, ContainsSubstring("<EXTENDED_DESCRIPTION>Buffer validation failed on /data/sqliosim.mdx Page: 87366, offset 0x8"));
    CHECK_FALSE(log.failure());
}

TEST_CASE("a finding with a dump file is followed by an entry that names it, and a warning is not of type ERROR") {
    const TemporaryFolder folder;
    const std::string path = folder.file("log.xml");
    XmlLog log(path);
    sim::Finding finding = example_finding();
    finding.is_warning = true;
    log.on_finding(finding);
    CHECK(count_of(read_file(path), "TYPE='ERROR'") == 0);
    CHECK(count_of(read_file(path), "TYPE='WARNING'") == 1);
    finding.is_warning = false;
    finding.evidence.dump_path = "/data/SqlSimErrorDump00006.txt";
    log.on_finding(finding);
    const std::string content = read_file(path);
    CHECK(count_of(content, "TYPE='ERROR'") == 1);
    const std::size_t entry = content.find("<EXTENDED_DESCRIPTION>Dump file successfully written: /data/SqlSimErrorDump00006.txt </EXT");
    CHECK(entry != std::string::npos);
    CHECK(entry > content.rfind("Buffer validation failed on"));
    CHECK(count_of(content, "TYPE='INFO'") == 1);
}

TEST_CASE("an event without a thread gets the calling thread") {
    const TemporaryFolder folder;
    XmlLog log(folder.file("log.xml"));
    log.on_event(event_of("own"));
    sim::Event event = event_of("given");
    event.thread_id = 9080;
    log.on_event(event);
    CHECK_THAT(read_file(folder.file("log.xml")), ContainsSubstring(" TID='" + std::to_string(::gettid()) + "' "));
    CHECK_THAT(read_file(folder.file("log.xml")), ContainsSubstring(" TID='9080' "));
}

TEST_CASE("the summary of a run can be read back from the log by the known reader's method") {
    const TemporaryFolder folder;
    const std::string path = folder.file("log.xml");
    {
        XmlLog log(path);
        for (const auto& event : reports::summary_events(example_results())) log.on_event(event);
    }
    const std::string content = read_file(path);
    CHECK(xml_error(content) == "");
    const std::regex first(R"(<EXTENDED_DESCRIPTION>Target IO Duration \(ms\) = (\d+), Running Average IO Duration \(ms\) = (\d+), )"
                           R"(Number of times IO throttled = (\d+), IO request blocks = (\d+))");
    std::smatch match;
    REQUIRE(std::regex_search(content, match, first));
    CHECK(match[2] == "15");
    CHECK(match[3] == "382");
    CHECK(match[4] == "108");
    CHECK(count_of(content, "TYPE='ERROR'") == 0);
    CHECK(count_of(content, "********** Final Summary for file ") == 2);
}

TEST_CASE("an older log is replaced: ioproof's, SQLIOSim's in UTF-8 or UTF-16, or an empty file") {
    const TemporaryFolder folder;
    const std::string path = folder.file("log.xml");
    {
        XmlLog log(path);
        for (int i = 0; i < 100; ++i) log.on_event(event_of("old"));
    }
    const std::string utf8 = "\xef\xbb\xbf<?xml version='1.0'?><ROOT><ENTRY TYPE='INFO'></ENTRY></ROOT>";
    std::string utf16 = "\xff\xfe";
    for (const char letter : std::string_view("<?xml version='1.0'?><?xml-stylesheet type='text/xsl' href='ErrorLog.xslt'?><R>old</R>")) {
        utf16 += letter;
        utf16 += '\0';
    }
    for (const std::string& old : {read_file(path), utf8, utf16, std::string()}) {
        write_file(path, old);
        XmlLog log(path);
        log.on_begin();
        log.on_event(event_of("new"));
        const std::string content = read_file(path);
        CHECK(xml_error(content) == "");
        CHECK(count_of(content, "<ENTRY ") == 1);
        CHECK(count_of(content, "old") == 0);
    }
}

TEST_CASE("a file that is not a log is refused and left as it is") {
    const TemporaryFolder folder;
    const std::string path = folder.file("letter.xml");
    for (const std::string content : {"Dear DBA,", "<?xml version='1.0'?><invoice/>", "see ErrorLog.xslt and <?xml"}) {
        write_file(path, content);
        CHECK_THAT(refusal_of(path), ContainsSubstring("letter.xml': it exists and is not a log of ioproof or SQLIOSim"));
        CHECK(read_file(path) == content);
    }
    CHECK_THAT(refusal_of(folder.file("")), ContainsSubstring("it is a directory"));
    const std::string pipe = folder.file("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_THAT(refusal_of(pipe), ContainsSubstring("it is not a regular file"));
}

TEST_CASE("a log to which another run writes is in use, and kept") {
    const TemporaryFolder folder;
    XmlLog log(folder.file("log.xml"));
    log.on_event(event_of("kept"));
    CHECK_THROWS_AS(XmlLog(folder.file("log.xml")), sim::EnvironmentError);
    CHECK_THROWS_WITH(XmlLog(folder.file("log.xml")), ContainsSubstring("another run is writing to it"));
    CHECK_THAT(read_file(folder.file("log.xml")), ContainsSubstring("kept"));
}

TEST_CASE("a missing folder is an environment error that names the file") {
    const TemporaryFolder folder;
    CHECK_THROWS_AS(XmlLog(folder.file("missing/log.xml")), sim::EnvironmentError);
    CHECK_THROWS_WITH(XmlLog(folder.file("missing/log.xml")), ContainsSubstring("missing/log.xml': No such file or directory"));
}

TEST_CASE("a full disk does not stop the run, is reported once, and entries that fit later are logged") {
    const TemporaryFolder folder;
    const std::string path = folder.file("log.xml");
    XmlLog log(path);
    {
        const FileSizeLimit limit(6000);
        for (int i = 0; i < 40; ++i) log.on_event(event_of("entry"));
        CHECK(xml_error(read_file(path)) == "");
        CHECK(read_file(path).size() <= 6000);
    }
    const std::size_t kept = count_of(read_file(path), "<ENTRY ");
    CHECK(kept > 10);
    CHECK(kept < 40);
    REQUIRE(log.failure());
    CHECK_THAT(*log.failure(), ContainsSubstring(std::to_string(40 - kept) + " of 40 entries could not be written: File too large"));
    log.on_event(event_of("after"));
    CHECK(count_of(read_file(path), "<ENTRY ") == kept + 1);
    CHECK_THAT(read_file(path), ContainsSubstring("after"));
    CHECK(xml_error(read_file(path)) == "");
}

TEST_CASE("no log is left behind if not even its head could be written") {
    const TemporaryFolder folder;
    const FileSizeLimit limit(10);
    CHECK_THROWS_AS(XmlLog(folder.file("log.xml")), sim::EnvironmentError);
    CHECK_FALSE(std::filesystem::exists(folder.file("log.xml")));
}

TEST_CASE("the log is well-formed after kill -9 at any moment") {
    const TemporaryFolder folder;
    const std::string path = folder.file("log.xml");
    const auto seed = static_cast<unsigned>(::getpid());
    WARN("seed " << seed);
    ums::Prng prng(seed);
    const bool has_xmllint = std::system("xmllint --version >/dev/null 2>&1") == 0;
    std::size_t entries = 0;
    // On a busy machine many are killed before they have written anything.
    for (int round = 0; round < 50 || (entries <= 1000 && round < 1000); ++round) {
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) log_until_killed(path);
        ::usleep(static_cast<useconds_t>(1'000 + prng.below(9'000)));
        REQUIRE(::kill(child, SIGKILL) == 0);
        REQUIRE(::waitpid(child, nullptr, 0) == child);
        const std::string content = std::filesystem::exists(path) ? read_file(path) : "";
        INFO("round " << round << ", " << content.size() << " bytes");
        // Killed before the very first write.
        if (content.empty()) continue;
        entries += count_of(content, "<ENTRY ");
        REQUIRE(xml_error(content) == "");
        if (has_xmllint) REQUIRE(std::system(("xmllint --noout --huge '" + path + "'").c_str()) == 0);
    }
    CHECK(entries > 1000);
}

TEST_CASE("readers that follow the log while findings pour in read a document each time") {
    const TemporaryFolder folder;
    const std::string path = folder.file("log.xml");
    std::optional<XmlLog> log(std::in_place, path);
    std::atomic<bool> ended{false};
    std::atomic<std::size_t> documents{0};
    std::array<std::string, 3> problems;
    std::vector<std::thread> readers;
    for (std::size_t i = 0; i < problems.size(); ++i) {
        readers.emplace_back([&, i] {
            const std::size_t chunk_bytes = std::array<std::size_t, 3>{1 << 20, 4096, 777}[i];
            while (!ended && problems[i].empty()) {
                problems[i] = xml_error(read_in_chunks(path, chunk_bytes));
                ++documents;
            }
        });
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    std::size_t rounds = 0;
    for (; std::chrono::steady_clock::now() < end; ++rounds) {
        for (int i = 0; i < 200; ++i) log->on_finding(example_finding());
        log->on_event(event_of(std::string(rounds % 10 * 1'000, 'x')));
        if (rounds % 8 != 7) continue;
        log.reset();  // the next run replaces it
        log.emplace(path);
    }
    ended = true;
    for (std::thread& reader : readers) reader.join();
    CHECK(problems == std::array<std::string, 3>{});
    CHECK(documents > 20);
    CHECK(rounds > 20);
}

TEST_CASE("a reader of a log keeps it while the next run replaces it") {
    const TemporaryFolder folder;
    const std::string path = folder.file("log.xml");
    {
        XmlLog log(path);
        log.on_event(event_of("old"));
    }
    std::filesystem::create_symlink("log.xml", folder.file("link.xml"));
    std::ifstream reader(path);
    XmlLog log(folder.file("link.xml"));
    log.on_begin();
    const std::string content((std::istreambuf_iterator<char>(reader)), std::istreambuf_iterator<char>());
    CHECK(xml_error(content) == "");
    CHECK(count_of(content, "old") == 1);
    CHECK(count_of(read_file(path), "old") == 0);
    CHECK(std::filesystem::is_symlink(folder.file("link.xml")));
    CHECK(std::distance(std::filesystem::directory_iterator(folder.file("")), {}) == 3);  // with the style sheet
}

TEST_CASE("if there is no room for a second file, the old log is emptied and reused") {
    const TemporaryFolder folder;
    const std::string path = folder.file(std::string(251, 'n') + ".xml");  // as long as a name may be
    { XmlLog(path).on_event(event_of("old")); }
    XmlLog log(path);
    log.on_event(event_of("new"));
    log.on_begin();
    log.on_event(event_of("newer"));
    CHECK(xml_error(read_file(path)) == "");
    CHECK(count_of(read_file(path), "old") == 0);
    CHECK(count_of(read_file(path), "<ENTRY ") == 2);
}

TEST_CASE("an earlier log stays if no file may become as large as the new one") {
    const TemporaryFolder folder;
    const std::string path = folder.file("log.xml");
    { XmlLog(path).on_event(event_of("old")); }
    const std::string old = read_file(path);
    XmlLog log(path);
    log.on_event(event_of("new"));
    {
        const FileSizeLimit limit(100);
        log.on_begin();
        log.on_event(event_of("newer"));
        log.on_finding({});
    }
    log.on_event(event_of("newest"));
    CHECK(read_file(path) == old);
    REQUIRE(log.failure());
    CHECK_THAT(*log.failure(), ContainsSubstring("4 of 4 entries could not be written"));
    CHECK(std::distance(std::filesystem::directory_iterator(folder.file("")), {}) == 2);  // with the style sheet
}

TEST_CASE("an earlier log stays until the run begins or has a finding, and no earlier message is lost") {
    const TemporaryFolder folder;
    const std::string path = folder.file("log.xml");
    { XmlLog(path).on_event(event_of("old")); }
    const std::string old = read_file(path);
    {
        XmlLog refused(path);
        for (int i = 0; i < 100; ++i) refused.on_event(event_of("refused"));
        CHECK(read_file(path) == old);
    }
    CHECK(read_file(path) == old);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.file("")), {}) == 2);  // with the style sheet
    const bool has_finding = GENERATE(false, true);
    XmlLog log(path);
    for (int i = 0; i < 100; ++i) log.on_event(event_of("before"));
    if (has_finding) log.on_finding({});
    if (!has_finding) log.on_begin();
    log.on_event(event_of("behind"));
    const std::string content = read_file(path);
    CHECK(xml_error(content) == "");
    CHECK(count_of(content, "before") == 100);
    CHECK(count_of(content, "behind") == 1);
    CHECK(count_of(content, "old") == 0);
    CHECK_FALSE(log.failure());
}

TEST_CASE("ioproof's style sheet is put beside the log, and a foreign one is left alone") {
    const TemporaryFolder folder;
    const std::string style = folder.file("ErrorLog.xslt");
    { const XmlLog log(folder.file("a.xml")); }
    const std::string ours = read_file(style);
    CHECK(xml_error(ours) == "");
    CHECK_THAT(ours, ContainsSubstring("<!-- ioproof ErrorLog.xslt 1"));
    for (const char* column : {"@TICK", "@UTC", "@LOCAL", "@CPU", "@HRESULT", "EXTENDED_DESCRIPTION"})
        CHECK_THAT(ours, ContainsSubstring(column));
    // The name of a coroutine may have a thousand letters, and would make the table ten times as wide as the screen.
    CHECK_THAT(ours, ContainsSubstring("<td title=\"{@Func}\">") && !ContainsSubstring("' ', @Func"));
    std::ofstream(style) << "<!-- ioproof ErrorLog.xslt 0 -->";
    { const XmlLog log(folder.file("a.xml")); }
    CHECK(read_file(style) == ours);
    std::ofstream(style) << "<xsl:stylesheet/>";
    { const XmlLog log(folder.file("a.xml")); }
    CHECK(read_file(style) == "<xsl:stylesheet/>");
}
