#include "sim/files/file_examiner.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "sim/files/file_lock.hpp"
#include "sim/files/file_names.hpp"
#include "sim/page/measure_mark.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/units.hpp"
#include "ums/io/errno_error.hpp"

namespace sim {

namespace {

using ums::kMb;

// The error of opening or creating.
[[noreturn]] void fail_to_open(const std::string& path, const ums::OpenOptions& how, std::error_code error) {
    if (error == std::errc::invalid_argument && how.direct) fail_unbuffered(path, "access");
    if (error == std::errc::device_or_resource_busy && how.exclusive) {
        throw EnvironmentError(
            fmt::format("{}: the device is in use: it is mounted, or part of another device. Release it, or name another one.", path));
    }
    refuse_read_only_device(path, how, error);
    if (error == std::errc::operation_not_permitted) {
        throw EnvironmentError(
            fmt::format("{}: cannot be {}: {}. It or its folder may be immutable or append-only (lsattr shows it, chattr -i -a lifts it).",
                        path, how.create_new ? "created" : "opened", error.message()));
    }
    fail_start(path, how.create_new ? "cannot be created" : "cannot be opened", error);
}

// Files are created as zeros and signed later. An empty file is blank, too.
bool is_blank(const std::byte* bytes, std::size_t size_bytes) {
    return std::all_of(bytes, bytes + size_bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

void refuse_huge(const FileClaim& claim) {
    if (claim.size_bytes / kPageBytes <= kFilePagesMax) return;
    throw EnvironmentError(fmt::format("{}: is too large: {} MB; at most {} MB can be used, because page numbers have 32 bits.",
                                       claim.file.path, claim.size_bytes / kMb, kFilePagesMax / (kMb / kPageBytes)));
}

// Only the configured part of a device is used, and it keeps its size.
void use_as_device(FileOptions& file) {
    file.max_size_mb = file.initial_size_mb;
    file.increment_mb = 0;
    file.shrinkable = false;
    file.sparse = false;
}

// tmpfs, where tempdb may lie, has no unbuffered access before Linux 6.6, and nothing below it to bypass to.
bool may_be_buffered(const FileClaim& claim, const ums::OpenOptions& how, std::error_code error) {
    return claim.file.is_tempdb && how.direct && error == std::errc::invalid_argument;
}

}  // namespace

void fail_start(const std::string& path, std::string_view what, std::error_code error, FileRequest request) {
    throw RefusedCall(fmt::format("{}: {}: {}.", path, what, ums::error_text(error)), request, error);
}

void fail_unbuffered(const std::string& path, std::string_view what) {
    throw EnvironmentError(fmt::format(
        "{}: the file system refuses unbuffered {} (O_DIRECT), which SQL Server needs and NoBuffering=TRUE or "
        "UseScatterGather=TRUE asks for. To test it through the system's cache set NoBuffering=FALSE and UseScatterGather=FALSE.",
        path, what));
}

void refuse_read_only_device(const std::string& path, const ums::OpenOptions& how, std::error_code error) {
    if (error != std::errc::read_only_file_system || !how.exclusive) return;
    throw EnvironmentError(fmt::format(
        "{}: the device is read-only (blockdev --getro shows it, --setrw may lift it). Make it writable, or name another one.", path));
}

void refuse_newer_format(const std::string& path, const PageHeader& header) {
    if (header.format <= kPageFormat) return;
    throw RefusedError(
        fmt::format("{}: refused: the file is of a newer version of ioproof (page format {}, this one knows {}). Use that version, "
                    "choose another name, or remove it yourself.",
                    path, header.format, kPageFormat));
}

std::unique_ptr<FileClaim> FileExaminer::examine(std::uint32_t id, const FileOptions& file) {
    std::unique_ptr<FileClaim> claim = inspect(id, file);
    if (!claim->is_missing()) {
        open(*claim, {.direct = is_unbuffered(options_), .exclusive = claim->is_device()});
        if (!options_.overwrite_foreign_files) static_cast<void>(check_signature(*claim));
    }
    plan(*claim);
    return claim;
}

std::unique_ptr<FileClaim> FileExaminer::examine_own(const FileOptions& file, PageHeader& header) {
    std::unique_ptr<FileClaim> claim = inspect(0, file);
    open(*claim, {.direct = is_unbuffered(options_)});
    header = check_signature(*claim);
    if (header.magic != kPageMagic) {
        throw RefusedError(fmt::format(
            "{}: refused: it holds data of a measurement, not pages that could be verified. Name a file of pages, or a new one.",
            file.path));
    }
    if (header.file_id > kFilesMax) {
        throw RefusedError(fmt::format("{}: refused: its first page says that it is file {} of its run; a run has at most {}.", file.path,
                                       header.file_id, kFilesMax));
    }
    claim->size_bytes = present_bytes(*claim) / kPageBytes * kPageBytes;
    refuse_huge(*claim);
    claim->file.max_size_mb = std::max(claim->file.max_size_mb, claim->size_bytes / kMb);
    return claim;
}

std::unique_ptr<FileClaim> FileExaminer::examine_left(std::uint32_t id, const FileOptions& file, bool is_read_only) {
    std::unique_ptr<FileClaim> claim = inspect(id, file);
    if (claim->is_missing()) return claim;
    const bool is_exclusive = claim->is_device() && !is_read_only;
    open(*claim, {.direct = is_unbuffered(options_), .read_only = is_read_only, .exclusive = is_exclusive});
    fit_size(*claim);
    return claim;
}

std::unique_ptr<FileClaim> FileExaminer::examine_shared(std::uint32_t id, const FileOptions& file) {
    std::unique_ptr<FileClaim> claim = inspect(id, file);
    if (claim->is_missing()) return claim;
    open_unlocked(*claim, {.direct = is_unbuffered(options_), .read_only = true});
    fit_size(*claim);
    return claim;
}

void FileExaminer::fit_size(FileClaim& claim) const {
    claim.size_bytes = present_bytes(claim) / kPageBytes * kPageBytes;
    if (claim.is_device()) {
        claim.size_bytes = std::min(claim.size_bytes, claim.file.initial_size_mb * kMb);
        use_as_device(claim.file);
    }
    refuse_huge(claim);
}

std::unique_ptr<FileClaim> FileExaminer::inspect(std::uint32_t id, const FileOptions& file) {
    refuse_dangerous_name(file.path, options_.overwrite_foreign_files);
    auto claim = std::make_unique<FileClaim>(storage_, id, file);
    resolve_name(claim->file, storage_);
    const std::string& path = claim->file.path;
    refuse_dangerous_name(path, options_.overwrite_foreign_files);
    const std::error_code error = storage_.status(path, claim->found);
    if (error == std::errc::filename_too_long)
        throw RefusedError(fmt::format("{}: the name is too long for the file system; choose a shorter one.", path));
    if (error) fail_start(path, "cannot be examined", error);
    refuse_kind(*claim);
    refuse_duplicate(*claim);
    return claim;
}

void FileExaminer::refuse_kind(const FileClaim& claim) const {
    const std::string& path = claim.file.path;
    switch (claim.found.kind) {
        case ums::FileKind::missing: refuse_file_among_devices(path); return;
        case ums::FileKind::regular: return;
        case ums::FileKind::directory: throw RefusedError(fmt::format("{}: is a folder; a file name is needed.", path));
        case ums::FileKind::link:
            throw RefusedError(
                fmt::format("{}: refused: it is a symbolic link to {}{}. A run would replace the link, and test the disk "
                            "that holds the link. Name the file itself instead.",
                            path, claim.found.link_target, claim.found.is_dangling ? ", which does not exist" : ""));
        case ums::FileKind::block_device:
            if (options_.overwrite_foreign_files) return;
            throw RefusedError(fmt::format(
                "{}: refused: it is a block device, and what is on it would be destroyed. Give --overwrite-foreign-files if it may be.",
                path));
        case ums::FileKind::other: throw RefusedError(fmt::format("{}: refused: it is neither a regular file nor a block device.", path));
    }
}

void FileExaminer::refuse_duplicate(const FileClaim& claim) {
    for (const Known& known : known_) {
        const bool is_same =
            claim.is_missing() ? is_same_new_file(claim.file.path, known.path, storage_) : claim.found.is_same_file(known.status);
        if (!is_same) continue;
        const std::string_view remedy =
            claim.file.is_tempdb ? "TempdbUser makes it in its Folder: give the other one another name, or tempdb another Folder."
                                 : "Name each file once.";
        throw RefusedError(fmt::format("{}: refused: it is the same file as {}. {}", claim.file.path, known.path, remedy));
    }
    known_.push_back({claim.file.path, claim.found});
}

void FileExaminer::open(FileClaim& claim, ums::OpenOptions how) const {
    open_unlocked(claim, how);
    lock_file(storage_, claim.file.path, claim.control, claim.is_created);
}

void FileExaminer::open_unlocked(FileClaim& claim, ums::OpenOptions how) const {
    const std::string& path = claim.file.path;
    auto refusal = storage_.open(path, how, claim.control);
    if (may_be_buffered(claim, how, refusal)) {
        how.direct = false;
        refusal = storage_.open(path, how, claim.control);
    }
    if (refusal) fail_to_open(path, how, refusal);
    claim.is_created = how.create_new;
    ums::FileStatus opened;
    if (const auto error = storage_.status_of(claim.control, opened)) fail_start(path, "cannot be examined", error);
    if (!how.create_new && !opened.is_same_file(claim.found)) {
        throw EnvironmentError(fmt::format("{}: another file has taken this name while the run was starting.", path));
    }
}

PageHeader FileExaminer::check_signature(const FileClaim& claim) const {
    const std::string& path = claim.file.path;
    const ums::MemoryRegion page(kPageBytes, ums::MemoryKind::plain);
    std::size_t transferred = 0;
    const auto error = storage_.read(claim.control, 0, page.data(), kPageBytes, transferred);
    if (error) fail_start(path, "its first page cannot be read", error);
    if (may_be_left_replica(page.data(), transferred)) return read_header(page.data());
    if (transferred >= kMeasureMarkBytes && has_measure_mark(page.data())) return {};
    if (transferred < kPageBytes || !has_signature(page.data())) {
        throw RefusedError(fmt::format(
            "{}: refused: the file exists and does not begin with ioproof's signature, so it may be somebody's data. Choose another "
            "name, remove it yourself, or give --overwrite-foreign-files if it may be destroyed.{}",
            path,
            is_blank(page.data(), transferred)
                ? " It begins with zeros only: a run that was cut off while it created its files leaves such files."
                : ""));
    }
    const PageHeader header = read_header(page.data());
    refuse_newer_format(path, header);
    if (header.checksum != page_checksum(page.data())) {
        throw RefusedError(fmt::format(
            "{}: refused: the file begins with ioproof's signature, but its first page is damaged (the checksum is wrong), which may be "
            "evidence of a fault. Choose another name, or remove it yourself.",
            path));
    }
    return header;
}

std::uint64_t FileExaminer::present_bytes(const FileClaim& claim) const {
    std::uint64_t size_bytes = 0;
    if (const auto error = storage_.size(claim.control, size_bytes)) fail_start(claim.file.path, "its size cannot be read", error);
    return size_bytes;
}

// A power cut may have torn the first page of a replica, or come before it was durable: each sector is the run's or still empty.
bool FileExaminer::may_be_left_replica(const std::byte* page, std::size_t size_bytes) const {
    if (resumed_run_id_ == 0) return false;
    if (size_bytes < kPageBytes) return is_blank(page, size_bytes);
    if (has_signature(page) && read_header(page).run_id == resumed_run_id_) return true;
    const auto run_tag = static_cast<std::uint16_t>(resumed_run_id_);
    for (std::uint32_t sector = 0; sector < kSectorsPerPage; ++sector) {
        const SectorStamp stamp = read_stamp(page, sector);
        const bool is_of_run = stamp.run_tag == run_tag && stamp.page_id == 0 && (stamp.file_and_sector & 0xf) == sector;
        if (!is_of_run && !is_blank(page + std::size_t{sector} * kSectorBytes, kSectorBytes)) return false;
    }
    return true;
}

// An existing file is extended if it is smaller, never cut; its size is rounded up to whole MB.
void FileExaminer::plan(FileClaim& claim) const {
    claim.size_bytes = claim.file.initial_size_mb * kMb;
    if (claim.is_device()) return plan_device(claim);
    claim.is_replaced = !claim.is_missing() && options_.delete_files_at_startup;
    if (!claim.is_missing() && !claim.is_replaced) {
        claim.size_bytes = std::max(claim.size_bytes, (present_bytes(claim) + kMb - 1) / kMb * kMb);
    }
    refuse_huge(claim);
    claim.file.max_size_mb = std::max(claim.file.max_size_mb, claim.size_bytes / kMb);
    if (claim.is_missing()) return;
    check_size(claim);
    if (!claim.is_replaced) return;
    if (const auto error = storage_.check_removal(claim.control)) fail_start(claim.file.path, "cannot be deleted", error);
}

void FileExaminer::plan_device(FileClaim& claim) const {
    const std::uint64_t device_bytes = present_bytes(claim);
    if (device_bytes < claim.size_bytes) {
        throw EnvironmentError(fmt::format("{}: the device is too small: InitialSize is {} MB, it has {} MB.", claim.file.path,
                                           claim.file.initial_size_mb, device_bytes / kMb));
    }
    use_as_device(claim.file);
}

void FileExaminer::check_size(const FileClaim& claim) const {
    if (!storage_.check_size(claim.control, claim.size_bytes)) return;
    throw EnvironmentError(
        fmt::format("{}: cannot be {} MB large: the file system, or a limit of the process (ulimit -f), does not allow such files.",
                    claim.file.path, claim.size_bytes / kMb));
}

SimFile::Setup FileExaminer::hand_over(FileClaim& claim, std::uint32_t id, bool is_read_only) const {
    SimFile::Setup setup;
    setup.durability = durability_of(options_, claim.file);
    ums::OpenOptions how{.direct = is_unbuffered(options_),
                         .durable_writes = !is_read_only && setup.durability == Durability::write_through,
                         .read_only = is_read_only};
    auto error = storage_.reopen(claim.control, how, setup.transfers);
    if (may_be_buffered(claim, how, error)) {
        how.direct = false;
        error = storage_.reopen(claim.control, how, setup.transfers);
    }
    if (error) {
        fail_start(claim.file.path, "cannot be opened for transfers", error);
    }
    try {
        check_passage(storage_, claim.file.path, setup.transfers);
    } catch (...) {
        storage_.close(setup.transfers);
        throw;
    }
    setup.control = claim.hand_over();
    setup.created = claim.is_created;
    setup.is_device = claim.is_device();
    setup.has_old_data = claim.is_device() || (!options_.delete_files_at_startup && !claim.file.sparse);
    setup.id = id;
    setup.options = claim.file;
    setup.size_bytes = claim.size_bytes;
    setup.signature_checksum = claim.signature_checksum;
    setup.direct = how.direct;
    return setup;
}

}  // namespace sim
