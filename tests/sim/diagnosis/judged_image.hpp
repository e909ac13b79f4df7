// What the diagnosis makes of an image of the sample page (page_buffer.hpp).
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

#include "sim/diagnosis/classifier.hpp"
#include "sim/diagnosis/finding_facts.hpp"
#include "sim/diagnosis/written_image.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"

namespace sim::testing {

inline constexpr WriteTimeRange kSampleTimes{1'700'000'000'000'000, 1'700'000'200'000'000};

inline PageIdentity sample_version(std::uint32_t number) {
    PageIdentity identity = kSampleIdentity;
    identity.version = number;
    identity.lsn = kSampleIdentity.lsn - kSampleIdentity.version + number;
    identity.write_utc_us = kSampleIdentity.write_utc_us - (std::uint64_t{kSampleIdentity.version} - number) * 1'000'000;
    return identity;
}

struct ImageCase {
    PageIdentity written = kSampleIdentity;
    bool transient = false;
    bool read_back = false;
    bool over_old_file = false;
    std::optional<PagePlace> found_elsewhere{};
    bool never_written = false;
    bool all_writes_known = false;
};

// The finding that results from such an image.
inline Finding found(const PageBuffer& image, const ImageCase& with = {}) {
    const PageBuffer scratch;
    ExpectedPage expected;
    expected.run_id = with.written.run_id;
    expected.file_id = with.written.file_id;
    expected.page_id = with.written.page_id;
    if (!with.never_written) {
        expected.entry.version = with.written.version & kVersionMax;
        expected.entry.first_write = with.written.version == 1 ? 1 : 0;
        expected.entry.lsn = with.written.lsn;
        expected.entry.checksum = make_page(with.written, scratch.data());
    }
    expected.entry.read_back = with.read_back ? 1 : 0;
    REQUIRE_FALSE(page_matches(image.data(), expected));
    WrittenImage written(image.data(), expected, kSampleTimes);
    if (with.all_writes_known) written.find_time_by_checksum(image.data(), kSampleTimes);
    Evidence evidence = examine(image.data(), expected, written);
    evidence.is_transient = with.transient;
    evidence.is_first_write_over_old = with.over_old_file;
    evidence.found_elsewhere = with.found_elsewhere;
    Finding finding = make_finding(evidence, classify(evidence));
    CHECK_FALSE(finding.description.empty());
    CHECK_FALSE(finding.reasoning.empty());
    CHECK(finding.transient == with.transient);
    return finding;
}

inline void copy_sectors(const PageBuffer& from, const PageBuffer& to, std::uint32_t first, std::uint32_t count) {
    std::memcpy(to.data() + first * 512, from.data() + first * 512, count * 512);
}

}  // namespace sim::testing
