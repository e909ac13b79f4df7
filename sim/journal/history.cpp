#include "sim/journal/history.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <tuple>
#include <utility>

#include "sim/page/log_layout.hpp"
#include "sim/page/page_layout.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/units.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

struct FirstHeader {
    std::uint32_t version = 0;
    std::uint64_t lsn = 0;
};

// Adds nothing if this is not one of our headers.
FirstHeader first_header(const ums::IoRequest& request) {
    const ums::IoSegment& first = *request.segments;
    const bool is_there = request.operation == ums::IoOperation::write || request.transferred_bytes >= kSectorBytes;
    if (!is_there || first.data == nullptr || first.size_bytes < kSectorBytes) return {};
    PageHeader page;
    LogBlockHeader block;
    static_assert(offsetof(PageHeader, magic) == offsetof(LogBlockHeader, magic));
    std::memcpy(&page, first.data, sizeof page);
    if (page.magic == kPageMagic) return {page.version, page.lsn};
    std::memcpy(&block, first.data, sizeof block);
    return block.magic == kLogMagic ? FirstHeader{0, block.first_lsn} : FirstHeader{};
}

std::deque<OperationRing> make_rings(std::byte* memory, std::uint32_t count) {
    std::deque<OperationRing> rings;
    auto* const operations = reinterpret_cast<Operation*>(memory);
    for (std::uint32_t i = 0; i < count; ++i) rings.emplace_back(std::span(operations + i * kOperationsKept, kOperationsKept));
    return rings;
}

}  // namespace

History::History(const ums::Clock& clock, std::uint32_t cpu_count)
    : clock_(clock),
      memory_((std::size_t{cpu_count} + 1) * kOperationsKept * sizeof(Operation), ums::MemoryKind::plain),
      rings_(make_rings(memory_.data(), cpu_count)),
      watched_(std::make_unique<OperationRing>(
          std::span(reinterpret_cast<Operation*>(memory_.data()) + cpu_count * kOperationsKept, kOperationsKept))),
      places_(std::make_unique<Place[]>(kWatchedPlacesMax)) {}

void History::record(const ums::IoRequest& request, std::uint32_t file_id, OperationPurpose purpose) {
    UMS_ASSERT(request.operation == ums::IoOperation::read || request.operation == ums::IoOperation::write);
    const ums::Scheduler& scheduler = ums::Scheduler::current();
    OperationRing& ring = rings_.at(scheduler.id());
    const FirstHeader header = first_header(request);
    const std::string_view user = scheduler.worker().name;
    const auto fill = [&](Operation& operation) {
        operation.posted_ns = request.submitted_ns;
        operation.duration_ns = request.duration_ns();
        operation.offset_bytes = request.offset_bytes;
        operation.lsn = header.lsn;
        operation.size_bytes = static_cast<std::uint32_t>(request.size_bytes);
        operation.transferred_bytes = static_cast<std::uint32_t>(request.transferred_bytes);
        operation.version = header.version;
        operation.error_code = request.error.value();
        operation.file_id = static_cast<std::uint16_t>(file_id);
        operation.cpu = static_cast<std::uint8_t>(scheduler.id());
        operation.is_write = request.operation == ums::IoOperation::write;
        operation.is_diagnosis = purpose == OperationPurpose::diagnosis;
        operation.user[user.copy(operation.user.data(), operation.user.size() - 1)] = 0;
    };
    const std::uint64_t sequence = ring.record(fill);
    if (place_count_.load(std::memory_order_relaxed) == 0) return;
    Operation operation;
    fill(operation);
    operation.sequence = sequence;
    if (is_watched(operation)) watched_->copy_in(operation);
}

bool History::is_watched(const Operation& operation) const {
    const std::size_t count = place_count_.load(std::memory_order_acquire);
    return std::any_of(places_.get(), places_.get() + count, [&](const Place& place) { return place.holds(operation); });
}

void History::watch(std::uint32_t file_id, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    const Place place{file_id, offset_bytes, offset_bytes + size_bytes};
    {
        const std::lock_guard guard(places_lock_);
        const std::size_t count = place_count_.load(std::memory_order_relaxed);
        if (count == kWatchedPlacesMax || std::find(places_.get(), places_.get() + count, place) != places_.get() + count) return;
        places_[count] = place;
        place_count_.store(count + 1, std::memory_order_release);
    }
    for (const OperationRing& ring : rings_) {
        ring.visit(kOperationsKept, [&](const Operation& operation) {
            if (place.holds(operation)) watched_->copy_in(operation);
        });
    }
}

std::vector<HistoryEntry> History::page_history(std::uint32_t file_id, std::uint64_t offset_bytes, std::uint64_t size_bytes,
                                                std::size_t count_max) const {
    const Place place{file_id, offset_bytes, offset_bytes + size_bytes};
    std::vector<Operation> found;
    const auto keep = [&](const Operation& operation) {
        if (place.holds(operation)) found.push_back(operation);
    };
    watched_->visit(kOperationsKept, keep);
    for (const OperationRing& ring : rings_) ring.visit(kOperationsKept, keep);
    return entries(found, count_max);
}

std::vector<HistoryEntry> History::latest(std::size_t count_max) const {
    std::vector<Operation> found;
    for (const OperationRing& ring : rings_) ring.visit(count_max, [&](const Operation& operation) { found.push_back(operation); });
    return entries(found, count_max);
}

std::vector<HistoryEntry> History::entries(std::vector<Operation>& operations, std::size_t count_max) const {
    const auto key = [](const Operation& operation) { return std::tuple(operation.posted_ns, operation.cpu, operation.sequence); };
    std::sort(operations.begin(), operations.end(), [&](const Operation& a, const Operation& b) { return key(a) < key(b); });
    // A place that was found twice, or that is watched, has the same operation in two rings.
    const auto same = [&](const Operation& a, const Operation& b) { return key(a) == key(b); };
    operations.erase(std::unique(operations.begin(), operations.end(), same), operations.end());
    const std::size_t left_out = operations.size() - std::min(operations.size(), count_max);

    const std::uint64_t now_ns = clock_.now_ns();
    const std::uint64_t now_utc_us = clock_.utc_us();
    std::vector<HistoryEntry> entries;
    entries.reserve(operations.size() - left_out);
    for (std::size_t i = left_out; i < operations.size(); ++i) {
        const Operation& operation = operations[i];
        HistoryEntry entry;
        entry.utc_us = now_utc_us - (now_ns - std::min(now_ns, operation.posted_ns)) / ums::kNsPerUs;
        entry.duration_us = operation.duration_ns / ums::kNsPerUs;
        entry.cpu = operation.cpu;
        entry.user = operation.user.data();
        entry.is_write = operation.is_write;
        entry.is_diagnosis = operation.is_diagnosis;
        entry.file_id = operation.file_id;
        entry.offset_bytes = operation.offset_bytes;
        entry.size_bytes = operation.size_bytes;
        entry.version = operation.version;
        entry.lsn = operation.lsn;
        entry.error_code = operation.error_code;
        entry.transferred_bytes = operation.transferred_bytes;
        entries.push_back(std::move(entry));
    }
    return entries;
}

}  // namespace sim
