#include "sim/recovery/recovery.hpp"

#include <fmt/format.h>

namespace sim {

namespace {

std::vector<SimFile*> files_of(const std::vector<DataFile*>& data_files) {
    std::vector<SimFile*> files;
    for (DataFile* const data : data_files) files.push_back(&data->file);
    return files;
}

}  // namespace

Recovery::Recovery(const RecoverySetup& setup, const std::vector<DataFile*>& data_files, const std::vector<SimFile*>& log_files,
                   ums::SchedulerGroup& schedulers, RunState& run, Journal& journal)
    : setup_(setup),
      run_(run),
      journal_(journal),
      log_(log_files, files_of(data_files), setup.run_id, run, journal, setup.promises),
      redo_(data_files, log_, schedulers, run, journal),
      log_end_(log_files, log_.contents(), log_.extent(), setup.alignment_bytes, setup.checkpoint_bytes, run, journal),
      data_files_(files_of(data_files)),
      schedulers_(schedulers) {}

ums::Task<void> Recovery::analyse() {
    co_await log_.run();
    if (journal_.finding_count() > 0 && run_.is_stopping() && !setup_.repairs) {
        run_.stop(Outcome::failed,
                  "A fault was found in the log, so the run was not resumed, and nothing was written to its files. 'ioproof verify' says "
                  "what is left, 'ioproof verify --repair' makes it usable where it can.");
    }
    if (run_.is_stopping()) co_return;
    const bool may_be_half_made = log_.is_empty() && log_.promises() == nullptr;
    if (!may_be_half_made) co_return;
    for (const std::uint32_t file_id : setup_.odd_files) log_.file(file_id).is_made = false;
}

ums::Task<void> Recovery::verify() {
    pages_ = std::make_unique<PageVerification>(
        data_files_, log_, schedulers_, run_, journal_,
        [this](const ProvenPage& proven, const PageJudgement& judgement, const std::byte* image) { redo_.take(proven, judgement, image); });
    co_await pages_->run();
    if (log_.extent().first_sequence == 0) {
        stop_without_log();
        co_return;
    }
    if (journal_.finding_count() == 0 || setup_.repairs) co_return;
    run_.stop(
        Outcome::failed,
        "The files are not what their log proves, so the run was not resumed, and nothing was written to them. 'ioproof verify --repair' "
        "makes them usable, and says what it gives up.");
}

// Only the pages show whether the run had not begun, or its log is lost.
void Recovery::stop_without_log() {
    if (journal_.finding_count() > 0) {
        run_.stop(Outcome::failed,
                  fmt::format("{}, so no page can be brought to its end, and nothing was written to the data files. If they are evidence, "
                              "copy them, then begin a new run.",
                              log_.is_empty() ? "The log is empty" : "Nothing is left of the log that recovery needs"));
        return;
    }
    if (run_.is_stopping()) return;  // before all pages were seen
    if (!log_.is_empty()) {
        run_.stop(Outcome::not_done,
                  "Nothing is left of the log that recovery needs, so no page can be brought to its end. Verify, then begin a new run.");
        return;
    }
    run_.stop(Outcome::not_done,
              fmt::format("The log is empty, and so are the data files: {}. There is nothing to continue with: begin a new run.",
                          log_.promises() != nullptr
                              ? "the ledger or witness knows of nothing that had been acknowledged"
                              : "either the run was cut off before its first change was acknowledged, or everything that was "
                                "acknowledged is lost"));
}

ums::Task<void> Recovery::redo() {
    co_await log_end_.find();
    if (!run_.is_stopping()) co_await redo_.run();
}

void Recovery::describe(DurabilityResult& result) const {
    log_.describe(result);
    if (pages_) pages_->describe(result);
}

ResumeResult Recovery::describe() const {
    ResumeResult result;
    DurabilityResult found;
    describe(found);
    result.incarnation = position().incarnation;
    result.last_block = position().last_sequence;
    result.torn_pages = found.torn_pages;
    result.blocks_given_up = found.blocks_behind;
    for (const BlockRange& missing : log_.extent().missing) result.blocks_given_up += missing.last - missing.first + 1;
    redo_.describe(result);
    return result;
}

}  // namespace sim
