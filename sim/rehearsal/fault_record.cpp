#include "sim/rehearsal/fault_record.hpp"

#include <optional>
#include <utility>

#include "sim/rehearsal/fault_plan.hpp"

namespace sim {

InjectedFault& FaultRecord::add(FindingKind kind, const Place& place, bool transient, std::string what) {
    InjectedFault fault;
    fault.number = faults_.size() + 1;
    fault.kind = fault.expected = kind;
    fault.what = std::move(what);
    fault.path = place.file.path();
    fault.offset_bytes = place.offset_bytes;
    fault.size_bytes = place.size_bytes;
    fault.transient = transient;
    const std::optional<Phase> phase = moment_.phase();
    fault.phase = phase ? name_of(*phase) : std::string_view();
    fault.at_ns = moment_.now_ns();
    faults_.push_back(std::move(fault));
    return faults_.back();
}

InjectedFault& FaultRecord::add_page(FindingKind kind, FaultyFile& file, std::uint32_t page, bool transient, std::string what) {
    file.use(page);
    return add(kind, {file, std::uint64_t{page} * kPageBytes, kPageBytes}, transient, std::move(what));
}

bool FaultRecord::is_other_end_known(const InjectedFault& fault) {
    const InjectedFault& partner = at(fault.partner);
    return partner.exposed || files_.at(partner.path).still_wrong(partner.number);
}

void FaultRecord::expose(std::uint64_t number) {
    InjectedFault& fault = at(number);
    if (fault.exposed) return;
    fault.exposed = true;
    fault.exposed_ns = moment_.now_ns();
    // The place to which the image went has been overwritten: all that is left is that the image is not here.
    if (fault.went_elsewhere && !is_other_end_known(fault)) fault.expected = FindingKind::lost_write;
    is_log_exposed_ |= is_log_fault(fault.kind) && !fault.is_in_chain;
    name_log_fault(fault);
}

void FaultRecord::reported(const std::string& path, std::uint64_t begin_bytes, std::uint64_t end_bytes) {
    for (InjectedFault& fault : faults_) {
        const bool is_here = fault.path == path && fault.offset_bytes < end_bytes && begin_bytes < fault.offset_bytes + fault.size_bytes;
        if (!is_here) continue;
        if (fault.went_elsewhere && fault.expected != FindingKind::lost_write && !is_other_end_known(fault)) {
            fault.or_else = FindingKind::lost_write;
        }
    }
}

bool FaultRecord::is_work(const FaultyFile& file, const ums::IoRequest& request) const {
    // Once a log block has been wrong, others are read only to see where the log continues.
    const bool is_log_search = file.is_log() && is_log_exposed_ && request.operation == ums::IoOperation::read;
    return request.owner != nullptr && !request.is_search && !is_log_search;
}

void FaultRecord::log_read(const FaultyFile& file, const ums::IoRequest& read) {
    for (const std::uint64_t number : lost_blocks_.missed_by(file.path(), read)) name_log_fault(at(number));
}

// A log that ends too early violates the write-ahead rule if pages hold changes from beyond its end. A hole with more log behind it, or an
// end that lacks nothing but marks, is a gap.
void FaultRecord::name_log_fault(InjectedFault& fault) const {
    if (lost_blocks_.misses_updates_at_end(fault.number)) {
        fault.expected = FindingKind::wal_violation;
        // A run that stops on a finding sees no more than the gap.
        if (lost_blocks_.misses_before_end(fault.number)) fault.or_else = FindingKind::log_gap;
    } else if (fault.kind == FindingKind::wal_violation) {
        fault.expected = FindingKind::log_gap;
    }
}

}  // namespace sim
