// The files and parts of a run, created before its first phase and destroyed after its last.
#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "sim/backup/backup_files.hpp"
#include "sim/errors.hpp"
#include "sim/files/file_claim.hpp"
#include "sim/files/file_creator.hpp"
#include "sim/run/run_driver.hpp"
#include "sim/run/sizing.hpp"
#include "sim/run/task_failure.hpp"
#include "ums/base/units.hpp"

namespace sim {

namespace {
using ums::kMb;
}  // namespace

// All or none: if the run does not start, the files created for it are removed again.
ums::Task<void> RunDriver::provide_files() {
    ums::Task<void> work = options_.job == Job::run ? open_files() : take_over_files();
    std::exception_ptr failure;
    try {
        co_await work;
    } catch (...) {
        failure = std::current_exception();
    }
    is_creating_ = false;
    if (all_files_open() && !run_.is_stopping()) co_return;
    remove_created_files();
    if (options_.job != Job::run) options_.delete_files_at_shutdown = false;  // the others are in the state that the crash left
    if (!failure) co_return;
    if (journal_.finding_count() == 0) std::rethrow_exception(failure);
    // Faults of the storage before the run started are results, too.
    run_.stop(Outcome::failed, message_of(failure));
}

// Files of an earlier run may be evidence: they are deleted only when this run has everything that it needs.
ums::Task<void> RunDriver::open_files() {
    FileCreator creator(options_, storage_, journal_, run_id_, &run_);
    const std::vector<FileOptions> of_backups = backup_files(options_);
    std::vector<FileOptions> all_files = options_.files;
    all_files.insert(all_files.end(), of_backups.begin(), of_backups.end());
    const std::vector<NumberedFile> wanted = numbered(all_files);
    co_await creator.claim(wanted);
    if (run_.is_stopping()) co_return;
    // Demands that exceed this machine are refused instead of using up the reserve.
    reserve_.reset();
    const std::vector<FileOptions> claimed = creator.files();
    reserve_memory({claimed.data(), options_.files.size()});
    reserve_.emplace();
    promise_nothing();
    may_begin_ = true;
    journal_.begin_run();
    is_creating_ = true;
    co_await creator.replace_old_files();
    for (std::size_t i = 0; i < all_files.size(); ++i) {
        if (run_.is_stopping()) co_return;
        SimFile::Setup setup = co_await creator.prepare(i);
        if (i < options_.files.size()) {
            add_file(std::move(setup));
        } else {
            add_backup_file(std::move(setup));
        }
    }
}

void RunDriver::reserve_memory(std::span<const FileOptions> files) {
    results_.buffer_pool_bytes = pool_mb_for(options_, machine_) * kMb;
    const std::uint64_t needed_mb = kBufferPoolMbMin + ledger_mb(options_) + backup_mb(options_);
    if (machine_.memory_bytes > 0 && needed_mb > machine_.memory_bytes / kMb) throw EnvironmentError(memory_refused_text());
    try {
        parts_->reserve(options_, results_.buffer_pool_bytes, files);
    } catch (const std::bad_alloc&) {
        const std::lock_guard guard(parts_mutex_);
        parts_ = std::make_unique<RunParts>();  // what was given is needed to say so
        throw EnvironmentError(memory_refused_text());
    }
}

void RunDriver::remove_created_files() {
    are_created_files_removed_ = true;
    for (const SimFile* file : parts_->files) {
        if (file->was_created()) remove_file(*file, storage_, journal_);
    }
    for (const SimFile* file : parts_->files_of_backups) {
        if (file->was_created()) remove_file(*file, storage_, journal_);
    }
}

// Not with the lock: whoever asks for the progress would wait for a disk that does not answer.
void RunDriver::add_file(SimFile::Setup setup) {
    DriveWatch drive = drive_below(setup.options.path);
    const std::lock_guard guard(parts_mutex_);
    parts_->add_file(std::move(setup), file_context());
    parts_->drives.push_back(std::move(drive));
}

void RunDriver::add_backup_file(SimFile::Setup setup) {
    const std::lock_guard guard(parts_mutex_);
    parts_->add_backup_file(std::move(setup), options_.backup_user, file_context());
}

bool RunDriver::all_files_open() const {
    return parts_->files.size() == options_.files.size() && parts_->files_of_backups.size() == backup_files(options_).size();
}

void RunDriver::make_parts() {
    parts_->assemble(options_, run_id_, storage_, *schedulers_, run_, journal_,
                     {recovery_ ? &recovery_->position() : nullptr, keeper_ != nullptr, group_});
    parts_->time_series->sample(Phase::create, 1);
    ready_.store(true, std::memory_order_release);
}

// A run reaches its files by their handles. It does not know whether somebody has removed a file or the storage has lost its name: every
// answer was right, but nothing can be found under that name. Another file with the name is only a warning, because not every file system
// keeps the identity of a file (some of FUSE).
void RunDriver::look_for_names() {
    if (run_.is_stopping()) return;
    std::vector<const SimFile*> kept;
    if (!options_.delete_files_at_shutdown) kept.assign(parts_->files.begin(), parts_->files.end());
    if (keeps_backups()) kept.insert(kept.end(), parts_->files_of_backups.begin(), parts_->files_of_backups.end());
    for (const SimFile* file : kept) {
        const WatchedCall call(journal_, "query of the name", file->path());
        ums::FileStatus named;
        ums::FileStatus tested;
        if (file->is_device() || storage_.status(file->path(), named)) continue;
        if (named.kind == ums::FileKind::missing) {
            return run_.stop(Outcome::not_done,
                             fmt::format("{}: the name is gone at the end of the run. If nobody has removed it, the storage has lost it.",
                                         file->path()));
        }
        if (!storage_.status_of(file->control_handle(), tested) && !named.is_same_file(tested)) {
            journal_.warning(fmt::format("{}: the name leads to another file than the one that was tested.", file->path()));
        }
    }
}

// After a finding they are evidence.
bool RunDriver::keeps_backups() const { return options_.backup_user.keep_files || journal_.finding_count() > 0; }

void RunDriver::close_files() {
    is_closing_ = true;
    std::vector<SimFile*> removed;
    if (!keeps_backups()) removed = parts_->files_of_backups;
    const auto is_removed = [this](const SimFile* file) { return are_created_files_removed_ && file->was_created(); };
    std::erase_if(removed, is_removed);
    std::unique_ptr<RunParts> parts;
    {
        const std::lock_guard guard(parts_mutex_);
        ready_.store(false, std::memory_order_release);
        add_counts(of_closed_files_, parts_->files);
        add_counts(of_closed_files_, parts_->files_of_backups);
        parts = std::move(parts_);
    }
    // Outside the lock: closing may take long, and requests for the progress must not wait for it.
    for (const SimFile* file : parts->files) {
        if (options_.delete_files_at_shutdown && !file->is_device() && !is_removed(file)) remove_file(*file, storage_, journal_);
    }
    for (const SimFile* file : removed) remove_file(*file, storage_, journal_);
}

}  // namespace sim
