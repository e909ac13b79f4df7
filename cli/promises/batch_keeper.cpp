#include "cli/promises/batch_keeper.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sim/errors.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/prng.hpp"
#include "ums/base/units.hpp"

namespace cli {

namespace {

using std::chrono::milliseconds;

// How far promises lag behind the run, apart from the time that the disk takes.
constexpr milliseconds kPollInterval{5};
// Pause after an error: the disk may have room again.
constexpr milliseconds kRetryInterval{1000};
// How long the end of a run waits for a disk that accepts nothing or does not answer.
constexpr milliseconds kPatience{5000};
constexpr milliseconds kAskAgain{250};

std::uint64_t now_utc_us() {
    static const ums::RealClock clock;
    return clock.utc_us();
}

// Runs that were started in different folders may name different files alike, and a witness tells runs apart by these names.
std::string name_from_root(const std::string& path) {
    std::error_code error;
    const std::string whole = std::filesystem::absolute(path, error).lexically_normal().string();
    return error || whole.size() > sim::kPromiseTextMax ? path : whole;
}

}  // namespace

struct BatchKeeper::Work {
    explicit Work(std::unique_ptr<PromiseSink> to) : sink(std::move(to)) {}

    bool keep(sim::PromiseBatch batch);
    bool keep_section();
    // A new section for the same run, in which nothing of the earlier ones holds.
    void begin_anew();
    // If the files are about to be removed. Tries once.
    void keep_void_section();
    bool append(std::span<const std::byte> record);
    // True if promises are ending.
    bool wait(milliseconds pause);
    [[nodiscard]] bool has_given_up() {
        const std::lock_guard guard(mutex);
        return is_given_up;
    }
    // The book may be gone as soon as nobody waits any more, so that must not happen while it is in use.
    [[nodiscard]] bool has_news(const sim::PromiseBook& book) {
        const std::lock_guard guard(mutex);
        return !is_given_up && book.has_news();
    }
    [[nodiscard]] std::optional<sim::PromiseBatch> news_of(sim::PromiseBook& book) {
        const std::lock_guard guard(mutex);
        if (is_given_up || !book.has_news()) return std::nullopt;
        return book.take_batch();
    }

    std::unique_ptr<PromiseSink> sink;
    sim::PromiseSection section;   // the present one
    bool is_section_kept = false;  // it must precede its batches
    std::uint64_t number = 0;      // of its last batch
    std::mutex mutex;              // guards the rest
    std::condition_variable changed;
    bool is_ending = false;
    bool are_removed = false;  // at the end
    bool is_given_up = false;  // no one waits any more, and the book no longer exists
    bool is_done = false;
    Status status;
    std::optional<Status> last_status;  // when the wait for an answer ended: an answer that comes later changes nothing
};

BatchKeeper::BatchKeeper(std::unique_ptr<PromiseSink> sink, milliseconds patience)
    : patience_(patience), work_(std::make_shared<Work>(std::move(sink))) {}

template <typename What>
auto BatchKeeper::try_patiently(What what) const {
    const ums::RealClock clock;
    const std::uint64_t deadline_ns = clock.now_ns() + static_cast<std::uint64_t>(patience_.count()) * ums::kNsPerMs;
    for (;;) {
        try {
            return what();
        } catch (const sim::EnvironmentError&) {
            if (clock.now_ns() >= deadline_ns) throw;
        }
        std::this_thread::sleep_for(kAskAgain);
    }
}

BatchKeeper::~BatchKeeper() {
    if (thread_.joinable()) end(false);
}

std::string BatchKeeper::name() const { return work_->sink->name(); }

std::optional<sim::Promises> BatchKeeper::load(const Wanted& wanted) {
    Wanted known = wanted;
    for (std::string& path : known.paths) path = name_from_root(path);
    return try_patiently([&] { return work_->sink->load(known); });
}

void BatchKeeper::begin(const sim::PromiseSection& section) {
    work_->section = section;
    for (sim::PromisedFile& file : work_->section.files) file.path = name_from_root(file.path);
    work_->number = 0;
    work_->is_section_kept = false;
    try_patiently([&] {
        if (work_->keep_section() || section.incarnation > 0) return;
        throw sim::EnvironmentError(fmt::format("{}: {}", name(), status().stopped_because));
    });
}

void BatchKeeper::take_from(sim::PromiseBook& book) {
    thread_ = std::thread([work = work_, &book] { serve(work, book); });
}

// A batch that the disk does not accept is retried unchanged, so none of it is lost; meanwhile the book drops what it has no room for.
void BatchKeeper::serve(const std::shared_ptr<Work>& work, sim::PromiseBook& book) {
    std::optional<sim::PromiseBatch> batch;
    bool is_ending = false;
    while (!work->has_given_up()) {
        if (!batch) batch = work->news_of(book);
        const bool is_full = batch && batch->pages.size() == sim::kPromisePagesMax;
        const bool is_kept = work->keep_section() && (!batch || work->keep(*batch));
        if (is_kept) batch.reset();
        if (work->has_given_up() || (is_ending && is_kept && !work->has_news(book))) break;
        // Otherwise pauses to collect more: each batch costs a sync at the sink, and CPU time that the run could use.
        if (is_kept && is_full) continue;
        is_ending = work->wait(is_kept ? kPollInterval : kRetryInterval);
        if (is_ending && !is_kept) std::this_thread::sleep_for(kPollInterval);
    }
    work->keep_void_section();
    const std::lock_guard guard(work->mutex);
    work->is_done = true;
    work->changed.notify_all();
}

bool BatchKeeper::Work::wait(milliseconds pause) {
    std::unique_lock guard(mutex);
    return changed.wait_for(guard, pause, [this] { return is_ending; });
}

bool BatchKeeper::Work::keep_section() {
    if (!is_section_kept) is_section_kept = append(encode(section));
    return is_section_kept;
}

void BatchKeeper::Work::keep_void_section() {
    {
        const std::lock_guard guard(mutex);
        if (!are_removed || is_given_up) return;
    }
    section.incarnation = 0;
    is_section_kept = false;
    static_cast<void>(keep_section());
}

// What was lost may have taken promises back: the size of a file, for example, may be another one now.
void BatchKeeper::Work::begin_anew() {
    section.utc_us = std::max(now_utc_us(), section.utc_us + 1);
    section.section_id = std::max<std::uint64_t>(ums::mix64(section.section_id ^ ums::mix64(section.utc_us)), 1);
    section.keeps_section = section.keeps_number = 0;
    for (sim::PromisedFile& file : section.files) file.page_count = 0;
    number = 0;
    is_section_kept = false;
}

bool BatchKeeper::Work::keep(sim::PromiseBatch batch) {
    batch.run_id = section.run_id;
    batch.section_id = section.section_id;
    batch.number = number + 1;
    batch.utc_us = now_utc_us();
    if (!append(encode(batch))) {
        if (sink->has_lost_records()) begin_anew();
        return false;
    }
    ++number;
    const std::lock_guard guard(mutex);
    ++status.batches;
    status.pages += batch.pages.size();
    status.last_utc_us = batch.utc_us;
    return true;
}

bool BatchKeeper::Work::append(std::span<const std::byte> record) {
    const std::string problem = sink->append(record);
    const std::lock_guard guard(mutex);
    if (!problem.empty() && status.stopped_because.empty()) ++status.breaks;
    status.stopped_because = problem;
    return problem.empty();
}

void BatchKeeper::end(bool are_removed) {
    if (!thread_.joinable()) return;
    bool is_done = false;
    {
        std::unique_lock guard(work_->mutex);
        work_->is_ending = true;
        work_->are_removed = are_removed;
        work_->changed.notify_all();
        is_done = work_->changed.wait_for(guard, kPatience, [this] { return work_->is_done; });
        work_->is_given_up = true;
        if (!is_done && work_->status.stopped_because.empty()) work_->status.stopped_because = "no answer";
        if (!is_done) work_->last_status = work_->status;
    }
    if (!is_done) return thread_.detach();
    thread_.join();
}

sim::PromiseKeeper::Status BatchKeeper::status() const {
    const std::lock_guard guard(work_->mutex);
    return work_->last_status.value_or(work_->status);
}

}  // namespace cli
