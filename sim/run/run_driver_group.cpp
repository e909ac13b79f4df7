// A run in a group: where it waits for the other members, and what it tells them.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/files/file_names.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/run/run_driver.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kAskAgainNs = 5 * ums::kNsPerMs;

// The end that a name from the root has in common with this one, wherever a relative one begins: without ".", ".." and needless slashes.
std::string end_from_root(const std::string& path) {
    std::string end = std::filesystem::path(path).lexically_normal().string();
    while (end.starts_with("../")) end.erase(0, 3);
    return end.starts_with('/') ? end : "/" + end;
}

}  // namespace

void RunDriver::begin_in_group() {
    if (group_ == nullptr) return;
    std::vector<std::string> paths;
    for (const FileOptions& file : options_.files) paths.push_back(file.path);
    group_->begins(options_.job == Job::run ? run_id_ : group_->wanted_run_id(), std::move(paths));
}

ums::Task<void> RunDriver::meet(RunGroup::Meeting meeting) {
    if (group_ == nullptr) co_return;
    ums::Event never;
    while (!run_.is_stopping() && !group_->may_pass(meeting, cycle_.load(std::memory_order_relaxed))) {
        co_await never.wait(ums::WaitType::sleep_task, clock_.now_ns() + kAskAgainNs);
    }
}

// A run promises nothing before its files are made. An owner that was lost earlier may have left none, or those of an earlier run.
bool RunDriver::has_made_files(std::uint64_t run_id) const {
    if (keeper_ == nullptr) return true;
    const std::optional<Promises> kept = keeper_->load({run_id, {}});
    return kept && kept->section().run_id == run_id && !kept->are_void();
}

// Another configuration may name files that the run did not have. A keeper may name them from the root.
bool RunDriver::has_made_file(std::uint64_t run_id, const std::string& path) const {
    if (keeper_ == nullptr) return false;
    const std::optional<Promises> kept = keeper_->load({run_id, {}});
    if (!kept) return false;
    const bool is_relative = !path.starts_with('/');
    const std::string end = end_from_root(path);
    const std::vector<PromisedFile>& made = kept->section().files;
    return std::any_of(made.begin(), made.end(), [&](const PromisedFile& file) {
        return file.path == path || file.path == end || (is_relative && file.path.ends_with(end));
    });
}

// The files must be those that the owner before has left, and here they are another run's, or nobody's: the volume is another one, or as
// it was long ago.
bool RunDriver::is_run_of_group(const FoundFiles& found) {
    const std::uint64_t wanted = group_ == nullptr ? 0 : group_->wanted_run_id();
    const bool has_no_owner = group_ == nullptr || (wanted == 0 && !group_->hands_files_over());
    if (has_no_owner || (wanted != 0 && found.run_id == wanted)) return true;
    if (wanted == 0 || !has_made_files(wanted)) {
        end_without_files(found);
        return false;
    }
    end_with_other_files(
        found, found.files.front(), found.run_id,
        found.run_id == 0 ? fmt::format("The files should be those of run {:016x}, but none of them says to which run it belongs.", wanted)
                          : fmt::format("The files should be those of run {:016x}, but they are of run {:016x}.", wanted, found.run_id));
    return false;
}

// The owner before had made all of them, and durable, before it was promised anything. Alone, a run refuses such files, and `verify` says
// what is left; in a group nobody verifies but the next owner.
bool RunDriver::are_files_of_owner_whole(const FoundFiles& found) {
    const FoundFile* const odd = unusable_file(found);
    if (odd == nullptr || group_ == nullptr || !group_->hands_files_over()) return true;
    if (!has_made_files(found.run_id)) {
        end_without_files(found);
        return false;
    }
    if (!has_made_file(found.run_id, odd->left.options.path)) return true;  // it is refused then
    const bool is_of_other = odd->left.signature == LeftFile::Signature::other_run;
    end_with_other_files(found, *odd, is_of_other ? odd->header.run_id : 0,
                         fmt::format("The file {}. The previous owner had made it, and made it durable, before its first change.",
                                     signature_text(odd->left)));
    return false;
}

void RunDriver::end_without_files(const FoundFiles& found) {
    close_found(found, storage_, journal_);
    may_begin_ = true;
    run_.stop(Outcome::not_done, "The previous owner was lost before it had made the files: there is nothing to take over.");
}

void RunDriver::end_with_other_files(const FoundFiles& found, const FoundFile& file, std::uint64_t run_id, std::string description) {
    Finding finding;
    finding.kind = FindingKind::lost_write;
    finding.place.file_id = file.left.id;
    finding.place.path = file.left.options.path;
    finding.place.is_log = file.left.options.is_log;
    finding.expected = ExpectedIdentity{.version = 1};
    finding.received = ReceivedIdentity{.run_id = run_id, .file_id = file.left.id};
    finding.description = std::move(description);
    close_found(found, storage_, journal_);
    may_begin_ = true;
    journal_.report(std::move(finding));
    run_.stop(Outcome::failed, "The files are not those of the previous owner.");
}

void RunDriver::tell_verified() {
    if (group_ == nullptr || !recovery_) return;
    DurabilityResult found;
    found.promises.emplace();
    recovery_->describe(found);
    group_->verified({totals().pages_verified, found.promises->pages, found.log_blocks, found.torn_pages, journal_.finding_count()});
}

void RunDriver::tell_taken_over(std::uint64_t redo_utc_us) {
    if (group_ == nullptr || run_.is_stopping()) return;
    TakeOver what;
    what.run_id = run_id_;
    what.incarnation = recovery_->position().incarnation;
    what.first_vlf = recovery_->position().last_vlf + 1;
    what.last_lsn = recovery_->position().last_lsn;
    what.redo_utc_us = redo_utc_us;
    what.utc_us = clock_.utc_us();
    for (const auto& data : parts_->data_files) {
        if (source_of_replica(data->file.options(), options_.files) != nullptr) continue;
        std::vector<std::uint32_t>& versions = what.versions[data->file.id()];
        versions.resize(data->file.pages());
        for (std::uint32_t page = 0; page < data->file.pages(); ++page) {
            const PageLedger::Entry entry = data->ledger[page];
            versions[page] = entry.unknown != 0 ? 0 : entry.version;
        }
    }
    group_->takes_over(std::move(what));
}

void RunDriver::release_locks() {
    const std::lock_guard guard(parts_mutex_);
    if (!parts_) return;
    for (const SimFile* file : parts_->files) storage_.unlock(file->control_handle());
    for (const SimFile* file : parts_->files_of_backups) storage_.unlock(file->control_handle());
}

}  // namespace sim
