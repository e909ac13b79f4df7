// A volume as its owner writes it and as a reader sees it: what is legal, and what goes wrong.
#include "sim/rehearsal/reader_view.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/support/catch.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/scheduler_group.hpp"

using sim::kPageBytes;

namespace {

constexpr std::uint32_t kPages = 64;
constexpr std::byte kOld{1};
constexpr std::byte kNew{2};

// All pages are old. Writes take 200 ms, reads 1 ms plus the delay on the way to the reader.
struct SharedVolume {
    explicit SharedVolume(bool is_close_to_open) : view(volume, clock, owner, ledger, {is_close_to_open, 5, [] { return false; }}) {
        auto file = std::make_unique<ums::SimulatedFile>(1);
        const std::vector<std::byte> bytes(std::size_t{kPages} * kPageBytes, kOld);
        file->write(0, bytes.data(), bytes.size());
        volume.put(options.files[0].path, std::move(file));
        REQUIRE_FALSE(view.open(options.files[0].path, {}, reader_file));
        REQUIRE_FALSE(owner.open(options.files[0].path, {}, owner_file));
    }

    static sim::Options one_file() {
        sim::Options options;
        options.files = {{.path = "/shared/a.mdx", .initial_size_mb = 1, .max_size_mb = 1}};
        return options;
    }
    static std::uint64_t time_of(const ums::IoRequest& request, std::uint32_t /*outstanding*/) {
        return (request.operation == ums::IoOperation::write ? 200 : 1) * ums::kNsPerMs;
    }

    static ums::Task<void> transfer(ums::IoOperation operation, ums::FileHandle file, std::vector<std::byte>& bytes) {
        const ums::IoSegment segment{bytes.data(), bytes.size()};
        ums::IoRequest request;
        request.operation = operation;
        request.file = file;
        request.size_bytes = bytes.size();
        request.segments = &segment;
        request.segment_count = 1;
        co_await ums::Scheduler::current().io(request);
    }
    // Reads all pages after this time.
    ums::Task<void> read_after(std::uint64_t delay_ms, std::vector<std::byte>& bytes) {
        co_await ums::sleep_until(clock.now_ns() + delay_ms * ums::kNsPerMs);
        co_await transfer(ums::IoOperation::read, reader_file, bytes);
    }
    std::vector<std::byte> read() {
        std::vector<std::byte> bytes(std::size_t{kPages} * kPageBytes);
        ums::SchedulerGroup reader({.cpu_count = 1, .engine = {}}, view, clock);
        reader.run(read_after(0, bytes));
        return bytes;
    }
    // Lets the owner write all pages.
    void write_all() {
        std::vector<std::byte> bytes(std::size_t{kPages} * kPageBytes, kNew);
        volume.find(options.files[0].path)->write(0, bytes.data(), bytes.size());
        for (std::uint32_t page = 0; page < kPages; ++page) {
            sim::OwnerView::PageWrite write;
            write.path = options.files[0].path;
            write.file_id = 1;
            write.page_id = page;
            write.before.assign(kPageBytes, kOld);
            write.after.assign(kPageBytes, kNew);
            view.page_written(write);
        }
    }

    const sim::Options options = one_file();
    ums::VirtualClock clock;
    ums::SimulatedStorage volume{clock, time_of};
    sim::OwnerView owner{volume, clock, options};
    sim::PromiseMemory kept;
    sim::AskedLedger ledger{kept};
    sim::ReaderView view;
    ums::FileHandle reader_file;
    ums::FileHandle owner_file;
};

std::uint64_t count(const std::vector<std::byte>& bytes, std::byte wanted) {
    return static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), wanted));
}

}  // namespace

TEST_CASE("a strict reader sees completed writes, a close-to-open reader may see old pages until it reopens the file") {
    const bool is_close_to_open = GENERATE(false, true);
    SharedVolume shared(is_close_to_open);
    CHECK(count(shared.read(), kOld) == std::uint64_t{kPages} * kPageBytes);
    shared.write_all();
    const std::uint64_t old_pages = count(shared.read(), kOld) / kPageBytes;
    CHECK((old_pages > 10 && old_pages < kPages - 10) == is_close_to_open);
    CHECK(count(shared.read(), kOld) / kPageBytes == old_pages);  // they stay old
    shared.view.close(shared.reader_file);
    REQUIRE_FALSE(shared.view.open(shared.options.files[0].path, {}, shared.reader_file));
    CHECK(count(shared.read(), kNew) == std::uint64_t{kPages} * kPageBytes);
}

TEST_CASE("a read sees pages in flight as old, new, or both, and completed pages as new") {
    SharedVolume shared(false);
    std::vector<std::byte> written(std::size_t{kPages} * kPageBytes, kNew);
    std::vector<std::byte> meanwhile(written.size());
    ums::SchedulerGroup owner({.cpu_count = 1, .engine = {}}, shared.owner, shared.clock);
    ums::SchedulerGroup reader({.cpu_count = 1, .engine = {}}, shared.view, shared.clock);
    owner.start(SharedVolume::transfer(ums::IoOperation::write, shared.owner_file, written));
    reader.start(shared.read_after(50, meanwhile));
    const std::vector<ums::SchedulerGroup*> groups{&owner, &reader};
    ums::run_together(groups, shared.clock, [](std::size_t) {});
    std::uint32_t old_pages = 0;
    std::uint32_t new_pages = 0;
    for (std::uint32_t page = 0; page < kPages; ++page) {
        const auto begin = meanwhile.begin() + static_cast<std::ptrdiff_t>(std::size_t{page} * kPageBytes);
        const std::vector<std::byte> image(begin, begin + kPageBytes);
        CHECK(count(image, kOld) + count(image, kNew) == kPageBytes);
        if (count(image, kOld) == kPageBytes) ++old_pages;
        if (count(image, kNew) == kPageBytes) ++new_pages;
    }
    CHECK(old_pages > 0);
    CHECK(new_pages > 0);
    CHECK(old_pages + new_pages < kPages);
    CHECK(count(shared.read(), kNew) == std::uint64_t{kPages} * kPageBytes);
}

TEST_CASE("a fault on the way to a reader is given as often as planned, and counts only if it proves something") {
    SharedVolume shared(false);
    sim::ReaderTrouble trouble;
    trouble.fault = GENERATE(sim::ReaderFault::misdirected_read, sim::ReaderFault::stale_read);
    trouble.path = shared.options.files[0].path;
    trouble.file_id = 1;
    trouble.page_id = 9;
    trouble.image.assign(kPageBytes, std::byte{7});
    trouble.version = 3;  // nothing is promised here
    trouble.reads = 2;
    shared.view.add(trouble);
    const bool proves = trouble.fault == sim::ReaderFault::misdirected_read;
    for (int i = 0; i < 2; ++i) CHECK(count(shared.read(), std::byte{7}) == kPageBytes);
    CHECK(count(shared.read(), std::byte{7}) == (proves ? 0 : kPageBytes));
    CHECK(shared.view.troubles().front().was_given == proves);
}
