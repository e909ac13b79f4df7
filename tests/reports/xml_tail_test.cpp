#include "reports/xml_tail.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "tests/support/catch.hpp"
#include "tests/support/count_of.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/xml_checker.hpp"
#include "ums/base/prng.hpp"

namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::string_view kProlog = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

// A file in memory that applies a write page by page, as the kernel does, and checks the whole document after each page, which is what a
// kill between two pages would leave.
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

    std::function<void()> on_state = [] {};  // after each step

    std::string content;
    std::string first_problem;
    std::uint64_t states = 0;

private:
    void check() {
        ++states;
        on_state();
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

// Reads a file from front to back while it changes, in pieces of random size, until its end.
class Reader {
public:
    Reader(const PageWiseFile& file, ums::Prng& random) : file_(file), random_(random) {}

    // Returns true at the end of the file.
    bool read_some() {
        const std::size_t size =
            std::min<std::size_t>(file_.content.size() - text.size(), 1 + random_.below(random_.chance(5000) ? 40 : 9000));
        text += file_.content.substr(text.size(), size);
        return size == 0;
    }

    std::string text;

private:
    const PageWiseFile& file_;
    ums::Prng& random_;
};

}  // namespace

TEST_CASE("an empty log is already a document") {
    PageWiseFile file;
    reports::XmlTail tail(file, "LOG");
    REQUIRE_FALSE(tail.start(kProlog));
    CHECK(file.content == std::string(kProlog) + "<LOG>\n<!-- --></LOG>\n");
    CHECK(file.first_problem == "");
}

TEST_CASE("a write of one byte uncovers each element") {
    PageWiseFile file;
    reports::XmlTail tail(file, "LOG");
    REQUIRE_FALSE(tail.start(""));
    REQUIRE_FALSE(tail.append("<A/>\n"));
    REQUIRE_FALSE(tail.append("<B/>\n"));
    CHECK(file.content ==
          "<LOG>\n<!--  -></LOG>\n"
          "<?next -->\n<A/>\n<!--  -></LOG><?next ?>\n"
          "<?next -->\n<B/>\n<!-- --></LOG><?next ?>\n");
    CHECK(test::xml_error(file.content) == "");
}

TEST_CASE("the document is well-formed after every page of every write, whatever the sizes") {
    const std::uint64_t seed = 7;
    CAPTURE(seed);
    ums::Prng random(seed);
    for (int round = 0; round < 10; ++round) {
        PageWiseFile file;
        reports::XmlTail tail(file, "ERRORLOG");
        REQUIRE_FALSE(tail.start(kProlog));
        for (std::size_t i = 0; i < 60; ++i) {
            REQUIRE_FALSE(tail.append(element_of(i, random.chance(1000) ? random.below(12'000) : random.below(600))));
        }
        INFO("round " << round << ", " << file.states << " states");
        REQUIRE(file.first_problem == "");
        REQUIRE(count_of(file.content, "<E n=") == 60);
    }
}

TEST_CASE("a reader from front to back always sees a document while the log grows, at any pace") {
    ums::Prng random(ums::testing::test_seed("readers of a growing log"));
    std::size_t documents = 0;
    std::size_t grown = 0;
    for (int round = 0; round < 40; ++round) {
        PageWiseFile file;
        reports::XmlTail tail(file, "ERRORLOG");
        REQUIRE_FALSE(tail.start(kProlog));
        std::optional<Reader> reader;
        std::size_t elements_at_begin = 0;
        std::string problem;
        std::size_t appended = 0;
        file.on_state = [&] {
            if (!problem.empty() || random.chance(2000)) return;
            if (!reader) {
                reader.emplace(file, random);
                elements_at_begin = appended;
            }
            if (!reader->read_some()) return;
            problem = test::xml_error(reader->text);
            if (count_of(reader->text, "</E>") < elements_at_begin) problem = "an element is missing";
            if (!problem.empty()) problem += ": " + reader->text;
            ++documents;
            grown += appended > elements_at_begin ? 1 : 0;
            reader.reset();
        };
        for (; appended < 100; ++appended) {
            REQUIRE_FALSE(tail.append(element_of(appended, random.chance(1000) ? random.below(12'000) : random.below(900))));
        }
        INFO("round " << round);
        REQUIRE(problem == "");
    }
    CHECK(documents > 100);
    CHECK(grown > 50);
}

TEST_CASE("elements of every length stay well-formed at the end of a page") {
    for (std::size_t size = kPageBytes - 180; size < kPageBytes + 40; ++size) {
        PageWiseFile file;
        reports::XmlTail tail(file, "ERRORLOG");
        REQUIRE_FALSE(tail.start(kProlog));
        REQUIRE_FALSE(tail.append(element_of(1, size)));
        REQUIRE_FALSE(tail.append("<A/>\n"));
        REQUIRE_FALSE(tail.append(element_of(2, 5000)));
        INFO("size " << size);
        REQUIRE(file.first_problem == "");
        REQUIRE(count_of(file.content, "</E>") == 2);
    }
}

TEST_CASE("a long element is split neither in a tag nor in an entity") {
    PageWiseFile file;
    reports::XmlTail tail(file, "LOG");
    REQUIRE_FALSE(tail.start(kProlog));
    std::string text;
    for (int i = 0; i < 3000; ++i) text += "&quot;";
    for (std::size_t shift = 0; shift < 12; ++shift) {
        std::string element = "<E a='" + std::string(3000, 'x') + "&lt;&gt;'>" + std::string(shift, 'y') + text;
        for (int i = 0; i < 100; ++i) element += "<F b='" + std::string(50, 'z') + "'/>";
        REQUIRE_FALSE(tail.append(element + "</E>\n"));
        REQUIRE(file.first_problem == "");
    }
    CHECK(count_of(file.content, "<F b=") == 1200);
}

TEST_CASE("a failed write loses only its element, and the log continues") {
    const std::uint64_t seed = 11;
    CAPTURE(seed);
    ums::Prng random(seed);
    PageWiseFile file;
    reports::XmlTail tail(file, "ERRORLOG");
    REQUIRE_FALSE(tail.start(kProlog));
    std::size_t written = 0;
    std::size_t failures = 0;
    for (std::size_t i = 0; i < 200; ++i) {
        if (random.chance(3000)) file.fail_after(random.below(5));
        const bool failed = static_cast<bool>(tail.append(element_of(i, random.below(3000))));
        failures += failed ? 1 : 0;
        written += failed ? 0 : 1;
        // The rest of the counter must not fail the next element.
        file.fail_after(1'000'000);
        INFO("element " << i << (failed ? " failed" : ""));
        REQUIRE(file.first_problem == "");
    }
    CHECK(failures > 10);
    CHECK(count_of(file.content, "<E n=") == written);
}
