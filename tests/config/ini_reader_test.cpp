// SQLIOSim's files in the forms that occur in practice.
#include "config/ini_reader.hpp"

#include <fmt/format.h>

#include "tests/config/support.hpp"
#include "tests/support/catch.hpp"

using namespace config_test;

namespace {

std::string with_crlf(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return out;
}

// Converts ASCII and the two given characters to UTF-16.
std::string utf16(const std::u16string& text, bool big_endian) {
    std::string out = big_endian ? "\xFE\xFF" : "\xFF\xFE";
    for (const char16_t unit : text) {
        const char low = static_cast<char>(unit & 0xFF);
        const char high = static_cast<char>(unit >> 8);
        out += big_endian ? std::string{high, low} : std::string{low, high};
    }
    return out;
}

config::RawConfig read(const std::string& text, config::Problems& problems) { return config::read_ini(text, "test.ini", problems); }

}  // namespace

TEST_CASE("CRLF, CR, LF and a missing end of the last line make no difference") {
    const std::string text = std::string("[CONFIG]\nCPUCount=2\n") + kIniFiles;
    const sim::Options expected = quiet_ini(text);
    CHECK(expected.cpu_count == 2);
    CHECK(quiet_ini(with_crlf(text)) == expected);
    CHECK(quiet_ini(text.substr(0, text.size() - 1)) == expected);
    std::string with_cr = text;
    for (char& c : with_cr) c = c == '\n' ? '\r' : c;
    CHECK(quiet_ini(with_cr) == expected);
}

TEST_CASE("line numbers are right with every kind of line end") {
    for (const std::string end : {"\n", "\r\n", "\r"}) {
        config::Problems problems;
        const config::RawConfig raw = read(fmt::format("; first{0}{0}[CONFIG]{0}CPUCount=2", end), problems);
        REQUIRE(raw.sections.size() == 1);
        CHECK(raw.sections[0].place.line == 3);
        REQUIRE(raw.sections[0].entries.size() == 1);
        CHECK(raw.sections[0].entries[0].place.line == 4);
    }
}

TEST_CASE("a Ctrl-Z at the end of the file, as copy appends it on Windows, is not part of the text, but elsewhere it is") {
    CHECK(quiet_ini("[CONFIG]\nCPUCount=2\n" + std::string(kIniFiles) + "\x1A").cpu_count == 2);
    CHECK_THAT(ini_error(std::string(kIniFiles) + "\x1A\n"), ContainsSubstring("expected Key=Value"));
}

TEST_CASE("a UTF-8 byte order mark and UTF-16 with one are read, file names included") {
    CHECK(quiet_ini(std::string("\xEF\xBB\xBF[CONFIG]\nCPUCount=2\n") + kIniFiles).cpu_count == 2);
    const std::u16string text =
        u"[CONFIG]\r\nCPUCount=2\r\n[File1]\r\nFileName=d\u00E4ten\u20AC\U0001F600.mdx\r\nInitialSize=1\r\nMaxSize=1\r\n"
        u"[File2]\r\nFileName=a.ldx\r\nInitialSize=4\r\nMaxSize=4\r\nLogFile=TRUE\r\n";
    for (const bool big_endian : {false, true}) {
        const sim::Options options = quiet_ini(utf16(text, big_endian));
        CHECK(options.cpu_count == 2);
        CHECK(options.files.at(0).path == "d\xC3\xA4ten\xE2\x82\xAC\xF0\x9F\x98\x80.mdx");
    }
}

TEST_CASE("broken UTF-16 and zero bytes are errors that say what to do") {
    CHECK(ini_error(utf16(u"[CONFIG]\nErrorFile=\xD83D.xml", false)) ==
          "test.ini:2: broken UTF-16 text (half a surrogate pair); save the file as UTF-8");
    CHECK(ini_error(utf16(u"a\xDE00", false)).find("half a surrogate pair") != std::string::npos);
    CHECK(ini_error(utf16(u"a\xD83D", true)).find("half a surrogate pair") != std::string::npos);
    CHECK(ini_error("\xFF\xFE[") == "test.ini:1: broken UTF-16 text (an odd number of bytes); save the file as UTF-8");
    CHECK(ini_error(std::string("[C]\n\0a", 6)) ==
          "test.ini:2: not a text file (zero byte); UTF-16 needs a byte order mark, or save the file as UTF-8");
}

TEST_CASE("blanks, and the letter case of sections, keys and booleans, do not matter") {
    const sim::Options options =
        quiet_ini(std::string("  [ config ]\n\tcpucount\t=  2 \nSTOPONERROR = false\nnoBuffering=No\nUseScatterGather=no\n"
                              "WriteThrough=0\nStampFiles=yes\nForceReadAhead=oFF\nDeleteFilesAtShutdown=1\nAllowIOBursts=TRUE\n"
                              "[RANDOMUSER]\nrollbackchance=7\n") +
                  kIniFiles);
    CHECK(options.cpu_count == 2);
    CHECK_FALSE(options.stop_on_error);
    CHECK_FALSE(options.no_buffering);
    CHECK_FALSE(options.write_through);
    CHECK(options.stamp_files);
    CHECK_FALSE(options.force_read_ahead);
    CHECK(options.delete_files_at_shutdown);
    CHECK(options.allow_io_bursts);
    CHECK(options.random_user.rollback_chance == 7);
}

TEST_CASE("comment lines begin with a semicolon or #, and both characters may occur in a value") {
    const sim::Options options =
        quiet_ini(";CPUCount=9\n#CPUCount=9\n  ; [x]\n[CONFIG]\n ;CPUCount=9\nErrorFile=a;b#c=d.xml\n" + std::string(kIniFiles));
    CHECK(options.cpu_count == 0);
    CHECK(options.error_file == "a;b#c=d.xml");
}

TEST_CASE("a comment may follow a section's bracket, and nothing else may") {
    CHECK(quiet_ini("[CONFIG] ; as on [host]\nCPUCount=2\n" + std::string(kIniFiles)).cpu_count == 2);
    CHECK(quiet_ini("[CONFIG]#old\nCPUCount=2\n" + std::string(kIniFiles)).cpu_count == 2);
    CHECK(ini_error("[CONFIG] CPUCount=2\n") ==
          "test.ini:1: [CONFIG] CPUCount=2: a section is written as [Name], and only a comment that begins with ; or # may follow it");
}

TEST_CASE("quotes around a value are removed as by Windows") {
    CHECK(quiet_ini("[CONFIG]\nErrorFile=\" a.xml \"\n" + std::string(kIniFiles)).error_file == " a.xml ");
    CHECK(quiet_ini("[CONFIG]\nErrorFile='a.xml'\n" + std::string(kIniFiles)).error_file == "a.xml");
    CHECK(quiet_ini("[CONFIG]\nErrorFile=\"a.xml\n" + std::string(kIniFiles)).error_file == "\"a.xml");
}

TEST_CASE("ScatterGather is another spelling of UseScatterGather") {
    CHECK_FALSE(quiet_ini("[CONFIG]\nScatterGather=FALSE\n" + std::string(kIniFiles)).use_scatter_gather);
    const auto both = load_ini("[CONFIG]\nUseScatterGather=TRUE\nScatterGather=FALSE\n" + std::string(kIniFiles));
    CHECK_FALSE(both.options.use_scatter_gather);
    REQUIRE(both.warnings.size() == 1);
    CHECK(both.warnings[0] == "test.ini:3: [CONFIG] UseScatterGather = FALSE: given again (first at test.ini:2); the last one counts");
}

TEST_CASE("a file section with only empty values is ignored") {
    const sim::Options expected = quiet_ini(kIniFiles);
    CHECK(quiet_ini(std::string(kIniFiles) + "[File3]\nFileName=\n") == expected);
    CHECK(quiet_ini(std::string(kIniFiles) + "[File3]\nFileName= \nInitialSize=\n") == expected);
    CHECK(quiet_ini(std::string(kIniFiles) + "[File3]\n;FileName=x\n") == expected);
}

TEST_CASE("files are taken in the order of their numbers") {
    const sim::Options options = quiet_ini(
        "[File10]\nFileName=ten.ldx\nInitialSize=4\nMaxSize=4\nLogFile=TRUE\n"
        "[FILE2]\nFileName=two.mdx\nInitialSize=4\nMaxSize=4\n");
    REQUIRE(options.files.size() == 2);
    CHECK(options.files[0].path == "two.mdx");
    CHECK(options.files[1].path == "ten.ldx");
}

TEST_CASE("a name with a stream is simply a different file") {
    const sim::Options options =
        quiet_ini(std::string(kIniFiles) + "[File3]\nFileName=a.mdx:replica\nInitialSize=4\nMaxSize=4\nSparse=TRUE\n");
    REQUIRE(options.files.size() == 3);
    CHECK(options.files[2].path == "a.mdx:replica");
    CHECK(options.files[2].sparse);
}

TEST_CASE("if a key is given twice the last one counts, with a warning") {
    const auto loaded =
        load_ini("[CONFIG]\nCPUCount=2\ncpucount=3\n[RandomUser]\nUserCount=1\n[config]\nCPUCount=4\n" + std::string(kIniFiles));
    CHECK(loaded.options.cpu_count == 4);
    REQUIRE(loaded.warnings.size() == 2);
    CHECK(loaded.warnings[0] == "test.ini:3: [CONFIG] CPUCount = 3: given again (first at test.ini:2); the last one counts");
    CHECK(loaded.warnings[1] == "test.ini:7: [CONFIG] CPUCount = 4: given again (first at test.ini:3); the last one counts");
}

TEST_CASE("a file section that occurs twice is one file, with a warning") {
    const auto loaded = load_ini(std::string(kIniFiles) + "[File1]\nFileName=b.mdx\n");
    REQUIRE(loaded.options.files.size() == 2);
    CHECK(loaded.options.files[0].path == "b.mdx");
    REQUIRE(loaded.warnings.size() == 2);
    CHECK(loaded.warnings[0] == "test.ini:11: [File1] occurs again (first in line 2); both are taken as one file");
    CHECK(loaded.warnings[1] == "test.ini:12: [File1] FileName = b.mdx: given again (first at test.ini:3); the last one counts");
}

TEST_CASE("an empty value is ignored with a warning") {
    const auto loaded = load_ini("[CONFIG]\nCPUCount=\n" + std::string(kIniFiles));
    CHECK(loaded.options.cpu_count == 0);
    REQUIRE(loaded.warnings.size() == 1);
    CHECK(loaded.warnings[0] == "test.ini:2: [CONFIG] CPUCount = : has no value, ignored");
}

TEST_CASE("lines that are not INI are errors, all shown at once") {
    CHECK(ini_error("CPUCount=1\n[CONFIG\n[]\n[CONFIG]\nhello\n=3\n") ==
          "test.ini:1: CPUCount=1: a key before the first [Section]\n"
          "test.ini:2: [CONFIG: a section is written as [Name], and only a comment that begins with ; or # may follow it\n"
          "test.ini:3: []: a section is written as [Name], and only a comment that begins with ; or # may follow it\n"
          "test.ini:5: hello: expected Key=Value, a [Section], or a comment that begins with ; or #\n"
          "test.ini:6: =3: expected Key=Value, a [Section], or a comment that begins with ; or #");
}
