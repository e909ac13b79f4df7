#include "sim/verify/later_measurement.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "sim/page/measure_mark.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/memory_region.hpp"

namespace sim {

namespace {

// What stayed in later reads, too: otherwise the file would have a signature.
bool begins_with_mark(const FoundFile& file) {
    return file.left.signature == LeftFile::Signature::damaged && has_measure_mark(file.first.data());
}

// The first page of a measurement may be like that of a new run, whose signature in the log was lost. The second one is not.
bool begins_with_its_pages(const FoundFile& file, std::uint64_t made_utc_us, ums::Storage& storage) {
    if (file.left.signature != LeftFile::Signature::other_run || file.left.options.is_log) return false;
    if (file.header.write_utc_us <= made_utc_us) return false;
    const ums::MemoryRegion second(kPageBytes, ums::MemoryKind::plain);
    std::size_t read_bytes = 0;
    if (storage.read(file.setup.control, kPageBytes, second.data(), kPageBytes, read_bytes) || read_bytes != kPageBytes) return false;
    const PageHeader header = read_header(second.data());
    return is_sound_page(second.data()) && header.run_id == file.header.run_id && header.page_id == 1 && header.lsn == 0;
}

}  // namespace

void refuse_measured(const FoundFiles& found, ums::Storage& storage, Journal& journal) {
    for (const FoundFile& file : found.files) {
        const WatchedCall call(journal, "reading of the second page", file.left.options.path);
        const bool has_mark = begins_with_mark(file);
        if (!has_mark && !begins_with_its_pages(file, found.made_utc_us, storage)) continue;
        const std::string text =
            measured_since_text(file.left.options.path, has_mark ? "it begins with its mark" : "it begins with its pages");
        close_found(found, storage, journal);
        throw EnvironmentError(text);
    }
}

bool is_of_later_measurement(const std::byte* page, const ProvenPage& place, const RecoveredLog& log) {
    const PageHeader header = read_header(page);
    const bool is_here = header.file_id == place.file_id && header.page_id == place.page_id;
    const bool may_be_signature = place.page_id == 0 && header.version <= 1;
    if (header.lsn != 0 || !is_here || may_be_signature || !is_sound_page(page)) return false;
    // What earlier measurements left may be there where the run's own write was lost.
    return header.run_id == log.run_id || (log.last_utc_us != 0 && header.write_utc_us > log.last_utc_us);
}

std::string measured_since_text(const std::string& path, std::string_view sign) {
    return fmt::format(
        "{}: a measurement (bench, sweep, diskspd or sqlio) has written to the file since the run: {}. So there is nothing to verify or to "
        "continue with; a new run recreates the files. If nobody has measured this file since the run, keep it: the storage has put "
        "another file's data there, or lost what the run had written over an earlier measurement.",
        path, sign);
}

}  // namespace sim
