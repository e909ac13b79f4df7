// What tests of the log's audit do with a rig: change, audit, look at the blocks in the file.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/log/log_auditor.hpp"
#include "tests/sim/support/log_parser.hpp"
#include "tests/sim/support/rig.hpp"

namespace sim::testing {

inline ums::Task<void> log_change(Rig& rig, std::uint64_t size_bytes) {
    sim::LogReservation reservation = co_await rig.log->space().reserve(size_bytes);
    sim::LogChange change;
    change.kind = sim::LogRecordKind::page_update;
    const std::uint64_t lsn = co_await rig.log->append(reservation, change, size_bytes);
    co_await rig.log->harden(lsn);
}

// Returns the number of bytes read.
inline ums::Task<std::uint64_t> audit_log(Rig& rig) {
    sim::LogAuditor auditor(*rig.log, rig.data_files, rig.state, rig.journal);
    co_return co_await auditor.audit();
}

inline std::vector<ParsedBlock> blocks_on_disk(const Rig& rig) {
    return LogParser::whole_log(rig.log_path(), rig.settings.log_mb, rig.settings.log_alignment_bytes);
}

}  // namespace sim::testing
