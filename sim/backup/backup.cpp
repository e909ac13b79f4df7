#include "sim/backup/backup.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "sim/backup/backup_parts.hpp"
#include "sim/backup/page_read_back.hpp"
#include "sim/backup/restore.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kPauseNs = 5 * ums::kNsPerMs;
// What ended a chain may last, as a full disk does. The next chain begins after the first pause; each time that two chains end within
// the window, the pause doubles.
constexpr std::uint64_t kRetryPauseNsMin = ums::kNsPerSecond;
constexpr std::uint64_t kRetryPauseNsMax = 60 * ums::kNsPerSecond;
constexpr std::uint64_t kRetryWindowNs = 2 * kRetryPauseNsMax;
// While a backup is in progress, the log is copied at least this often.
constexpr std::uint64_t kLogCopyNs = 100 * ums::kNsPerMs;
// The log is copied early when this share of it waits to be copied; at three quarters, it would be reused.
constexpr double kLogShareMax = 0.25;
constexpr const char* kLogUsedAgain = "the log was reused before it could be backed up";

template <typename Value>
void append_value(std::vector<std::byte>& bytes, const Value& value) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::string_view title_of(BackupKind kind) {
    switch (kind) {
        case BackupKind::full: return "Full backup";
        case BackupKind::differential: return "Differential backup";
        case BackupKind::log: break;
    }
    return "Log backup";
}

}  // namespace

Backup::Backup(RunContext& context, BackupFiles& files, Checkpoint& checkpoint, LogAuditor& log_reader)
    : parts_(context, files), checkpoint_(checkpoint), log_copy_(parts_, log_reader) {
    result_.transfer_bytes = parts_.block_pages * kPageBytes;
}

// --- the schedule ---

ums::Task<void> Backup::serve() {
    RunState& run = parts_.context.run;
    std::uint64_t full_ns = 0;
    std::uint64_t differential_ns = 0;
    bool is_retry_due = false;
    while (!run.users_must_stop()) {
        const std::uint64_t now_ns = parts_.context.now_ns();
        if (now_ns >= full_ns) {
            log_copy_.end();  // the chain is complete, and its restore may take long
            co_await verify_rest();
            co_await restore();
            co_await full();
            full_ns = due_after(parts_.options.full_interval_s);
            differential_ns = due_after(parts_.options.differential_interval_s);
            is_retry_due = false;
        } else if (has_full() && now_ns >= differential_ns) {
            co_await differential();
            differential_ns = due_after(parts_.options.differential_interval_s);
        } else if (!unverified_.empty()) {
            co_await verify_oldest();
        } else if (is_log_due()) {
            co_await log();
        }
        if (!has_full() && !is_retry_due) {
            full_ns = parts_.context.now_ns() + next_retry_pause_ns();
            is_retry_due = true;
        }
        co_await run.users_stop().wait(ums::WaitType::sleep_task, parts_.context.now_ns() + kPauseNs);
    }
}

std::uint64_t Backup::next_retry_pause_ns() {
    const std::uint64_t now_ns = parts_.context.now_ns();
    const bool is_again = retry_pause_ns_ != 0 && now_ns - chain_ended_ns_ <= kRetryWindowNs;
    retry_pause_ns_ = is_again ? std::min(2 * retry_pause_ns_, kRetryPauseNsMax) : kRetryPauseNsMin;
    chain_ended_ns_ = now_ns;
    return retry_pause_ns_;
}

std::uint64_t Backup::due_after(std::uint32_t interval_s) const {
    return interval_s == 0 ? ~std::uint64_t{0} : parts_.context.now_ns() + interval_s * ums::kNsPerSecond;
}

bool Backup::is_log_due() const {
    return has_full() && log_copy_.is_going_on() && (parts_.context.now_ns() >= log_due_ns_ || log_copy_.kept_share() > kLogShareMax);
}

ums::Task<void> Backup::finish() {
    RunState& run = parts_.context.run;
    if (!has_full() && !run.is_stopping()) co_await full();
    const bool has_log = has_full() && keeps_log();
    if (has_log && !run.is_stopping()) co_await log();
    co_await verify_rest();
    // The log may have been reused before this last backup of it.
    if (has_log && !has_full() && !run.is_stopping()) co_await full();
    co_await restore();
    log_copy_.end();
    if (!has_full()) refuse("no backup could be completed");
    if (has_full() && !is_verified_) refuse("a backup could not be read back");
    if (has_full() && !is_restored_ && !parts_.options.restore_folder.empty()) refuse("the backup could not be restored");
    forget_chain();  // the next cycle begins with new pages
}

// Nothing that was requested is left out silently. If a fault is the reason, it has been reported.
void Backup::refuse(std::string_view what) {
    RunState& run = parts_.context.run;
    if (run.is_stopping() || parts_.context.journal.finding_count() > 0) return;
    run.stop(Outcome::not_done, fmt::format("{}: {}; the warnings say why.", parts_.chain.file().path(), what));
}

std::string Backup::why_incomplete(std::string_view backup) const {
    return log_copy_.is_broken() ? std::string(kLogUsedAgain) : fmt::format("{} could not be completed", backup);
}

ums::Task<void> Backup::full() {
    forget_chain();
    log_copy_.end();
    ++chain_number_;
    const bool is_begun = co_await parts_.chain.begin(chain_number_);
    if (!is_begun) co_return;
    const bool is_made = co_await make(BackupKind::full);
    if (!is_made) co_await end_chain(why_incomplete("the full backup"));
    if (is_made) co_await verify(sets_.back());
}

ums::Task<void> Backup::differential() {
    const bool is_made = co_await make(BackupKind::differential);
    if (!is_made) co_await end_chain(why_incomplete("a differential backup"));
    if (is_made) co_await verify(sets_.back());  // before the next one takes its place in the stripes
}

ums::Task<void> Backup::log() {
    const bool is_made = co_await make(BackupKind::log);
    if (!is_made) co_await end_chain(why_incomplete("a log backup"));
    if (is_made && parts_.options.verify) unverified_.push_back(sets_.size() - 1);
}

// A chain that cannot continue is of no use: the next full backup begins a new one.
ums::Task<void> Backup::end_chain(const std::string& why) {
    if (parts_.context.run.is_stopping()) co_return;
    ++result_.broken_chains;
    parts_.context.journal.warning(fmt::format("The chain of backups {} ends: {}.", chain_number_, why));
    forget_chain();
    log_copy_.end();
}

void Backup::forget_chain() {
    sets_.clear();
    unverified_.clear();
}

// --- one backup ---

ums::Task<bool> Backup::make(BackupKind kind) {
    const WorkClock clock(parts_.context.journal.clock());
    const std::uint64_t log_before_bytes = log_copy_.copied_bytes();
    BackupSet set{.kind = kind, .number = sets_.empty() ? 1 : sets_.back().number + 1, .first_chunk = parts_.chain.chunk_count()};
    // Its log may begin long before it: where the one of the last backup ended.
    if (!log_copy_.is_going_on()) shrunk_ = shrunk_counts();
    set.shrunk = shrunk_;
    bool is_made = co_await begin_set(set);
    std::uint64_t pages = 0;
    if (kind != BackupKind::log && is_made) {
        const bool is_full = kind == BackupKind::full;
        std::vector<PageBlock> blocks;
        if (is_full) blocks = blocks_of_all_pages(parts_);
        if (!is_full) blocks = co_await blocks_of_changed_pages(parts_);
        is_made = co_await copy_pages(set, std::move(blocks), is_full ? 1 : full_end_position_, pages);
    }
    shrunk_ = shrunk_counts();
    if (is_made) is_made = co_await log_copy_.copy(set.number);
    if (is_made) is_made = co_await end_set(set, pages);
    if (!is_made) co_return false;
    const std::uint64_t log_bytes = log_copy_.copied_bytes() - log_before_bytes;
    BackupWork& work = kind == BackupKind::full ? result_.full : kind == BackupKind::log ? result_.log : result_.differential;
    clock.add_to(work, pages, log_bytes);
    tell(set, pages, log_bytes, clock.elapsed_us());
    WorkCounters::add(parts_.context.backup.cycles, 1);
    WorkCounters::add(parts_.context.backup.log_bytes, log_bytes);
    add_to_chain(sets_, std::move(set));
    is_restored_ = false;
    if (kind != BackupKind::differential) log_due_ns_ = due_after(parts_.options.log_interval_s);
    co_return !parts_.context.run.is_stopping();
}

std::vector<std::uint64_t> Backup::shrunk_counts() const {
    std::vector<std::uint64_t> counts;
    for (const BackupSource& source : parts_.sources) counts.push_back(source.data->file.shrunk_count);
    return counts;
}

void Backup::tell(const BackupSet& set, std::uint64_t pages, std::uint64_t log_bytes, std::uint64_t duration_us) {
    parts_.context.journal.info(fmt::format("{} {} of chain {}: {} pages and {} KB of log in {} ms.", title_of(set.kind), set.number,
                                            chain_number_, pages, log_bytes >> 10, duration_us / 1000));
}

// Keeps the log from here on, then gets everything that was changed before onto the disk.
ums::Task<bool> Backup::begin_set(BackupSet& set) {
    if (!log_copy_.is_going_on()) log_copy_.begin();
    if (set.kind != BackupKind::log) {
        const bool is_written = co_await write_all_changes();
        if (!is_written) co_return false;
    }
    std::vector<std::byte> body;
    append_value(body, SetBegin{static_cast<std::uint32_t>(set.kind), static_cast<std::uint32_t>(parts_.sources.size()),
                                parts_.files.stripe_count, parts_.block_pages});
    for (const BackupSource& source : parts_.sources) {
        const std::uint32_t pages = co_await BackupParts::settled_pages(*source.data);
        append_value(body, SetFile{source.data->file.id(), pages});
    }
    UMS_ASSERT(body.size() <= parts_.chain.body_bytes_max());
    const bool is_appended = co_await parts_.chain.append(ChunkKind::set_begin, set.number, body);
    co_return is_appended;
}

// Ending users abort a checkpoint, and an aborted checkpoint takes log without freeing any: so this waits until the users have ended. A
// checkpoint that was in progress does not count: it knows nothing of changes that were made after it had begun.
ums::Task<bool> Backup::write_all_changes() {
    bool is_whole = false;
    while (!is_whole) {
        while (parts_.context.run.users_are_ending() && !parts_.context.run.is_stopping()) {
            co_await ums::sleep_until(parts_.context.now_ns() + ums::kNsPerMs);
        }
        if (parts_.context.run.is_stopping()) co_return false;
        is_whole = co_await checkpoint_.run_whole();
    }
    co_return true;
}

ums::Task<bool> Backup::copy_pages(const BackupSet& set, std::vector<PageBlock> blocks, std::uint32_t first_position,
                                   std::uint64_t& pages) {
    const std::uint32_t end_position = first_position + stripe_pages_for(blocks.size(), parts_.files.stripe_count, parts_.block_pages);
    for (std::uint32_t i = 0; i < parts_.files.stripe_count; ++i) {
        const bool is_empty = co_await parts_.empty(parts_.stripe(i), first_position, end_position);
        if (!is_empty) co_return false;
    }
    if (set.kind == BackupKind::full) full_end_position_ = end_position;
    PageCopy copy(parts_, std::move(blocks), first_position, set.kind == BackupKind::full);
    ums::Event done;
    bool is_log_copied = false;
    ums::TaskGroup log_copies;
    // A large backup outlasts many rounds of the log.
    auto follow = [](Backup& self, ums::Event& copied, std::uint32_t number, bool& is_whole) -> ums::Task<void> {
        is_whole = co_await self.copy_log_until(copied, number);
    };
    ums::Scheduler::current().fork(log_copies, follow(*this, done, set.number, is_log_copied));
    const bool is_copied = co_await copy.run();
    done.set();
    co_await log_copies.join();
    if (!is_copied || !is_log_copied) co_return false;
    pages = copy.page_count();
    const std::vector<PageRun> runs = copy.take_runs();
    const bool is_appended = co_await append_runs(set.number, runs);
    co_return is_appended;
}

ums::Task<bool> Backup::copy_log_until(ums::Event& done, std::uint32_t set_number) {
    std::uint64_t due_ns = parts_.context.now_ns() + kLogCopyNs;
    for (;;) {
        const bool is_done = co_await done.wait(ums::WaitType::sleep_task, parts_.context.now_ns() + kPauseNs);
        if (is_done) co_return true;
        if (parts_.context.now_ns() < due_ns && log_copy_.kept_share() <= kLogShareMax) continue;
        due_ns = parts_.context.now_ns() + kLogCopyNs;
        const bool is_copied = co_await log_copy_.copy(set_number);
        if (!is_copied) co_return false;
    }
}

ums::Task<bool> Backup::append_runs(std::uint32_t set_number, std::span<const PageRun> runs) {
    const std::size_t runs_max = parts_.chain.body_bytes_max() / sizeof(PageRun);
    for (std::size_t first = 0; first < runs.size(); first += runs_max) {
        const std::span<const PageRun> in_chunk = runs.subspan(first, std::min(runs_max, runs.size() - first));
        const bool is_appended = co_await parts_.chain.append(ChunkKind::pages, set_number, std::as_bytes(in_chunk));
        if (!is_appended) co_return false;
    }
    co_return true;
}

ums::Task<bool> Backup::end_set(BackupSet& set, std::uint64_t pages) {
    const LogMark& mark = log_copy_.mark();
    set.last_lsn = mark.last_lsn;
    set.sums = mark.sums;
    std::vector<std::byte> body;
    append_value(body, SetEnd{set.last_lsn, pages, log_copy_.copied_bytes()});
    bool is_whole = co_await parts_.chain.append(ChunkKind::set_end, set.number, body);
    set.end_chunk = parts_.chain.chunk_count();
    for (std::uint32_t i = 0; i < parts_.files.stripe_count && is_whole; ++i) is_whole = co_await parts_.sync(parts_.stripe(i).file);
    if (is_whole) is_whole = co_await parts_.sync(parts_.chain.file());
    if (!keeps_log()) log_copy_.end();
    co_return is_whole;
}

// --- verification and restore ---

// Log backups that are made meanwhile wait for their turn: on slow storage there may always be one more, and the next differential or full
// backup must not wait for all of them.
ums::Task<void> Backup::verify(const BackupSet& set) {
    if (!parts_.options.verify || parts_.context.run.is_stopping()) co_return;
    const std::uint32_t first_chunk = set.first_chunk;
    const std::uint32_t end_chunk = set.end_chunk;
    ums::Event done;
    ums::TaskGroup log_backups;
    ums::Scheduler::current().fork(log_backups, back_up_log_until(done));
    co_await read_set(first_chunk, end_chunk);
    done.set();
    co_await log_backups.join();
}

ums::Task<void> Backup::verify_oldest() {
    const std::size_t index = unverified_.front();
    unverified_.pop_front();
    co_await verify(sets_.at(index));
}

ums::Task<void> Backup::verify_rest() {
    while (!unverified_.empty() && !parts_.context.run.is_stopping()) co_await verify_oldest();
}

// SQL Server backs up the log while a backup is verified. What waits for a long verification would not fit into the log.
ums::Task<void> Backup::back_up_log_until(ums::Event& done) {
    while (keeps_log() && !parts_.context.run.users_must_stop()) {
        const bool is_done = co_await done.wait(ums::WaitType::sleep_task, parts_.context.now_ns() + kPauseNs);
        if (is_done) co_return;
        if (is_log_due()) co_await log();
    }
}

// RESTORE VERIFYONLY: reads from the system's cache would prove nothing.
ums::Task<void> Backup::read_set(std::uint32_t first_chunk, std::uint32_t end_chunk) {
    const WorkClock clock(parts_.context.journal.clock());
    std::vector<PageRun> runs;
    std::uint64_t log_bytes = 0;
    const BackupChain::Take take = [&](const ChunkHeader& header, std::span<const std::byte> body) {
        if (header.kind == static_cast<std::uint16_t>(ChunkKind::log)) log_bytes += body.size();
        if (header.kind != static_cast<std::uint16_t>(ChunkKind::pages)) return;
        const std::size_t first = runs.size();
        runs.resize(first + body.size() / sizeof(PageRun));
        std::memcpy(runs.data() + first, body.data(), body.size());
    };
    for (std::uint32_t i = 0; i < parts_.files.stripe_count; ++i) co_await parts_.drop_cache(parts_.stripe(i).file);
    co_await parts_.drop_cache(parts_.chain.file());
    is_verified_ = false;
    const bool is_read = co_await parts_.chain.read(first_chunk, end_chunk, take);
    if (!is_read) co_return;
    PageReadBack read_back(parts_, stripe_ranges(parts_, std::move(runs)));
    const bool is_whole = co_await read_back.run();
    if (!is_whole) co_return;
    is_verified_ = true;
    clock.add_to(result_.verified, read_back.page_count(), log_bytes);
}

ums::Task<void> Backup::restore() {
    const bool is_wanted = has_full() && !parts_.options.restore_folder.empty() && !is_restored_;
    if (!is_wanted || parts_.context.run.is_stopping()) co_return;
    Restore restore(parts_, sets_, result_);
    const bool is_done = co_await restore.run();
    is_restored_ = is_done;
    if (!is_done && !parts_.context.run.is_stopping()) {
        parts_.context.journal.warning(fmt::format("The chain of backups {} could not be restored as a whole.", chain_number_));
    }
}

BackupResult Backup::result() const {
    BackupResult result = result_;
    const auto add = [&](const SimFile& file) {
        result.files.push_back({file.path(), file.options().role, file.size_bytes(), sum_of(file.counters(), &FileCounters::read_bytes),
                                sum_of(file.counters(), &FileCounters::written_bytes), file.finding_count,
                                parts_.context.journal.warnings_of(file.id()), sum_of(file.counters(), &FileCounters::long_ios)});
    };
    for (const auto& data : parts_.files.data_files) add(data->file);
    add(*parts_.files.chain);
    return result;
}

}  // namespace sim
