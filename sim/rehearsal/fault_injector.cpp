#include "sim/rehearsal/fault_injector.hpp"

#include <algorithm>
#include <utility>

#include "sim/backup/backup_files.hpp"
#include "sim/rehearsal/injecting_engine.hpp"

namespace sim {

FaultInjector::Setup FaultInjector::setup_for(const Options& options, std::vector<FaultPlan> plans, std::uint64_t seed) {
    Setup setup{.plans = std::move(plans), .seed = seed, .log_paths = {}, .has_log_backups = options.backup_user.log_interval_s != 0};
    for (const FileOptions& file : options.files) {
        if (file.is_log) setup.log_paths.push_back(file.path);
    }
    for (const FileOptions& file : backup_files(options)) {
        if (file.role == FileRole::backup_chain) setup.log_paths.push_back(file.path);
    }
    return setup;
}

FaultInjector::FaultInjector(ums::Storage& inner, const ums::Clock& clock, Setup setup)
    : ForwardingStorage(inner),
      moment_{clock},
      prng_(setup.seed),
      files_(std::move(setup.log_paths)),
      record_(files_, moment_),
      choice_(std::move(setup.plans), {.inner = inner, .moment = moment_, .prng = prng_, .record = record_}),
      effects_({.files = files_, .choice = choice_, .record = record_, .prng = prng_, .has_log_backups = setup.has_log_backups}) {}

std::unique_ptr<ums::IoEngine> FaultInjector::make_engine(const ums::EngineOptions& options, std::string& reason) {
    return make_injecting_engine(*this, inner().make_engine(options, reason));
}

// --- files ---

std::error_code FaultInjector::open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) {
    const std::error_code error = inner().open(path, options, file);
    if (error) return error;
    const std::lock_guard guard(mutex_);
    files_.opened(file, files_.at(path));
    return error;
}

std::error_code FaultInjector::reopen(ums::FileHandle file, const ums::OpenOptions& options, ums::FileHandle& again) {
    const std::error_code error = inner().reopen(file, options, again);
    const std::lock_guard guard(mutex_);
    FaultyFile* const known = files_.find(file);
    if (!error && known != nullptr) files_.opened(again, *known);
    return error;
}

void FaultInjector::close(ums::FileHandle file) {
    {
        const std::lock_guard guard(mutex_);
        files_.closed(file);
    }
    inner().close(file);
}

std::error_code FaultInjector::remove(ums::FileHandle file) {
    const std::error_code error = inner().remove(file);
    const std::lock_guard guard(mutex_);
    FaultyFile* const known = files_.find(file);
    if (!error && known != nullptr) known->cut(0);
    return error;
}

std::error_code FaultInjector::truncate(ums::FileHandle file, std::uint64_t size_bytes) {
    const std::error_code error = inner().truncate(file, size_bytes);
    const std::lock_guard guard(mutex_);
    FaultyFile* const known = files_.find(file);
    if (!error && known != nullptr) known->cut(size_bytes);
    return error;
}

std::error_code FaultInjector::read(ums::FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                                    std::size_t& transferred_bytes) {
    const std::error_code error = inner().read(file, offset_bytes, data, size_bytes, transferred_bytes);
    if (error || offset_bytes % kSectorBytes != 0 || transferred_bytes % kSectorBytes != 0) return error;
    const ums::IoSegment segment{data, transferred_bytes};
    ums::IoRequest request;
    request.offset_bytes = offset_bytes;
    request.size_bytes = transferred_bytes;
    request.segments = &segment;
    request.segment_count = 1;
    const std::lock_guard guard(mutex_);
    if (FaultyFile* const known = files_.find(file)) known->apply_wrong(request, [](std::uint64_t) {});
    return error;
}

// --- what was done ---

void FaultInjector::on_finding(const Finding& finding) {
    if (finding.request.of_file != FileRequest::none) return;
    const std::lock_guard guard(mutex_);
    const std::uint64_t begin = finding.place.offset_bytes;
    const std::uint64_t end = begin + std::max<std::uint64_t>(finding.place.size_bytes, kSectorBytes);
    record_.reported(finding.place.path, begin, end);
    std::erase_if(files_.at(finding.place.path).sick,
                  [&](const FaultyFile::Sick& sick) { return sick.offset_bytes < end && begin < sick.offset_bytes + sick.size_bytes; });
}

std::vector<InjectedFault> FaultInjector::faults() const {
    const std::lock_guard guard(mutex_);
    return record_.all();
}

bool FaultInjector::has_wrong_copy() const {
    const std::lock_guard guard(mutex_);
    return effects_.has_wrong_copy();
}

std::uint64_t FaultInjector::trace_hash() const {
    const std::lock_guard guard(mutex_);
    return trace_hash_;
}

std::uint64_t FaultInjector::request_count() const {
    const std::lock_guard guard(mutex_);
    return request_count_;
}

std::uint64_t FaultInjector::last_work_ns() const {
    const std::lock_guard guard(mutex_);
    return last_work_ns_;
}

void FaultInjector::trace(const ums::IoRequest& request) {
    ++request_count_;
    for (const std::uint64_t value : {static_cast<std::uint64_t>(request.operation), static_cast<std::uint64_t>(request.file.value),
                                      request.offset_bytes, request.size_bytes, clock().now_ns()}) {
        trace_hash_ = ums::mix64(trace_hash_ ^ value);
    }
}

// --- engines ---

RequestFate FaultInjector::fate_of(const ums::IoRequest& request) {
    RequestFate fate;
    {
        const std::lock_guard guard(mutex_);
        trace(request);
    }
    if (request.operation == ums::IoOperation::sync && request.owner != nullptr) {
        const std::lock_guard guard(mutex_);
        if (FaultyFile* const file = files_.find(request.file)) choice_.decide_sync(*file, request, fate);
        return fate;
    }
    const bool is_transfer = request.operation == ums::IoOperation::read || request.operation == ums::IoOperation::write;
    if (!is_transfer || request.size_bytes == 0) return fate;
    {
        const std::lock_guard guard(mutex_);
        FaultyFile* const file = files_.find(request.file);
        if (file == nullptr) return fate;
        choice_.decide_transfer(*file, request, fate);
        if (record_.is_work(*file, request)) last_work_ns_ = clock().now_ns();
    }
    if (request.operation == ums::IoOperation::write) choice_.read_older(request, fate);
    return fate;
}

void FaultInjector::carry_out(ums::IoRequest& request, RequestFate& fate) {
    const std::lock_guard guard(mutex_);
    FaultyFile* const file = files_.find(request.file);
    if (file == nullptr) return;
    if (request.operation == ums::IoOperation::truncate && !request.error) file->cut(request.offset_bytes);
    if (!request.is_complete_transfer()) return;
    if (request.operation == ums::IoOperation::write) effects_.finish_write(*file, request, fate);
    if (request.operation == ums::IoOperation::read) {
        if (fate.transferred_bytes == ~0ULL) {
            effects_.finish_read(*file, request, fate);
        } else {
            // After a short read, users of pages read them again one by one; a search takes what arrived, so it must be what the disk
            // holds.
            file->apply_wrong(request, [](std::uint64_t) {});
        }
    }
    request.transferred_bytes = std::min(request.transferred_bytes, fate.transferred_bytes);
    if (fate.short_bytes != 0) request.short_bytes = fate.short_bytes;
}

}  // namespace sim
