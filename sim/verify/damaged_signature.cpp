#include "sim/verify/damaged_signature.hpp"

#include "sim/diagnosis/finding_facts.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/memory_region.hpp"

namespace sim {

namespace {

// A sector of another write differs in more bytes, and so does one that was never written.
constexpr std::uint32_t kDamagedBytesMax = 64;

}  // namespace

std::optional<Finding> name_damaged_signature(const std::byte* page, std::uint32_t reads) {
    const PageHeader header = read_header(page);
    ExpectedPage expected;
    expected.run_id = header.run_id;
    expected.file_id = header.file_id;
    expected.entry.version = 1;
    const ums::MemoryRegion recreated(kPageBytes, ums::MemoryKind::plain);
    expected.entry.checksum = make_page({header.run_id, header.file_id, 0, 1, 0, header.write_utc_us}, recreated.data());
    const WrittenImage written(page, expected, {header.write_utc_us, header.write_utc_us});
    Evidence evidence = examine(page, expected, written);
    if (evidence.difference.wrong_bytes == 0 || evidence.difference.wrong_bytes > kDamagedBytesMax) return std::nullopt;
    evidence.later_reads = LaterReads::some;
    Finding finding = make_finding(evidence, classify(evidence));
    finding.reads = reads;
    finding.reasoning.emplace_back("A run writes the signature of a log once, before its first change, and makes it durable.");
    return finding;
}

}  // namespace sim
