// What a measurement refuses: foreign files, and what cannot be carried out.
#include <cstring>
#include <vector>

#include "sim/bench/page_book.hpp"
#include "sim/files/file_names.hpp"
#include "sim/page/measure_mark.hpp"
#include "sim/page/page_codec.hpp"
#include "tests/sim/bench/measurement_fixture.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/machine.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;
using namespace sim;
using ums::kMb;

TEST_CASE("a foreign file is read, but neither written nor recreated unless the user allows it") {
    VirtualRun run;
    auto foreign = std::make_unique<MemoryFile>(99);
    const std::vector<std::byte> data(kMb, std::byte{'F'});
    foreign->write(0, data.data(), data.size());
    run.memory.put(kMeasured, std::move(foreign));
    MeasureTarget target = small_target();
    target.write_percent = 1;
    CHECK_THROWS_AS(run_spec(run, spec_of(target)), RefusedError);
    target.create_bytes = 0;
    CHECK_THROWS_AS(run_spec(run, spec_of(target)), RefusedError);
    CHECK(measured_bytes(run, kMb) == data);
    target.write_percent = 0;
    CHECK(run_spec(run, spec_of(target)).timespans[0].total().reads.requests > 1000);
    CHECK(measured_bytes(run, kMb) == data);
    target.write_percent = 1;
    target.may_overwrite = true;
    CHECK(run_spec(run, spec_of(target)).timespans[0].total().writes.requests > 10);
    CHECK(has_measure_mark(measured_bytes(run, kMb).data()));
    target.may_overwrite = false;  // it is ours now
    CHECK(run_spec(run, spec_of(target)).failure_reason.empty());
}

TEST_CASE("a missing file without a size is refused, and so is the name of a database") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.create_bytes = 0;
    CHECK_THROWS_AS(run_spec(run, spec_of(target)), EnvironmentError);
    target.path = "/memory/master.mdf";
    target.create_bytes = kMb;
    CHECK_THROWS_AS(run_spec(run, spec_of(target)), RefusedError);
    CHECK(run.memory.file_count() == 0);
}

TEST_CASE("a mistyped device name does not become a file in memory in /dev") {
    CHECK_THROWS_WITH(refuse_file_among_devices("/dev/nvme9n9"), ContainsSubstring("no such device"));
    CHECK_THROWS_AS(refuse_file_among_devices("/dev/mapper/date"), RefusedError);
    for (const char* path : {"/dev/shm/data.mdx", "/data/dev/data.mdx", "/device"}) CHECK_NOTHROW(refuse_file_among_devices(path));
}

namespace {

// A file of pages whose first page says something else than it should.
void put_pages(VirtualRun& run, void (*change)(PageHeader& header)) {
    const PageBuffer page(PageIdentity{1, 1, 0, 1, 0, 1});
    PageHeader header = read_header(page.data());
    change(header);
    std::memcpy(page.data(), &header, sizeof header);
    auto file = std::make_unique<MemoryFile>(99);
    file->write(0, page.data(), kPageBytes);
    file->resize(2 * kMb);
    run.memory.put(kMeasured, std::move(file));
}

}  // namespace

TEST_CASE("random requests to more pages than can be remembered in memory are refused, but not those to a part of them, or in sequence") {
    const std::uint64_t available_bytes = ums::this_machine().available_bytes;
    if (available_bytes == 0) {
        WARN("the available memory is not known");
        return;
    }
    VirtualRun run;
    put_pages(run, [](PageHeader&) {});
    run.memory.find(kMeasured)->resize(available_bytes / PageBook::kEntryBytes * 2 * kPageBytes);
    MeasureTarget target = small_target();
    target.create_bytes = 0;
    CHECK_THROWS_WITH(run_spec(run, spec_of(target)), ContainsSubstring("Keeping track of all pages"));
    target.max_offset_bytes = kMb;
    CHECK(run_spec(run, spec_of(target)).failure_reason.empty());
    target.max_offset_bytes = 0;
    target.access = MeasureAccess::sequential;
    CHECK(run_spec(run, spec_of(target)).failure_reason.empty());
}

TEST_CASE("more intervals than can be counted in memory are refused") {
    const std::uint64_t available_bytes = ums::this_machine().available_bytes;
    if (available_bytes == 0) {
        WARN("the available memory is not known");
        return;
    }
    VirtualRun run;
    MeasureSpec spec = spec_of(small_target());
    spec.timespans[0].iops_interval_ms = 1;
    spec.timespans[0].duration_s = 4'000'000'000;
    CHECK_THROWS_WITH(run_spec(run, spec), ContainsSubstring("Counting the requests of each interval"));
    spec.timespans[0].duration_s = 1;
    CHECK(run_spec(run, spec).failure_reason.empty());
}

TEST_CASE("a file of a newer version is not written, and one with an impossible number is") {
    MeasureTarget target = small_target();
    target.create_bytes = 0;
    target.write_percent = 50;
    target.source.contents = MeasureContents::pages;
    VirtualRun newer;
    put_pages(newer, [](PageHeader& header) { ++header.format; });
    CHECK_THROWS_WITH(run_spec(newer, spec_of(target)), ContainsSubstring("newer version"));
    VirtualRun damaged;
    put_pages(damaged, [](PageHeader& header) { header.file_id = kFilesMax + 1; });
    CHECK(run_spec(damaged, spec_of(target)).failure_reason.empty());
}

TEST_CASE("a file whose creation was cut off is not measured, but recreated") {
    VirtualRun run;
    auto unfinished = std::make_unique<MemoryFile>(99);
    std::vector<std::byte> data(2 * kMb);
    make_unfinished_mark(data.data());
    unfinished->write(0, data.data(), data.size());
    run.memory.put(kMeasured, std::move(unfinished));
    MeasureTarget target = small_target();
    target.create_bytes = 0;
    CHECK_THROWS_WITH(run_spec(run, spec_of(target)), ContainsSubstring("unfinished"));
    target.create_bytes = 2 * kMb;
    target.keep_existing = true;
    CHECK(run_spec(run, spec_of(target)).timespans[0].targets[0].was_created);
    CHECK_FALSE(has_unfinished_mark(measured_bytes(run, kMb).data()));
}

TEST_CASE("a new file is marked as unfinished until all of it is written") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.create_bytes = 4 * kMb;
    run_spec(run, spec_of(target));
    const auto pieces = measured_requests(run, ums::IoOperation::write, kMb);
    REQUIRE(pieces.size() == 5);
    CHECK(pieces.front().offset_bytes == 0);
    CHECK(pieces.back().offset_bytes == 0);
}

TEST_CASE("a file that is ours and has the right size is kept if requested, and recreated otherwise") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.keep_existing = true;
    run_spec(run, spec_of(target));
    const std::vector<std::byte> before = measured_bytes(run, 2 * kMb);
    const MeasureResults kept = run_spec(run, spec_of(target));
    CHECK_FALSE(kept.timespans[0].targets[0].was_created);
    CHECK(measured_bytes(run, 2 * kMb) == before);
    target.keep_existing = false;
    CHECK(run_spec(run, spec_of(target)).timespans[0].targets[0].was_created);
    target.create_bytes = 4 * kMb;
    target.keep_existing = true;
    CHECK(run_spec(run, spec_of(target)).timespans[0].targets[0].size_bytes == 4 * kMb);
}

TEST_CASE("a file that does not fit is refused before the file system has given all that it has") {
    struct AllocationSpy final : ums::ForwardingStorage {
        using ums::ForwardingStorage::ForwardingStorage;
        std::error_code allocate(ums::FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) override {
            ++count;
            return inner().allocate(file, offset_bytes, size_bytes);
        }
        int count = 0;
    };
    VirtualRun run;
    run.memory.set_capacity(4 * kMb);
    AllocationSpy spy(run.storage);
    MeasureTarget target = small_target();
    target.create_bytes = 8 * kMb;
    CHECK_THROWS_WITH(Measurement(spec_of(target), spy, run.clock, run.sink).run(), ContainsSubstring("has 4 MB free"));
    CHECK(spy.count == 0);
    target.create_bytes = 4 * kMb;
    CHECK(Measurement(spec_of(target), spy, run.clock, run.sink).run().failure_reason.empty());
    CHECK(spy.count == 1);
}

TEST_CASE("a file that is made anew has the space of the old one, even if the file system lists that as free only later") {
    struct LateSpace final : ums::ForwardingStorage {
        using ums::ForwardingStorage::ForwardingStorage;
        std::error_code free_space(const std::string& /*path*/, std::uint64_t& free_bytes) override {
            free_bytes = 4 * kMb;
            return {};
        }
    };
    VirtualRun run;
    run.memory.set_capacity(8 * kMb);
    LateSpace late(run.storage);
    MeasureTarget target = small_target();
    for (const std::uint64_t size_mb : {4U, 6U}) {
        target.create_bytes = size_mb * kMb;
        CHECK(Measurement(spec_of(target), late, run.clock, run.sink).run().timespans.at(0).targets.at(0).size_bytes == size_mb * kMb);
    }
}

TEST_CASE("a file that could not be made larger, or was to be for a measurement that is refused, is taken by the next one") {
    VirtualRun run;
    MeasureTarget target = small_target();
    target.keep_existing = true;
    run_spec(run, spec_of(target));
    run.memory.set_capacity(4 * kMb);
    target.create_bytes = 8 * kMb;
    CHECK_THROWS_WITH(run_spec(run, spec_of(target)), ContainsSubstring("cannot be made 8388608 bytes large"));
    target.create_bytes = 2 * kMb;
    CHECK(run_spec(run, spec_of(target)).failure_reason.empty());
    target.create_bytes = 4 * kMb;
    target.block_bytes = 8 * kMb;
    CHECK_THROWS_WITH(run_spec(run, spec_of(target)), ContainsSubstring("is too small"));
    CHECK(run.memory.find(kMeasured)->size_bytes() == 0);
    target.block_bytes = 8192;
    CHECK(run_spec(run, spec_of(target)).timespans[0].targets[0].was_created);
}

TEST_CASE("what the engine cannot do is refused with a message that names the target") {
    const auto text_of = [](auto&& change) {
        MeasureSpec spec = spec_of(small_target());
        change(spec.timespans[0], spec.timespans[0].targets[0]);
        return check_measure_spec(spec);
    };
    CHECK(text_of([](auto&, auto&) {}).empty());
    CHECK_THAT(text_of([](auto&, auto& target) { target.block_bytes = 1000; }),
               ContainsSubstring("target 1 (/memory/measured.dat): a block is"));
    CHECK_FALSE(text_of([](auto& timespan, auto&) { timespan.targets.clear(); }).empty());
    CHECK_FALSE(text_of([](auto& timespan, auto&) { timespan.duration_s = 0; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.write_percent = 101; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.random_percent = 20; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.access = MeasureAccess::mixed; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.outstanding = 70'000; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.burst_requests = 1; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.alignment_bytes = 100; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.thread_stride_bytes = 8192; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.flush_every_writes = 1; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.spans = {{60, 50, 0}, {50, 50, 0}}; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.spans = {{60, 100, 0}}; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.spans = {{0, 100, 0}}; }).empty());
    CHECK(text_of([](auto&, auto& target) { target.spans = {{0, 0, 8192}}; }).empty());  // the rest of the target gets all
    CHECK_FALSE(text_of([](auto&, auto& target) { target.spans = {{60, 50, 0}, {40, 0, 8192}}; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) {
                    target.source.contents = MeasureContents::pages;
                    target.alignment_bytes = 4096;
                }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.source.contents = MeasureContents::buffer; }).empty());
    CHECK_FALSE(text_of([](auto&, auto& target) { target.rate = {MeasureRateUnit::requests_per_s, 0}; }).empty());
    CHECK_FALSE(text_of([](auto& timespan, auto&) { timespan.affinity = {1024}; }).empty());
    CHECK(text_of([](auto& timespan, auto&) { timespan.affinity = {64, 1023}; }).empty());
}

TEST_CASE("more requests than 64 bits can count are too many, and are refused before each thread is looked at") {
    MeasureSpec spec = spec_of(small_target());
    MeasureTimespan& timespan = spec.timespans[0];
    timespan.targets.push_back(small_target());
    // 2^64 together.
    timespan.targets[0].threads = timespan.targets[0].outstanding = ~std::uint32_t{0};
    timespan.targets[1].threads = 4'196'353;
    timespan.targets[1].outstanding = 2047;
    CHECK_THAT(check_measure_spec(spec), ContainsSubstring("too many"));
    timespan.threads_total = ~std::uint32_t{0};
    timespan.requests_per_thread = 1;
    for (MeasureTarget& target : timespan.targets) target.thread_shares = {{0, 1}};
    CHECK_THAT(check_measure_spec(spec), ContainsSubstring("too many"));
}
