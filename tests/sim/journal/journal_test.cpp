#include "sim/journal/journal.hpp"

#include <vector>

#include "tests/sim/support/virtual_world.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/clock.hpp"

using sim::Finding;
using sim::Journal;
using sim::kPageBytes;
using sim::testing::VirtualWorld;

namespace {

class KeepingSink final : public sim::EventSink {
public:
    void on_event(const sim::Event& /*event*/) override {}
    void on_finding(const Finding& finding) override { findings.push_back(finding); }
    std::vector<Finding> findings;
};

Finding finding_at(std::uint64_t page) {
    Finding finding;
    finding.kind = sim::FindingKind::zeroed_page;
    finding.place.file_id = 1;
    finding.place.page_id = static_cast<std::uint32_t>(page);
    finding.place.offset_bytes = page * kPageBytes;
    return finding;
}

}  // namespace

TEST_CASE("findings and warnings are numbered, but warnings are not counted and do not stop the run") {
    const ums::VirtualClock clock;
    KeepingSink sink;
    Journal journal(clock, sink);
    int hooks = 0;
    journal.on_finding([&] { ++hooks; });
    journal.report(finding_at(1));
    Finding warning = finding_at(2);
    warning.kind = sim::FindingKind::stalled_io;
    warning.is_warning = true;
    journal.report(warning);
    journal.report(finding_at(3));
    REQUIRE(sink.findings.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(sink.findings[i].number == i + 1);
        CHECK(sink.findings[i].place.size_bytes == kPageBytes);
    }
    CHECK(journal.finding_count() == 2);
    CHECK(hooks == 2);
    CHECK(journal.take_findings().size() == 2);
}

TEST_CASE("all warnings of a file are counted, even if not all are kept") {
    const ums::VirtualClock clock;
    KeepingSink sink;
    Journal journal(clock, sink);
    constexpr std::size_t kReported = 10'001;
    for (std::size_t i = 0; i < kReported; ++i) {
        Finding late = finding_at(i);
        late.is_warning = true;
        journal.report(late);
    }
    CHECK(journal.take_warnings().size() < kReported);
    CHECK(journal.warnings_of(1) == kReported);
    CHECK(journal.warnings_of(2) == 0);
    CHECK(journal.findings_of(1) == 0);
}

TEST_CASE("the first finding of each kind is kept, however many of other kinds came before") {
    const ums::VirtualClock clock;
    KeepingSink sink;
    Journal journal(clock, sink);
    constexpr std::size_t kReported = 10'001;
    for (std::size_t i = 0; i < kReported; ++i) journal.report(finding_at(i));
    Finding grave = finding_at(7);
    grave.kind = sim::FindingKind::lost_write;
    journal.report(grave);
    journal.report(grave);
    const std::vector<Finding> kept = journal.take_findings();
    REQUIRE(kept.size() == 10'001);
    CHECK(kept.back().kind == sim::FindingKind::lost_write);
    CHECK(kept.back().number == kReported + 1);
}

TEST_CASE("a finding contains what touched its page and the last operations on all files") {
    VirtualWorld world;
    world.set_duration_ns(1000);
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto data = w.make_file(1, 64 * kPageBytes);
        const auto other = w.make_file(2, 64 * kPageBytes);
        const std::vector<ums::IoSegment> segments(4, {nullptr, kPageBytes});
        co_await data->transfer(ums::IoOperation::write, 8 * kPageBytes, segments, ums::WaitType::io_completion);
        co_await data->transfer(ums::IoOperation::read, 12 * kPageBytes, segments, ums::WaitType::io_completion);
        for (int i = 0; i < 150; ++i)
            co_await other->transfer(ums::IoOperation::read, 8 * kPageBytes, segments, ums::WaitType::io_completion);
        w.journal.report(finding_at(11));
    });
    const Finding finding = world.sink.findings().at(0);
    REQUIRE(finding.evidence.page_history.size() == 1);
    CHECK(finding.evidence.page_history[0].is_write);
    CHECK(finding.evidence.file_history.size() == 100);
    CHECK(finding.evidence.file_history.back().file_id == 2);
}

TEST_CASE("a finding keeps the moment at which the wrong result arrived, and its history includes the re-reads") {
    VirtualWorld world;
    world.clock.advance_to(5'000'000);
    world.run([](VirtualWorld& w) -> ums::Task<void> {
        const auto data = w.make_file(1, 64 * kPageBytes);
        Finding finding = finding_at(11);
        w.journal.begin(finding);
        const ums::IoSegment segment{nullptr, kPageBytes};
        for (int i = 0; i < 3; ++i) {
            w.clock.advance_to(w.now_us() * 1000 + 50'000'000);
            ums::IoRequest request;
            request.file = data->transfer_handle();
            request.offset_bytes = 11 * kPageBytes;
            request.size_bytes = kPageBytes;
            request.segments = &segment;
            request.segment_count = 1;
            co_await ums::Scheduler::current().io(request);
            w.journal.history().record(request, 1, sim::OperationPurpose::diagnosis);
        }
        w.journal.report(finding);
    });
    const Finding finding = world.sink.findings().at(0);
    CHECK(finding.moment.tick_ms == 4);
    CHECK(finding.moment.user == "Main");
    CHECK(finding.evidence.file_history.empty());
    REQUIRE(finding.evidence.page_history.size() == 3);
    CHECK(finding.evidence.page_history[0].is_diagnosis);
}

TEST_CASE("images and histories are kept only for the first hundred findings") {
    const ums::VirtualClock clock;
    KeepingSink sink;
    Journal journal(clock, sink);
    for (std::uint64_t i = 0; i < 101; ++i) {
        Finding finding = finding_at(i);
        finding.evidence.image = finding.evidence.expected_image = std::vector<std::byte>(16);
        journal.report(finding);
    }
    CHECK(sink.findings[100].evidence.image.size() == 16);
    const std::vector<Finding> kept = journal.take_findings();
    CHECK(kept[99].evidence.expected_image.size() == 16);
    CHECK(kept[100].evidence.image.empty());
    CHECK(kept[100].evidence.expected_image.empty());
}
