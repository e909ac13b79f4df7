#include "sim/run/verify_driver.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "sim/files/transfer_failure.hpp"
#include "sim/verify/file_order.hpp"
#include "sim/verify/later_measurement.hpp"

namespace sim {

VerifyDriver::VerifyDriver(Options options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink, PromiseKeeper* keeper)
    : ReadOnlyDriver(std::move(options), storage, clock, sink, keeper, nullptr) {}

VerifyDriver::~VerifyDriver() = default;

ums::Task<void> VerifyDriver::main() {
    std::exception_ptr failure;
    try {
        open_files();
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) {
        if (journal_.finding_count() == 0) std::rethrow_exception(failure);
        // A device that does not let its files be opened is a result, too.
        run_.stop(Outcome::failed, message_of(failure));
        co_return;
    }
    may_begin_ = true;
    ums::Task<void> verification = verify();
    co_await work(verification);
}

void VerifyDriver::open_files() {
    auto parts = std::make_unique<Parts>();
    FoundFiles found = find_left_files(options_, storage_, LeftFileUse::read, journal_);
    refuse_measured(found, storage_, journal_);
    if (keeper_ != nullptr) parts->promises = promises_of(*keeper_, found);
    refuse_unknown_run(found, options_.job);
    warn_of_other_order(found, journal_);
    parts->left = open_left_files(std::move(found), file_context());
    for (const LeftFile& left : parts->left.files) {
        if (!left.file) continue;
        (left.options.is_log ? parts->log_files : parts->data_files).push_back(left.file.get());
        parts->files.push_back(left.file.get());
        parts->drives.push_back(drive_below(left.file->path()));
        left.file->governor().allow_bursts(true);
    }
    parts->log = std::make_unique<LogAnalysis>(parts->log_files, parts->data_files, parts->left.run_id, run_, journal_,
                                               parts->promises.promises ? &*parts->promises.promises : nullptr);
    const auto& left_files = parts->left.files;
    parts->log->expect_data_files(static_cast<std::size_t>(
        std::count_if(left_files.begin(), left_files.end(), [](const LeftFile& left) { return !left.options.is_log; })));
    results_.run_id = parts->left.run_id;
    parts_ = parts.get();
    show(std::move(parts));
}

ums::Task<void> VerifyDriver::verify() {
    for (LeftFile& left : parts_->left.files) {
        if (left.file && left.late_signature) left.file->report(*std::move(left.late_signature));
    }
    if (parts_->left.is_being_replaced) {
        stop_with_nothing(
            NothingToVerify::being_replaced,
            "The log begins with a page of two runs: a new run was cut off while it was about to replace these files. Nothing can be "
            "said about the run before.");
        co_return;
    }
    for (SimFile* file : parts_->files) co_await file->drop_cache();
    ums::Task<void> analysis = parts_->log->run();
    co_await phase(Phase::log_analysis, analysis);
    if (run_.is_stopping()) co_return;
    const bool are_made = !parts_->log->is_empty() || parts_->log->promises() != nullptr;
    if (!are_made) {
        note_half_made_files();
    } else {
        report_odd_files();
    }
    auto pages = std::make_unique<PageVerification>(parts_->data_files, *parts_->log, *schedulers_, run_, journal_);
    // The cause comes before what follows from it.
    if (!are_made) pages->before_wrong_pages([this] { report_odd_files(); });
    {
        const std::lock_guard guard(parts_mutex_);
        parts_->pages = std::move(pages);
    }
    ums::Task<void> verification = parts_->pages->run();
    co_await phase(Phase::page_verification, verification);
    if (!run_.is_stopping() && parts_->log->is_empty()) judge_empty_log();
}

// Before the first block of the log a cut may leave any of the files in any state: those that are made already must be empty, and none can
// hold changes of this run.
void VerifyDriver::note_half_made_files() {
    for (const LeftFile& left : parts_->left.files) {
        if (left.file && !left.options.is_log && !left.is_as_made()) parts_->log->file(left.file->id()).is_made = false;
    }
}

void VerifyDriver::judge_empty_log() {
    if (journal_.finding_count() > 0) {
        // Files that the ledger knows have already been examined. What cannot be read does not show that the others had been made.
        if (parts_->log->promises() == nullptr && parts_->pages->has_seen_changes()) report_odd_files();
        return;
    }
    if (parts_->log->promises() != nullptr) {
        stop_with_nothing(
            NothingToVerify::no_changes,
            fmt::format("The log is empty, and so are the data files; {} knows of nothing that had been acknowledged. There is nothing "
                        "to verify.",
                        keeper_->name()));
        return;
    }
    const auto& files = parts_->left.files;
    const auto odd = std::find_if(files.begin(), files.end(), [](const LeftFile& left) { return !left.is_as_made(); });
    if (odd != files.end()) {
        stop_with_nothing(
            NothingToVerify::no_changes,
            fmt::format(
                "The run was cut off while it made its files: {} {}, and the log is empty. No change had been acknowledged, so there is "
                "nothing to verify. The next run recreates the files.",
                odd->options.path, signature_text(*odd)));
        return;
    }
    stop_with_nothing(
        NothingToVerify::no_changes,
        "The log is empty, and so are the data files: either the cut came before the first change was acknowledged, or everything "
        "that was acknowledged is lost. The files alone do not show which.");
}

void VerifyDriver::stop_with_nothing(NothingToVerify why, std::string reason) {
    results_.nothing_to_verify = why;
    run_.stop(Outcome::not_done, std::move(reason));
}

void VerifyDriver::report_odd_files() {
    if (std::exchange(has_reported_odd_files_, true)) return;
    for (const LeftFile& left : parts_->left.files) {
        if (!left.is_as_made()) report_file(left);
    }
}

// The signature page of a data file is verified like its other pages.
void VerifyDriver::report_file(const LeftFile& left) {
    if (left.file && !left.options.is_log) return;
    Finding finding;
    if (!left.file) {
        finding = failed_request(left.id, left.options, FileRequest::open, std::make_error_code(std::errc::no_such_file_or_directory));
        finding.description = "The file is not there. The run had made it, and made its name durable, before its first change.";
        journal_.report(std::move(finding));
        return;
    }
    if (left.damaged_signature) {
        finding = *left.damaged_signature;
    } else {
        finding.kind = FindingKind::lost_write;
        finding.description = fmt::format(
            "The log file {}. The run had written its signature, and made it durable, before its first change.", signature_text(left));
    }
    finding.place.is_log = true;
    finding.place.file_id = left.id;
    finding.place.path = left.options.path;
    finding.place.size_bytes = kPageBytes;
    left.file->report(std::move(finding));
}

double VerifyDriver::done_fraction() const { return parts_->pages ? parts_->pages->done_fraction() : parts_->log->done_fraction(); }

void VerifyDriver::describe() {
    results_.durability.emplace();
    parts_->log->describe(*results_.durability);
    if (keeper_ != nullptr) results_.durability->promises = told_of(parts_->promises, parts_->log->promises());
    for (const LeftFile& left : parts_->left.files) {
        if (durability_of(options_, left.options) == Durability::none) ++results_.durability->undurable_files;
    }
    if (parts_->pages) parts_->pages->describe(*results_.durability);
}

}  // namespace sim
