#include "sim/files/file_creator.hpp"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "sim/files/overdue_request.hpp"
#include "sim/files/space_check.hpp"
#include "sim/files/transfer_failure.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/open_files.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

std::vector<NumberedFile> numbered(const std::vector<FileOptions>& files, std::uint32_t first_id) {
    std::vector<NumberedFile> all;
    for (const FileOptions& file : files) all.push_back({first_id + static_cast<std::uint32_t>(all.size()), file});
    return all;
}

FileCreator::~FileCreator() {
    for (auto& claim : claims_) {
        if (!claim->control.is_open()) continue;
        const WatchedCall call(journal_, "closing", claim->file.path);
        claim.reset();
    }
}

// --- step 1 ---

ums::Task<void> FileCreator::claim(const std::vector<NumberedFile>& files) {
    for (const auto& [id, file] : files) {
        if (is_stopping()) co_return;
        try {
            const WatchedCall call(journal_, "opening", file.path);
            claims_.push_back(examiner_.examine(id, file));
        } catch (...) {
            rethrow_classified(id, file, std::current_exception());
        }
    }
    check_space(claims_, storage_, journal_);
    check_open_files();
    for (const auto& claim : claims_) {
        if (is_stopping()) co_return;
        if (claim->is_missing()) co_await make(*claim);
    }
}

std::vector<FileOptions> FileCreator::files() const {
    std::vector<FileOptions> files;
    for (const auto& claim : claims_) files.push_back(claim->file);
    return files;
}

// A new file needs a handle and one for its folder; every file needs another one for transfers.
void FileCreator::check_open_files() const {
    constexpr std::uint32_t kSpareFiles = 12;  // for the engines' and the system's own, results and dumps
    const auto missing = std::count_if(claims_.begin(), claims_.end(), [](const auto& claim) { return claim->is_missing(); });
    const auto needed = static_cast<std::uint32_t>(claims_.size()) + 2 * static_cast<std::uint32_t>(missing) + kSpareFiles;
    if (!storage_.can_open(needed)) throw EnvironmentError(ums::too_few_files_text(needed) + ".");
}

// A file never has its name without its signature, as far as the file system can, so that the next run recognizes it even after kill -9.
// Only the second time is it written durably, by an engine, with errors that are findings.
ums::Task<void> FileCreator::make(FileClaim& claim) {
    const ums::MemoryRegion signature(kPageBytes, ums::MemoryKind::plain);
    make_signature(run_id_, claim.id, journal_, signature.data());
    try {
        const std::span<const std::byte> first_bytes(signature.data(), kPageBytes);
        const WatchedCall call(journal_, "creation", claim.file.path);
        examiner_.open(claim, {.create_new = true, .first_bytes = first_bytes, .direct = is_unbuffered(options_)});
        examiner_.check_size(claim);
    } catch (...) {
        rethrow_classified(claim.id, claim.file, std::current_exception());
    }
    ums::Task<void> work = sign(claim);
    co_await watched(claim, work);
}

ums::Task<void> FileCreator::sign(FileClaim& claim) {
    const FileStamper stamper = stamper_of(claim);
    const bool may_be_refused = is_unbuffered(options_) && !claim.is_device();
    std::uint32_t checksum = 0;
    if (const auto error = co_await stamper.write_signature(run_id_, checksum, may_be_refused)) {
        if (may_be_refused && error == std::errc::invalid_argument) fail_unbuffered(claim.file.path, "writes");
        fail_start(claim.file.path, "the signature page cannot be written", error, FileRequest::none);
    }
    claim.signature_checksum = checksum;
}

FileStamper FileCreator::stamper_of(const FileClaim& claim) const { return {claim.id, claim.file, claim.control, journal_, run_}; }

// --- step 2 ---

// Old logs first: a crash now would leave files of two runs, and the log says whose they are. A verification must not judge new data files
// by the log of the previous run.
ums::Task<void> FileCreator::replace_old_files() {
    for (const auto& claim : claims_) {
        const bool is_old_log = claim->file.is_log && !claim->is_created;
        if (!is_old_log || is_stopping()) continue;
        ums::Task<void> work = sign(*claim);
        co_await watched(*claim, work);
    }
    for (const auto& claim : claims_) {
        if (is_stopping()) co_return;
        if (!claim->is_replaced) continue;
        remove(*claim);
        co_await make(*claim);
    }
}

void FileCreator::remove(FileClaim& claim) const {
    const WatchedCall call(journal_, "deletion", claim.file.path);
    if (const auto error = storage_.remove(claim.control)) fail_start(claim.file.path, "cannot be deleted", error);
    storage_.close(claim.hand_over());
}

// --- step 3 ---

ums::Task<SimFile::Setup> FileCreator::prepare(std::size_t index) {
    FileClaim& claim = *claims_.at(index);
    ums::Task<void> work = fill(claim);
    co_await watched(claim, work);
    co_return hand_over(claim, claim.id);
}

ums::Task<void> FileCreator::fill(FileClaim& claim) {
    if (!claim.signature_checksum) co_await sign(claim);
    if (!claim.is_device()) {
        co_await set_size(claim);
    } else if (claim.file.is_log || options_.stamp_files) {
        co_await stamp(claim, kPageBytes, claim.size_bytes);
    }
    if (const auto error = make_durable(claim)) fail_start(claim.file.path, "cannot be made durable", error, FileRequest::sync);
}

std::error_code FileCreator::make_durable(const FileClaim& claim) const {
    const WatchedCall call(journal_, "sync", claim.file.path);
    const std::error_code error = storage_.sync(claim.control);
    // Otherwise a file that a power cut leaves without a name would be blamed on the storage.
    return error || !claim.is_created ? error : storage_.sync_name(claim.control);
}

std::error_code FileCreator::truncate(const FileClaim& claim, std::uint64_t size_bytes) const {
    const WatchedCall call(journal_, "truncation", claim.file.path);
    return storage_.truncate(claim.control, size_bytes);
}

std::error_code FileCreator::allocate(const FileClaim& claim) const {
    const WatchedCall call(journal_, "allocation", claim.file.path);
    return storage_.allocate(claim.control, 0, claim.size_bytes);
}

// Brings the file to its size. Its new part, and all of a log file, reads as zeros afterwards.
ums::Task<void> FileCreator::set_size(const FileClaim& claim) {
    const std::string& path = claim.file.path;
    if (claim.file.sparse) {
        // Otherwise pages of an earlier run would lie where holes are expected.
        if (const auto error = truncate(claim, kPageBytes)) fail_start(path, "cannot be emptied", error, FileRequest::resize);
        if (const auto error = truncate(claim, claim.size_bytes)) fail_start(path, "cannot be extended", error, FileRequest::resize);
        if (!claim.file.is_log) co_return;
    }
    // tempdb does not start with its old contents either.
    if (claim.file.is_tempdb) {
        if (const auto error = truncate(claim, kPageBytes)) fail_start(path, "cannot be emptied", error, FileRequest::resize);
    }
    const std::uint64_t present_bytes = examiner_.present_bytes(claim);
    if (claim.size_bytes > present_bytes) {
        if (const auto error = allocate(claim)) {
            // When space ran out, the system may have allocated a part.
            static_cast<void>(truncate(claim, present_bytes));
            fail_start(path, "cannot be extended", error, FileRequest::resize);
        }
    }
    if (claim.file.is_log) {
        co_await stamp(claim, kPageBytes, claim.size_bytes);
    } else if (options_.stamp_files && claim.size_bytes > present_bytes) {
        co_await stamp(claim, std::max<std::uint64_t>(present_bytes / kPageBytes * kPageBytes, kPageBytes), claim.size_bytes);
    }
}

ums::Task<void> FileCreator::stamp(const FileClaim& claim, std::uint64_t begin_bytes, std::uint64_t end_bytes) {
    const FileStamper stamper = stamper_of(claim);
    if (const auto error = co_await stamper.write_zeros(begin_bytes, end_bytes, outstanding_io_max(options_))) {
        fail_start(claim.file.path, "cannot be stamped with zeros", error, FileRequest::none);
    }
}

SimFile::Setup FileCreator::hand_over(FileClaim& claim, std::uint32_t id) {
    const WatchedCall call(journal_, "opening", claim.file.path);
    return examiner_.hand_over(claim, id);
}

SimFile::Setup FileCreator::adopt(const FileOptions& file, PageHeader& header) {
    try {
        const std::unique_ptr<FileClaim> claim = examiner_.examine_own(file, header);
        return hand_over(*claim, header.file_id);
    } catch (...) {
        rethrow_classified(0, file, std::current_exception());
    }
}

// --- what failed ---

// A failing device is a finding even if nothing was written yet. Failed writes have already been reported.
void FileCreator::rethrow_classified(std::uint32_t id, const FileOptions& file, const std::exception_ptr& failure) const {
    try {
        std::rethrow_exception(failure);
    } catch (const RefusedCall& refused) {
        const bool is_sync = refused.request == FileRequest::sync;
        const bool is_finding = is_sync ? is_about_storage(refused.error) : is_device_error(refused.error);
        if (is_finding && refused.request != FileRequest::none) {
            journal_.report(failed_request(id, file, refused.request, refused.error));
        }
        if (is_about_space(refused.error)) {
            const WatchedCall call(journal_, "query of the free space", file.path);
            throw EnvironmentError(fmt::format("{} {}", refused.what(), free_space_text(storage_, file.path)));
        }
        if (refused.request == FileRequest::resize) throw EnvironmentError(refused.what() + reservation_text(refused.error));
        throw;
    }
}

// --- watching ---

// Callers pass a named task: gcc 12 destroys a temporary one too early.
ums::Task<void> FileCreator::watched(const FileClaim& claim, ums::Task<void>& work) {
    ums::Event done;
    ums::TaskGroup watchers;
    if (run_ != nullptr) ums::Scheduler::current().fork(watchers, watch(claim, done));
    std::exception_ptr failure;
    try {
        co_await work;
    } catch (...) {
        failure = std::current_exception();
    }
    done.set();
    co_await watchers.join();
    if (failure) rethrow_classified(claim.id, claim.file, failure);
}

// The monitor of a run knows files that are there.
ums::Task<void> FileCreator::watch(const FileClaim& claim, ums::Event& done) {
    return visit_overdue(done, [this, &claim](ums::IoRequest& request) {
        if (request.owner != nullptr) return;  // a file that is there
        check_overdue(request, claim.id, claim.file, *run_, journal_, [this](Finding finding) { journal_.report(std::move(finding)); });
    });
}

}  // namespace sim
