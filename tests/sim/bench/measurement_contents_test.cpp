// What a measurement writes, and how it verifies what it reads.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/bench/bench.hpp"
#include "sim/page/measure_mark.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/sim/bench/measurement_fixture.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using namespace sim::testing;
using namespace sim;
using ums::kMb;

TEST_CASE("pages of ours are verified when they are read, and written pages are read back") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.write_percent = 50;
    target.source.contents = MeasureContents::pages;
    const MeasureResults results = run_spec(run, spec_of(target));
    const MeasureTargetFacts& facts = results.timespans[0].targets[0];
    CHECK(results.finding_count == 0);
    CHECK(facts.is_verified);
    CHECK(facts.pages_verified > 1000);
    CHECK(facts.pages_verified > 10 * facts.pages_not_judged);
    CHECK(facts.pages_read_back > 200);
    CHECK(has_signature(measured_bytes(run, 8192).data()));
    // Again, with the file as it is.
    target.create_bytes = 0;
    const MeasureResults again = run_spec(run, spec_of(target));
    CHECK(again.finding_count == 0);
    CHECK(again.timespans[0].targets[0].pages_verified > 1000);
}

TEST_CASE("a second read that failed is not said to have returned the same fault") {
    VirtualRun run;
    std::uint64_t reads = 0;
    bool was_wrong = false;
    bool has_failed = false;
    std::uint64_t wrong_bytes = 0;
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string&) {
        if (request.operation != ums::IoOperation::read || request.size_bytes != sim::kPageBytes || ++reads != 50) return;
        request.segments[0].data[600] ^= std::byte{4};
        wrong_bytes = request.offset_bytes;
        was_wrong = true;
    });
    run.storage.set_fault([&](const Recorded& request) {
        const bool fails = was_wrong && !has_failed && request.operation == ums::IoOperation::read && request.offset_bytes == wrong_bytes;
        has_failed |= fails;
        return fails ? std::make_error_code(std::errc::io_error) : std::error_code{};
    });
    MeasureTarget target = small_target();
    target.source.contents = MeasureContents::pages;
    target.outstanding = 1;
    CHECK(run_spec(run, spec_of(target)).finding_count == 1);
    REQUIRE(has_failed);
    REQUIRE(run.sink.findings().size() == 1);
    CHECK_THAT(run.sink.findings()[0].description, ContainsSubstring("A second read failed, so nobody knows whether the fault stays."));
}

TEST_CASE("pages that another run writes meanwhile are not verified, so that its writes do not look like faults") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.source.contents = MeasureContents::pages;
    REQUIRE(run_spec(run, spec_of(target)).finding_count == 0);
    target.create_bytes = 0;
    run.memory.find(kMeasured)->locked = true;
    CHECK_THROWS_WITH(run_spec(run, spec_of(target)), ContainsSubstring("in use by another run"));
    MeasureSpec unverified = spec_of(target);
    unverified.verify = false;
    CHECK(run_spec(run, unverified).timespans[0].total().reads.requests > 1000);
    run.memory.find(kMeasured)->locked = false;
    CHECK(run_spec(run, spec_of(target)).timespans[0].targets[0].pages_verified > 1000);
    CHECK_FALSE(run.memory.find(kMeasured)->locked);
}

TEST_CASE("a measured file with pages can be measured like a run's file, and one without pages is refused for that") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.source.contents = MeasureContents::pages;
    run_spec(run, spec_of(target));
    BenchOptions bench;
    bench.files = {kMeasured};
    bench.seconds = 1;
    bench.depth = 2;
    const BenchResults results = Bench(bench, run.storage, run.clock, run.sink).run();
    CHECK(results.finding_count == 0);
    CHECK(results.pages_verified > 1000);
    target.source.contents = MeasureContents::zeros;
    run_spec(run, spec_of(target));
    CHECK_THROWS_WITH(Bench(bench, run.storage, run.clock, run.sink).run(), ContainsSubstring("holds data of a measurement"));
}

TEST_CASE("a lost write, a stale read and a flipped bit are found in a measurement") {
    const std::string kind = GENERATE(as<std::string>(), "lost", "stale", "bit");
    VirtualRun run;
    MeasureTarget target = small_target();
    target.write_percent = 50;
    target.outstanding = 1;
    target.source.contents = MeasureContents::pages;
    int writes = 0;
    std::vector<std::byte> old_page(8192);
    std::uint64_t old_offset = 0;
    run.storage.set_fault([&](const Recorded& request) -> std::error_code {
        if (request.operation != ums::IoOperation::write || request.size_bytes != 8192) return {};
        if (++writes != 500) return {};
        old_offset = request.offset_bytes;
        run.memory.find(kMeasured)->read(old_offset, old_page.data(), old_page.size());
        return {};
    });
    bool done = false;
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string&) {
        if (writes < 500 || done || request.offset_bytes != old_offset || request.size_bytes != 8192) return;
        if (kind == "lost" && request.operation == ums::IoOperation::write) {
            run.memory.find(kMeasured)->write(old_offset, old_page.data(), old_page.size());
            done = true;
        }
        if (request.operation != ums::IoOperation::read) return;
        if (kind == "stale") std::memcpy(request.segments[0].data, old_page.data(), old_page.size());
        if (kind == "bit") request.segments[0].data[1234] ^= std::byte{4};
        done = kind != "lost";
    });
    const MeasureResults results = run_spec(run, spec_of(target));
    REQUIRE(done);
    CHECK(results.finding_count == 1);
    const std::vector<Finding> found = run.sink.findings();
    REQUIRE(found.size() == 1);
    CHECK(found[0].place.offset_bytes == old_offset);
    const FindingKind right = kind == "lost"    ? FindingKind::lost_write
                              : kind == "stale" ? FindingKind::stale_read
                                                : FindingKind::bit_corruption;
    CHECK(found[0].kind == right);
    CHECK(found[0].transient == (kind != "lost"));
}

TEST_CASE("a torn first write over what another measurement left is a torn page, even if both call it version 1") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.source.contents = MeasureContents::pages;
    run_spec(run, spec_of(target));
    constexpr std::uint32_t kPage = 5;
    const PageBuffer old_page(PageIdentity{.run_id = 7, .file_id = 1, .page_id = kPage, .version = 1});
    run.memory.find(kMeasured)->write(kPage * kPageBytes, old_page.data(), kPageBytes);
    target.create_bytes = 0;
    target.write_percent = 100;
    target.access = MeasureAccess::sequential;
    target.outstanding = 1;
    target.rate = {.unit = MeasureRateUnit::requests_per_s, .amount = 100};
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string&) {
        if (request.operation != ums::IoOperation::write || request.offset_bytes != kPage * kPageBytes) return;
        run.memory.find(kMeasured)->write(request.offset_bytes, old_page.data(), kPageBytes / 2);
    });
    CHECK(run_spec(run, spec_of(target)).finding_count == 1);
    REQUIRE(run.sink.findings().size() == 1);
    CHECK(run.sink.findings()[0].place.page_id == kPage);
    CHECK(run.sink.findings()[0].kind == FindingKind::torn_page);
}

TEST_CASE("a wrong read whose page is written again before the second read is not called persistent") {
    VirtualRun run(random_disk(7, 10, 3000));
    MeasureTarget target = small_target();
    target.create_bytes = 32 * kPageBytes;
    target.write_percent = 50;
    target.outstanding = 32;
    target.source.contents = MeasureContents::pages;
    // The second read of a wrong page goes to other memory than the reads of the load.
    std::set<const std::byte*> memory_of_load;
    int reads = 0;
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string&) {
        if (request.operation != ums::IoOperation::read || request.size_bytes != kPageBytes) return;
        ++reads;
        const std::byte* const memory = request.segments[0].data;
        if (reads <= 2000) memory_of_load.insert(memory);
        if (reads > 2000 && reads <= 3000 && memory_of_load.contains(memory)) request.segments[0].data[1234] ^= std::byte{4};
    });
    CHECK(run_spec(run, spec_of(target)).finding_count > 10);
    int overwritten = 0;
    for (const Finding& finding : run.sink.findings()) {
        CHECK(finding.transient);
        if (finding.description.find("written again") != std::string::npos) ++overwritten;
    }
    CHECK(overwritten > 0);
}

TEST_CASE("what another measurement left where writes are lost is an older page, whatever its version") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.source.contents = MeasureContents::pages;
    run_spec(run, spec_of(target));
    constexpr std::uint32_t kPage = 5;
    const PageBuffer old_page(PageIdentity{.run_id = 7, .file_id = 1, .page_id = kPage, .version = 1'000'000});
    run.memory.find(kMeasured)->write(kPage * kPageBytes, old_page.data(), kPageBytes);
    target.create_bytes = 0;
    target.write_percent = 100;
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string&) {
        if (request.operation != ums::IoOperation::write || request.offset_bytes != kPage * kPageBytes) return;
        run.memory.find(kMeasured)->write(request.offset_bytes, old_page.data(), kPageBytes);
    });
    CHECK(run_spec(run, spec_of(target)).finding_count == 1);
    const std::vector<Finding> found = run.sink.findings();
    REQUIRE(found.size() == 1);
    CHECK(found[0].place.page_id == kPage);
    CHECK(found[0].kind == FindingKind::lost_write);
}

TEST_CASE("a page that was read as one measurement wrote it must not come back as another one did, even if both call it version 1") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.source.contents = MeasureContents::pages;
    run_spec(run, spec_of(target));
    constexpr std::uint32_t kPage = 5;
    // Nobody knows which of the two is newer, whatever their numbers.
    const std::uint32_t version = GENERATE(1U, 9U);
    const PageBuffer old_page(PageIdentity{.run_id = 7, .file_id = 1, .page_id = kPage, .version = version});
    int reads = 0;
    run.storage.set_tamper([&](ums::IoRequest& request, const std::string&) {
        if (request.operation != ums::IoOperation::read || request.offset_bytes != kPage * kPageBytes || ++reads != 3) return;
        std::memcpy(request.segments[0].data, old_page.data(), kPageBytes);
    });
    target.create_bytes = 0;
    CHECK(run_spec(run, spec_of(target)).finding_count == 1);
    const std::vector<Finding> found = run.sink.findings();
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == FindingKind::stale_read);
    CHECK_THAT(found[0].description, ContainsSubstring("version 1 was read there before, but it is version " + std::to_string(version) +
                                                       " of page 5 of file 1, of another measurement or run"));
}

TEST_CASE("a page of the file that stands in another page's place is a misdirected write at its first read") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.source.contents = MeasureContents::pages;
    run_spec(run, spec_of(target));
    constexpr std::uint32_t kPage = 5;
    const std::uint64_t run_id = read_header(measured_bytes(run, kPageBytes).data()).run_id;
    const PageBuffer other(PageIdentity{.run_id = run_id, .file_id = 1, .page_id = kPage + 1, .version = 3});
    run.memory.find(kMeasured)->write(kPage * kPageBytes, other.data(), kPageBytes);
    target.create_bytes = 0;
    target.outstanding = 1;
    CHECK(run_spec(run, spec_of(target)).finding_count == 1);
    const std::vector<Finding> found = run.sink.findings();
    REQUIRE(found.size() == 1);
    CHECK(found[0].place.page_id == kPage);
    CHECK(found[0].kind == FindingKind::misdirected_write);
    CHECK_THAT(found[0].description, ContainsSubstring("wrong: it is version 3 of page 6 of file 1. A second read was not right."));
}

namespace {

// The image of a disk with a file of ours that began elsewhere, and half of whose pages were overwritten in part since.
void put_image_with_remainders(VirtualRun& run) {
    auto image = std::make_unique<MemoryFile>(99);
    const std::vector<std::byte> zeros(kPageBytes / 2);
    for (std::uint32_t page = 0; page < 256; ++page) {
        const PageBuffer old_page(PageIdentity{.run_id = 7, .file_id = 1, .page_id = page + 1, .version = 1});
        image->write(page * std::uint64_t{kPageBytes}, old_page.data(), kPageBytes);
        if (page % 2 == 1) image->write(page * std::uint64_t{kPageBytes} + zeros.size(), zeros.data(), zeros.size());
    }
    run.memory.put(kMeasured, std::move(image));
}

}  // namespace

TEST_CASE("what older files left in the image of a disk is not a finding when the image is measured") {
    VirtualRun run;
    put_image_with_remainders(run);
    MeasureTarget target = small_target();
    target.create_bytes = 0;
    target.may_overwrite = true;
    target.write_percent = 10;
    target.source.contents = MeasureContents::pages;
    const MeasureResults results = run_spec(run, spec_of(target));
    CHECK(results.finding_count == 0);
    CHECK(results.timespans[0].targets[0].pages_not_judged > 100);
    CHECK(results.timespans[0].targets[0].pages_verified > 100);
}

TEST_CASE("nor are such remainders findings in an image whose beginning an earlier measurement has overwritten with its pages") {
    VirtualRun run;
    put_image_with_remainders(run);
    MeasureTarget target = small_target();
    target.create_bytes = 0;
    target.may_overwrite = true;
    target.write_percent = 100;
    target.max_offset_bytes = 8 * kPageBytes;
    target.source.contents = MeasureContents::pages;
    CHECK(run_spec(run, spec_of(target)).finding_count == 0);
    REQUIRE(has_signature(measured_bytes(run, kPageBytes).data()));
    target.may_overwrite = false;
    target.write_percent = 0;
    target.max_offset_bytes = 0;
    const MeasureResults results = run_spec(run, spec_of(target));
    CHECK(results.finding_count == 0);
    CHECK(results.timespans[0].targets[0].pages_not_judged > 100);
}

TEST_CASE("overlapping writes and reads of a measurement are not a finding") {
    VirtualRun run(random_disk(7, 10, 3000));
    MeasureTarget target = small_target();
    target.create_bytes = 4 * 8192;
    target.write_percent = 50;
    target.outstanding = 64;
    target.source.contents = MeasureContents::pages;
    const MeasureResults results = run_spec(run, spec_of(target));
    CHECK(results.finding_count == 0);
    CHECK(results.timespans[0].targets[0].pages_not_judged > 100);
}

TEST_CASE("pages that small blocks of another measurement have partly overwritten are not a finding") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.write_percent = 50;
    target.keep_existing = true;
    target.source.contents = MeasureContents::pages;
    REQUIRE(run_spec(run, spec_of(target)).finding_count == 0);
    MeasureTarget small_blocks = target;
    small_blocks.block_bytes = 4096;
    small_blocks.source.contents = MeasureContents::incompressible;
    REQUIRE(run_spec(run, spec_of(small_blocks)).finding_count == 0);
    MeasureTarget all_pages = target;  // page 0, too
    all_pages.access = MeasureAccess::sequential;
    for (const MeasureTarget& next : {target, all_pages, small_blocks, target}) {
        const MeasureResults results = run_spec(run, spec_of(next));
        CHECK(results.finding_count == 0);
        CHECK(has_measure_mark(measured_bytes(run, 8192).data()));
        if (next.block_bytes == small_blocks.block_bytes) continue;
        CHECK(results.timespans[0].targets[0].pages_verified > 100);
        CHECK(results.timespans[0].targets[0].pages_not_judged > 0);
    }
}

TEST_CASE("the written contents are those of the source, and the mark stays") {
    const auto contents =
        GENERATE(MeasureContents::incompressible, MeasureContents::zeros, MeasureContents::counting, MeasureContents::buffer);
    VirtualRun run;
    MeasureTarget target = small_target();
    target.create_bytes = 64 * 8192;
    target.access = MeasureAccess::sequential;
    target.write_percent = 100;
    target.source.contents = contents;
    target.source.bytes = std::make_shared<std::vector<std::byte>>(8192, std::byte{'b'});
    run_spec(run, spec_of(target));
    const std::vector<std::byte> bytes = measured_bytes(run, 64 * 8192);
    CHECK(has_measure_mark(bytes.data()));
    std::set<std::string> blocks;
    for (std::size_t i = 1; i < 64; ++i) blocks.insert(std::string(reinterpret_cast<const char*>(bytes.data()) + i * 8192, 8192));
    CHECK(blocks.size() == (contents == MeasureContents::incompressible ? 63 : 1));
    const std::byte value = bytes[8192 * 5 + 259];
    if (contents == MeasureContents::zeros) CHECK(value == std::byte{0});
    if (contents == MeasureContents::counting) CHECK(value == std::byte{3});
    if (contents == MeasureContents::buffer) CHECK(value == std::byte{'b'});
}

TEST_CASE("the shares of compressible and duplicate contents are met") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.access = MeasureAccess::sequential;
    target.write_percent = 100;
    target.source.compressible_percent = 25;
    target.source.duplicate_percent = 50;
    run_spec(run, spec_of(target));
    const std::vector<std::byte> bytes = measured_bytes(run, 2 * kMb);
    std::multiset<std::string> blocks;
    for (std::size_t i = 8192; i < bytes.size(); i += 8192)
        blocks.insert(std::string(reinterpret_cast<const char*>(bytes.data()) + i, 8192));
    const auto most =
        std::max_element(blocks.begin(), blocks.end(), [&](const auto& a, const auto& b) { return blocks.count(a) < blocks.count(b); });
    CHECK(std::abs(static_cast<double>(blocks.count(*most)) / static_cast<double>(blocks.size()) - 0.5) < 0.12);
    CHECK(std::all_of(bytes.begin() + 8192 + 3072, bytes.begin() + 8192 + 4096, [](std::byte byte) { return byte == std::byte{0}; }));
    CHECK(bytes[8192 + 3071] != bytes[8192 + 3070]);
}
