// Names, handles, and the book of what was injected.
#include "sim/rehearsal/fault_injector.hpp"

#include <algorithm>
#include <utility>

#include "sim/rehearsal/injecting_engine.hpp"

namespace sim {

FaultInjector::FaultInjector(ums::Storage& inner, const ums::Clock& clock, Setup setup)
    : inner_(inner), clock_(clock), log_paths_(std::move(setup.log_paths)), plans_(std::move(setup.plans)), prng_(setup.seed) {}

std::unique_ptr<ums::IoEngine> FaultInjector::make_engine(const ums::EngineOptions& options, std::string& reason) {
    return make_injecting_engine(*this, inner_.make_engine(options, reason));
}

// --- files ---

FaultyFile* FaultInjector::file_of(const std::string& path) {
    auto& file = files_[path];
    if (!file) {
        const bool is_log = std::find(log_paths_.begin(), log_paths_.end(), path) != log_paths_.end();
        file = std::make_unique<FaultyFile>(path, is_log);
    }
    return file.get();
}

FaultyFile* FaultInjector::file_of(ums::FileHandle handle) {
    const auto found = open_.find(handle.value);
    return found == open_.end() ? nullptr : found->second;
}

std::error_code FaultInjector::open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) {
    const std::error_code error = inner_.open(path, options, file);
    if (error) return error;
    const std::lock_guard guard(mutex_);
    open_[file.value] = file_of(path);
    return error;
}

void FaultInjector::close(ums::FileHandle file) {
    {
        const std::lock_guard guard(mutex_);
        open_.erase(file.value);
    }
    inner_.close(file);
}

std::error_code FaultInjector::remove(const std::string& path) {
    {
        const std::lock_guard guard(mutex_);
        file_of(path)->cut(0);
    }
    return inner_.remove(path);
}

std::error_code FaultInjector::truncate(ums::FileHandle file, std::uint64_t size_bytes) {
    const std::error_code error = inner_.truncate(file, size_bytes);
    const std::lock_guard guard(mutex_);
    FaultyFile* const known = file_of(file);
    if (!error && known != nullptr) known->cut(size_bytes);
    return error;
}

std::error_code FaultInjector::read(ums::FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                                    std::size_t& transferred_bytes) {
    const std::error_code error = inner_.read(file, offset_bytes, data, size_bytes, transferred_bytes);
    if (error || offset_bytes % kSectorBytes != 0 || transferred_bytes % kSectorBytes != 0) return error;
    const ums::IoSegment segment{data, transferred_bytes};
    ums::IoRequest request;
    request.offset_bytes = offset_bytes;
    request.size_bytes = transferred_bytes;
    request.segments = &segment;
    request.segment_count = 1;
    const std::lock_guard guard(mutex_);
    if (FaultyFile* const known = file_of(file)) known->apply_wrong(request, [](std::uint64_t) {});
    return error;
}

// --- the book ---

InjectedFault& FaultInjector::add(FindingKind kind, const Place& place, bool transient, std::string what) {
    InjectedFault fault;
    fault.number = faults_.size() + 1;
    fault.kind = fault.expected = kind;
    fault.what = std::move(what);
    fault.path = place.file->path();
    fault.offset_bytes = place.offset_bytes;
    fault.size_bytes = place.size_bytes;
    fault.transient = transient;
    fault.phase = phase_source_ ? name_of(phase_source_()) : std::string_view();
    fault.at_ns = clock_.now_ns();
    faults_.push_back(std::move(fault));
    return faults_.back();
}

InjectedFault& FaultInjector::add_page(FindingKind kind, const FaultyFile& file, std::uint32_t page, bool transient, std::string what) {
    files_.at(file.path())->use(page);
    return add(kind, {&file, std::uint64_t{page} * kPageBytes, kPageBytes}, transient, std::move(what));
}

bool FaultInjector::is_other_end_known(const InjectedFault& fault) {
    const InjectedFault& partner = faults_[fault.partner - 1];
    return partner.exposed || file_of(partner.path)->still_wrong(partner.number);
}

void FaultInjector::expose(std::uint64_t number) {
    InjectedFault& fault = faults_[number - 1];
    if (fault.exposed) return;
    fault.exposed = true;
    fault.exposed_ns = clock_.now_ns();
    // Where the image went has been written over: what is left is that it is not here.
    if (fault.went_elsewhere && !is_other_end_known(fault)) fault.expected = FindingKind::lost_write;
    is_log_exposed_ |= is_log_fault(fault.kind);
    name_log_fault(fault);
}

void FaultInjector::on_finding(const Finding& finding) {
    const std::lock_guard guard(mutex_);
    const std::uint64_t begin = finding.offset_bytes;
    const std::uint64_t end = begin + std::max<std::uint64_t>(finding.size_bytes, kSectorBytes);
    for (InjectedFault& fault : faults_) {
        if (fault.path != finding.path || fault.offset_bytes >= end || begin >= fault.offset_bytes + fault.size_bytes) continue;
        if (fault.went_elsewhere && fault.expected != FindingKind::lost_write && !is_other_end_known(fault)) {
            fault.or_else = FindingKind::lost_write;
        }
    }
    std::erase_if(file_of(finding.path)->sick,
                  [&](const FaultyFile::Sick& sick) { return sick.offset_bytes < end && begin < sick.offset_bytes + sick.size_bytes; });
}

std::vector<InjectedFault> FaultInjector::faults() const {
    const std::lock_guard guard(mutex_);
    return faults_;
}

std::uint64_t FaultInjector::trace_hash() const {
    const std::lock_guard guard(mutex_);
    return trace_hash_;
}

std::uint64_t FaultInjector::request_count() const {
    const std::lock_guard guard(mutex_);
    return request_count_;
}

void FaultInjector::trace(const ums::IoRequest& request) {
    ++request_count_;
    for (const std::uint64_t value : {static_cast<std::uint64_t>(request.operation), static_cast<std::uint64_t>(request.file.value),
                                      request.offset_bytes, request.size_bytes, clock_.now_ns()}) {
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
    const bool is_transfer = request.operation == ums::IoOperation::read || request.operation == ums::IoOperation::write;
    if (!is_transfer || request.size_bytes == 0) return fate;
    {
        const std::lock_guard guard(mutex_);
        FaultyFile* const file = file_of(request.file);
        if (file == nullptr) return fate;
        const bool is_chosen_from = is_work(*file, request);
        if (is_chosen_from) make_sick(*file, request);
        suffer(*file, request, fate);
        if (!fate.is_good()) return fate;
        if (is_chosen_from) {
            stall(*file, request, fate);
            choose_pages(*file, request, fate);
        }
        save_buffers(*file, request, fate);
    }
    if (request.operation == ums::IoOperation::write) read_older(request, fate);
    return fate;
}

void FaultInjector::carry_out(ums::IoRequest& request, RequestFate& fate) {
    const std::lock_guard guard(mutex_);
    FaultyFile* const file = file_of(request.file);
    if (file == nullptr || !request.is_complete_transfer()) {
        const bool is_cut = request.operation == ums::IoOperation::truncate && !request.error;
        if (file != nullptr && is_cut) file->cut(request.offset_bytes);
        return;
    }
    if (request.operation == ums::IoOperation::write) finish_write(*file, request, fate);
    if (request.operation == ums::IoOperation::read) {
        if (fate.transferred_bytes == ~0ULL) {
            finish_read(*file, request, fate);
        } else {
            // Who works with pages asks for them again, one by one; a search takes what has come, and it must be what the disk holds.
            file->apply_wrong(request, [](std::uint64_t) {});
        }
    }
    request.transferred_bytes = std::min(request.transferred_bytes, fate.transferred_bytes);
    if (fate.short_bytes != 0) request.short_bytes = fate.short_bytes;
}

}  // namespace sim
