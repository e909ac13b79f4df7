// A run, of whose files some are missing, cut off or not named, and what a verification says. In virtual time, on files in memory.
#include "sim/verify/left_files.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/errors.hpp"
#include "sim/rehearsal/promise_memory.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/sim/support/old_first_pages.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;
using sim::Finding;
using sim::kPageBytes;
using sim::Options;
using sim::Outcome;
using sim::Results;

namespace {

// `place`: of the second one among the files.
Options options_of_two_data_files(std::ptrdiff_t place) {
    Options options = busy_options(VirtualRun::kFolder);
    options.test_cycle_duration_s = 1;
    sim::FileOptions second = options.files[0];
    second.path += "2.mdx";
    options.files.insert(options.files.begin() + place, second);
    return options;
}

}  // namespace

TEST_CASE("a file that has lost its end is found") {
    LeftRun left;
    left.data().resize(left.data().size_bytes() - 10 * kPageBytes);
    const Results results = left.verify();
    REQUIRE(kinds(results) == "lost_write");
    CHECK(results.findings[0].place.size_bytes == 10 * kPageBytes);
}

TEST_CASE("of a file that has lost its end, a size is said to have been made durable only if durability was requested") {
    const std::size_t shortened = GENERATE(0U, 1U);
    const bool is_requested = GENERATE(true, false);
    LeftRun left(64);
    if (!is_requested) left.options.files[shortened].durability = sim::Durability::none;
    std::uint64_t log_end_bytes = 0;  // of the last virtual log file that has blocks
    left.for_each_block([&log_end_bytes](std::uint64_t offset_bytes, const sim::LogBlockHeader& header) {
        log_end_bytes = offset_bytes + std::uint64_t{header.vlf_sectors - header.vlf_sector} * sim::kSectorBytes;
    });
    ums::SimulatedFile& file = shortened == 0 ? left.data() : left.log();
    file.resize((shortened == 0 ? file.size_bytes() : log_end_bytes) - 10 * kPageBytes);
    const Results results = left.verify();
    const auto found =
        std::find_if(results.findings.begin(), results.findings.end(), [](const Finding& finding) { return finding.request.is_write; });
    REQUIRE(found != results.findings.end());
    CHECK(found->place.is_log == (shortened == 1));
    CHECK_THAT(found->description, is_requested ? ContainsSubstring("had been made durable.") : ContainsSubstring("that it had"));
    CHECK((found->description.find("durable") != std::string::npos) == is_requested);
    CHECK((found->reasoning.at(0).find("Durability=None") == std::string::npos) == is_requested);
}

TEST_CASE("a log file that has lost less than a page is not said to be a page shorter") {
    LeftRun left(64);
    std::uint64_t log_end_bytes = 0;
    left.for_each_block([&log_end_bytes](std::uint64_t offset_bytes, const sim::LogBlockHeader& header) {
        log_end_bytes = std::max(log_end_bytes, offset_bytes + std::uint64_t{header.vlf_sectors - header.vlf_sector} * sim::kSectorBytes);
    });
    const std::uint64_t whole_bytes = log_end_bytes / kPageBytes * kPageBytes;
    left.log().resize(whole_bytes - sim::kSectorBytes);
    const Results results = left.verify();
    const auto found =
        std::find_if(results.findings.begin(), results.findings.end(), [](const Finding& finding) { return finding.request.is_write; });
    REQUIRE(found != results.findings.end());
    CHECK_THAT(found->description, ContainsSubstring("has only " + std::to_string(whole_bytes / kPageBytes - 1) + " complete pages"));
}

TEST_CASE("a log file that is shorter than a ledger was told is found, although its blocks do not prove it") {
    VirtualRun run{random_disk(1, 200, 600)};
    Options options = busy_options(VirtualRun::kFolder);
    options.test_cycle_duration_s = 1;
    options.files[1].initial_size_mb = options.files[1].max_size_mb = 64;
    options.write_through = GENERATE(true, false);
    sim::PromiseMemory ledger;
    REQUIRE(sim::Simulation(options, run.storage, run.clock, run.sink, &ledger).run().outcome == Outcome::passed);
    constexpr std::uint64_t kLeftBytes = std::uint64_t{60} << 20;
    run.memory.find(options.files[1].path)->resize(kLeftBytes);
    options.job = sim::Job::verify;
    CHECK(kinds(run.run(options)) == "");
    const Results results = sim::Simulation(options, run.storage, run.clock, run.sink, &ledger).run();
    REQUIRE(kinds(results) == "lost_write");
    CHECK(results.findings[0].place.is_log);
    CHECK(results.findings[0].place.offset_bytes == kLeftBytes);
    CHECK(results.findings[0].place.size_bytes == (std::uint64_t{4} << 20));
    CHECK_THAT(results.findings[0].description, ContainsSubstring("ledger"));
}

TEST_CASE("a file that is shorter than the log says is not blamed if the log has a hole, behind which it may have been cut") {
    const bool may_be_cut = GENERATE(true, false);
    LeftRun left(64);
    sim::FileOptions& file = left.options.files[0];
    file.increment_mb = 1;
    file.shrinkable = may_be_cut;
    file.initial_size_mb = 4;
    left.erase_block(left.take_back_to_needed_block());
    left.data().resize(left.data().size_bytes() - 10 * kPageBytes);
    const Results results = left.verify();
    INFO(left.run.sink.text());
    REQUIRE(results.durability->missing_blocks > 0);
    const auto is_about_size = [](const Finding& finding) { return !finding.place.is_log && finding.request.is_write; };
    CHECK(std::count_if(results.findings.begin(), results.findings.end(), is_about_size) == (may_be_cut ? 0 : 1));
    CHECK(results.outcome == Outcome::failed);
}

TEST_CASE("a file that has lost all of its pages is found, even if no checkpoint was completed") {
    LeftRun left(64);
    left.for_each_block([&](std::uint64_t offset_bytes, const sim::LogBlockHeader& header) {
        const std::vector<std::byte> zeros(header.size_bytes);
        if (header.sequence != 1) left.log().write(offset_bytes, zeros.data(), zeros.size());
    });
    left.data().resize(0);
    const Results results = left.verify();
    REQUIRE(kinds(results) == "lost_write");
    CHECK(results.findings[0].place.path == left.options.files[0].path);
    CHECK(results.findings[0].place.size_bytes == kPageBytes);
}

TEST_CASE("a missing file is found if the log proves that it existed") {
    LeftRun left;
    ums::FileHandle handle;
    REQUIRE_FALSE(left.run.memory.open(left.options.files[0].path, {}, handle));
    REQUIRE_FALSE(left.run.memory.remove(handle));
    left.run.memory.close(handle);
    const Results results = left.verify();
    REQUIRE(kinds(results) == "io_error");
    CHECK(results.findings[0].request.of_file == sim::FileRequest::open);
    CHECK(results.findings[0].place.path == left.options.files[0].path);
}

TEST_CASE("a first page that came back wrong once is a transient finding, and the file is what later reads show") {
    // Returns something else, or a wrong bit, when the first page of the file is read for the first time.
    struct WrongOnce final : ums::ForwardingStorage {
        WrongOnce(ums::Storage& inner, std::string file_path) : ums::ForwardingStorage(inner), path(std::move(file_path)) {}
        std::error_code open(const std::string& name, const ums::OpenOptions& how, ums::FileHandle& file) override {
            const std::error_code error = inner().open(name, how, file);
            if (!error && name == path) wanted = file;
            return error;
        }
        std::error_code read(ums::FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                             std::size_t& transferred_bytes) override {
            const std::error_code error = inner().read(file, offset_bytes, data, size_bytes, transferred_bytes);
            if (file != wanted || offset_bytes != 0 || std::exchange(was_wrong, true)) return error;
            if (instead.empty()) data[5000] ^= std::byte{16};
            std::copy_n(instead.begin(), std::min(instead.size(), size_bytes), data);
            return error;
        }
        const std::string path;
        ums::FileHandle wanted;
        std::vector<std::byte> instead;
        bool was_wrong = false;
    };
    const std::size_t wrong = GENERATE(0U, 1U);
    LeftRun left;
    WrongOnce storage(left.run.storage, left.options.files[wrong].path);
    // Sound, and of the run that had made the files before, or of the other file: only the files together show that.
    const std::uint32_t file_id = static_cast<std::uint32_t>(wrong) + 1;
    PageBuffer earlier;
    sim::make_page({left.run_id + 1, file_id, 0, 1, 0, 1}, earlier.data());
    PageBuffer of_other;
    (wrong == 0 ? left.log() : left.data()).read(0, of_other.data(), kPageBytes);
    const std::vector<std::byte> answers[] = {{},
                                              std::vector<std::byte>(kPageBytes),
                                              {earlier.data(), earlier.data() + kPageBytes},
                                              {of_other.data(), of_other.data() + kPageBytes}};
    storage.instead = answers[GENERATE(0U, 1U, 2U, 3U)];
    Options options = left.options;
    options.job = GENERATE(sim::Job::verify, sim::Job::resume);
    const Results results = sim::Simulation(options, storage, left.run.clock, left.run.sink).run();
    INFO(left.run.sink.text());
    REQUIRE(storage.was_wrong);
    CHECK(results.outcome == Outcome::failed);
    REQUIRE(results.findings.size() == 1);
    const Finding& finding = results.findings[0];
    CHECK(finding.transient);
    CHECK(finding.place.is_log == (wrong == 1));
    CHECK(finding.place.file_id == wrong + 1);
    CHECK(finding.place.offset_bytes == 0);
    CHECK(finding.reads == 2);
}

TEST_CASE("first pages that came back once from an earlier run, of all files, are read again if a ledger knows of another run") {
    VirtualRun run{random_disk(1, 200, 600)};
    Options options = busy_options(VirtualRun::kFolder);
    options.stop_on_error = false;
    sim::PromiseMemory ledger;
    const Results made = sim::Simulation(options, run.storage, run.clock, run.sink, &ledger).run();
    REQUIRE(made.outcome == Outcome::passed);
    OldFirstPages storage(run.storage);
    storage.answer_with_run(made.run_id + 1, options);
    options.job = GENERATE(sim::Job::verify, sim::Job::resume);
    const Results results = sim::Simulation(options, storage, run.clock, run.sink, &ledger).run();
    INFO(run.sink.text());
    CHECK(results.run_id == made.run_id);
    CHECK(results.outcome == Outcome::failed);
    REQUIRE(results.findings.size() == 2);
    for (const Finding& finding : results.findings) {
        CHECK(finding.transient);
        CHECK(finding.reads == 2);
    }
}

TEST_CASE("a first page that came back once in an older version than a ledger was promised is a stale read") {
    VirtualRun run{random_disk(1, 200, 600)};
    Options options = busy_options(VirtualRun::kFolder);
    sim::PromiseMemory ledger;
    const Results made = sim::Simulation(options, run.storage, run.clock, run.sink, &ledger).run();
    REQUIRE(made.outcome == Outcome::passed);
    const std::uint32_t promised = ledger.promises().page(1, 0).version;
    REQUIRE(promised > 1);
    OldFirstPages storage(run.storage);
    storage.answer_with(options.files[0].path, {made.run_id, 1, 0, promised - 1, 1, 1});
    options.job = GENERATE(sim::Job::verify, sim::Job::resume);
    const Results results = sim::Simulation(options, storage, run.clock, run.sink, &ledger).run();
    INFO(run.sink.text());
    CHECK(results.outcome == Outcome::failed);
    REQUIRE(kinds(results) == "stale_read");
    CHECK(results.findings[0].transient);
    CHECK(results.findings[0].reads == 2);
    CHECK(results.findings[0].place.file_id == 1);
    CHECK(results.findings[0].place.offset_bytes == 0);
}

TEST_CASE("a missing log is reported before the changed pages that it leaves without their records") {
    LeftRun left;
    ums::FileHandle handle;
    REQUIRE_FALSE(left.run.memory.open(left.options.files[1].path, {}, handle));
    REQUIRE_FALSE(left.run.memory.remove(handle));
    left.run.memory.close(handle);
    const Results results = left.verify();
    REQUIRE(results.findings.size() > 1);
    CHECK(results.findings[0].kind == sim::FindingKind::io_error);
    CHECK(results.findings[0].place.path == left.options.files[1].path);
    const auto of_log =
        std::count_if(results.findings.begin(), results.findings.end(), [](const sim::Finding& finding) { return finding.place.is_log; });
    CHECK(of_log == 1);
    CHECK(results.findings[1].kind == sim::FindingKind::wal_violation);
}

TEST_CASE("the files of a run are verified together or not at all, and an unnamed one is asked for") {
    VirtualRun run{random_disk(1, 200, 600)};
    Options options = options_of_two_data_files(2);
    const sim::FileOptions second = options.files[2];
    REQUIRE(run.run(options).outcome == Outcome::passed);
    options.job = sim::Job::verify;
    REQUIRE(kinds(run.run(options)) == "");
    SECTION("only the first files are named") {
        options.files.pop_back();
        for (const sim::Job job : {sim::Job::verify, sim::Job::resume}) {
            options.job = job;
            const Results results = run.run(options);
            CHECK(kinds(results) == "");
            CHECK(results.outcome == Outcome::not_done);
            CHECK_THAT(results.outcome_reason, ContainsSubstring("changes of 2 data files, but only one was named: file 3 of the run"));
        }
    }
    SECTION("only the last file is named") {
        options.files.erase(options.files.begin());
        CHECK_THROWS_WITH(run.run(options), ContainsSubstring("it is file 3 of its run, but only 2 files are named"));
    }
    SECTION("the first page of one file in the place of the other's is one page that was misdirected") {
        PageBuffer page;
        run.memory.find(options.files[0].path)->read(0, page.data(), kPageBytes);
        run.memory.find(second.path)->write(0, page.data(), kPageBytes);
        const Results results = run.run(options);
        REQUIRE(kinds(results) == "misdirected_write");
        CHECK(results.findings[0].place.path == second.path);
    }
    SECTION("in another order, a file whose first page is damaged has the number that no other has") {
        ums::SimulatedFile& damaged = *run.memory.find(second.path);
        std::byte flipped{};
        damaged.read(5000, &flipped, 1);
        flipped ^= std::byte{16};
        damaged.write(5000, &flipped, 1);
        std::swap(options.files[0], options.files[2]);
        const Results results = run.run(options);
        REQUIRE(kinds(results) == "bit_corruption");
        CHECK(results.findings[0].place.path == second.path);
    }
    SECTION("a named file that does not exist is a finding all the same") {
        ums::FileHandle handle;
        REQUIRE_FALSE(run.memory.open(second.path, {}, handle));
        REQUIRE_FALSE(run.memory.remove(handle));
        run.memory.close(handle);
        const Results results = run.run(options);
        CHECK(kinds(results) == "io_error");
        CHECK(results.durability->regions_compared > 0);  // those of the first file
    }
}

TEST_CASE("files that are named in another order have the numbers of the run that a ledger knows, although the log is of an earlier one") {
    VirtualRun run{random_disk(1, 200, 600)};
    Options options = options_of_two_data_files(2);
    sim::PromiseMemory ledger;
    const Results made = sim::Simulation(options, run.storage, run.clock, run.sink, &ledger).run();
    REQUIRE(made.outcome == Outcome::passed);
    PageBuffer earlier;
    sim::make_page({made.run_id + 1, 2, 0, 1, 0, 1}, earlier.data());
    run.memory.find(options.files[1].path)->write(0, earlier.data(), kPageBytes);
    std::swap(options.files[0], options.files[2]);
    options.job = sim::Job::verify;
    const Results results = sim::Simulation(options, run.storage, run.clock, run.sink, &ledger).run();
    INFO(run.sink.text());
    CHECK(results.run_id == made.run_id);
    REQUIRE(kinds(results) == "lost_write");
    CHECK(results.findings[0].place.is_log);
}

TEST_CASE("a run does not continue with a replica in the place of another of its files, and leaves that one as it is") {
    VirtualRun run{random_disk(1, 200, 600)};
    Options options = options_of_two_data_files(1);
    const sim::FileOptions second = options.files[1];
    REQUIRE(run.run(options).outcome == Outcome::passed);
    const auto bytes_of_second = [&] {
        const ums::SimulatedFile& file = *run.memory.find(second.path);
        std::vector<std::byte> bytes(file.size_bytes());
        file.read(0, bytes.data(), bytes.size());
        return bytes;
    };
    const std::vector<std::byte> before = bytes_of_second();
    const sim::FileOptions replica{.path = options.files[0].path + ":replica", .initial_size_mb = 8, .max_size_mb = 8, .sparse = true};
    options.job = GENERATE(sim::Job::resume, sim::Job::repair);
    Options mixed_up = options;
    mixed_up.files.insert(mixed_up.files.begin() + 1, replica);
    CHECK_THROWS_WITH(run.run(mixed_up),
                      ContainsSubstring("2.mdx: it is file 2 of its run, but") && ContainsSubstring(":replica has its place"));
    CHECK(run.memory.find(replica.path) == nullptr);
    const bool is_same = bytes_of_second() == before;
    CHECK(is_same);
    options.files.push_back(replica);  // behind the others it has a place of its own
    const Results results = run.run(options);
    CHECK(kinds(results) == "");
    CHECK(results.resumed);
}

TEST_CASE("an empty log file is not said to begin with zeros") {
    LeftRun left;
    left.log().resize(0);
    const Results results = left.verify();
    REQUIRE_FALSE(results.findings.empty());
    CHECK_THAT(results.findings[0].description, ContainsSubstring("has zeros, or nothing, where its signature page must be."));
}

TEST_CASE("a wrong bit in the signature of a log is damage, and a lost part of it a lost write") {
    LeftRun left;
    const bool is_part_lost = GENERATE(true, false);
    std::vector<std::byte> bytes(is_part_lost ? kPageBytes / 2 : 1);
    left.log().read(kPageBytes / 2, bytes.data(), bytes.size());
    if (is_part_lost) {
        std::fill(bytes.begin(), bytes.end(), std::byte{0});
    } else {
        bytes[0] ^= std::byte{16};
    }
    left.log().write(kPageBytes / 2, bytes.data(), bytes.size());
    const Results results = left.verify();
    REQUIRE(kinds(results) == (is_part_lost ? "lost_write" : "bit_corruption"));
    CHECK(results.findings[0].place.is_log);
    CHECK(results.findings[0].place.path == left.log_path());
    if (!is_part_lost) CHECK_THAT(results.findings[0].description, ContainsSubstring("1 wrong bit in 1 byte, the first at 0x1000."));
}

TEST_CASE("a wrong bit in what the signature of a log says of its file, or when it was made, is one wrong bit") {
    LeftRun left;
    static constexpr std::uint64_t kFile = offsetof(sim::PageHeader, file_id);
    static constexpr std::uint64_t kTime = offsetof(sim::PageHeader, write_utc_us);
    const std::uint64_t at_bytes = GENERATE(as<std::uint64_t>{}, kFile, kFile + 3, kTime, kTime + 5);
    CAPTURE(at_bytes);
    std::byte byte{};
    left.log().read(at_bytes, &byte, 1);
    byte ^= std::byte{16};
    left.log().write(at_bytes, &byte, 1);
    const Results results = left.verify();
    REQUIRE(kinds(results) == "bit_corruption");
    CHECK_THAT(results.findings[0].description, ContainsSubstring("1 wrong bit in 1 byte"));
}

TEST_CASE("without any file of ours there is nothing to verify") {
    VirtualRun run;
    Options options = quiet_options(VirtualRun::kFolder);
    options.job = sim::Job::verify;
    CHECK_THROWS_AS(run.run(options), sim::RefusedError);
}
