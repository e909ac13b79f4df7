// Classifies what is wrong with an image that came back, by evidence: the image, its sectors, the ledger, the re-reads. Pure. The rules and
// their order are those of docs/fault_model.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/diagnosis/sector_map.hpp"
#include "sim/diagnosis/written_image.hpp"
#include "sim/finding.hpp"

namespace sim {

// What the re-reads of a wrong page returned.
enum class LaterReads : std::uint8_t {
    none,  // no image at all: they failed, or somebody wrote the page first
    some,  // images, but none through a newly opened file
    all,   // images, some of them through a newly opened file
};
[[nodiscard]] LaterReads later_reads_in(const std::vector<Reread>& rereads);
// The reads of a page kept disagreeing, so not even the last image is known to be on the disk: at least three have come, and the last one
// only once in a row. They are told apart by the checksums in their headers, of which the first image's is `first_checksum`.
[[nodiscard]] bool are_unsteady(std::uint32_t first_checksum, const std::vector<Reread>& rereads);
// A sentence: whether a fault stays that no re-read has shown to be transient. `what`: what should have come, e.g. "page".
[[nodiscard]] std::string persistence_reason(LaterReads later_reads, std::string_view what);

struct Evidence {
    const std::byte* image = nullptr;  // kPageBytes, 8-aligned
    ExpectedPage expected;
    const WrittenImage* written = nullptr;
    SectorMap sectors;
    ImageDifference difference;
    std::uint32_t not_read_bytes = 0;
    bool is_transient = false;  // a later read was right, or at least did not return this image again
    bool became_right = true;   // of a transient image: a later read was right, not only wrong in another way
    bool is_unsteady = false;   // the reads kept disagreeing: nothing shows that this image is on the disk
    LaterReads later_reads = LaterReads::all;
    bool was_overwritten = false;              // before any re-read
    bool has_stood = false;                    // stayed wrong until then
    bool is_first_write_over_old = false;      // the file existed before the run, and this is the page's first version
    bool is_history_unknown = false;           // nobody knows whether the newest version ever was here, or is elsewhere, nor, of
                                               // version 0, whether anything was written
    bool is_before_repair = false;             // the image of the right version that a repair has replaced
    bool is_earlier_write = false;             // ... or that was written once more, as when a file is restored again
    std::optional<PagePlace> found_elsewhere;  // this page's newest image
};

// Maps and compares the image. `image` and `written` must outlive the evidence.
[[nodiscard]] Evidence examine(const std::byte* image, const ExpectedPage& expected, const WrittenImage& written);

struct Verdict {
    FindingKind kind{};
    std::optional<PagePlace> other;      // without path
    std::vector<std::string> reasoning;  // why this kind, a sentence each
};

[[nodiscard]] Verdict classify(const Evidence& evidence);

// The image is an older one of the page, or what an earlier run left there: only then is it worthwhile to look elsewhere for the image that
// is missing here.
[[nodiscard]] bool is_image_missing(const Evidence& evidence);

}  // namespace sim
