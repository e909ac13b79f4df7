// Runs that continue with what another run has left, and repairs that make files usable again. In virtual time, on files in memory.
#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "sim/errors.hpp"
#include "sim/ledger/page_ledger.hpp"
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

std::vector<std::byte> all_bytes(const ums::SimulatedFile& file) {
    std::vector<std::byte> bytes(file.size_bytes());
    file.read(0, bytes.data(), bytes.size());
    return bytes;
}

void spoil(ums::SimulatedFile& file, std::uint32_t page) {
    std::byte byte{};
    file.read(std::uint64_t{page} * kPageBytes + 4000, &byte, 1);
    byte ^= std::byte{1};
    file.write(std::uint64_t{page} * kPageBytes + 4000, &byte, 1);
}

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

TEST_CASE("a repair rewrites a damaged page, and a run continues with the files") {
    LeftRun left;
    const std::uint32_t page = left.busy_page();
    spoil(left.data(), page);
    const Results repair = left.work(Job::repair);
    CHECK(repair.outcome == Outcome::failed);
    CHECK(kinds(repair) == "bit_corruption");
    REQUIRE(repair.resumed);
    CHECK(repair.resumed->pages_redone + repair.resumed->pages_given_up == 1);
    REQUIRE(repair.durability);
    CHECK(repair.durability->wrong_pages == 1);
    CHECK(repair.cycles_completed == 0);
    CHECK(left.header(page).version >= 1);
    CHECK(kinds(left.verify()) == "");
    const Results results = left.work(Job::resume);
    CHECK(kinds(results) == "");
    CHECK(results.outcome == Outcome::passed);
}

TEST_CASE("a repair counts the files for which nothing was requested of the storage, as a verification does") {
    LeftRun left(0, 0, [](Options& options) { options.files[0].durability = sim::Durability::none; });
    spoil(left.data(), left.busy_page());
    CHECK(left.verify().durability.value().undurable_files == 1);
    CHECK(left.work(Job::repair).durability.value().undurable_files == 1);
}

TEST_CASE("a page whose version no run can have made is repaired, and has enough versions left") {
    LeftRun left;
    left.forget_changes_before_checkpoint();
    const std::uint32_t page = left.busy_page();
    left.put_version(page, sim::kVersionMax + 1, left.header(page).lsn);
    CHECK(kinds(left.work(Job::repair)) == "future_version");
    CHECK(left.header(page).version < 1000);
    CHECK(kinds(left.verify()) == "");
    left.options.test_cycles = 2;  // each changes every page
    const Results results = left.work(Job::resume);
    CHECK(kinds(results) == "");
    CHECK(results.outcome == Outcome::passed);
}

TEST_CASE("a repair rewrites a page that cannot be read, and no page beside it") {
    LeftRun left;
    const std::uint64_t offset_bytes = std::uint64_t{left.busy_page()} * kPageBytes;
    std::vector<std::byte> before = all_bytes(left.data());
    bool is_readable = false;  // once it has been written: the disk puts it elsewhere
    left.run.storage.set_fault([&](const Recorded& request) {
        if (request.path != left.options.files[0].path || !covers(request, offset_bytes)) return std::error_code{};
        is_readable |= is_write(request);
        return is_readable ? std::error_code{} : std::make_error_code(std::errc::io_error);
    });
    const Results found = left.verify();
    CHECK(kinds(found) == "io_error");
    CHECK(found.findings.at(0).place.offset_bytes == offset_bytes);
    CHECK(found.findings.at(0).place.size_bytes == kPageBytes);
    CHECK(found.files.at(0).pages_verified == left.data().size_bytes() / kPageBytes - 1);

    const Results repair = left.work(Job::repair);
    CHECK(kinds(repair) == "io_error");
    REQUIRE(repair.resumed);
    CHECK(repair.resumed->pages_redone + repair.resumed->pages_given_up == 1);
    CHECK(is_readable);
    std::vector<std::byte> after = all_bytes(left.data());
    for (std::vector<std::byte>* bytes : {&before, &after}) std::fill_n(bytes->begin() + offset_bytes, kPageBytes, std::byte{0});
    const bool is_same = after == before;
    CHECK(is_same);
    CHECK(kinds(left.verify()) == "");
}

TEST_CASE("a repair gives up the log beyond a hole, and the page changes from there on") {
    LeftRun left;
    const std::uint64_t needed = left.take_back_to_needed_block();
    left.erase_block(needed);
    REQUIRE(kinds(left.verify()).find("log_gap") != std::string::npos);
    const Results repair = left.work(Job::repair);
    CHECK(repair.outcome == Outcome::failed);
    REQUIRE(repair.resumed);
    CHECK(repair.resumed->last_block < needed);
    CHECK(repair.resumed->blocks_given_up > 0);
    CHECK(kinds(left.verify()) == "");
    const Results results = left.work(Job::resume);
    CHECK(kinds(results) == "");
    CHECK(results.outcome == Outcome::passed);
}

TEST_CASE("a repair on a disk without room for the log's signature page is not done, and blames nobody") {
    LeftRun left;
    spoil(left.log(), 0);
    FaultyStorage storage(left.run.memory, left.run.clock);
    const int error = GENERATE(ENOSPC, EIO);
    storage.set_rule([error](const ums::IoRequest& request) {
        return Fate{.error = request.operation == ums::IoOperation::write && request.offset_bytes == 0 ? error : 0};
    });
    Options options = left.options;
    options.job = Job::repair;
    const Results results = sim::Simulation(options, storage, left.run.clock, left.run.sink).run();
    CHECK(results.outcome == (error == ENOSPC ? Outcome::not_done : Outcome::failed));
    CHECK(kinds(results) == (error == ENOSPC ? "" : "io_error"));
    CHECK(results.outcome_reason.find("its signature page cannot be written") != std::string::npos);
}

TEST_CASE("a repair restores the size of a file that has become too short") {
    LeftRun left;
    const std::uint64_t size_bytes = left.data().size_bytes();
    left.data().resize(size_bytes - 4 * kPageBytes);
    REQUIRE(kinds(left.verify()).find("lost_write") != std::string::npos);
    const Results repair = left.work(Job::repair);
    CHECK(repair.outcome == Outcome::failed);
    CHECK(left.data().size_bytes() == size_bytes);
    CHECK(kinds(left.verify()) == "");
}

TEST_CASE("a repair does not restore a size that the configuration does not allow") {
    constexpr std::uint64_t kMegabyte = 1 << 20;
    LeftRun left;
    const std::uint64_t cut_bytes = left.data().size_bytes() - kMegabyte;
    left.data().resize(cut_bytes);
    left.options.files[0].initial_size_mb = left.options.files[0].max_size_mb = cut_bytes / kMegabyte;
    const Results repair = left.work(Job::repair);
    CHECK(repair.outcome == Outcome::failed);
    // What is wrong, and why it was not repaired.
    CHECK(repair.outcome_reason.find("wrong answer") != std::string::npos);
    CHECK(repair.outcome_reason.find("MaxSize of this configuration") != std::string::npos);
    CHECK(left.data().size_bytes() == cut_bytes);
}

TEST_CASE("a log file that is shorter than its blocks prove is a finding, and a repair restores its size") {
    LeftRun left;
    const std::uint64_t size_bytes = left.log().size_bytes();
    // What recovery needs is still there.
    left.log().resize(size_bytes - 512);
    const Results results = left.verify();
    CHECK(kinds(results) == "lost_write");
    CHECK(results.findings.front().description.find("its blocks prove") != std::string::npos);
    CHECK(left.work(Job::resume).outcome == Outcome::failed);
    CHECK(left.work(Job::repair).outcome == Outcome::failed);
    CHECK(left.log().size_bytes() == size_bytes);
    CHECK(kinds(left.verify()) == "");
    CHECK(left.work(Job::resume).outcome == Outcome::passed);
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
