// Runs that continue with what another run has left. In virtual time, on files in memory.
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "sim/errors.hpp"
#include "sim/promises/promise_keeper.hpp"
#include "tests/sim/support/faulty_storage.hpp"
#include "tests/sim/support/left_run.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using sim::Job;
using sim::kPageBytes;
using sim::Options;
using sim::Outcome;
using sim::Results;

namespace {

// Counts the blocks in the log of the incarnation for which promises begin.
class LookingKeeper final : public sim::PromiseKeeper {
public:
    explicit LookingKeeper(LeftRun& left) : left_(left) {}
    std::vector<int> blocks_of_incarnation;  // at the beginning of each section

    [[nodiscard]] std::string name() const override { return "a keeper that looks"; }
    [[nodiscard]] std::optional<sim::Promises> load(const Wanted&) override { return std::nullopt; }
    void begin(const sim::PromiseSection& section) override {
        int blocks = 0;
        left_.for_each_block(
            [&](std::uint64_t, const sim::LogBlockHeader& header) { blocks += header.incarnation == section.incarnation ? 1 : 0; });
        blocks_of_incarnation.push_back(blocks);
    }
    void take_from(sim::PromiseBook&) override {}
    void end(bool) override {}
    [[nodiscard]] Status status() const override { return {}; }

private:
    LeftRun& left_;
};

// In the data file; the log ends before.
bool is_unwritable(std::uint64_t page) { return page >= 512 && page % 16 == 5; }

bool writes_unwritable(const ums::IoRequest& request) {
    if (request.operation != ums::IoOperation::write) return false;
    const std::uint64_t end = (request.offset_bytes + request.size_bytes) / kPageBytes;
    for (std::uint64_t page = request.offset_bytes / kPageBytes; page < end; ++page) {
        if (is_unwritable(page)) return true;
    }
    return false;
}

// The first half remains, the second is of the next version.
void tear(ums::SimulatedFile& file, std::uint32_t page) {
    PageBuffer image;
    file.read(std::uint64_t{page} * kPageBytes, image.data(), kPageBytes);
    const sim::PageHeader header = sim::read_header(image.data());
    sim::make_page({header.run_id, 1, page, header.version + 1, header.lsn + 1, 1}, image.data());
    file.write(std::uint64_t{page} * kPageBytes + kPageBytes / 2, image.data() + kPageBytes / 2, kPageBytes / 2);
}

}  // namespace

TEST_CASE("a resumed run begins its promises before its log continues, which otherwise would be newer than they are") {
    LeftRun left;
    LookingKeeper keeper(left);
    Options options = left.options;
    options.job = Job::resume;
    sim::Simulation simulation(options, left.run.storage, left.run.clock, left.run.sink, &keeper);
    const Results results = simulation.run();
    CHECK(results.outcome == Outcome::passed);
    CHECK(keeper.blocks_of_incarnation == std::vector<int>{0});
    int blocks = 0;
    left.for_each_block([&](std::uint64_t, const sim::LogBlockHeader& header) { blocks += header.incarnation == 2 ? 1 : 0; });
    CHECK(blocks > 0);
}

TEST_CASE("a run continues with the files of another one: versions continue, and the log proves both") {
    LeftRun left;
    const std::uint32_t page = left.busy_page();
    const std::uint32_t version = left.header(page).version;
    for (std::uint32_t incarnation = 2; incarnation <= 4; ++incarnation) {
        const Results results = left.work(Job::resume);
        CHECK(kinds(results) == "");
        CHECK(results.outcome == Outcome::passed);
        CHECK(results.run_id == left.run_id);
        REQUIRE(results.resumed);
        CHECK(results.resumed->incarnation == incarnation);
        CHECK(results.resumed->pages_given_up == 0);
        CHECK(kinds(left.verify()) == "");
    }
    CHECK(left.header(page).version > version);
}

TEST_CASE("a page older than the log's last change of it is rewritten before the run continues") {
    LeftRun left;
    // As if the last checkpoint had never happened: the blocks from its begin on were in flight and are lost.
    const std::uint64_t begin_lsn = left.durability().checkpoint_lsn;
    left.erase_blocks([begin_lsn](const sim::LogBlockHeader& header) { return header.first_lsn >= begin_lsn; });
    const Results before = left.verify();
    REQUIRE(kinds(before) == "");
    std::uint32_t changed = 0;
    std::uint32_t version = 0;
    for (std::uint32_t page = 1; page < left.data().size_bytes() / kPageBytes && changed == 0; ++page) {
        const sim::PageHeader header = left.header(page);
        if (header.version < 2 || header.lsn <= before.durability->checkpoint_lsn) continue;
        left.put_version(page, header.version - 1, before.durability->checkpoint_lsn - 1);
        if (kinds(left.verify()).empty()) {
            changed = page;
            version = header.version;
        } else {
            left.put_version(page, header.version, header.lsn);
        }
    }
    REQUIRE(changed != 0);
    const Results results = left.work(Job::resume);
    CHECK(kinds(results) == "");
    CHECK(results.outcome == Outcome::passed);
    REQUIRE(results.resumed);
    CHECK(results.resumed->pages_redone == 1);
    CHECK(left.header(changed).version >= version);
    CHECK(kinds(left.verify()) == "");
}

TEST_CASE("a page that could not be written is not promised by the next run either, until it is written") {
    LeftRun left;
    FaultyStorage storage(left.run.memory, left.run.clock);
    Options options = left.options;
    options.job = Job::resume;
    options.stop_on_error = false;
    sim::Simulation simulation(options, storage, left.run.clock, left.run.sink);
    storage.set_rule([&](const ums::IoRequest& request) {
        const bool has_begun = simulation.phase() >= sim::Phase::main_run && simulation.phase() <= sim::Phase::final_audit;
        return Fate{.error = has_begun && writes_unwritable(request) ? EIO : 0};
    });
    const Results broken = simulation.run();
    REQUIRE(kinds(broken).starts_with("io_error"));
    for (const sim::Finding& finding : broken.findings) tear(left.data(), finding.place.page_id);
    left.forget_changes_before_checkpoint();
    CHECK(kinds(left.verify()) == "");
    left.options = quiet_options(VirtualRun::kFolder);
    left.options.files[0].sparse = true;  // no initial update: the next run writes only checkpoints
    CHECK(kinds(left.work(Job::resume)) == "");
    CHECK(kinds(left.verify()) == "");
}

TEST_CASE("pages that were written after a file had grown, or had been cut and had grown again, stay as they are") {
    VirtualRun run{random_disk(1, 200, 600)};
    Options options = busy_options(VirtualRun::kFolder);
    options.test_cycle_duration_s = 6;
    sim::FileOptions& data = options.files[0];
    const std::uint32_t made_pages = static_cast<std::uint32_t>((data.initial_size_mb << 20) / kPageBytes);
    data.max_size_mb = 2 * data.initial_size_mb;
    data.increment_mb = 1;
    data.shrinkable = true;
    // The entire log is still there, including the records of the first growths.
    options.files[1].initial_size_mb = options.files[1].max_size_mb = 256;
    options.shrink_user.min_interval_s = options.shrink_user.max_interval_s = 1;
    options.shrink_user.max_extends = 3;
    REQUIRE(run.run(options).outcome == Outcome::passed);
    const ums::SimulatedFile& file = *run.memory.find(data.path);
    const std::vector<std::byte> before = all_bytes(file);
    std::uint32_t written = 0;
    for (std::size_t at = std::size_t{made_pages} * kPageBytes; at < before.size(); at += kPageBytes) {
        written += sim::read_header(before.data() + at).version > 0 ? 1 : 0;
    }
    INFO(run.sink.text());
    REQUIRE(written > 0);
    options.job = Job::repair;
    const Results repair = run.run(options);
    CHECK(kinds(repair) == "");
    REQUIRE(repair.resumed);
    CHECK(repair.resumed->pages_redone == 0);
    const bool is_same = all_bytes(file) == before;
    CHECK(is_same);
}

TEST_CASE("a run does not continue with files that differ from what their log proves, and leaves them as they are") {
    LeftRun left;
    spoil(left.data(), left.busy_page());
    const std::vector<std::byte> data = all_bytes(left.data());
    const std::vector<std::byte> log = all_bytes(left.log());
    for (const bool stop_on_error : {false, true}) {
        left.options.stop_on_error = stop_on_error;
        left.options.delete_files_at_shutdown = true;
        const Results results = left.work(Job::resume);
        CHECK(results.outcome == Outcome::failed);
        CHECK(kinds(results) == "bit_corruption");
        CHECK_FALSE(results.resumed);
        REQUIRE(left.run.memory.find(left.options.files[0].path) != nullptr);
        CHECK(all_bytes(left.data()) == data);
        CHECK(all_bytes(left.log()) == log);
    }
}

TEST_CASE("a run does not continue if a part of its log that was analysed cannot be read when the pages are brought to its end") {
    LeftRun left(64);
    const std::uint64_t lost_bytes = left.blocks_before_checkpoint().begin()->second;
    const std::vector<std::byte> data = all_bytes(left.data());
    Options options = left.options;
    options.job = Job::resume;
    options.stop_on_error = false;
    sim::Simulation simulation(options, left.run.storage, left.run.clock, left.run.sink);
    const std::string log_path = options.files[1].path;
    left.run.storage.set_fault([&simulation, log_path, lost_bytes](const Recorded& request) {
        const bool is_of_log = is_read(request) && request.path == log_path && covers(request, lost_bytes);
        const bool fails = is_of_log && simulation.phase() == sim::Phase::redo;
        return fails ? std::make_error_code(std::errc::io_error) : std::error_code{};
    });
    const Results results = simulation.run();
    INFO(left.run.sink.text());
    CHECK(kinds(results) == "io_error");
    CHECK(results.outcome == Outcome::failed);
    CHECK_FALSE(results.resumed);
    CHECK_THAT(results.outcome_reason, ContainsSubstring("cannot be read again"));
    const bool is_same = all_bytes(left.data()) == data;
    CHECK(is_same);
}

TEST_CASE("a replica whose first page was torn by a power cut is recreated, one with foreign contents is refused") {
    VirtualRun run{random_disk(1, 200, 600)};
    Options options = busy_options(VirtualRun::kFolder);
    options.test_cycle_duration_s = 1;
    options.files.push_back({.path = options.files[0].path + ":replica", .initial_size_mb = 8, .max_size_mb = 8, .sparse = true});
    REQUIRE(run.run(options).outcome == Outcome::passed);
    options.job = Job::resume;
    const std::string& replica = options.files.back().path;
    // What a device with atomic writes of 4 KiB leaves of the page: one half or the other.
    for (const std::uint64_t lost_at_bytes : {std::uint64_t{0}, std::uint64_t{kPageBytes / 2}}) {
        CAPTURE(lost_at_bytes);
        const std::vector<std::byte> zeros(kPageBytes / 2);
        run.memory.find(replica)->write(lost_at_bytes, zeros.data(), zeros.size());
        const Results results = run.run(options);
        CHECK(kinds(results) == "");
        CHECK(results.outcome == Outcome::passed);
    }
    const std::vector<std::byte> text(kPageBytes, std::byte{'x'});
    run.memory.find(replica)->write(0, text.data(), text.size());
    CHECK_THROWS_AS(run.run(options), sim::RefusedError);
}

TEST_CASE("a resume and a repair find that the log has lost everything, as a verification does, and leave the data files as they are") {
    LeftRun left;
    left.options.stop_on_error = GENERATE(false, true);
    left.erase_log();
    const std::vector<std::byte> before = all_bytes(left.data());
    for (const Job job : {Job::verify, Job::resume, Job::repair}) {
        const Results results = left.work(job);
        CHECK(results.outcome == Outcome::failed);
        REQUIRE_FALSE(results.findings.empty());
        CHECK(results.findings[0].kind == sim::FindingKind::wal_violation);
        CHECK_FALSE(results.resumed);
        if (job != Job::verify) CHECK(results.outcome_reason.starts_with("The log is empty, so no page"));
    }
    const bool is_same = all_bytes(left.data()) == before;
    CHECK(is_same);
}

TEST_CASE("a resume that a gap in the log ends says that nothing was written and what helps, also if StopOnError ends it") {
    LeftRun left;
    left.options.stop_on_error = GENERATE(false, true);
    left.erase_block(left.take_back_to_needed_block());
    const Results results = left.work(Job::resume);
    CHECK(results.outcome == Outcome::failed);
    CHECK_THAT(kinds(results), ContainsSubstring("log_gap"));
    CHECK_THAT(results.outcome_reason, ContainsSubstring("was not resumed, and nothing was written") && ContainsSubstring("--repair"));
}

TEST_CASE("a resume blames nobody for files without a change, whether or not the first page was written completely") {
    const bool is_torn = GENERATE(false, true);
    LeftRun left;
    left.erase_log();
    const std::vector<std::byte> nothing(left.data().size_bytes());
    left.data().write(0, nothing.data(), nothing.size());
    left.put_version(0, 1, 0);
    if (is_torn) left.data().write(kPageBytes / 2, nothing.data(), kPageBytes / 2);
    for (const Job job : {Job::verify, Job::resume}) {
        const Results results = left.work(job);
        CHECK(kinds(results) == "");
        CHECK(results.outcome == Outcome::not_done);
        CHECK_FALSE(results.resumed);
    }
}

TEST_CASE("without a log, or without a file of the run, there is nothing to continue with") {
    LeftRun left;
    const std::vector<std::byte> log = all_bytes(left.log());
    const std::vector<std::byte> zeros(log.size() - kPageBytes);
    left.log().write(kPageBytes, zeros.data(), zeros.size());
    left.data().write(0, zeros.data(), kPageBytes);
    CHECK_THROWS_AS(left.work(Job::resume), sim::RefusedError);
    left.put_version(0, 1, 0);
    const Results results = left.work(Job::resume);
    CHECK(results.outcome != Outcome::passed);
    CHECK_FALSE(results.resumed);
    const std::vector<std::byte> nothing(left.data().size_bytes());
    left.data().write(0, nothing.data(), nothing.size());
    CHECK_THROWS_AS(left.work(Job::repair), sim::RefusedError);
}
