#include "cli/witness/ledger_keeper.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "ums/base/clock.hpp"
#include "ums/io/errno_error.hpp"

namespace cli {

namespace {

using std::chrono::milliseconds;

// How far promises are behind the run, besides the time that the disk takes.
constexpr milliseconds kPollInterval{5};
// After an error: the disk may have room again.
constexpr milliseconds kRetryInterval{1000};
// At the end of a run: so long is waited for a disk that takes nothing, or does not answer.
constexpr milliseconds kPatience{5000};

std::uint64_t now_utc_us() {
    static const ums::RealClock clock;
    return clock.utc_us();
}

}  // namespace

struct LedgerKeeper::Work {
    Work(const std::filesystem::path& path, PromiseStore::Use use) : store(path, use) {}

    bool keep(sim::PromiseBatch batch);
    void note(const std::error_code& error);
    // True when promises end.
    bool wait(milliseconds pause);
    [[nodiscard]] bool has_given_up() {
        const std::lock_guard guard(mutex);
        return is_given_up;
    }

    PromiseStore store;
    sim::PromiseSection section;  // the present one
    std::uint64_t number = 0;     // of its last batch
    std::mutex mutex;             // guards what follows
    std::condition_variable changed;
    bool is_ending = false;
    bool is_given_up = false;  // nobody waits any more, and the book is gone
    bool is_done = false;
    Status status;
};

LedgerKeeper::LedgerKeeper(const std::filesystem::path& path, PromiseStore::Use use) : work_(std::make_shared<Work>(path, use)) {}

LedgerKeeper::~LedgerKeeper() {
    if (thread_.joinable()) end(false);
}

std::string LedgerKeeper::name() const { return "the ledger " + work_->store.path(); }

std::optional<sim::Promises> LedgerKeeper::load(const Wanted& /*wanted*/) {
    sim::Promises promises = work_->store.load();
    if (promises.section().run_id == 0) return std::nullopt;
    return promises;
}

void LedgerKeeper::begin(const sim::PromiseSection& section) {
    const std::error_code error = work_->store.append(encode(section));
    if (error) throw sim::EnvironmentError(fmt::format("{}: cannot be written: {}", work_->store.path(), ums::error_text(error)));
    work_->section = section;
    work_->number = 0;
}

void LedgerKeeper::take_from(sim::PromiseBook& book) {
    thread_ = std::thread([work = work_, &book] { serve(work, book); });
}

// A batch that the disk does not take is tried again as it is: nothing of it is lost, and the book drops what finds no room meanwhile.
void LedgerKeeper::serve(const std::shared_ptr<Work>& work, sim::PromiseBook& book) {
    std::optional<sim::PromiseBatch> batch;
    bool is_ending = false;
    while (!work->has_given_up()) {
        if (!batch && book.has_news()) batch = book.take_batch();
        const bool is_kept = !batch || work->keep(*batch);
        if (is_kept) batch.reset();
        if (work->has_given_up() || (is_ending && is_kept && !book.has_news())) break;
        if (is_kept && book.has_news()) continue;
        is_ending = work->wait(is_kept ? kPollInterval : kRetryInterval);
        if (is_ending && !is_kept) std::this_thread::sleep_for(kPollInterval);
    }
    const std::lock_guard guard(work->mutex);
    work->is_done = true;
    work->changed.notify_all();
}

bool LedgerKeeper::Work::wait(milliseconds pause) {
    std::unique_lock guard(mutex);
    return changed.wait_for(guard, pause, [this] { return is_ending; });
}

bool LedgerKeeper::Work::keep(sim::PromiseBatch batch) {
    batch.run_id = section.run_id;
    batch.section_id = section.section_id;
    batch.number = number + 1;
    batch.utc_us = now_utc_us();
    const std::error_code error = store.append(encode(batch));
    note(error);
    if (error) return false;
    ++number;
    {
        const std::lock_guard guard(mutex);
        ++status.batches;
        status.pages += batch.pages.size();
        status.last_utc_us = batch.utc_us;
    }
    // Where that fails the file goes on growing: the promises are whole.
    if (store.is_due()) static_cast<void>(store.compact());
    return true;
}

void LedgerKeeper::Work::note(const std::error_code& error) {
    const std::lock_guard guard(mutex);
    if (error && status.stopped_because.empty()) ++status.breaks;
    status.stopped_because = error ? ums::error_text(error) : std::string();
}

void LedgerKeeper::end(bool are_removed) {
    if (!thread_.joinable()) return;
    bool is_done = false;
    {
        std::unique_lock guard(work_->mutex);
        work_->is_ending = true;
        work_->changed.notify_all();
        is_done = work_->changed.wait_for(guard, kPatience, [this] { return work_->is_done; });
        work_->is_given_up = true;
        if (!is_done && work_->status.stopped_because.empty()) work_->status.stopped_because = "the disk does not answer";
    }
    if (!is_done) return thread_.detach();
    thread_.join();
    if (!are_removed) return;
    work_->section.incarnation = 0;
    work_->section.files.clear();
    work_->note(work_->store.append(encode(work_->section)));
}

sim::PromiseKeeper::Status LedgerKeeper::status() const {
    const std::lock_guard guard(work_->mutex);
    return work_->status;
}

}  // namespace cli
