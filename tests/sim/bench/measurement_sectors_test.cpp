// Measurements whose blocks are not complete pages, such as those of a log: their sectors are verified.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "sim/errors.hpp"
#include "sim/page/measure_mark.hpp"
#include "sim/page/stamped_sector.hpp"
#include "tests/sim/bench/measurement_fixture.hpp"
#include "tests/sim/support/large_sectors.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using namespace sim;
using ums::kMb;

namespace {

// Like the preset `log`: 512 bytes to 60 KB, one after another, durable.
MeasureTarget log_target() {
    MeasureTarget target = small_target();
    target.access = MeasureAccess::interlocked;
    target.block_bytes = kLogBlockBytesMax;
    target.block_bytes_min = kSectorBytes;
    target.write_percent = 100;
    target.write_through = true;
    target.outstanding = 1;
    target.source.contents = MeasureContents::sectors;
    return target;
}

}  // namespace

TEST_CASE("on a disk with sectors of 4 KB the blocks of a log are multiples of them") {
    VirtualRun run;
    LargeSectors disk(run.storage);
    MeasureTarget target = log_target();
    target.create_bytes = GENERATE(2 * kMb, 2 * kMb + kMb / 2 + 1024);  // the file may end within a sector
    const MeasureResults results = Measurement(spec_of(target), disk, run.clock, run.sink).run();
    CHECK(results.failure_reason.empty());
    CHECK(results.finding_count == 0);
    CHECK(results.timespans[0].total().writes.requests > 100);
    const auto is_in_parts = [](const Recorded& request) {
        const bool is_transfer = request.operation == ums::IoOperation::read || request.operation == ums::IoOperation::write;
        return is_transfer && (request.offset_bytes % 4096 != 0 || request.size_bytes % 4096 != 0);
    };
    CHECK(run.storage.select(is_in_parts).empty());
    CHECK_FALSE(measured_requests(run, ums::IoOperation::write, 4096).empty());
}

TEST_CASE("blocks, pieces and offsets in parts of a sector are refused before the disk refuses them, unless they are buffered") {
    VirtualRun run;
    LargeSectors disk(run.storage);
    MeasureTarget target = small_target();
    target.source.contents = MeasureContents::sectors;
    SECTION("blocks") { target.block_bytes = 512; }
    SECTION("blocks of a range") {
        target.block_bytes_min = 512;
        target.block_bytes = 6144;
    }
    SECTION("offsets") { target.alignment_bytes = 6144; }
    SECTION("pieces") { target.piece_bytes = 512; }
    REQUIRE(check_measure_spec(spec_of(target)).empty());
    CHECK_THROWS_AS(Measurement(spec_of(target), disk, run.clock, run.sink).run(), EnvironmentError);
    CHECK(run.memory.file_count() == 0);
    target.direct = false;
    CHECK(Measurement(spec_of(target), disk, run.clock, run.sink).run().failure_reason.empty());
}

TEST_CASE("what a log writes is read back, even after several laps of the file") {
    VirtualRun run;
    MeasureTarget target = log_target();
    target.outstanding = GENERATE(1U, 16U);
    const MeasureResults results = run_spec(run, spec_of(target));
    const MeasureTargetFacts& facts = results.timespans[0].targets[0];
    CHECK(results.finding_count == 0);
    CHECK(facts.is_verified);
    CHECK(facts.pages_read_back > 200);
    CHECK(facts.pages_read_back <= 2 * kMb / 8192);
    CHECK(results.timespans[0].total().writes.bytes > 4 * kMb);
    const std::vector<std::byte> bytes = measured_bytes(run, 2 * kMb);
    CHECK(has_measure_mark(bytes.data()));
    std::uint64_t sound = 0;
    for (std::size_t sector = 1; sector < bytes.size() / kSectorBytes; ++sector) {
        const StampedSector read = read_stamped_sector(bytes.data() + sector * kSectorBytes);
        if (read.is_sound && read.identity.number == sector) ++sound;
    }
    CHECK(sound == bytes.size() / kSectorBytes - 1);
}

TEST_CASE("a log block that is lost or damaged on its way is found when it is read back") {
    const std::string kind = GENERATE(as<std::string>(), "lost", "bit", "zeroed");
    VirtualRun run;
    const MeasureTarget target = log_target();
    std::uint64_t offset_bytes = 0;
    bool is_done = false;
    int writes = 0;
    // A block of the last lap: later writes would overwrite an earlier one.
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string&) {
        if (request.operation == ums::IoOperation::read || request.size_bytes >= kMb) return;
        ++writes;
        if (is_done && request.offset_bytes <= offset_bytes && offset_bytes < request.offset_bytes + request.size_bytes) is_done = false;
        if (is_done || writes < 50 || request.offset_bytes < 4096) return;
        offset_bytes = request.offset_bytes + request.size_bytes - kSectorBytes;
        std::vector<std::byte> sector(kSectorBytes);
        if (kind != "zeroed") std::memcpy(sector.data(), request.segments[0].data + request.size_bytes - kSectorBytes, kSectorBytes);
        if (kind == "bit") sector[100] ^= std::byte{2};
        if (kind == "lost") {
            StampedSector old = read_stamped_sector(sector.data());
            REQUIRE(old.is_sound);
            --old.identity.version;
            make_stamped_sector(old.identity, sector.data());
        }
        run.memory.find(kMeasured)->write(offset_bytes, sector.data(), sector.size());
        is_done = true;
    });
    const MeasureResults results = run_spec(run, spec_of(target));
    REQUIRE(is_done);
    CHECK(results.finding_count == 1);
    const std::vector<Finding> found = run.sink.findings();
    REQUIRE(found.size() == 1);
    CHECK(found[0].place.offset_bytes == offset_bytes);
    CHECK(found[0].place.size_bytes == kSectorBytes);
    CHECK(found[0].evidence.image.size() == kSectorBytes);
    CHECK_FALSE(found[0].transient);
    const FindingKind right = kind == "lost"  ? FindingKind::lost_write
                              : kind == "bit" ? FindingKind::bit_corruption
                                              : FindingKind::zeroed_page;
    CHECK(found[0].kind == right);
    CHECK_THAT(found[0].description, ContainsSubstring("Sector " + std::to_string(offset_bytes / kSectorBytes)));
}

TEST_CASE("reads of blocks that are not whole pages are verified, too") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.block_bytes = 4096;
    target.write_percent = 30;
    target.source.contents = MeasureContents::sectors;
    const MeasureResults results = run_spec(run, spec_of(target));
    CHECK(results.finding_count == 0);
    CHECK(results.timespans[0].targets[0].pages_verified > 1000);
    // The same file again, as it is: its contents are accepted when they are first read, and must not change after that.
    target.create_bytes = 0;
    bool was_bent = false;
    std::uint64_t reads = 0;
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string&) {
        if (request.operation != ums::IoOperation::read || request.size_bytes != 4096 || ++reads < 5000 || was_bent) return;
        if (request.offset_bytes == 0) return;
        request.segments[0].data[777] ^= std::byte{1};
        was_bent = true;
    });
    const MeasureResults again = run_spec(run, spec_of(target));
    REQUIRE(was_bent);
    CHECK(again.finding_count == 1);
    CHECK(run.sink.findings().at(0).transient);
}

TEST_CASE("the mark of a file is written in one sector, and only if it is not there: what else was read may be an older version") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.source.contents = MeasureContents::pages;
    run_spec(run, spec_of(target));
    target.create_bytes = 0;
    target.block_bytes = 4096;
    target.write_percent = 50;
    target.source.contents = MeasureContents::sectors;
    for (int round = 0; round < 2; ++round) {
        CHECK(run_spec(run, spec_of(target)).finding_count == 0);
        CHECK(measured_requests(run, ums::IoOperation::write, kSectorBytes).size() == 1);
        CHECK(has_measure_mark(measured_bytes(run, kSectorBytes).data()));
    }
}

TEST_CASE("the second read of a wrong sector ends with the last complete sector of the disk") {
    VirtualRun run;
    LargeSectors disk(run.storage);
    MeasureTarget target = small_target();
    target.create_bytes = 2 * kMb + 4096 + 512;
    target.block_bytes = 4096;
    target.source.contents = MeasureContents::sectors;
    target.outstanding = 1;
    bool is_done = false;
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string&) {
        if (is_done || request.operation != ums::IoOperation::read || request.offset_bytes != 2 * kMb || request.size_bytes != 4096) return;
        request.segments[0].data[777] ^= std::byte{1};
        is_done = true;
    });
    CHECK(Measurement(spec_of(target), disk, run.clock, run.sink).run().finding_count == 1);
    REQUIRE(is_done);
    CHECK_THAT(run.sink.findings().at(0).description, ContainsSubstring("A second read was right."));
    const auto is_in_parts = [](const Recorded& request) {
        return request.operation == ums::IoOperation::read && (request.offset_bytes % 4096 != 0 || request.size_bytes % 4096 != 0);
    };
    CHECK(run.storage.select(is_in_parts).empty());
}

TEST_CASE("a file into which sectors and other data are written is not verified") {
    VirtualRun run;
    MeasureSpec spec = spec_of(log_target());
    MeasureTarget other = small_target();
    other.write_percent = 100;
    other.source.contents = GENERATE(MeasureContents::zeros, MeasureContents::pages);
    spec.timespans[0].targets.push_back(other);
    const MeasureResults results = run_spec(run, spec);
    CHECK(results.finding_count == 0);
    REQUIRE(results.timespans.at(0).targets.size() == 2);
    for (const MeasureTargetFacts& facts : results.timespans[0].targets) {
        CHECK_FALSE(facts.is_verified);
        CHECK(facts.pages_read_back == 0);
    }
}

TEST_CASE("pool threads work on the targets that name them, with the given weights") {
    VirtualRun run;
    MeasureSpec spec = spec_of(small_target());
    MeasureTimespan& timespan = spec.timespans[0];
    timespan.targets.push_back(small_target());
    timespan.targets[1].path = "/memory/other.dat";
    timespan.threads_total = 3;
    timespan.requests_per_thread = 4;
    // Thread 0: the first only. Thread 1: one of four requests on the second. Thread 2: the second only.
    timespan.targets[0].thread_shares = {{0, 1}, {1, 3}};
    timespan.targets[1].thread_shares = {{2, 5}, {1, 1}};
    const MeasureTimespanResults results = run_spec(run, spec).timespans.at(0);
    const auto requests = [&](std::uint32_t thread, std::uint32_t target) {
        std::uint64_t sum = 0;
        for (const MeasureRow& row : results.rows) {
            if (row.thread == thread && row.target == target) sum += row.both().requests;
        }
        return sum;
    };
    CHECK(results.rows.size() == 4);
    CHECK(requests(0, 0) > 100);
    CHECK(requests(0, 1) == 0);
    CHECK(requests(2, 0) == 0);
    CHECK(requests(2, 1) > 100);
    const double share = static_cast<double>(requests(1, 1)) / static_cast<double>(requests(1, 0) + requests(1, 1));
    CHECK(share > 0.2);
    CHECK(share < 0.3);
    timespan.targets[1].thread_shares = {{2, 5}};
    timespan.targets[0].thread_shares = {{0, 1}};
    CHECK_THAT(check_measure_spec(spec), ContainsSubstring("thread 1 has no target"));
    timespan.requests_per_thread = 0;
    CHECK_FALSE(check_measure_spec(spec).empty());
}
