// What a run promises to a ledger outside the storage under test. Promises start when the files exist, and end with the services.
#include <algorithm>

#include <fmt/format.h>

#include "sim/files/file_names.hpp"
#include "sim/run/run_driver.hpp"
#include "ums/base/prng.hpp"

namespace sim {

PromiseSection RunDriver::section() const {
    PromiseSection section;
    section.run_id = run_id_;
    section.utc_us = clock_.utc_us();
    section.section_id = std::max<std::uint64_t>(ums::mix64(run_id_ ^ ums::mix64(section.utc_us)), 1);
    section.host = machine_.host_name;
    return section;
}

// Before the files of an earlier run are touched, whose promises hold until then.
void RunDriver::promise_nothing() {
    if (keeper_ == nullptr) return;
    PromiseSection nothing = section();
    for (std::size_t i = 0; i < options_.files.size(); ++i) {
        const FileOptions& file = options_.files[i];
        if (is_transient(file, options_.files)) continue;
        nothing.files.push_back({static_cast<std::uint32_t>(i + 1), file.is_log, 0, file.path});
    }
    keeper_->begin(nothing);
}

void RunDriver::begin_promises() {
    if (keeper_ == nullptr) return;
    PromiseSection begun = section();
    begun.incarnation = parts_->log->incarnation();
    for (const SimFile* file : parts_->files) {
        if (is_transient(file->options(), options_.files)) continue;
        const bool is_sized = durability_of(options_, file->options()) != Durability::none;
        begun.files.push_back({file->id(), file->options().is_log, is_sized ? file->pages() : 0, file->path()});
    }
    if (recovery_ && left_promises_.promises && recovery_->holds_all_promises()) {
        begun.keeps_section = left_promises_.promises->section().section_id;
        begun.keeps_number = left_promises_.promises->last_number();
    }
    keeper_->begin(begun);
    keeper_->take_from(*parts_->promises);
    is_promising_ = true;
}

// A verification, and a repair, say it in their reports.
void RunDriver::warn_of_unused_promises() {
    if (keeper_ == nullptr || options_.job != Job::resume || run_.is_stopping()) return;
    const PromisesResult told = told_of(left_promises_, recovery_->promises());
    if (told.are_used) return;
    journal_.warning(fmt::format("What the crash had left was verified without {}. {}", keeper_->name(), told.remark));
}

void RunDriver::report_stopped_promises() {
    if (!is_promising_) return;
    const std::string because = keeper_->status().stopped_because;
    if (because == promises_stopped_because_) return;
    promises_stopped_because_ = because;
    if (because.empty()) {
        journal_.info(fmt::format("Promises to {} continue.", keeper_->name()));
    } else {
        journal_.warning(fmt::format("Promises to {} are suspended: {}. The run continues.", keeper_->name(), because));
    }
}

void RunDriver::end_promises() {
    if (!is_promising_) return;
    is_promising_ = false;
    keeper_->end(options_.delete_files_at_shutdown);
    const PromiseKeeper::Status status = keeper_->status();
    results_.promising = PromiseKeepingResult{keeper_->name(),    status.batches, status.pages,          parts_->promises->dropped_pages(),
                                              status.last_utc_us, status.breaks,  status.stopped_because};
    if (!options_.delete_files_at_shutdown || status.stopped_because.empty()) return;
    // A verification would miss them.
    options_.delete_files_at_shutdown = false;
    journal_.warning(fmt::format("The files are not deleted, because {} still holds what the storage had promised about them: {}.",
                                 keeper_->name(), status.stopped_because));
}

}  // namespace sim
