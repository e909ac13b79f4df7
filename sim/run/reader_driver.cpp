#include "sim/run/reader_driver.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "sim/files/file_examiner.hpp"
#include "sim/files/file_names.hpp"
#include "sim/files/transfer_failure.hpp"
#include "sim/readers/owner_files.hpp"
#include "ums/base/assert.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kMeetAgainNs = 5 * ums::kNsPerMs;
// Otherwise small files would be read, and the witness asked, continuously.
constexpr std::uint64_t kBetweenPassesNs = 100 * ums::kNsPerMs;
// How often, and at what interval, the witness is asked for the last pass.
constexpr std::uint32_t kLastAsks = 10;
constexpr std::uint64_t kBetweenAsksNs = ums::kNsPerSecond;

}  // namespace

ReaderDriver::ReaderDriver(Options options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink, PromiseKeeper* keeper,
                           RunGroup* group)
    : ReadOnlyDriver(std::move(options), storage, clock, sink, keeper, group),
      is_close_to_open_(group_->reads_with() == RunGroup::Coherence::close_to_open) {
    UMS_ASSERT(keeper_ != nullptr);
    journal_.on_finding([this] {
        if (options_.stop_on_error) run_.stop(Outcome::failed, "");
    });
}

ReaderDriver::~ReaderDriver() = default;

ums::Task<void> ReaderDriver::main() {
    co_await meet(RunGroup::Meeting::begin);
    co_await meet(RunGroup::Meeting::main_run);  // by then the owner has created and written the files
    if (run_.is_stopping()) co_return;
    may_begin_ = true;
    if (group_->wanted_run_id() == 0) {
        std::string reason = "The owner of the files did not come, or ended before it had made them: there was nothing to read.";
        if (group_->owner() == RunGroup::Owner::unknown) {
            reason = fmt::format(
                "Whether the owner of the files has made them is not known here: {} does not answer any more. So nothing was read.",
                keeper_->name());
        }
        run_.stop(Outcome::not_done, std::move(reason));
        co_return;
    }
    open_files();
    ums::Task<void> reading = read();
    co_await work(reading);
}

ums::Task<void> ReaderDriver::meet(RunGroup::Meeting meeting) {
    ums::Event never;
    while (!run_.is_stopping() && !group_->may_pass(meeting, 1)) {
        co_await never.wait(ums::WaitType::sleep_task, clock_.now_ns() + kMeetAgainNs);
    }
}

void ReaderDriver::open_files() {
    auto parts = std::make_unique<Parts>();
    FileExaminer examiner(options_, storage_);
    PromiseKeeper::Wanted wanted{group_->wanted_run_id(), {}};
    parts->run_id = wanted.run_id;
    std::uint32_t id = 0;
    for (const FileOptions& file : options_.files) {
        ++id;
        if (file.is_log || is_transient(file, options_.files)) continue;
        const WatchedCall call(journal_, "opening", file.path);
        const std::unique_ptr<FileClaim> claim = examiner.examine_shared(id, file);
        if (claim->is_missing()) {
            throw EnvironmentError(
                fmt::format("{}: is not there. The owner of the files has made it: is this the same file system?", file.path));
        }
        parts->owned.push_back(std::make_unique<SimFile>(examiner.hand_over(*claim, id, true), file_context()));
        SimFile* const opened = parts->owned.back().get();
        parts->files.push_back(opened);
        parts->drives.emplace_back(opened->path());
        wanted.paths.push_back(opened->path());
        ++done_.opens;
    }
    group_->begins(parts->run_id, wanted.paths);
    parts->view = std::make_unique<PromiseView>(*keeper_, std::move(wanted), clock_);
    results_.run_id = parts->run_id;
    parts_ = parts.get();
    show(std::move(parts));
}

// --- reading ---

ums::Task<void> ReaderDriver::read() {
    ums::Task<void> passes = read_passes();
    co_await phase(Phase::page_verification, passes);
}

ums::Task<void> ReaderDriver::read_passes() {
    ums::Event never;
    for (;;) {
        const RunGroup::Owner owner = group_->owner();
        co_await read_once(owner == RunGroup::Owner::ended);
        if (!run_.is_stopping()) ++done_.passes;
        done_.promise_loads = parts_->view->loads();
        group_->has_read(done_);
        if (run_.is_stopping()) co_return;
        if (owner != RunGroup::Owner::works) co_return judge_end(owner);
        co_await never.wait(ums::WaitType::sleep_task, clock_.now_ns() + kBetweenPassesNs);
    }
}

ums::Task<void> ReaderDriver::read_once(bool is_last) {
    // Close-to-open: what was promised before the open.
    ums::Event never;
    for (std::uint32_t ask = 1;; ++ask) {
        co_await parts_->view->refresh();
        tell_trouble();
        if (!is_last || trouble_.empty() || ask == kLastAsks || run_.is_stopping()) break;
        co_await never.wait(ums::WaitType::sleep_task, clock_.now_ns() + kBetweenAsksNs);
    }
    knows_all_promises_ = trouble_.empty();
    if (names_other_files()) co_return;
    if (is_close_to_open_ && done_.passes > 0) co_await open_anew();
    for (SimFile* file : parts_->files) {
        if (file->is_given_up()) continue;
        if (is_close_to_open_) {
            co_await file->drop_cache();
        } else {
            co_await file->look_at_size();
        }
    }
    if (run_.is_stopping()) co_return;
    auto pass = std::make_unique<ReaderPass>(ReaderPass::Setup{parts_->run_id, is_last, !is_close_to_open_}, parts_->files, *parts_->view,
                                             parts_->told, *schedulers_, run_, journal_);
    {
        const std::lock_guard guard(parts_mutex_);
        parts_->pass = std::move(pass);
    }
    co_await parts_->pass->run();
    parts_->pass->add_to(done_);
}

ums::Task<void> ReaderDriver::open_anew() {
    for (SimFile* file : parts_->files) {
        if (file->is_given_up()) continue;
        const std::error_code error = co_await file->open_anew();
        ++done_.opens;
        if (!error) continue;
        if (!is_about_storage(error)) {
            run_.stop(Outcome::not_done, fmt::format("{}: cannot be opened again: {}.", file->path(), error.message()));
            co_return;
        }
        if (file->give_up()) file->report(failed_request(file->id(), file->options(), FileRequest::open, error));
    }
}

// Otherwise each of their pages would look misplaced, or nobody would read some of them.
bool ReaderDriver::names_other_files() {
    std::vector<PromisedFile> named;
    for (const SimFile* file : parts_->files) named.push_back({file->id(), false, 0, file->path()});
    std::string difference = difference_of_files(parts_->view->known()->section().files, named);
    if (difference.empty()) return false;
    run_.stop(Outcome::not_done, std::move(difference));
    return true;
}

void ReaderDriver::tell_trouble() {
    std::string trouble = parts_->view->trouble();
    if (trouble == trouble_) return;
    trouble_ = std::move(trouble);
    if (trouble_.empty()) {
        journal_.info(fmt::format("{} answers again.", keeper_->name()));
    } else {
        journal_.warning(
            fmt::format("What is promised meanwhile is not known here: {}. The run continues with what was promised before.", trouble_));
    }
}

// That nothing was wrong says little if not everything was compared. `owner`: its state when the last pass began.
void ReaderDriver::judge_end(RunGroup::Owner owner) {
    if (journal_.finding_count() > 0) return;
    if (done_.promised_pages == 0) {
        run_.stop(Outcome::not_done,
                  trouble_.empty()
                      ? fmt::format("{} held no promise of the owner when pages were read, so there was nothing to compare with.",
                                    keeper_->name())
                      : trouble_ + ". So there was nothing to compare with.");
    } else if (owner == RunGroup::Owner::lost) {
        run_.stop(Outcome::not_done,
                  "The owner of the files was lost. All that it had been promised was compared once more; pages that it may have been "
                  "writing, and that are torn, prove nothing.");
    } else if (owner == RunGroup::Owner::unknown) {
        run_.stop(Outcome::not_done,
                  fmt::format("Whether the owner of the files is still at work, and what it has been promised since, is not "
                              "known here: {} does not answer any more. What had been promised before was compared.",
                              keeper_->name()));
    } else if (!knows_all_promises_) {
        run_.stop(Outcome::not_done, fmt::format("{}. So what the owner of the files had been promised last was not compared.", trouble_));
    }
}

double ReaderDriver::done_fraction() const { return parts_->pass ? parts_->pass->done_fraction() : 0; }

}  // namespace sim
