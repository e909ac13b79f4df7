#include "sim/bench/bench.hpp"

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sim/bench/file_passes.hpp"
#include "sim/engine_kind.hpp"
#include "sim/files/file_claim.hpp"
#include "sim/files/sector_size.hpp"
#include "sim/page/log_layout.hpp"
#include "sim/pool/warm_up.hpp"
#include "sim/run/task_failure.hpp"
#include "sim/scheduler_start.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/memory_reserve.hpp"
#include "ums/base/units.hpp"

namespace sim {

namespace {

using ums::kMb;

ums::EngineKind engine_of(const BenchOptions& options) { return options.is_null() ? ums::EngineKind::null : engine_kind(options.engine); }

}  // namespace

Bench::Bench(BenchOptions options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink)
    : options_(std::move(options)),
      storage_(storage),
      clock_(clock),
      journal_(clock, sink),
      run_id_(ums::mix64(options_.seed ^ ums::mix64(clock.utc_us()))) {}

Bench::~Bench() = default;

void Bench::request_stop() { run_.stop(Outcome::stopped, "The measurement was stopped before its end."); }

BenchResults Bench::run() {
    ums::SchedulerGroupOptions group;
    group.cpu_count = options_.cpu_count;
    group.engine.kind = engine_of(options_);
    schedulers_ = make_schedulers(group, storage_, clock_);
    outstanding_ = std::make_unique<ums::Semaphore>(kOutstandingIoMax);
    results_.engine = schedulers_->engine_name();
    results_.engine_reason = schedulers_->engine_reason();
    schedulers_->on_memory_short([this] { run_.stop(Outcome::not_done, memory_refused_text(kMeasuringMemoryAdvice)); });
    {
        const ums::MemoryReserve reserve;
        schedulers_->run(main());
    }
    results_.options = options_;
    results_.finding_count = journal_.finding_count();
    results_.stopped = run_.outcome() == Outcome::stopped;
    if (run_.outcome() == Outcome::not_done || run_.outcome() == Outcome::failed) results_.failure_reason = run_.reason();
    return std::move(results_);
}

ums::Task<void> Bench::main() {
    run_.release_users();
    std::exception_ptr failure;
    try {
        co_await open_files();
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) {
        remove_created_files();
        logs_.clear();
        files_.clear();
        if (journal_.finding_count() == 0) std::rethrow_exception(failure);
        run_.stop(Outcome::failed, message_of(failure));
    }
    for (const auto& file : files_) {
        if (!run_.is_stopping()) co_await prepare(*file);
    }
    if (run_.outcome() == Outcome::not_done) remove_created_files();
    if (!run_.is_stopping()) co_await measure();
    if (!run_.is_stopping() && options_.verify && options_.operation == BenchOperation::write) co_await read_back();
    logs_.clear();
    files_.clear();
}

// --- files ---

Options Bench::file_options() const {
    Options options;
    options.no_buffering = options_.direct;
    options.use_scatter_gather = options_.direct;  // for the files only: it also asks for unbuffered access
    options.write_through = options_.durable;
    options.cpu_count = options_.cpu_count;
    return options;
}

// Files that exist and are used entirely are checked when their size is known.
void Bench::check_block_fits() const {
    const std::uint64_t size_bytes = options_.size_bytes != 0 ? options_.size_bytes : kBenchSizeBytes;
    const std::uint64_t before_bytes = options_.is_log() ? kPageBytes : 0;  // the signature page
    if (size_bytes >= before_bytes + options_.block_bytes_max) return;
    throw RefusedError(fmt::format("A block of {} bytes does not fit into {} MB{}. Give a larger size or a smaller block.",
                                   options_.block_bytes_max, size_bytes / kMb,
                                   options_.is_log() ? ", whose first page is the signature" : ""));
}

ums::Task<void> Bench::open_files() {
    check_block_fits();
    if (options_.is_null()) {
        add_null_file();
        co_return;
    }
    const Options options = file_options();
    FileCreator creator(options, storage_, journal_, run_id_, &run_);
    std::vector<FileOptions> missing;
    for (const std::string& path : options_.files) {
        if (should_adopt(path)) {
            adopt_file(creator, path);
        } else {
            missing.push_back(options_of(path));
        }
    }
    co_await make_files(creator, missing);
}

// A log is overwritten from its beginning and holds no pages, so there is nothing to take over.
bool Bench::should_adopt(const std::string& path) const {
    ums::FileStatus status;
    if (const auto error = storage_.status(path, status)) throw EnvironmentError(fmt::format("{}: {}.", path, error.message()));
    return status.kind == ums::FileKind::regular && !options_.is_log();
}

FileOptions Bench::options_of(const std::string& path) const {
    FileOptions file;
    file.path = path;
    file.initial_size_mb = file.max_size_mb = (options_.size_bytes != 0 ? options_.size_bytes : kBenchSizeBytes) / kMb;
    file.is_log = options_.is_log();
    return file;
}

// The names are missing files, files of ours (logs, which are replaced), or lead to a refusal.
ums::Task<void> Bench::make_files(FileCreator& creator, const std::vector<FileOptions>& files) {
    const std::vector<NumberedFile> wanted = numbered(files, static_cast<std::uint32_t>(files_.size() + 1));
    co_await creator.claim(wanted);
    if (run_.is_stopping()) co_return;
    co_await creator.replace_old_files();
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (run_.is_stopping()) co_return;
        SimFile::Setup setup = co_await creator.prepare(i);
        const std::uint32_t checksum = setup.signature_checksum.value_or(0);
        const std::uint64_t size_bytes = setup.size_bytes;
        add_file(std::move(setup), run_id_, size_bytes);
        files_.back()->data.ledger.acknowledge(0, 1, 0, checksum);
    }
}

void Bench::adopt_file(FileCreator& creator, const std::string& path) {
    FileOptions file;
    file.path = path;
    PageHeader header{};
    SimFile::Setup setup = creator.adopt(file, header);
    if (options_.verify || options_.operation == BenchOperation::write) refuse_log(path, setup.transfers);
    const std::uint64_t present_bytes = setup.size_bytes;
    const std::uint64_t wanted_bytes = options_.size_bytes != 0 ? options_.size_bytes : present_bytes;
    add_file(std::move(setup), header.run_id, std::min(wanted_bytes, present_bytes));
    if (wanted_bytes > present_bytes || present_bytes < options_.block_bytes_max) {
        throw RefusedError(fmt::format(
            "{}: already exists, and its {} MB are less than {}. Use the file as it is, or name a new one.", path, present_bytes / kMb,
            wanted_bytes > present_bytes ? fmt::format("the {} MB asked for", wanted_bytes / kMb) : "one block"));
    }
}

// The blocks of a log begin right after the signature page.
void Bench::refuse_log(const std::string& path, ums::FileHandle file) const {
    const ums::MemoryRegion page(kPageBytes, ums::MemoryKind::plain);
    std::size_t transferred = 0;
    if (storage_.read(file, kPageBytes, page.data(), kPageBytes, transferred) || transferred < kPageBytes) return;
    LogBlockHeader header{};
    std::memcpy(&header, page.data(), sizeof header);
    if (header.magic != kLogMagic) return;
    throw RefusedError(
        fmt::format("{}: is a log file: it holds no pages that could be verified. Name a data file, or read with --verify=off.", path));
}

void Bench::add_null_file() {
    SimFile::Setup setup;
    setup.id = 1;
    setup.options.path = kNullFile;
    setup.size_bytes = options_.size_bytes != 0 ? options_.size_bytes : kBenchSizeBytes;
    const std::uint64_t size_bytes = setup.size_bytes;
    add_file(std::move(setup), run_id_, size_bytes);
}

void Bench::add_file(SimFile::Setup setup, std::uint64_t run_id, std::uint64_t used_bytes) {
    const FileContext context{storage_, *outstanding_, run_, journal_, {.cpu_count = options_.cpu_count}};
    files_.push_back(std::make_unique<BenchFile>(std::move(setup), run_id, used_bytes, options_, context, run_));
    if (options_.is_log()) {
        check_sectors(files_.back()->data.file);
        logs_.push_back(std::make_unique<LogStream>(files_.back()->data.file, run_id, options_, run_, journal_));
    }
}

// Blocks of a log are multiples of what divides the smallest one.
void Bench::check_sectors(const SimFile& file) const {
    if (options_.is_null() || !options_.direct) return;
    const std::uint32_t sector_bytes = sector_bytes_of(storage_, file.transfer_handle());
    if (options_.block_bytes_min % sector_bytes != 0) refuse_parts_of_sectors(file.path(), sector_bytes);
}

void Bench::remove_created_files() {
    for (const auto& file : files_) {
        if (file->data.file.was_created()) remove_file(file->data.file, storage_, journal_);
    }
}

// Prepares memory, and the contents that reads expect and writes replace.
ums::Task<void> Bench::prepare(BenchFile& file) {
    co_await warm_up(*schedulers_, file.pool, run_);
    if (options_.scatter) co_await file.scatter_memory();
    if (options_.is_null() || options_.is_log()) co_return;
    FilePasses passes(*schedulers_, options_.seed);
    if (file.data.file.was_created()) {
        co_await passes.fill(file);
        co_return;
    }
    if (!options_.verify && options_.operation == BenchOperation::read) co_return;
    std::uint64_t foreign = 0;
    co_await passes.examine(file, foreign);
    if (foreign == 0) co_return;
    journal_.warning(fmt::format("{}: {} of {} pages are not of the run that made the file; nothing is known about what they must contain.",
                                 file.data.file.path(), foreign, file.used_pages()));
}

// --- measurement ---

Bench::Totals Bench::totals() const {
    Totals totals;
    for (const auto& file : files_) {
        const FileCountersPerCpu& counters = file->data.file.counters();
        const auto sum = [&](ums::LocalCounter FileCounters::*member) { return sum_of(counters, member); };
        totals.requests +=
            sum(&FileCounters::reads) + sum(&FileCounters::scatter_reads) + sum(&FileCounters::writes) + sum(&FileCounters::gather_writes);
        totals.bytes += sum(&FileCounters::read_bytes) + sum(&FileCounters::written_bytes);
        totals.io_time_ns += io_time_ns_of(counters);
        totals.pages_verified += sum(&FileCounters::pages_verified);
    }
    totals.usage = ums::process_usage();
    totals.now_ns = clock_.now_ns();
    return totals;
}

std::uint32_t Bench::task_count() const {
    const bool has_device = std::any_of(files_.begin(), files_.end(), [](const auto& file) { return file->data.file.has_device(); });
    return has_device ? options_.tasks_max() : options_.depth;
}

ums::Task<void> Bench::measure() {
    BenchContext context{options_, run_, files_, logs_};
    ums::TaskGroup tasks;
    // With the rest taken, exactly `depth` requests can be outstanding.
    const std::uint64_t others = kOutstandingIoMax - options_.depth;
    co_await outstanding_->acquire(others, ums::WaitType::request_block);
    const Totals before = totals();
    const std::uint32_t count = task_count();
    for (std::uint32_t i = 0; i < count; ++i) {
        (*schedulers_)[i % schedulers_->size()].spawn(tasks, fmt::format("Load {}", i + 1),
                                                      run_bench_task(context, i, ums::mix64(options_.seed + i)));
    }
    const std::uint64_t deadline_ns = before.now_ns + options_.seconds * ums::kNsPerSecond;
    co_await run_.users_stop().wait(ums::WaitType::task_join, deadline_ns);
    run_.users_stop().set();
    co_await tasks.join();
    const Totals after = totals();
    outstanding_->release(others);
    results_.duration_ns = after.now_ns - before.now_ns;
    results_.requests = after.requests - before.requests;
    results_.bytes = after.bytes - before.bytes;
    results_.pages_verified = after.pages_verified - before.pages_verified;
    const auto io_time_us = static_cast<double>(after.io_time_ns - before.io_time_ns) / 1000;
    results_.latency_mean_us = results_.requests > 0 ? io_time_us / static_cast<double>(results_.requests) : 0;
    results_.cpu_user_us = after.usage.user_us - before.usage.user_us;
    results_.cpu_system_us = after.usage.system_us - before.usage.system_us;
    results_.resident_max_bytes = after.usage.resident_max_bytes;
}

// What the storage has acknowledged must be there.
ums::Task<void> Bench::read_back() {
    if (options_.is_null()) co_return;
    for (const auto& log : logs_) results_.pages_read_back += co_await log->read_back();
    if (options_.is_log()) co_return;
    for (const auto& file : files_) {
        FilePasses passes(*schedulers_, options_.seed);
        co_await passes.read_back(*file, results_.pages_read_back);
    }
}

}  // namespace sim
