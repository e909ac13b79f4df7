#include "sim/rehearsal/fault_choice.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "ums/base/memory_region.hpp"
#include "ums/base/units.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kForever = ~0ULL;
// A log is read in multiples of this.
constexpr std::uint64_t kLogPartBytes = 4096;
// SQL Server and this program retry four times.
constexpr std::uint64_t kFailuresMax = 4;

// Whether the fault is made when a page is written, or when it is read.
bool is_made_by(FindingKind kind, ums::IoOperation operation) {
    switch (kind) {
        case FindingKind::stale_read:
        case FindingKind::lost_write:
        case FindingKind::reverted_page:
        case FindingKind::torn_page:
        case FindingKind::misdirected_write: return operation == ums::IoOperation::write;
        case FindingKind::misdirected_read:
        case FindingKind::bytes_not_read: return operation == ums::IoOperation::read;
        case FindingKind::zeroed_page:
        case FindingKind::bit_corruption:
        case FindingKind::foreign_page:
        case FindingKind::future_version: return true;
        default: return false;
    }
}

}  // namespace

void FaultChoice::decide_transfer(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate) {
    const bool is_chosen_from = parts_.record.is_work(file, request);
    if (is_chosen_from) make_sick(file, request);
    suffer(file, request, fate);
    if (!fate.is_good()) return;
    if (is_chosen_from) {
        stall(file, request, fate);
        choose_pages(file, request, fate);
    }
    save_buffers(file, request, fate);
}

std::optional<FindingKind> FaultChoice::draw_log_fault(FaultPlace place) {
    // The final audit reads the log, too, but it is not a backup.
    if (place == FaultPlace::log_backup && parts_.moment.phase() == Phase::final_audit) return std::nullopt;
    for (FaultPlan& plan : plans_) {
        const bool is_of_backups = plan.place == FaultPlace::chain || plan.place == FaultPlace::log_backup;
        const bool is_meant = is_log_fault(plan.kind) && (is_of_backups ? plan.place : FaultPlace::anywhere) == place;
        if (!is_meant || !draws(plan)) continue;
        --plan.count_max;
        return plan.kind;
    }
    return std::nullopt;
}

bool FaultChoice::draws(const FaultPlan& plan) {
    if (plan.count_max == 0 || parts_.moment.now_ns() < plan.not_before_ns) return false;
    constexpr double kOne = 18446744073709551616.0;  // 2^64
    if (static_cast<double>(parts_.prng.next()) >= plan.rate * kOne) return false;
    return !plan.during || parts_.moment.phase() == *plan.during;
}

bool FaultChoice::fits(const FaultPlan& plan, const FaultyFile& file, const ums::IoRequest& request, std::uint32_t page) {
    const std::uint64_t first = request.offset_bytes / kPageBytes;
    const std::uint64_t last = (request.offset_bytes + request.size_bytes - 1) / kPageBytes;
    std::uint64_t size_bytes = 0;
    switch (plan.place) {
        case FaultPlace::anywhere: return true;
        case FaultPlace::first_page: return page == 0;
        case FaultPlace::middle_page: return page > first && page < last;
        case FaultPlace::moving_end: return std::uint64_t{page} * kPageBytes >= file.smallest_bytes;
        case FaultPlace::sync:
        case FaultPlace::chain:
        case FaultPlace::log_backup: return false;
        case FaultPlace::last_page:
            return !parts_.inner.size(request.file, size_bytes) && (std::uint64_t{page} + 1) * kPageBytes == size_bytes;
    }
    return false;
}

void FaultChoice::choose_pages(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate) {
    if (file.is_log() || request.offset_bytes % kPageBytes != 0) return;
    const auto first = static_cast<std::uint32_t>(request.offset_bytes / kPageBytes);
    const auto count = static_cast<std::uint32_t>(request.size_bytes / kPageBytes);
    for (std::uint32_t i = 0; i < count; ++i) choose_page(file, request, first + i, fate);
}

void FaultChoice::choose_page(FaultyFile& file, const ums::IoRequest& request, std::uint32_t page, RequestFate& fate) {
    for (std::size_t i = 0; i < plans_.size(); ++i) {
        FaultPlan& plan = plans_[i];
        if (!is_made_by(plan.kind, request.operation) || file.is_used(page)) continue;
        if (!fits(plan, file, request, page) || !draws(plan)) continue;
        --plan.count_max;
        fate.chosen.push_back({.plan = i, .kind = plan.kind, .page = page});
        if (plan.kind == FindingKind::bytes_not_read) fate.buffers.push_back({.page = page, .bytes = {}});
        return;
    }
}

// --- requests that fail ---

void FaultChoice::make_sick(FaultyFile& file, const ums::IoRequest& request) {
    for (FaultPlan& plan : plans_) {
        if (plan.kind != FindingKind::io_error && plan.kind != FindingKind::short_transfer) continue;
        if (plan.failing == FailingRequests::written_pages) fail_written_pages(plan, file, request);
        if (plan.failing == FailingRequests::read_ranges) fail_read_range(plan, file, request);
        if (plan.failing != FailingRequests::any) continue;
        const std::uint64_t pages = std::max<std::uint64_t>(request.size_bytes / kPageBytes, 1);
        const std::uint64_t offset_bytes = request.offset_bytes + parts_.prng.below(pages) * kPageBytes;
        const auto page = static_cast<std::uint32_t>(offset_bytes / kPageBytes);
        // As for pages, at most one fault in each place: a wrong block is read again, and what happens then belongs to its finding.
        const bool has_another = file.is_log() ? file.has_wrong(request.offset_bytes, request.size_bytes) : file.is_used(page);
        if (has_another || !fits(plan, file, request, page) || !draws(plan)) continue;
        if (file.has_failed(request)) continue;
        --plan.count_max;
        make_sick(file, request, plan.kind, offset_bytes);
    }
}

// A gather write with several such pages fails, and then each of them does when it is written alone.
void FaultChoice::fail_written_pages(FaultPlan& plan, FaultyFile& file, const ums::IoRequest& request) {
    const bool is_of_pages = !file.is_log() && request.operation == ums::IoOperation::write && request.offset_bytes % kPageBytes == 0;
    if (!is_of_pages || file.has_failed_as_a_whole(request)) return;
    const auto first = static_cast<std::uint32_t>(request.offset_bytes / kPageBytes);
    const auto count = static_cast<std::uint32_t>(request.size_bytes / kPageBytes);
    for (std::uint32_t page = first; page < first + count; ++page) {
        if (file.is_used(page) || !fits(plan, file, request, page) || !draws(plan)) continue;
        --plan.count_max;
        const std::uint64_t offset_bytes = std::uint64_t{page} * kPageBytes;
        InjectedFault& fault = parts_.record.add_page(FindingKind::io_error, file, page, false, "writes fail until it is reported");
        fault.is_write = true;
        file.record_failed_page(page);
        file.sick.push_back({fault.number, offset_bytes, kPageBytes, kForever, true, EIO});
    }
}

// A medium loses whole neighbourhoods, before anybody reads them: decided for a file when it is first read.
void FaultChoice::fail_read_range(FaultPlan& plan, FaultyFile& file, const ums::IoRequest& request) {
    constexpr std::uint64_t kPartsMax = 16;
    const std::uint64_t part_bytes = file.is_log() ? kLogPartBytes : kPageBytes;
    std::uint64_t size_bytes = 0;
    if (request.operation != ums::IoOperation::read || std::exchange(file.was_read, true)) return;
    if (parts_.inner.size(request.file, size_bytes) || size_bytes < 2 * part_bytes || !draws(plan)) return;
    --plan.count_max;
    const std::uint64_t first = parts_.prng.between(1, size_bytes / part_bytes - 1);
    const std::uint64_t end = std::min(first + parts_.prng.between(1, kPartsMax), size_bytes / part_bytes);
    for (std::uint64_t part = first; part < end; ++part) {
        const InjectedFault& fault = parts_.record.add(FindingKind::io_error, {file, part * part_bytes, part_bytes}, false,
                                                       "reads fail, however often they are tried");
        file.sick.push_back({fault.number, part * part_bytes, part_bytes, kForever, false, EIO});
    }
}

void FaultChoice::make_sick(FaultyFile& file, const ums::IoRequest& request, FindingKind kind, std::uint64_t offset_bytes) {
    const bool is_error = kind == FindingKind::io_error;
    const bool is_write = request.operation == ums::IoOperation::write;
    // A log that cannot be written ends the run, which would hide everything else.
    const bool transient = file.is_log() || parts_.prng.below(2) == 0;
    FaultyFile::Sick sick;
    sick.offset_bytes = offset_bytes;
    sick.size_bytes = std::min<std::uint64_t>(file.is_log() ? kSectorBytes : kPageBytes, request.size_bytes);
    sick.requests_left = transient ? (is_error ? parts_.prng.between(1, kFailuresMax) : 1) : kForever;
    sick.on_write = is_write;
    sick.error_code = is_error ? EIO : 0;
    const std::string times = transient ? fmt::format("{} times", sick.requests_left) : "until it is reported";
    InjectedFault& fault = parts_.record.add(
        kind, {file, request.offset_bytes, request.size_bytes}, transient,
        fmt::format("{} at byte {} {} {}", is_write ? "writes" : "reads", offset_bytes, is_error ? "fail" : "end early", times));
    fault.is_write = is_write;
    if (!file.is_log()) file.use(static_cast<std::uint32_t>(offset_bytes / kPageBytes));
    file.record_failure(request);
    sick.fault = fault.number;
    file.sick.push_back(sick);
}

// A sync concerns the file as a whole. One failure is final: nothing will make durable what this sync did not.
void FaultChoice::decide_sync(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate) {
    for (FaultPlan& plan : plans_) {
        const bool is_there = plan.place == FaultPlace::sync || plan.place == FaultPlace::anywhere;
        const bool is_meant = plan.kind == FindingKind::io_error && is_there && plan.failing == FailingRequests::any;
        if (!is_meant || file.has_failed_sync || !draws(plan)) continue;
        --plan.count_max;
        file.has_failed_sync = true;
        fate.error_code = EIO;
        InjectedFault& fault =
            parts_.record.add(FindingKind::io_error, {file, request.offset_bytes, request.size_bytes}, false, "a sync fails");
        fault.is_sync = true;
        parts_.record.expose(fault.number);
        return;
    }
}

void FaultChoice::suffer(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate) {
    const std::uint64_t end_bytes = request.offset_bytes + request.size_bytes;
    for (FaultyFile::Sick& sick : file.sick) {
        const bool is_write = request.operation == ums::IoOperation::write;
        if (sick.on_write != is_write || sick.offset_bytes >= end_bytes || request.offset_bytes >= sick.offset_bytes + sick.size_bytes)
            continue;
        if (sick.requests_left == 0) continue;
        if (sick.requests_left != kForever) --sick.requests_left;
        if (parts_.record.is_work(file, request)) parts_.record.expose(sick.fault);
        if (sick.error_code != 0) {
            fate.error_code = sick.error_code;
        } else {
            const std::uint64_t good_bytes = sick.offset_bytes - std::min(sick.offset_bytes, request.offset_bytes);
            const std::uint64_t sectors = std::min<std::uint64_t>((request.size_bytes - good_bytes) / kSectorBytes, kSectorsPerPage);
            const std::uint64_t short_bytes = good_bytes + (sectors > 1 ? parts_.prng.below(sectors) : 0) * kSectorBytes;
            // The engine below continues with the rest; if the rest arrives, the engine has recorded that it had to continue.
            const bool rest_comes = sick.requests_left != kForever && short_bytes > 0;
            (rest_comes ? fate.short_bytes : fate.transferred_bytes) = short_bytes;
        }
        return;
    }
}

void FaultChoice::stall(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate) {
    for (FaultPlan& plan : plans_) {
        if (plan.kind != FindingKind::stalled_io || file.has_failed(request)) continue;
        const auto page = static_cast<std::uint32_t>(request.offset_bytes / kPageBytes);
        if (!fits(plan, file, request, page) || !draws(plan)) continue;
        --plan.count_max;
        // Leaves a gap between warnings and failures for the granularity of the clock.
        const bool is_warning = parts_.prng.below(2) == 0;
        const std::uint64_t seconds = is_warning ? parts_.prng.between(18, 100) : parts_.prng.between(130, 200);
        fate.delay_ns = seconds * ums::kNsPerSecond;
        InjectedFault& fault = parts_.record.add(FindingKind::stalled_io, {file, request.offset_bytes, request.size_bytes}, is_warning,
                                                 fmt::format("a request is out for {} seconds", seconds));
        fault.is_warning = is_warning;
        parts_.record.expose(fault.number);
        return;
    }
}

// --- what will be needed when the request completes ---

void FaultChoice::save_buffers(const FaultyFile& file, const ums::IoRequest& request, RequestFate& fate) {
    if (request.operation != ums::IoOperation::read) return;
    for (const auto& [page, armed] : file.armed) {
        const std::uint64_t offset_bytes = std::uint64_t{page} * kPageBytes;
        const bool inside = offset_bytes >= request.offset_bytes && offset_bytes + kPageBytes <= request.offset_bytes + request.size_bytes;
        if (armed.keeps_buffer && inside) fate.buffers.push_back({.page = page, .bytes = {}});
    }
    for (RequestFate::Buffer& buffer : fate.buffers) {
        buffer.bytes.resize(kPageBytes);
        ums::copy_from_request(request, std::uint64_t{buffer.page} * kPageBytes, buffer.bytes.data(), kPageBytes);
    }
}

void FaultChoice::read_older(const ums::IoRequest& request, RequestFate& fate) const {
    if (fate.chosen.empty()) return;
    const ums::MemoryRegion memory(kPageBytes, ums::MemoryKind::plain);
    std::erase_if(fate.chosen, [&](RequestFate::Chosen& chosen) {
        std::size_t transferred_bytes = 0;
        const std::uint64_t offset_bytes = std::uint64_t{chosen.page} * kPageBytes;
        if (parts_.inner.read(request.file, offset_bytes, memory.data(), kPageBytes, transferred_bytes)) return true;
        if (transferred_bytes != kPageBytes) return true;
        chosen.older.assign(memory.data(), memory.data() + kPageBytes);
        return false;
    });
}

}  // namespace sim
