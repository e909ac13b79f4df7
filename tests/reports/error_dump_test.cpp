#include "reports/error_dump.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "tests/reports/example_evidence.hpp"
#include "tests/reports/temporary_folder.hpp"
#include "tests/support/catch.hpp"

namespace {

class Messages final : public sim::EventSink {
public:
    void on_event(const sim::Event& event) override { events.push_back(event); }
    void on_finding(const sim::Finding& /*finding*/) override {}
    std::vector<sim::Event> events;
};

}  // namespace

TEST_CASE("each finding gets a file beside the log, under the next free number, and nothing is overwritten") {
    const TemporaryFolder folder;
    Messages messages;
    write_file(folder.file("SqlSimErrorDump00002.txt"), "of an earlier run");
    REQUIRE(::symlink("elsewhere", folder.file("SqlSimErrorDump00004.txt").c_str()) == 0);
    reports::ErrorDump dump(folder.file("sqliosim.log.xml"), "0.1.0", messages);
    CHECK(dump.save(example_evidence()) == folder.file("SqlSimErrorDump00001.txt"));
    CHECK(dump.save(example_evidence()) == folder.file("SqlSimErrorDump00003.txt"));
    CHECK(dump.save(example_evidence()) == folder.file("SqlSimErrorDump00005.txt"));
    CHECK(read_file(folder.file("SqlSimErrorDump00002.txt")) == "of an earlier run");
    CHECK_FALSE(std::filesystem::exists(folder.file("elsewhere")));
    CHECK_THAT(read_file(folder.file("SqlSimErrorDump00003.txt")), ContainsSubstring("ioproof 0.1.0: finding 6\n"));
    CHECK(messages.events.empty());
}

TEST_CASE("the first thousand findings of a run get a file, and the log says once that the rest does not") {
    const TemporaryFolder folder;
    Messages messages;
    reports::ErrorDump dump(folder.file("log.xml"), "0.1.0", messages);
    sim::Finding finding = example_finding();
    for (std::uint64_t i = 0; i < reports::kDumpsMax; ++i) {
        finding.place.path = std::to_string(i % 100);
        REQUIRE(!dump.save(finding).empty());
    }
    CHECK(messages.events.empty());
    CHECK(dump.save(finding).empty());
    CHECK(dump.save(finding).empty());
    REQUIRE(messages.events.size() == 1);
    CHECK(messages.events[0].severity == sim::Severity::warning);
    CHECK(messages.events[0].description == "1000 dump files have been written in this run; further findings get none.");
    CHECK_FALSE(std::filesystem::exists(folder.file("SqlSimErrorDump01001.txt")));
}

TEST_CASE("of one kind and error in one file the first findings get a file, and the log says once that the rest does not") {
    const TemporaryFolder folder;
    Messages messages;
    reports::ErrorDump dump(folder.file("log.xml"), "0.1.0", messages);
    sim::Finding finding = example_finding();
    finding.kind = sim::FindingKind::io_error;
    finding.place.path = "/data/a.mdx";
    finding.failure = sim::RequestFailure{.error_code = EIO};
    for (std::uint64_t i = 0; i < reports::kDumpsOfCauseMax; ++i) REQUIRE(!dump.save(finding).empty());
    CHECK(messages.events.empty());
    CHECK(dump.save(finding).empty());
    CHECK(dump.save(finding).empty());
    REQUIRE(messages.events.size() == 1);
    CHECK(messages.events[0].description ==
          "64 dump files with this kind of finding (I/O error) in /data/a.mdx have been written in this run; further ones get none.");
    SECTION("another error") { finding.failure->error_code = ENODEV; }
    SECTION("another file") { finding.place.path = "/data/b.mdx"; }
    SECTION("another kind") { finding.kind = sim::FindingKind::zeroed_page; }
    CHECK_FALSE(dump.save(finding).empty());
}

TEST_CASE("where no dump can be written there is one warning, and later ones are written when it works again") {
    const TemporaryFolder folder;
    Messages messages;
    reports::ErrorDump dump(folder.file("sub/log.xml"), "0.1.0", messages);
    CHECK(dump.save(example_evidence()).empty());
    CHECK(dump.save(example_evidence()).empty());
    REQUIRE(messages.events.size() == 1);
    CHECK(messages.events[0].severity == sim::Severity::warning);
    CHECK_THAT(messages.events[0].description,
               ContainsSubstring("sub/SqlSimErrorDump00001.txt cannot be written: No such file or directory. "
                                 "The run goes on"));
    std::filesystem::create_directory(folder.file("sub"));
    CHECK(dump.save(example_evidence()) == folder.file("sub/SqlSimErrorDump00001.txt"));
}
