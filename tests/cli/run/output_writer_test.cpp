#include "cli/run/output_writer.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "sim/kept_findings.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/count_of.hpp"
#include "tests/support/process.hpp"
#include "tests/support/xml_checker.hpp"
#include "ums/io/file_extents.hpp"

using namespace std::chrono_literals;

namespace {

// The files of a run in a separate folder, and their writer.
struct Written {
    test::TempFolder folder;
    reports::XmlLog log{folder / "log.xml"};
    reports::FindingsFile findings{folder / "findings.json"};
    reports::ErrorDump evidence{folder / "log.xml", "1.0", log};
    cli::OutputWriter writer{log, &findings, evidence};
};

sim::Event event(const std::string& text) {
    sim::Event event;
    event.description = text;
    return event;
}

sim::Finding finding(std::uint64_t number, const std::string& path) {
    sim::Finding finding;
    finding.number = number;
    finding.kind = sim::FindingKind::zeroed_page;
    finding.place.path = path;
    finding.place.size_bytes = 8192;
    return finding;
}

std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("after a flush the files contain everything that many threads reported, complete and unmixed") {
    Written run;
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            for (std::uint64_t i = 1; i <= 50; ++i) {
                run.writer.on_event(event("said by a thread"));
                run.writer.on_finding(finding(thread * 50 + i, "page.mdx"));
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    REQUIRE(run.writer.flush(10s));
    CHECK(run.writer.stuck() == 0ms);
    CHECK(run.writer.failures().empty());
    const std::string log = read(run.folder / "log.xml");
    CHECK(test::xml_error(log).empty());
    CHECK(count_of(log, "said by a thread") == 200);
    CHECK(count_of(log, "TYPE='ERROR'") == 200);
    CHECK(count_of(read(run.folder / "findings.json"), "\n") == 200);
}

TEST_CASE("messages keep the order in which they were reported") {
    Written run;
    for (int i = 0; i < 100; ++i) run.writer.on_event(event("number " + std::to_string(i) + "."));
    REQUIRE(run.writer.flush(10s));
    const std::string log = read(run.folder / "log.xml");
    std::size_t last = 0;
    for (int i = 0; i < 100; ++i) {
        const std::size_t at = log.find("number " + std::to_string(i) + ".");
        REQUIRE(at != std::string::npos);
        CHECK(at > last);
        last = at;
    }
}

TEST_CASE("a finding is written, and completed, with the name of its evidence and its place on the device") {
    Written run;
    const std::string path = run.folder / "page.mdx";
    std::ofstream(path) << std::string(32768, 'x') << std::flush;
    ::sync();
    std::vector<sim::Finding> findings{finding(1, path), finding(2, path), finding(3, path)};
    findings[1].kind = sim::FindingKind::stalled_io;  // has no place: asking a hanging device for it would hang, too
    findings[2].request.of_file = sim::FileRequest::sync;
    for (const sim::Finding& one : findings) run.writer.on_finding(one);
    REQUIRE(run.writer.flush(10s));
    run.writer.complete(findings);
    const auto place = ums::device_offset_of(path, 0);
    CHECK(findings[0].place.device.has_value() == place.has_value());
    if (place && findings[0].place.device) CHECK(findings[0].place.device->offset_bytes == place->offset_bytes);
    CHECK_FALSE(findings[1].place.device);
    CHECK_FALSE(findings[2].place.device);
    for (const sim::Finding& one : findings) {
        CHECK_THAT(one.evidence.dump_path, ContainsSubstring("SqlSimErrorDump0000" + std::to_string(one.number) + ".txt"));
        CHECK_THAT(read(run.folder / "findings.json"), ContainsSubstring(one.evidence.dump_path));
    }
}

TEST_CASE("only findings and warnings that the results keep are remembered: a disk that is broken for days has millions") {
    Written run;
    for (std::uint64_t number = 1; number <= sim::kFindingsKept; ++number) run.writer.on_finding(finding(number, "page.mdx"));
    std::vector<sim::Finding> others{finding(sim::kFindingsKept + 1, "other.mdx"), finding(sim::kFindingsKept + 2, "third.mdx")};
    others[1].is_warning = true;
    others.push_back(finding(sim::kFindingsKept + 3, "fourth.mdx"));
    others[2].kind = sim::FindingKind::io_error;
    for (const sim::Finding& one : others) run.writer.on_finding(one);
    REQUIRE(run.writer.flush(10s));
    std::vector<sim::Finding> findings{finding(1, "page.mdx"), others[0], others[1], others[2]};
    run.writer.complete(findings);
    CHECK_FALSE(findings[0].evidence.dump_path.empty());
    CHECK(findings[1].evidence.dump_path.empty());
    CHECK_FALSE(findings[2].evidence.dump_path.empty());
    CHECK_FALSE(findings[3].evidence.dump_path.empty());
    CHECK(std::filesystem::exists(run.folder / "SqlSimErrorDump00066.txt"));  // both have a file: after 64 of the first cause
}

TEST_CASE("outputs that could not be written are reported at the end") {
    Written run;
    std::filesystem::remove(run.folder / "log.xml");
    std::filesystem::permissions(run.folder.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    const auto restore = [&] { std::filesystem::permissions(run.folder.path(), std::filesystem::perms::owner_all); };
    if (std::ofstream(run.folder / "probe").is_open()) {
        restore();
        std::filesystem::remove_all(run.folder.path());  // root may write anywhere, but not without the folder
    }
    run.writer.on_finding(finding(1, "page.mdx"));
    REQUIRE(run.writer.flush(10s));
    const std::vector<std::string> failures = run.writer.failures();
    if (std::filesystem::exists(run.folder.path())) restore();
    REQUIRE(failures.size() == 1);
    CHECK_THAT(failures[0], ContainsSubstring("dump files") && ContainsSubstring("1 could not be written"));
}
