#include "sim/files/sim_file.hpp"

#include <algorithm>
#include <utility>

#include "sim/files/space_check.hpp"
#include "sim/files/transfer_failure.hpp"
#include "ums/base/assert.hpp"
#include "ums/io/errno_error.hpp"
#include "ums/sched/blocking_call.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

SimFile::SimFile(Setup setup, const FileContext& context)
    : setup_(std::move(setup)),
      storage_(context.storage),
      outstanding_(context.outstanding),
      run_(context.run),
      journal_(context.journal),
      size_bytes_(setup_.size_bytes),
      counters_(context.load.cpu_count),
      resize_latch_(context.load.cpu_count),
      governor_(std::uint64_t{context.load.target_io_duration_ms} * 1000, context.load.request_blocks_max) {}

// A close may write what the system has cached, and wait for a device or a server that does not answer.
SimFile::~SimFile() {
    if (!setup_.transfers.is_open() && !setup_.control.is_open()) return;
    const WatchedCall watched(journal_, "closing", path());
    if (setup_.transfers.is_open()) storage_.close(setup_.transfers);
    if (setup_.control.is_open()) storage_.close(setup_.control);
}

FileCounters& SimFile::local_counters() { return counters_[ums::Scheduler::current().id()]; }

std::uint32_t SimFile::outstanding() const { return static_cast<std::uint32_t>(outstanding_of(counters_)); }

// The only gate to the storage: a violation here would be our own mistake.
ums::Task<TransferResult> SimFile::transfer(ums::IoOperation operation, std::uint64_t offset_bytes,
                                            std::span<const ums::IoSegment> segments, ums::WaitType wait_type, OnStop on_stop,
                                            LogWrite log_write) {
    ums::IoRequest request;
    request.operation = operation;
    request.file = setup_.transfers;
    request.offset_bytes = offset_bytes;
    request.segments = segments.data();
    request.segment_count = static_cast<std::uint32_t>(segments.size());
    request.durable = operation == ums::IoOperation::write && writes_are_durable();
    request.owner = this;
    for (const ums::IoSegment& segment : segments) request.size_bytes += segment.size_bytes;
    UMS_ASSERT(!segments.empty() && segments.size() <= ums::kSegmentsMax);
    UMS_ASSERT(offset_bytes % kSectorBytes == 0 && request.size_bytes % kSectorBytes == 0 && request.size_bytes > 0);
    UMS_ASSERT(offset_bytes + request.size_bytes <= size_bytes());

    if (should_abandon(on_stop)) co_return TransferResult{.error = {}, .is_abandoned = true};
    co_await governor_.acquire();
    co_await outstanding_.acquire(1, ums::WaitType::request_block);
    if (should_abandon(on_stop)) {
        outstanding_.release(1);
        governor_.give_back();
        co_return TransferResult{.error = {}, .is_abandoned = true};
    }
    FileCounters& counters = local_counters();
    counters.posted.add(1);
    co_await ums::Scheduler::current().io(request, wait_type);
    counters.returned.add(1);
    outstanding_.release(1);
    const std::uint64_t duration_ns = request.duration_ns();
    governor_.complete(static_cast<double>(duration_ns) / 1000.0);
    journal_.history().record(request, id());
    count(request, log_write);
    report_if_long(request);
    report_if_short(request);
    co_return TransferResult{request.error, request.transferred_bytes, duration_ns / 1000};
}

bool SimFile::should_abandon(OnStop on_stop) const {
    if (on_stop == OnStop::post) return false;
    return run_.is_stopping() || (on_stop == OnStop::abandon_with_users && run_.users_are_ending());
}

void SimFile::count(const ums::IoRequest& request, LogWrite log_write) {
    FileCounters& counters = local_counters();
    const bool single = is_log() || request.size_bytes <= kPageBytes;
    IoClass io_class = single ? IoClass::read : IoClass::scatter_read;
    if (request.operation == ums::IoOperation::read) {
        (single ? counters.reads : counters.scatter_reads).add(1);
        counters.read_bytes.add(request.transferred_bytes);
    } else {
        const bool is_block = is_log() && log_write != LogWrite::zeros;
        io_class = is_block ? IoClass::log_flush : request.size_bytes <= kPageBytes ? IoClass::write : IoClass::gather_write;
        (single ? counters.writes : counters.gather_writes).add(1);
        counters.written_bytes.add(request.transferred_bytes);
        if (is_block) counters.log_bytes.add(request.transferred_bytes);
    }
    if (io_class == IoClass::log_flush && log_write == LogWrite::block_to_sync) return;
    counters.latency[static_cast<std::size_t>(io_class)].add(request.duration_ns());
}

void SimFile::report_if_long(const ums::IoRequest& request) {
    if (!is_late(request)) return;
    local_counters().long_ios.add(1);
    local_counters().long_io_max_ns.raise_to(request.duration_ns());
    journal_.warning(late_message(path(), request));
    if (!request.reported_lost) report(late_transfer(id(), options(), request));
}

void SimFile::report_if_short(const ums::IoRequest& request) {
    if (is_interrupted(request)) report(interrupted_transfer(id(), options(), request));
}

ums::IoRequest SimFile::diagnosis_read(std::uint64_t offset_bytes, const ums::IoSegment& segment) const {
    ums::IoRequest request;
    request.file = setup_.transfers;
    request.offset_bytes = offset_bytes;
    request.size_bytes = segment.size_bytes;
    request.segments = &segment;
    request.segment_count = 1;
    request.owner = this;
    return request;
}

void SimFile::report(Finding finding) {
    if (!finding.is_warning) finding_count.fetch_add(1, std::memory_order_relaxed);
    finding.place.role = options().role;
    journal_.report(std::move(finding));
}

// Of two at the same time, only one may learn of a loss. A log has one for each block, and cannot afford turns.
ums::Task<std::error_code> SimFile::sync() {
    if (is_log()) co_return co_await sync_now();
    const std::uint64_t begun_before = syncs_begun_;
    co_await sync_turn_.acquire(ums::LatchMode::exclusive, ums::WaitType::io_completion);
    std::error_code error;
    // One that began meanwhile covers the same writes, so many that wait for a slow one need only one more.
    if (last_good_sync_ <= begun_before) {
        const std::uint64_t number = ++syncs_begun_;
        error = co_await sync_now();
        if (!error) last_good_sync_ = number;
    }
    sync_turn_.release(ums::LatchMode::exclusive);
    co_return error;
}

ums::Task<std::error_code> SimFile::sync_block(std::uint64_t write_us) {
    const std::uint64_t begin_ns = journal_.clock().now_ns();
    const std::error_code error = co_await sync();
    const std::uint64_t flush_ns = write_us * 1000 + journal_.clock().now_ns() - begin_ns;
    local_counters().latency[static_cast<std::size_t>(IoClass::log_flush)].add(flush_ns);
    co_return error;
}

ums::Task<std::error_code> SimFile::sync_now() {
    // A dead disk may let each one wait for the system's patience.
    if (const int earlier = sync_error_.load(std::memory_order_relaxed); earlier != 0) co_return ums::errno_error(earlier);
    ums::IoRequest request;
    request.operation = ums::IoOperation::sync;
    request.file = setup_.transfers;
    request.owner = this;
    co_await ums::Scheduler::current().io(request);
    report_if_long(request);
    if (request.error) {
        const bool has_begun = request.error != std::errc::operation_canceled;
        if (has_begun) note_failed_sync(request.error);
        co_return request.error;
    }
    const int meanwhile = sync_error_.load(std::memory_order_relaxed);
    co_return meanwhile != 0 ? ums::errno_error(meanwhile) : std::error_code{};
}

void SimFile::note_failed_sync(const std::error_code& error) {
    if (is_about_storage(error) && give_up()) report(failed_request(id(), options(), FileRequest::sync, error));
    // Any other error may be that of an earlier write, for which the machine lacked something.
    sync_error_.store(error.value(), std::memory_order_relaxed);
}

ums::Task<std::error_code> SimFile::resize(std::uint64_t new_size_bytes) {
    UMS_ASSERT(new_size_bytes % kPageBytes == 0 && !setup_.is_device);
    const std::uint64_t old_size_bytes = size_bytes();
    const bool grows = new_size_bytes > old_size_bytes;
    // A log never has holes, sparse or not: the disk could become full when it is written.
    const bool may_have_holes = setup_.options.sparse && !setup_.options.is_log;
    ums::IoRequest request;
    request.file = setup_.control;
    request.owner = this;
    if (grows && !may_have_holes) {
        request.operation = ums::IoOperation::allocate;
        request.offset_bytes = old_size_bytes;
        request.size_bytes = new_size_bytes - old_size_bytes;
    } else {
        request.operation = ums::IoOperation::truncate;
        request.offset_bytes = new_size_bytes;
    }
    co_await ums::Scheduler::current().io(request);
    report_if_long(request);
    if (!request.error) size_bytes_.store(new_size_bytes, std::memory_order_release);
    if (is_device_error(request.error) && !is_given_up()) report(failed_request(id(), options(), FileRequest::resize, request.error));
    co_return request.error;
}

// The following calls wait for the device inside the system call, so they run on a thread of their own.

ums::Task<std::string> SimFile::free_space_text() const {
    return ums::run_blocking([this] {
        const WatchedCall watched(journal_, "query of the free space", path());
        return sim::free_space_text(storage_, path());
    });
}

ums::Task<std::error_code> SimFile::open_again(ums::FileHandle& handle) const {
    return ums::run_blocking([this, &handle] {
        const WatchedCall watched(journal_, "opening", path());
        return storage_.reopen(setup_.control, {.direct = setup_.direct, .durable_writes = writes_are_durable(), .read_only = true},
                               handle);
    });
}

ums::Task<void> SimFile::close_again(ums::FileHandle handle) const {
    return ums::run_blocking([this, handle] {
        const WatchedCall watched(journal_, "closing", path());
        storage_.close(handle);
    });
}

// Dirty pages are written first, and the system reports a loss once to each handle: not to this one instead of the next sync().
ums::Task<std::error_code> SimFile::drop_cache() const {
    return ums::run_blocking([this] {
        const WatchedCall watched(journal_, "flush of cached pages", path());
        return storage_.drop_cache(setup_.control);
    });
}

ums::Task<std::error_code> SimFile::look_at_size() {
    return ums::run_blocking([this] {
        const WatchedCall watched(journal_, "query of the size", path());
        return read_size();
    });
}

std::error_code SimFile::read_size() {
    if (setup_.is_device) return {};  // as much of it as was asked for
    std::uint64_t now_bytes = 0;
    const std::error_code error = storage_.size(setup_.control, now_bytes);
    const std::uint64_t page_count = std::min(now_bytes / kPageBytes, kFilePagesMax);
    if (!error) size_bytes_.store(page_count * kPageBytes, std::memory_order_release);
    return error;
}

ums::Task<std::error_code> SimFile::open_anew() {
    return ums::run_blocking([this] {
        const WatchedCall watched(journal_, "opening", path());
        if (setup_.transfers.is_open()) storage_.close(setup_.transfers);
        if (setup_.control.is_open()) storage_.close(setup_.control);
        setup_.transfers = setup_.control = {};
        const ums::OpenOptions how{.direct = setup_.direct, .read_only = true};
        std::error_code error = storage_.open(path(), how, setup_.control);
        if (!error) error = storage_.reopen(setup_.control, how, setup_.transfers);
        if (!error) error = read_size();
        return error;
    });
}

ums::Task<std::uint64_t> SimFile::next_data_bytes(std::uint64_t offset_bytes) const {
    return ums::run_blocking([this, offset_bytes] {
        const WatchedCall watched(journal_, "search for holes", path());
        std::uint64_t begin_bytes = 0;
        std::uint64_t end_bytes = 0;
        return storage_.next_data(setup_.transfers, offset_bytes, begin_bytes, end_bytes) ? offset_bytes : begin_bytes;
    });
}

ums::Task<bool> SimFile::is_hole(std::uint64_t offset_bytes, std::uint64_t range_bytes, std::uint64_t& hole_end_bytes) const {
    const std::uint64_t range_end_bytes = offset_bytes + range_bytes;
    if (hole_end_bytes < range_end_bytes) hole_end_bytes = co_await next_data_bytes(offset_bytes);
    co_return hole_end_bytes >= range_end_bytes;
}

std::string path_among(const std::vector<SimFile*>& files, std::uint32_t file_id) {
    const auto found = std::find_if(files.begin(), files.end(), [&](const SimFile* file) { return file->id() == file_id; });
    return found == files.end() ? std::string() : (*found)->path();
}

}  // namespace sim
