#include "sim/verify/left_promises.hpp"

#include <optional>
#include <string>

#include "sim/errors.hpp"
#include "tests/support/catch.hpp"

namespace {

constexpr std::uint64_t kPromisedRun = 7;

// Holds the promises of a run that began at 100 and made its last promise at 200.
class LedgerOfOtherRun final : public sim::PromiseKeeper {
public:
    [[nodiscard]] std::string name() const override { return "the ledger of a test"; }
    [[nodiscard]] std::optional<sim::Promises> load(const Wanted& /*wanted*/) override {
        sim::PromiseSection section;
        section.run_id = kPromisedRun;
        section.section_id = 1;
        section.incarnation = 1;
        section.utc_us = 100;
        sim::PromiseBatch batch;
        batch.run_id = kPromisedRun;
        batch.section_id = batch.number = 1;
        batch.utc_us = 200;
        sim::Promises promises;
        promises.begin(section);
        REQUIRE(promises.add(batch));
        return promises;
    }
    void begin(const sim::PromiseSection& /*section*/) override {}
    void take_from(sim::PromiseBook& /*book*/) override {}
    void end(bool /*are_removed*/) override {}
    [[nodiscard]] Status status() const override { return {}; }
};

}  // namespace

TEST_CASE("files of a run that began after the one with the promises are not blamed, even if the clock was set back in between") {
    LedgerOfOtherRun ledger;
    for (const std::uint64_t made_utc_us : {150U, 201U}) {
        sim::FoundFiles found;
        found.run_id = kPromisedRun + 1;
        found.made_utc_us = made_utc_us;
        CHECK_THROWS_AS(promises_of(ledger, found), sim::RefusedError);
    }
}

TEST_CASE("files that are gone or blank are not said to be of a run, if a ledger holds promises about them") {
    LedgerOfOtherRun ledger;
    const auto refusal = [&ledger](std::uint64_t run_id) {
        sim::FoundFiles found;
        found.run_id = run_id;
        try {
            static_cast<void>(promises_to_go_on_with(ledger, found));
        } catch (const sim::RefusedError& error) {
            return std::string(error.what());
        }
        return std::string("nothing was refused");
    };
    CHECK_THAT(refusal(0), ContainsSubstring("but none of the files says") && !ContainsSubstring("of run 0000000000000000"));
    CHECK_THAT(refusal(kPromisedRun + 1), ContainsSubstring("but these files are of run 0000000000000008."));
}

TEST_CASE("files of a run from before the promises are judged by them, and the report says what a clock that was set back would mean") {
    LedgerOfOtherRun ledger;
    sim::FoundFiles found;
    found.run_id = kPromisedRun + 1;
    found.made_utc_us = 50;
    const sim::LeftPromises left = promises_of(ledger, found);
    CHECK(left.promises.has_value());
    CHECK(found.run_id == kPromisedRun);
    CHECK_THAT(left.told.remark, ContainsSubstring("If that clock was set back since"));
    found.run_id = kPromisedRun;
    CHECK(promises_of(ledger, found).told.remark.empty());
}
