#include "sim/diagnosis/classifier.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace sim {

namespace {

using Rule = std::optional<Verdict> (*)(const Evidence& evidence);

std::uint32_t expected_version(const Evidence& evidence) { return evidence.expected.entry.version; }

// Zeros are what a page holds before its first write.
bool is_before_first_write(const Evidence& evidence) {
    return evidence.expected.entry.first_write != 0 && evidence.expected.entry.read_back == 0;
}

bool is_older(const Evidence& evidence, const SectorFact& fact) {
    return fact.state == SectorState::older || (fact.state == SectorState::zero && is_before_first_write(evidence));
}

std::uint32_t older_version(const SectorFact& fact) { return fact.state == SectorState::zero ? 0 : fact.version; }

bool is_wrong(const SectorFact& fact) { return fact.state != SectorState::expected; }

template <typename Predicate>
bool all_wrong(const Evidence& evidence, Predicate predicate) {
    std::uint32_t wrong = 0;
    for (const SectorFact& fact : evidence.sectors) {
        if (!is_wrong(fact)) continue;
        ++wrong;
        if (!predicate(fact)) return false;
    }
    return wrong > 0;
}

std::uint32_t wrong_sectors(const Evidence& evidence) {
    return static_cast<std::uint32_t>(std::count_if(evidence.sectors.begin(), evidence.sectors.end(), is_wrong));
}

std::string how_long(const Evidence& evidence) {
    if (evidence.has_stood) return "The fault stayed until somebody wrote the page: another page lacks this image.";
    if (evidence.was_overwritten)
        return "Somebody wrote the page before it was read again, so nobody knows whether the fault would have stayed.";
    if (!evidence.is_transient || evidence.later_reads == LaterReads::none) return persistence_reason(evidence.later_reads, "page");
    return evidence.became_right ? "The fault is transient: a later read returned the right page."
                                 : "This image is transient: later reads returned another one, which is wrong, too.";
}

// A later read did not return this image, which shows that it came from elsewhere.
bool is_gone(const Evidence& evidence) { return evidence.is_transient && !evidence.was_overwritten; }

std::string older_words(std::uint32_t version) {
    return version == 0 ? std::string("the zeros from before the first write") : fmt::format("version {}", version);
}

// --- the rules, in their order ---

std::optional<Verdict> bytes_not_read(const Evidence& evidence) {
    if (evidence.not_read_bytes == 0) return std::nullopt;
    return Verdict{FindingKind::bytes_not_read,
                   {},
                   {fmt::format("Before the read the buffer was filled with a pattern; {} of {} bytes still hold it, although the read "
                                "reported complete success.",
                                evidence.not_read_bytes, kPageBytes),
                    how_long(evidence)}};
}

Verdict older_verdict(const Evidence& evidence) {
    const auto newest = expected_version(evidence);
    const std::string written =
        evidence.is_before_repair
            ? fmt::format("All {} sectors hold version {} from before the page was repaired, although the repair was acknowledged.",
                          kSectorsPerPage, newest)
        : evidence.is_earlier_write
            ? fmt::format("All {} sectors hold version {} from an earlier write, but it was written once more later, and acknowledged.",
                          kSectorsPerPage, newest)
            : fmt::format("All {} sectors hold {}, but version {} was written later and acknowledged.", kSectorsPerPage,
                          older_words(older_version(evidence.sectors[0])), newest);
    std::vector<std::string> reasoning{written, how_long(evidence)};
    const bool was_read_back = evidence.expected.entry.read_back != 0;
    if (evidence.is_transient) {
        if (is_gone(evidence)) {
            reasoning.emplace_back(
                evidence.became_right
                    ? "A later read returned the new version, so the write has arrived: the first read was answered from an "
                      "old copy, as by a stale cache, or the write was acknowledged before reads could see it."
                    : "Later reads did not return this version: it came from an old copy, as of a stale cache.");
        }
        return {FindingKind::stale_read, {}, std::move(reasoning)};
    }
    if (evidence.found_elsewhere) {
        const PagePlace& place = *evidence.found_elsewhere;
        reasoning.push_back(fmt::format("The image that is missing here is in page {} of file {}: it was written to the wrong place.",
                                        place.page_id, place.file_id));
        return {FindingKind::misdirected_write, place, std::move(reasoning)};
    }
    if (was_read_back) {
        reasoning.push_back(fmt::format("Version {} had been read back correctly before: it was there, and was lost afterwards.", newest));
        return {FindingKind::reverted_page, {}, std::move(reasoning)};
    }
    reasoning.push_back(
        evidence.is_history_unknown
            ? fmt::format("Whether version {} was here before, or is in another place, cannot be seen from the files.", newest)
            : fmt::format(
                  "Version {} was never read back, and its image was not found elsewhere in the data files: the write never arrived, or "
                  "was undone before anybody read the page.",
                  newest));
    return {FindingKind::lost_write, {}, std::move(reasoning)};
}

// All sectors are of one older version of the page (or zeros, before its first write; or of this version as it was written before).
bool is_older_image(const Evidence& evidence) {
    if (expected_version(evidence) == 0 || evidence.not_read_bytes != 0) return false;
    if (evidence.is_before_repair || evidence.is_earlier_write) return true;
    const SectorFact& first = evidence.sectors[0];
    return std::all_of(evidence.sectors.begin(), evidence.sectors.end(),
                       [&](const SectorFact& fact) { return is_older(evidence, fact) && older_version(fact) == older_version(first); });
}

std::optional<Verdict> older_image(const Evidence& evidence) {
    if (!is_older_image(evidence)) return std::nullopt;
    // Zeros first and the page later: a read returned zeros; no old data was kept.
    if (evidence.is_transient && evidence.sectors[0].state == SectorState::zero) return std::nullopt;
    return older_verdict(evidence);
}

// What an earlier run left in the file below a page's first version.
bool is_left_by_earlier_run(const Evidence& evidence) {
    if (!evidence.is_first_write_over_old || evidence.expected.entry.read_back != 0) return false;
    return std::all_of(evidence.sectors.begin(), evidence.sectors.end(), [&](const SectorFact& fact) {
        return fact.state == SectorState::foreign && fact.page_id == evidence.expected.page_id && fact.file_id == evidence.expected.file_id;
    });
}

std::optional<Verdict> image_before_this_run(const Evidence& evidence) {
    if (evidence.is_transient || !is_left_by_earlier_run(evidence)) return std::nullopt;
    return Verdict{evidence.found_elsewhere ? FindingKind::misdirected_write : FindingKind::lost_write,
                   evidence.found_elsewhere,
                   {"The page still holds what an earlier run left in this file: what this run wrote was acknowledged, but is not there.",
                    how_long(evidence)}};
}

const char* torn_by_text(const Evidence& evidence) {
    if (!evidence.is_transient) return "Each sector is whole, so only part of the write arrived.";
    return is_gone(evidence)
               ? "Each sector is whole, and later reads did not mix them: part of this read was answered from an old copy, or the "
                 "write was acknowledged before reads could see all of it."
               : "Each sector is whole.";
}

std::string words_of_sector(const Evidence& evidence, const SectorFact& fact) {
    const std::uint32_t newest = expected_version(evidence);
    if (!is_wrong(fact)) return fmt::format("version {}", newest);
    const std::uint32_t version = older_version(fact);
    return version == newest ? fmt::format("an earlier write of version {}", newest) : older_words(version);
}

std::optional<Verdict> torn_page(const Evidence& evidence) {
    if (expected_version(evidence) == 0) return std::nullopt;
    const bool of_this_page = all_wrong(evidence, [&](const SectorFact& fact) { return is_older(evidence, fact); });
    // Zeros that do not stay are the read's fault, see above.
    const bool only_zeros = all_wrong(evidence, [](const SectorFact& fact) { return fact.state == SectorState::zero; });
    if (!of_this_page || (only_zeros && evidence.is_transient)) return std::nullopt;
    std::vector<std::string> parts;
    for (std::uint32_t i = 0; i < kSectorsPerPage;) {
        const SectorFact& first = evidence.sectors[i];
        std::uint32_t end = i + 1;
        while (end < kSectorsPerPage && is_wrong(evidence.sectors[end]) == is_wrong(first) &&
               (!is_wrong(first) || older_version(evidence.sectors[end]) == older_version(first))) {
            ++end;
        }
        parts.push_back(fmt::format("{}-{} of {}", i, end - 1, words_of_sector(evidence, first)));
        i = end;
    }
    return Verdict{
        FindingKind::torn_page,
        {},
        {fmt::format("The page mixes several versions: sectors {}.", fmt::join(parts, ", ")), torn_by_text(evidence), how_long(evidence)}};
}

std::string future_words(const Evidence& evidence, const PageHeader& header) {
    const std::uint32_t newest = expected_version(evidence);
    if (!is_sound_page(evidence.image)) {
        return fmt::format("{} of its {} sectors are of a version of this page after {}, the newest that was ever written.",
                           wrong_sectors(evidence), kSectorsPerPage, newest);
    }
    if (header.version == newest) {
        return fmt::format(
            "A sound image of version {} came back, but not the one that was written: LSN {:#x} instead of {:#x}, or made at "
            "another time.",
            newest, header.lsn, evidence.expected.entry.lsn);
    }
    return fmt::format(
        "A sound image of this page came back, version {}, LSN {:#x}, but the newest that was ever written is version {}, LSN {:#x}.",
        header.version, header.lsn, newest, evidence.expected.entry.lsn);
}

std::optional<Verdict> future_version(const Evidence& evidence) {
    const bool newer = all_wrong(evidence, [](const SectorFact& fact) { return fact.state == SectorState::newer; });
    const PageHeader header = read_header(evidence.image);
    // The newest version as if it had been changed or written once more.
    const bool other_time = is_image_of(evidence.image, evidence.expected) && header.version == expected_version(evidence);
    if (expected_version(evidence) == 0 || (!newer && !other_time)) return std::nullopt;
    return Verdict{FindingKind::future_version, {}, {future_words(evidence, header), how_long(evidence)}};
}

// Sectors of the page itself at other offsets are shifted data, not another page's.
std::optional<Verdict> misdirected(const Evidence& evidence) {
    const SectorFact* other = nullptr;
    const bool all_other = all_wrong(evidence, [&](const SectorFact& fact) {
        if (fact.state != SectorState::other_page) return false;
        const bool is_own = fact.file_id == evidence.expected.file_id && fact.page_id == evidence.expected.page_id;
        if (!is_own && other == nullptr) other = &fact;
        return !is_own;
    });
    if (!all_other) return std::nullopt;
    Verdict verdict;
    const bool is_of_read = evidence.is_transient || evidence.is_unsteady;
    verdict.kind = is_of_read ? FindingKind::misdirected_read : FindingKind::misdirected_write;
    verdict.other = PagePlace{other->file_id, {}, other->page_id, other->version};
    verdict.reasoning = {fmt::format("{} of {} sectors are those of page {} of file {}, version {}.", wrong_sectors(evidence),
                                     kSectorsPerPage, other->page_id, other->file_id, other->version),
                         how_long(evidence)};
    if (!is_of_read) {
        verdict.reasoning.emplace_back(expected_version(evidence) == 0
                                           ? "The other page's image was written here, or was in this space when the file got it."
                                           : "The other page's image was written here.");
    }
    if (evidence.is_unsteady && !evidence.is_transient) {
        verdict.reasoning.emplace_back("The reads kept returning different images, so nothing shows that this one was written here.");
    }
    if (is_gone(evidence)) {
        verdict.reasoning.emplace_back(evidence.became_right
                                           ? "The disk holds the right page here: the read was answered from another place."
                                           : "It is not here: the read was answered from another place.");
    }
    return verdict;
}

// A page that was cut off and exists again must hold zeros.
std::optional<Verdict> cut_page_came_back(const Evidence& evidence) {
    if (expected_version(evidence) != 0) return std::nullopt;
    const bool own = all_wrong(evidence, [](const SectorFact& fact) { return fact.state == SectorState::newer; });
    if (!own) return std::nullopt;
    return Verdict{
        evidence.is_transient ? FindingKind::stale_read : FindingKind::reverted_page,
        {},
        {"The file was cut before this page and has grown again, so the page must be zeros; what it held before the cut came back.",
         how_long(evidence)}};
}

// Zeros need not begin or end with a sector: what compresses pages, or copies them, may lose the rest of one at any byte.
std::optional<Verdict> zeroed_page(const Evidence& evidence) {
    const bool of_sectors = all_wrong(evidence, [](const SectorFact& fact) { return fact.state == SectorState::zero; });
    if (!of_sectors && !evidence.difference.is_run_of_zeros) return std::nullopt;
    const std::string zeros = of_sectors ? fmt::format("{} of {} sectors are zeros", wrong_sectors(evidence), kSectorsPerPage)
                                         : fmt::format("{} of {} bytes are wrong, and all of them, from byte {} on, are zeros",
                                                       evidence.difference.wrong_bytes, kPageBytes, evidence.difference.first_wrong_byte);
    return Verdict{
        FindingKind::zeroed_page,
        {},
        {fmt::format("{}, but version {} was written and acknowledged.", zeros, expected_version(evidence)), how_long(evidence)}};
}

std::uint32_t sectors_of_ours(const Evidence& evidence) {
    std::uint32_t ours = 0;
    for (std::uint32_t i = 0; i < kSectorsPerPage; ++i) {
        const SectorStamp stamp = read_stamp(evidence.image, i);
        const SectorState state = evidence.sectors[i].state;
        const bool is_stamped = stamp.run_tag == static_cast<std::uint16_t>(evidence.expected.run_id) &&
                                stamp.page_id == evidence.expected.page_id && (stamp.file_and_sector & 15U) == i;
        if (state == SectorState::expected || state == SectorState::older || state == SectorState::newer ||
            state == SectorState::other_page || is_stamped) {
            ++ours;
        }
    }
    return ours;
}

std::optional<Verdict> foreign_page(const Evidence& evidence) {
    const PageHeader header = read_header(evidence.image);
    if (header.run_id != evidence.expected.run_id && is_sound_page(evidence.image)) {
        return Verdict{FindingKind::foreign_page,
                       {},
                       {fmt::format("A sound page of another run came back: run {:016x}, file {}, page {}, version {}.", header.run_id,
                                    header.file_id, header.page_id, header.version),
                        how_long(evidence)}};
    }
    if (expected_version(evidence) == 0) {
        return Verdict{FindingKind::foreign_page,
                       {},
                       {evidence.is_history_unknown
                            ? "It is neither zeros nor of this run, so it is not what was here, whether anything was written or not."
                            : "Nothing was ever written here, so the page must be zeros, but it is not.",
                        how_long(evidence)}};
    }
    const bool is_ours = sectors_of_ours(evidence) * 2 >= kSectorsPerPage || evidence.difference.wrong_bytes * 2 < kPageBytes ||
                         evidence.difference.shift_bytes != 0;
    if (is_ours) return std::nullopt;
    return Verdict{FindingKind::foreign_page,
                   {},
                   {fmt::format("{} of {} bytes are not those that were written, and hardly any sector has a stamp of this run: ioproof "
                                "did not write this data.",
                                evidence.difference.wrong_bytes, kPageBytes),
                    how_long(evidence)}};
}

std::optional<Verdict> bit_corruption(const Evidence& evidence) {
    const ImageDifference& difference = evidence.difference;
    Verdict verdict{
        FindingKind::bit_corruption,
        {},
        {fmt::format("Compared with the image that was written, {} bit{} in {} byte{} {} wrong, in {} of {} sectors, the first at byte {}.",
                     difference.wrong_bits, difference.wrong_bits == 1 ? "" : "s", difference.wrong_bytes,
                     difference.wrong_bytes == 1 ? "" : "s", difference.wrong_bits == 1 ? "is" : "are",
                     std::max(1U, wrong_sectors(evidence)), kSectorsPerPage, difference.first_wrong_byte)}};
    if (difference.shift_bytes != 0) {
        verdict.reasoning.push_back(fmt::format("The right bytes are there, but shifted by {} bytes.", difference.shift_bytes));
    }
    verdict.reasoning.push_back(how_long(evidence));
    return verdict;
}

constexpr Rule kRules[] = {bytes_not_read, older_image, image_before_this_run, torn_page,    cut_page_came_back,
                           future_version, misdirected, zeroed_page,           foreign_page, bit_corruption};

}  // namespace

LaterReads later_reads_in(const std::vector<Reread>& rereads) {
    LaterReads later = LaterReads::none;
    for (const Reread& reread : rereads) {
        if (!reread.has_come() && reread.result != RereadResult::right) continue;
        if (reread.through_new_file) return LaterReads::all;
        later = LaterReads::some;
    }
    return later;
}

bool are_unsteady(std::uint32_t first_checksum, const std::vector<Reread>& rereads) {
    std::set<std::uint32_t> images{first_checksum};
    std::uint32_t before = first_checksum;
    std::uint32_t last = first_checksum;
    for (const Reread& reread : rereads) {
        if (!reread.has_come()) continue;
        before = std::exchange(last, reread.checksum);
        images.insert(last);
    }
    return images.size() > 2 && last != before;
}

std::string persistence_reason(LaterReads later_reads, std::string_view what) {
    if (later_reads == LaterReads::none) return "No re-read returned anything, so nobody knows whether the fault stays.";
    return fmt::format(
        "The fault is persistent: no re-read returned the right {}{}.", what,
        later_reads == LaterReads::all ? ", not even one through a newly opened file after its cached pages were dropped" : "");
}

Evidence examine(const std::byte* image, const ExpectedPage& expected, const WrittenImage& written) {
    Evidence evidence;
    evidence.image = image;
    evidence.expected = expected;
    evidence.written = &written;
    evidence.sectors = map_sectors(image, expected, written);
    mark_earlier_write(evidence.sectors, image, expected, written);
    evidence.difference = compare_images(image, written.bytes());
    evidence.not_read_bytes = count_not_read_bytes(image);
    evidence.is_earlier_write = written.is_exact() && written.is_same_but_for_time(image) &&
                                read_header(image).write_utc_us < read_header(written.bytes()).write_utc_us;
    return evidence;
}

bool is_image_missing(const Evidence& evidence) { return is_older_image(evidence) || is_left_by_earlier_run(evidence); }

Verdict classify(const Evidence& evidence) {
    for (const Rule rule : kRules) {
        if (std::optional<Verdict> verdict = rule(evidence)) return std::move(*verdict);
    }
    UMS_ASSERT(false && "the last rule takes everything");
}

}  // namespace sim
