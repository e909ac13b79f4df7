// A run that continues with the files that a crash left: it takes them over, recovers them, and continues their log.
#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sim/backup/backup_files.hpp"
#include "sim/errors.hpp"
#include "sim/files/file_creator.hpp"
#include "sim/files/file_names.hpp"
#include "sim/files/file_stamper.hpp"
#include "sim/files/space_check.hpp"
#include "sim/files/transfer_failure.hpp"
#include "sim/log/checkpoint_records.hpp"
#include "sim/log/log_block_check.hpp"
#include "sim/page/page_codec.hpp"
#include "sim/run/run_driver.hpp"
#include "sim/verify/file_order.hpp"
#include "sim/verify/later_measurement.hpp"
#include "ums/base/error_text.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/units.hpp"

namespace sim {

namespace {

// What helps if a file is not as the run made it. No repair makes a file that is missing, or turns another run's into this one's. A new run
// deletes the others, which may show that the storage has lost this one.
const char* advice_for(LeftFile::Signature signature, bool repairs) {
    if (signature == LeftFile::Signature::missing_file) {
        return "'ioproof verify' says whether the storage is at fault. Put it back, or begin a new run.";
    }
    if (repairs) return "Nothing in it shows that it belongs to the run. Begin a new run.";
    if (signature == LeftFile::Signature::other_run) {
        return "'ioproof verify' says whether the storage is at fault. Put the file of this run there, or begin a new run.";
    }
    return "'ioproof verify' says whether the storage is at fault, 'ioproof verify --repair' makes it usable where it can.";
}

}  // namespace

// Nothing is changed before everything has been examined.
ums::Task<void> RunDriver::take_over_files() {
    FoundFiles found = find_left_files(options_, storage_, LeftFileUse::write, journal_);
    refuse_measured(found, storage_, journal_);
    if (group_ != nullptr) expect_run(found, group_->wanted_run_id());
    if (!is_run_of_group(found)) co_return;
    if (keeper_ != nullptr) left_promises_ = promises_to_go_on_with(*keeper_, found);
    refuse_unknown_run(found, options_.job);
    if (!are_files_of_owner_whole(found)) co_return;
    refuse_unless_whole(found);
    refuse_taken_numbers(found);
    warn_of_other_order(found, journal_);
    run_id_ = results_.run_id = found.run_id;
    FileCreator creator(options_, storage_, journal_, run_id_, &run_);
    std::vector<NumberedFile> wanted = files_made_anew();
    const std::size_t replicas = wanted.size();
    const std::vector<NumberedFile> of_backups = numbered(backup_files(options_), static_cast<std::uint32_t>(options_.files.size()) + 1);
    wanted.insert(wanted.end(), of_backups.begin(), of_backups.end());
    co_await creator.claim(wanted);
    if (run_.is_stopping()) co_return;
    reserve_.reset();
    reserve_memory(files_as_found(found, creator));
    reserve_.emplace();
    may_begin_ = true;
    journal_.begin_run();
    is_creating_ = !wanted.empty();
    co_await creator.replace_old_files();
    std::size_t left = 0;
    std::size_t replica = 0;
    for (std::size_t i = 0; i < options_.files.size() && !run_.is_stopping(); ++i) {
        if (is_made_anew(i)) {
            SimFile::Setup setup = co_await creator.prepare(replica);
            add_file(std::move(setup));
            ++replica;
            continue;
        }
        FoundFile& file = found.files.at(left++);
        if (file.left.late_signature) journal_.report(*std::move(file.left.late_signature));
        if (!file.left.is_as_made()) {
            if (file.left.options.is_log) {
                co_await sign_again(file);
            } else {
                odd_files_.push_back(file.left.id);
            }
        }
        add_file(std::move(file.setup));
    }
    for (std::size_t i = 0; i < of_backups.size() && !run_.is_stopping(); ++i) {
        SimFile::Setup setup = co_await creator.prepare(replicas + i);
        add_backup_file(std::move(setup));
    }
}

bool RunDriver::is_made_anew(std::size_t file) const { return is_transient(options_.files[file], options_.files); }

// They hold snapshots of main runs that have ended.
std::vector<NumberedFile> RunDriver::files_made_anew() const {
    std::vector<NumberedFile> files = numbered(options_.files);
    std::erase_if(files, [this](const NumberedFile& each) { return !is_made_anew(each.id - 1); });
    return files;
}

// In the order of the configuration. A file that has outgrown its MaxSize keeps its size.
std::vector<FileOptions> RunDriver::files_as_found(FoundFiles& found, const FileCreator& creator) const {
    const std::vector<FileOptions> replicas = creator.files();
    std::vector<FileOptions> files;
    std::size_t left = 0;
    std::size_t replica = 0;
    for (std::size_t i = 0; i < options_.files.size(); ++i) {
        if (is_made_anew(i)) {
            files.push_back(replicas.at(replica++));
            continue;
        }
        SimFile::Setup& setup = found.files.at(left++).setup;
        setup.options.max_size_mb = std::max(setup.options.max_size_mb, (setup.size_bytes + ums::kMb - 1) / ums::kMb);
        files.push_back(setup.options);
    }
    return files;
}

const FoundFile* RunDriver::unusable_file(const FoundFiles& found) const {
    using Signature = LeftFile::Signature;
    const bool repairs = options_.job == Job::repair;
    const auto unusable = std::find_if(found.files.begin(), found.files.end(), [this, repairs, &found](const FoundFile& file) {
        const Signature signature = file.left.signature;
        if (signature == Signature::ours) return false;
        // The verification also knows what a cut may do to page 0 of a data file.
        if (signature == Signature::torn && !file.left.options.is_log) return false;
        const bool may_be_ours = signature == Signature::zeros || signature == Signature::torn || signature == Signature::damaged;
        return !repairs || !may_be_ours || !holds_pages_of(file, found.run_id);
    });
    return unusable == found.files.end() ? nullptr : &*unusable;
}

void RunDriver::refuse_unless_whole(const FoundFiles& found) {
    const FoundFile* const refused = unusable_file(found);
    if (refused == nullptr) return;
    const bool repairs = options_.job == Job::repair;
    close_found(found, storage_, journal_);
    throw RefusedError(fmt::format("{}: {}, so the run cannot be {}. {}", refused->left.options.path, signature_text(refused->left),
                                   repairs ? "repaired" : "resumed", advice_for(refused->left.signature, repairs)));
}

// Pages are known by the number of their file. A file that is made anew is numbered by its place in the configuration, which would be that
// of another one if the run did not have it there.
void RunDriver::refuse_taken_numbers(const FoundFiles& found) {
    for (const NumberedFile& anew : files_made_anew()) {
        const auto same =
            std::find_if(found.files.begin(), found.files.end(), [&anew](const FoundFile& file) { return file.left.id == anew.id; });
        if (same == found.files.end()) continue;
        close_found(found, storage_, journal_);
        throw RefusedError(
            fmt::format("{}: it is file {} of its run, but {} has its place in this configuration. Name all files as the run did, "
                        "in the same order.",
                        same->left.options.path, anew.id, anew.file.path));
    }
}

// A foreign file must not be destroyed by a repair: its first pages, or log blocks, must include one of this run.
bool RunDriver::holds_pages_of(const FoundFile& file, std::uint64_t run_id) const {
    constexpr std::uint64_t kSearchedBytes = 4 * ums::kMb;
    const ums::MemoryRegion bytes(kSearchedBytes, ums::MemoryKind::plain);
    std::size_t read_bytes = 0;
    if (storage_.read(file.setup.control, 0, bytes.data(), bytes.size_bytes(), read_bytes)) return false;
    for (std::size_t at = 0; at + kSectorBytes <= read_bytes; at += kSectorBytes) {
        const PageHeader page = read_header(bytes.data() + at);
        const LogBlockHeader block = read_block_header(bytes.data() + at);
        if (page.magic == kPageMagic && page.run_id == run_id) return true;
        if (block.magic == kLogMagic && block.run_id == run_id) return true;
    }
    return false;
}

ums::Task<void> RunDriver::sign_again(const FoundFile& file) {
    const FileStamper stamper(file.left.id, file.left.options, file.setup.transfers, journal_, &run_);
    std::uint32_t checksum = 0;
    const std::error_code error = co_await stamper.write_signature(run_id_, checksum);
    if (!error) co_return;
    const std::string& path = file.left.options.path;
    std::string text = fmt::format("{}: its signature page cannot be written: {}.", path, ums::error_text(error));
    if (is_about_space(error)) text += " " + free_space_text(storage_, path);
    run_.stop(is_about_storage(error) ? Outcome::failed : Outcome::not_done, std::move(text));
}

// --- recovery ---

// No services run yet, but requests that a device does not answer must still be noticed.
ums::Task<void> RunDriver::recover() {
    parts_->time_series = std::make_unique<TimeSeries>(parts_->files, clock_, journal_.start_ns());
    ums::Event stop;
    ums::TaskGroup monitors;
    watch_long_io(monitors, stop);
    allow_bursts(true);
    try {
        co_await run_recovery();
    } catch (...) {
        stop_on_failure(std::current_exception());
    }
    allow_bursts(false);
    stop.set();
    co_await join(monitors);
    if (options_.job == Job::repair && recovery_) describe_repaired(results_.durability.emplace());
    if (!run_.is_stopping()) co_return;
    options_.delete_files_at_shutdown = false;  // they are in the state that the crash left
    collect_files();
}

// As VerifyDriver::describe().
void RunDriver::describe_repaired(DurabilityResult& found) const {
    // Before Recovery::describe(), which counts the pages that were demanded.
    if (keeper_ != nullptr) found.promises = told_of(left_promises_, recovery_->promises());
    recovery_->describe(found);
    for (const FileOptions& file : options_.files) {
        if (is_transient(file, options_.files)) continue;
        if (durability_of(options_, file) == Durability::none) ++found.undurable_files;
    }
}

ums::Task<void> RunDriver::run_recovery() {
    std::vector<DataFile*> data_files;
    for (const auto& data : parts_->data_files) {
        if (!is_transient(data->file.options(), options_.files)) data_files.push_back(data.get());
    }
    std::vector<SimFile*> log_files;
    for (const auto& log : parts_->log_files) log_files.push_back(log.get());
    const RecoverySetup setup{run_id_,
                              log_alignment_bytes(log_files, storage_),
                              parts_->checkpoint_bytes(),
                              left_promises_.promises ? &*left_promises_.promises : nullptr,
                              options_.job == Job::repair,
                              odd_files_};
    recovery_ = std::make_unique<Recovery>(setup, data_files, log_files, *schedulers_, run_, journal_);
    ums::Task<void> analysis = recovery_->analyse();
    ums::Task<void> verification = recovery_->verify();
    ums::Task<void> redo = recovery_->redo();
    co_await phase(Phase::log_analysis, analysis);
    co_await phase(Phase::page_verification, verification);
    tell_verified();
    warn_of_unused_promises();
    const std::uint64_t redo_utc_us = clock_.utc_us();
    co_await phase(Phase::redo, redo);
    tell_taken_over(redo_utc_us);
}

// The log continues with a record that says where it ended. After the first checkpoint nothing before it is needed any more.
ums::Task<void> RunDriver::go_on() {
    const LogPosition& position = recovery_->position();
    const bool is_logged = co_await log_resume(*parts_->log, position);
    if (!is_logged) co_return;
    co_await parts_->checkpoint->run_once();
    results_.resumed = recovery_->describe();
    const ResumeResult& resumed = *results_.resumed;
    journal_.info(
        fmt::format("The run continues as incarnation {}: the log ended with block {}, {} pages were rewritten, {} of them torn by the "
                    "cut.",
                    resumed.incarnation, resumed.last_block, resumed.pages_redone, resumed.torn_pages));
}

}  // namespace sim
