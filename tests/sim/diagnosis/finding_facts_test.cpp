#include "sim/diagnosis/finding_facts.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "tests/sim/diagnosis/judged_image.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

using sim::FindingKind;
using sim::testing::copy_sectors;
using sim::testing::found;
using sim::testing::ImageCase;
using sim::testing::kSampleIdentity;
using sim::testing::kSampleTimes;
using sim::testing::PageBuffer;
using sim::testing::sample_version;

TEST_CASE("another page's image where nothing was ever written may have been there before the file was") {
    sim::PageIdentity other = kSampleIdentity;
    other.page_id = 301;
    const auto last_reason = [&other](bool never_written) {
        return found(PageBuffer(other), {.never_written = never_written}).reasoning.back();
    };
    CHECK(last_reason(false) == "The other page's image was written here.");
    CHECK(last_reason(true) == "The other page's image was written here, or was in this space when the file got it.");
}

TEST_CASE("a torn page that a later read returned whole does not show that a write arrived in part") {
    const PageBuffer torn(kSampleIdentity);
    copy_sectors(PageBuffer(sample_version(kSampleIdentity.version - 1)), torn, 8, 8);
    for (const bool is_transient : {false, true}) {
        const sim::Finding finding = found(torn, {.transient = is_transient});
        CHECK(finding.kind == FindingKind::torn_page);
        // Not "it", which would be the version that was written.
        if (is_transient) CHECK_THAT(finding.description, ContainsSubstring("A later read did not return this image."));
        const auto is_about_write = [](const std::string& reason) { return reason.find("part of the write") != std::string::npos; };
        CHECK(std::any_of(finding.reasoning.begin(), finding.reasoning.end(), is_about_write) == !is_transient);
    }
}

TEST_CASE("of contents from before a cut it is not said that a version 0 was written, or read back") {
    for (const bool is_transient : {false, true}) {
        CAPTURE(is_transient);
        const PageBuffer page(sample_version(6));
        const ImageCase with{.transient = is_transient, .never_written = true};
        CHECK_THAT(found(page, with).description,
                   ContainsSubstring("has grown again, so it must be zeros, but version 6 from before the cut came back."));
        std::memset(page.data(), 0, 4096);
        CHECK_THAT(found(page, with).description, ContainsSubstring("but a part of version 6 from before the cut came back."));
    }
}

TEST_CASE("nothing is said of later reads that did not take place, or did not help") {
    const PageBuffer older(sample_version(kSampleIdentity.version - 1));
    sim::ExpectedPage expected{kSampleIdentity.run_id, kSampleIdentity.file_id, kSampleIdentity.page_id, {}};
    expected.entry.version = kSampleIdentity.version & sim::kVersionMax;
    expected.entry.lsn = kSampleIdentity.lsn;
    const sim::WrittenImage written(older.data(), expected, kSampleTimes);
    sim::Evidence evidence = sim::examine(older.data(), expected, written);
    const auto all_text = [&evidence] {
        const sim::Finding finding = sim::make_finding(evidence, sim::classify(evidence));
        std::string text = finding.description;
        for (const std::string& reason : finding.reasoning) text += " " + reason;
        return text;
    };
    CHECK_THAT(all_text(), ContainsSubstring("newly opened"));
    evidence.later_reads = sim::LaterReads::some;
    CHECK_THAT(all_text(), !ContainsSubstring("newly opened"));
    CHECK_THAT(all_text(), ContainsSubstring("did not help"));
    evidence.later_reads = sim::LaterReads::none;
    CHECK_THAT(all_text(), !ContainsSubstring("did not help"));
    CHECK_THAT(all_text(), !ContainsSubstring("persistent"));
    evidence.is_transient = true;
    evidence.was_overwritten = true;
    CHECK_THAT(all_text(), !ContainsSubstring("later read"));
    CHECK_THAT(all_text(), ContainsSubstring("Somebody wrote the page"));
    evidence.was_overwritten = false;
    evidence.later_reads = sim::LaterReads::all;
    CHECK_THAT(all_text(), ContainsSubstring("the write has arrived"));
    evidence.became_right = false;
    CHECK_THAT(all_text(), !ContainsSubstring("the write has arrived"));
    CHECK_THAT(all_text(), !ContainsSubstring("the right page"));
}
