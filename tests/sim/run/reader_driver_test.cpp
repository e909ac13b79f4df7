// A run that reads the files of another host, in virtual time: what it must see, and what it must not blame.
#include "sim/run/reader_driver.hpp"

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/group/group_explanation.hpp"
#include "sim/rehearsal/host_view.hpp"
#include "sim/rehearsal/promise_memory.hpp"
#include "tests/sim/support/left_run.hpp"

using sim::Finding;
using sim::FindingKind;
using sim::Outcome;
using sim::testing::LeftRun;
using sim::testing::PageBuffer;

namespace {

constexpr std::uint32_t kSharedPage = 33;

// Promises of all pages as they are in the files.
sim::Promises promises_of(LeftRun& left) {
    const auto pages = static_cast<std::uint32_t>(left.data().size_bytes() / sim::kPageBytes);
    sim::Promises promises;
    sim::PromiseSection section;
    section.run_id = left.run_id;
    section.section_id = 7;
    section.incarnation = 1;
    section.files = {{1, false, pages, left.options.files[0].path}, {2, true, 0, left.options.files[1].path}};
    promises.begin(section);
    sim::PromiseBatch batch;
    batch.run_id = left.run_id;
    batch.section_id = 7;
    batch.number = 1;
    for (std::uint32_t page = 0; page < pages; ++page) {
        const sim::PageHeader header = left.header(page);
        batch.pages.push_back({1, page, header.version, header.checksum});
    }
    REQUIRE(promises.add(batch));
    return promises;
}

// The owner works for this many passes, and then has ended in order, or is lost.
class ReaderOfLeftRun final : public sim::RunGroup {
public:
    explicit ReaderOfLeftRun(LeftRun& owner)
        : left(owner), view(owner.run.memory, owner.run.clock, [] { return true; }), ledger(promises_of(owner)) {}

    void begins(std::uint64_t /*run_id*/, std::vector<std::string> /*paths*/) override {}
    [[nodiscard]] bool may_pass(Meeting /*meeting*/, std::uint32_t /*cycle*/) override { return true; }
    [[nodiscard]] std::uint64_t rest_us() const override { return 0; }
    [[nodiscard]] std::uint64_t wanted_run_id() const override { return left.run_id; }
    void verified(const sim::TakeOverResult& /*what*/) override {}
    void takes_over(sim::TakeOver /*what*/) override {}
    [[nodiscard]] std::optional<Coherence> reads_with() const override { return coherence; }
    [[nodiscard]] Owner owner() const override {
        if (before_pass) before_pass(asked + 1);
        return asked++ < passes_of_owner ? Owner::works : is_owner_lost ? Owner::lost : end;
    }
    void has_read(const sim::ReaderResult& what) override { read = what; }
    void explain(Finding& finding) const override {
        sim::GroupKnowledge knowledge;
        knowledge.run_id = left.run_id;
        knowledge.rank = 3;
        knowledge.host = "node-r";
        knowledge.is_reading = true;
        sim::KnownOwner writer;
        writer.host = "node-w";
        knowledge.owners.push_back(writer);
        sim::explain(finding, knowledge);
    }

    // This many reads of the page return this image, later ones what the file holds.
    void give(const PageBuffer& image, std::uint32_t reads) {
        sim::HostView::Trouble trouble;
        trouble.path = left.options.files[0].path;
        trouble.page_id = kSharedPage;
        trouble.image.assign(image.data(), image.data() + sim::kPageBytes);
        trouble.stale_reads = reads;
        view.add(std::move(trouble));
    }
    [[nodiscard]] PageBuffer standing() const {
        PageBuffer image;
        left.data().read(std::uint64_t{kSharedPage} * sim::kPageBytes, image.data(), sim::kPageBytes);
        return image;
    }
    [[nodiscard]] PageBuffer version(std::uint32_t number) const { return PageBuffer({left.run_id, 1, kSharedPage, number, 99, 1}); }
    // The page now has this version, but the owner has not been promised more than before.
    void put(const PageBuffer& image) const {
        left.data().write(std::uint64_t{kSharedPage} * sim::kPageBytes, image.data(), sim::kPageBytes);
    }

    sim::Results run() {
        sim::Options options = left.options;
        options.job = sim::Job::verify;
        sim::Simulation simulation(options, view, left.run.clock, sink, keeper, this);
        return simulation.run();
    }

    LeftRun& left;
    sim::HostView view;
    sim::PromiseMemory ledger;
    sim::PromiseKeeper* keeper = &ledger;
    std::uint32_t asks_in_vain = 0;
    sim::testing::CollectingSink sink;
    sim::ReaderResult read;
    Coherence coherence = Coherence::strict;
    std::uint32_t passes_of_owner = 1;
    bool is_owner_lost = false;
    Owner end = Owner::ended;
    std::function<void(std::uint32_t pass)> before_pass;
    mutable std::uint32_t asked = 0;
};

// A witness that answers, but has lost its disk.
class ForgettingLedger final : public sim::PromiseKeeper {
public:
    ForgettingLedger(sim::PromiseMemory& kept, std::function<bool()> knows) : kept_(kept), knows_(std::move(knows)) {}

    [[nodiscard]] std::string name() const override { return "the forgetting ledger"; }
    [[nodiscard]] std::optional<sim::Promises> load(const Wanted& wanted) override {
        if (!knows_()) return std::nullopt;
        return kept_.load(wanted);
    }
    void begin(const sim::PromiseSection& /*section*/) override {}
    void take_from(sim::PromiseBook& /*book*/) override {}
    void end(bool /*are_removed*/) override {}
    [[nodiscard]] Status status() const override { return {}; }

private:
    sim::PromiseMemory& kept_;
    const std::function<bool()> knows_;
};

std::vector<std::byte> left_bytes(LeftRun& left) {
    std::vector<std::byte> bytes(left.data().size_bytes());
    left.data().read(0, bytes.data(), bytes.size());
    return bytes;
}

// The first `sectors` of one image, the rest of another.
PageBuffer torn_of(const PageBuffer& newer, const PageBuffer& older, std::uint32_t sectors) {
    PageBuffer image = older;
    std::memcpy(image.data(), newer.data(), std::size_t{sectors} * sim::kSectorBytes);
    return image;
}

}  // namespace

TEST_CASE("a reader of an honest volume reads until its owner has ended, blames nothing, and changes nothing") {
    LeftRun left;
    ReaderOfLeftRun reader(left);
    reader.coherence = GENERATE(sim::RunGroup::Coherence::strict, sim::RunGroup::Coherence::close_to_open);
    reader.passes_of_owner = 3;
    const std::vector<std::byte> before = left_bytes(left);
    const sim::Results results = reader.run();
    INFO(reader.sink.text());
    CHECK(results.outcome == Outcome::passed);
    CHECK(results.run_id == left.run_id);
    CHECK(reader.read.passes == 4);
    CHECK(reader.read.promised_pages == 4 * left.data().size_bytes() / sim::kPageBytes);
    // There is one file, and each pass reopens it.
    CHECK(reader.read.opens == (reader.coherence == sim::RunGroup::Coherence::strict ? 1U : 4U));
    CHECK(left_bytes(left) == before);
    CHECK(reader.sink.findings().empty());
}

TEST_CASE("a reader that does not name all data files of its owner reads nothing, and says which one is missing") {
    LeftRun left;
    ReaderOfLeftRun reader(left);
    sim::PromiseSection section = reader.ledger.promises().section();
    section.files.push_back({3, false, 512, "/memory/second.mdx"});
    sim::Promises promises;
    promises.begin(section);
    sim::PromiseMemory of_more_files(promises);
    reader.keeper = &of_more_files;
    const sim::Results results = reader.run();
    CHECK(results.outcome == Outcome::not_done);
    CHECK_THAT(results.outcome_reason, ContainsSubstring("/memory/second.mdx: is file 3 of the owner"));
    CHECK(reader.read.passes == 0);
}

TEST_CASE("an image older than promised is stale on the reader, and the finding tells whether a later read was right") {
    LeftRun left;
    ReaderOfLeftRun reader(left);
    const bool stays = GENERATE(false, true);
    reader.give(reader.version(left.header(kSharedPage).version - 1), stays ? 1000 : 2);
    const sim::Results results = reader.run();
    INFO(reader.sink.text());
    CHECK(results.outcome == Outcome::failed);
    REQUIRE(reader.sink.findings().size() == 1);
    const Finding finding = reader.sink.findings().front();
    CHECK(finding.kind == (stays ? FindingKind::lost_write : FindingKind::stale_read));
    CHECK(finding.transient != stays);
    REQUIRE(finding.group_fact);
    CHECK(finding.group_fact->kind == sim::GroupFactKind::stale_on_reader);
    CHECK_THAT(finding.group_fact->text, ContainsSubstring("rank 3 on node-r") && ContainsSubstring("rank 0 on node-w"));
    CHECK_THAT(finding.group_fact->text, ContainsSubstring(stays ? "reading again did not help" : "a later read did not return it"));
    // A write that lands late looks the same as a stale cache.
    if (!stays) CHECK_THAT(finding.group_fact->text, ContainsSubstring("or the write was acknowledged before the reader could see it"));
}

TEST_CASE("a page that the owner is writing is no finding, whether it is torn, newer than promised, or both") {
    LeftRun left;
    ReaderOfLeftRun reader(left);
    reader.is_owner_lost = GENERATE(false, true);
    const std::uint32_t promised = left.header(kSharedPage).version;
    const PageBuffer newer = reader.version(promised + 1);
    PageBuffer mixed = torn_of(newer, reader.standing(), 5);
    if (GENERATE(false, true)) mixed[5 * sim::kSectorBytes + 100] ^= std::byte{1};  // the copy stopped within a sector
    reader.put(newer);
    reader.give(mixed, 2);
    const sim::Results results = reader.run();
    INFO(reader.sink.text());
    CHECK(results.outcome == (reader.is_owner_lost ? Outcome::not_done : Outcome::passed));
    CHECK(results.findings.empty());
    CHECK(reader.read.in_flight_pages == 1);
}

TEST_CASE("an old page that returns while the page is being written is a separate finding") {
    LeftRun left;
    ReaderOfLeftRun reader(left);
    const std::uint32_t promised = left.header(kSharedPage).version;
    const PageBuffer newer = reader.version(promised + 1);
    const PageBuffer mixed = torn_of(newer, reader.standing(), 5);
    reader.put(newer);
    reader.give(reader.version(promised - 1), 2);
    reader.give(mixed, 1);  // this one comes first
    static_cast<void>(reader.run());
    INFO(reader.sink.text());
    REQUIRE(reader.sink.findings().size() == 1);
    CHECK(reader.sink.findings().front().kind == FindingKind::stale_read);
}

TEST_CASE("a page that is still torn after its owner has ended is a torn page") {
    LeftRun left;
    ReaderOfLeftRun reader(left);
    reader.put(torn_of(reader.version(left.header(kSharedPage).version + 1), reader.standing(), 5));
    const sim::Results results = reader.run();
    INFO(reader.sink.text());
    CHECK(results.outcome == Outcome::failed);
    REQUIRE(reader.sink.findings().size() == 1);
    CHECK(reader.sink.findings().front().kind == FindingKind::torn_page);
    CHECK(reader.asked == 2);  // while the owner worked, a write may have been in flight
}

TEST_CASE("damage is reported even while the owner works, because no write in flight explains it") {
    LeftRun left;
    ReaderOfLeftRun reader(left);
    PageBuffer damaged = reader.standing();
    damaged[3000] ^= std::byte{4};
    reader.give(damaged, GENERATE(2U, 1000U));
    const sim::Results results = reader.run();
    INFO(reader.sink.text());
    CHECK(results.outcome == Outcome::failed);
    REQUIRE(reader.sink.findings().size() == 1);
    CHECK(reader.sink.findings().front().kind == FindingKind::bit_corruption);
    CHECK_FALSE(reader.sink.findings().front().group_fact);
    CHECK(reader.asked == 1);
}

TEST_CASE("a file that is shorter on the reader than was promised to its owner is reported") {
    LeftRun left;
    ReaderOfLeftRun reader(left);
    left.data().resize(left.data().size_bytes() - sim::kPageBytes);
    const sim::Results results = reader.run();
    REQUIRE(reader.sink.findings().size() >= 1);
    CHECK(reader.sink.findings().front().kind == FindingKind::lost_write);
    CHECK(reader.sink.findings().front().group_fact->kind == sim::GroupFactKind::stale_on_reader);
    CHECK_THAT(reader.sink.findings().front().description, ContainsSubstring("pages here"));
    // Otherwise it would be said to hold what was there before.
    CHECK(reader.sink.findings().front().request.is_write);
}

TEST_CASE("a persistent fault is reported once, however often it is read, and again if it was right in between") {
    LeftRun left;
    left.options.stop_on_error = false;
    ReaderOfLeftRun reader(left);
    reader.passes_of_owner = 4;
    const PageBuffer right = reader.standing();
    const PageBuffer older = reader.version(left.header(kSharedPage).version - 1);
    SECTION("an old page") {
        reader.give(older, 1000);
        const sim::Results results = reader.run();
        INFO(reader.sink.text());
        CHECK(results.outcome == Outcome::failed);
        CHECK(reader.read.passes == 5);
        CHECK(reader.sink.findings().size() == 1);
    }
    SECTION("a file that is too short") {
        left.data().resize(left.data().size_bytes() - sim::kPageBytes);
        static_cast<void>(reader.run());
        CHECK(reader.read.passes == 5);
        CHECK(reader.sink.findings().size() == 1);
    }
    SECTION("an old page that returns") {
        reader.put(older);
        reader.before_pass = [&](std::uint32_t pass) { reader.put(pass == 2 ? right : older); };
        static_cast<void>(reader.run());
        INFO(reader.sink.text());
        CHECK(reader.sink.findings().size() == 2);
    }
}

TEST_CASE("a read that returns another page is a misdirected read") {
    LeftRun left;
    ReaderOfLeftRun reader(left);
    PageBuffer other;
    left.data().read(std::uint64_t{kSharedPage + 1} * sim::kPageBytes, other.data(), sim::kPageBytes);
    reader.give(other, 2);
    static_cast<void>(reader.run());
    REQUIRE(reader.sink.findings().size() == 1);
    CHECK(reader.sink.findings().front().kind == FindingKind::misdirected_read);
    CHECK(reader.sink.findings().front().other->page_id == kSharedPage + 1);
}

TEST_CASE("a reader that never learns of a promise has proven nothing") {
    LeftRun left;
    ReaderOfLeftRun reader(left);
    reader.ledger = sim::PromiseMemory();
    const sim::Results results = reader.run();
    CHECK(results.outcome == Outcome::not_done);
    CHECK_THAT(results.outcome_reason, ContainsSubstring("held no promise"));
}

TEST_CASE("a reader whose owner is lost or no longer known compares once more and does not report success") {
    LeftRun left;
    ReaderOfLeftRun reader(left);
    reader.end = GENERATE(sim::RunGroup::Owner::lost, sim::RunGroup::Owner::unknown);
    SECTION("nothing is wrong") {
        const sim::Results results = reader.run();
        INFO(reader.sink.text());
        CHECK(results.outcome == Outcome::not_done);
        CHECK(reader.read.passes == 2);
        CHECK_THAT(results.outcome_reason, ContainsSubstring("compared"));
        const bool is_lost = reader.end == sim::RunGroup::Owner::lost;
        CHECK_THAT(results.outcome_reason, ContainsSubstring(is_lost ? "owner of the files was lost" : "does not answer any more"));
    }
    SECTION("a page is older than promised") {
        reader.give(reader.version(left.header(kSharedPage).version - 1), 1000);
        const sim::Results results = reader.run();
        CHECK(results.outcome == Outcome::failed);
        CHECK(results.findings.size() == 1);
    }
}

TEST_CASE("a reader that does not get the last promises asks again, and does not report success without an answer") {
    LeftRun left;
    ReaderOfLeftRun reader(left);
    const bool comes_back = GENERATE(false, true);
    sim::AskedLedger ledger(reader.ledger, [&] { return reader.asked < 2 || (comes_back && ++reader.asks_in_vain > 3); });
    reader.keeper = &ledger;
    const sim::Results results = reader.run();
    INFO(reader.sink.text());
    CHECK(results.outcome == (comes_back ? Outcome::passed : Outcome::not_done));
    if (!comes_back) CHECK_THAT(results.outcome_reason, ContainsSubstring("promised last was not compared"));
}

TEST_CASE("a reader whose witness does not know the owner's run any more does not report success") {
    LeftRun left;
    ReaderOfLeftRun reader(left);
    const bool remembers = GENERATE(false, true);
    ForgettingLedger ledger(reader.ledger, [&] { return reader.asked < 2 || (remembers && ++reader.asks_in_vain > 3); });
    reader.keeper = &ledger;
    const sim::Results results = reader.run();
    INFO(reader.sink.text());
    CHECK(results.outcome == (remembers ? Outcome::passed : Outcome::not_done));
    CHECK(reader.read.promised_pages > 0);
    if (!remembers) CHECK_THAT(results.outcome_reason, ContainsSubstring("does not know the run of the owner any more. So what"));
}
