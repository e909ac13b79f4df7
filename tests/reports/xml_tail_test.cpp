#include "reports/xml_tail.hpp"

#include <algorithm>
#include <optional>

#include "tests/support/catch.hpp"
#include "tests/support/xml_checker.hpp"
#include "ums/base/prng.hpp"

namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::string_view kProlog = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

// A file in memory that takes a write page by page, as the kernel does, and looks at the whole document after each: what a kill between
// two pages would leave.
class PageWiseFile final : public reports::TailFile {
public:
    std::error_code write_at(std::uint64_t offset_bytes, std::string_view bytes) override {
        while (!bytes.empty()) {
            if (pages_left_ && (*pages_left_)-- == 0) {
                pages_left_.reset();
                return std::make_error_code(std::errc::no_space_on_device);
            }
            const std::size_t size = std::min<std::size_t>(bytes.size(), kPageBytes - offset_bytes % kPageBytes);
            if (content.size() < offset_bytes + size) content.resize(offset_bytes + size, '\0');
            content.replace(offset_bytes, size, bytes.substr(0, size));
            bytes.remove_prefix(size);
            offset_bytes += size;
            check();
        }
        return {};
    }
    std::error_code truncate(std::uint64_t size_bytes) override {
        content.resize(size_bytes);
        check();
        return {};
    }
    void fail_after(std::uint64_t pages) { pages_left_ = pages; }

    std::string content;
    std::string first_problem;
    std::uint64_t states = 0;

private:
    void check() {
        ++states;
        const std::string error = test::xml_error(content);
        if (error.empty() || !first_problem.empty()) return;
        first_problem = error + ": ..." + content.substr(content.size() - std::min<std::size_t>(content.size(), 300));
    }
    std::optional<std::uint64_t> pages_left_;
};

std::string element_of(std::size_t number, std::size_t size) {
    const std::string begin = "<E n='" + std::to_string(number) + "'>";
    return begin + std::string(size, 'x') + "</E>\n";
}

std::size_t count_of(const std::string& text, std::string_view token) {
    std::size_t count = 0;
    for (std::size_t at = text.find(token); at != std::string::npos; at = text.find(token, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE("an empty log is a document already") {
    PageWiseFile file;
    reports::XmlTail tail(file, "LOG");
    REQUIRE_FALSE(tail.start(kProlog, 0));
    CHECK(file.content == std::string(kProlog) + "<LOG>\n</LOG>\n");
    CHECK(file.first_problem == "");
}

TEST_CASE("elements follow each other without a gap while they fit in a page") {
    PageWiseFile file;
    reports::XmlTail tail(file, "LOG");
    REQUIRE_FALSE(tail.start("", 0));
    REQUIRE_FALSE(tail.append("<A/>\n"));
    REQUIRE_FALSE(tail.append("<B/>\n"));
    CHECK(file.content == "<LOG>\n<A/>\n<B/>\n</LOG>   \n");
}

TEST_CASE("the document is well-formed after every page of every write, whatever the sizes") {
    const std::uint64_t seed = 7;
    CAPTURE(seed);
    ums::Prng random(seed);
    for (int round = 0; round < 10; ++round) {
        PageWiseFile file;
        reports::XmlTail tail(file, "ERRORLOG");
        REQUIRE_FALSE(tail.start(kProlog, 0));
        for (std::size_t i = 0; i < 60; ++i) {
            REQUIRE_FALSE(tail.append(element_of(i, random.chance(1000) ? random.below(12'000) : random.below(600))));
        }
        INFO("round " << round << ", " << file.states << " states");
        REQUIRE(file.first_problem == "");
        REQUIRE(count_of(file.content, "<E n=") == 60);
        REQUIRE(count_of(file.content, "<?") <= 2);  // the declaration, and what the last element may have left
    }
}

TEST_CASE("elements of every length meet the end of a page well-formed") {
    PageWiseFile file;
    for (std::size_t size = kPageBytes - 120; size < kPageBytes + 40; ++size) {
        file.content.clear();
        reports::XmlTail tail(file, "ERRORLOG");
        REQUIRE_FALSE(tail.start(kProlog, 0));
        REQUIRE_FALSE(tail.append(element_of(1, size)));
        REQUIRE_FALSE(tail.append("<A/>\n"));
        REQUIRE_FALSE(tail.append(element_of(2, 5000)));
        INFO("size " << size);
        REQUIRE(file.first_problem == "");
        REQUIRE(count_of(file.content, "</E>") == 2);
    }
}

TEST_CASE("a failed write loses its element only, and the log goes on") {
    const std::uint64_t seed = 11;
    CAPTURE(seed);
    ums::Prng random(seed);
    PageWiseFile file;
    reports::XmlTail tail(file, "ERRORLOG");
    REQUIRE_FALSE(tail.start(kProlog, 0));
    std::size_t written = 0;
    std::size_t failures = 0;
    for (std::size_t i = 0; i < 200; ++i) {
        if (random.chance(3000)) file.fail_after(random.below(5));
        const bool failed = static_cast<bool>(tail.append(element_of(i, random.below(3000))));
        failures += failed ? 1 : 0;
        written += failed ? 0 : 1;
        // What is still left of the counter must not hit the next one.
        file.fail_after(1'000'000);
        INFO("element " << i << (failed ? " failed" : ""));
        REQUIRE(file.first_problem == "");
    }
    CHECK(failures > 10);
    CHECK(count_of(file.content, "<E n=") == written);
}

TEST_CASE("replacing a log of ours is well-formed at every moment, whatever its size") {
    for (const std::size_t elements : {0U, 1U, 8U, 9U, 10U, 200U}) {
        PageWiseFile file;
        reports::XmlTail old_tail(file, "ERRORLOG");
        REQUIRE_FALSE(old_tail.start(kProlog, 0));
        for (std::size_t i = 0; i < elements; ++i) REQUIRE_FALSE(old_tail.append(element_of(i, 400)));

        reports::XmlTail tail(file, "ERRORLOG");
        REQUIRE_FALSE(tail.start(kProlog, file.content.size()));
        INFO(elements << " elements");
        CHECK(file.first_problem == "");
        CHECK(file.content == std::string(kProlog) + "<ERRORLOG>\n</ERRORLOG>\n");
    }
}

TEST_CASE("a full disk does not keep an old log from being replaced") {
    PageWiseFile file;
    reports::XmlTail old_tail(file, "ERRORLOG");
    REQUIRE_FALSE(old_tail.start(kProlog, 0));
    for (std::size_t i = 0; i < 50; ++i) REQUIRE_FALSE(old_tail.append(element_of(i, 400)));
    file.fail_after(0);
    reports::XmlTail tail(file, "ERRORLOG");
    REQUIRE_FALSE(tail.start(kProlog, file.content.size()));
    CHECK(file.content == std::string(kProlog) + "<ERRORLOG>\n</ERRORLOG>\n");
}
