// The first writes into a file that is being created: its signature page, and zeros. There is no SimFile yet, so nothing is counted or
// governed, but errors of the storage are findings from the first write on.
#pragma once

#include <cstdint>
#include <system_error>

#include "sim/files/io_retry.hpp"
#include "sim/files/sim_file.hpp"
#include "sim/journal/journal.hpp"
#include "sim/journal/run_state.hpp"
#include "sim/options.hpp"
#include "ums/io/io_request.hpp"
#include "ums/sched/task.hpp"

namespace sim {

// The signature page of a file: page 0, version 1. Returns its checksum.
std::uint32_t make_signature(std::uint64_t run_id, std::uint32_t file_id, const Journal& journal, std::byte* page);

class FileStamper {
public:
    // `handle` stays the caller's. `run`: may be null; stamping is cut short when it stops. All references must outlive the object.
    FileStamper(std::uint32_t file_id, const FileOptions& file, ums::FileHandle handle, Journal& journal, const RunState* run)
        : file_id_(file_id), file_(file), handle_(handle), journal_(journal), run_(run) {}

    // Writes the signature page durably. `checksum` is set to that of the page. `may_be_refused`: it is the run's first unbuffered write to
    // the file. EINVAL from every try is no finding then, but left to the caller to explain: some file systems (FUSE) accept O_DIRECT when
    // a file is opened, and refuse it here.
    ums::Task<std::error_code> write_signature(std::uint64_t run_id, std::uint32_t& checksum, bool may_be_refused = false) const;
    // Writes zeros over [begin_bytes, end_bytes), 1 MB at a time, with at most `outstanding_max` requests outstanding.
    ums::Task<std::error_code> write_zeros(std::uint64_t begin_bytes, std::uint64_t end_bytes, std::uint32_t outstanding_max) const;

private:
    [[nodiscard]] bool is_stopping() const { return run_ != nullptr && run_->is_stopping(); }
    [[nodiscard]] ums::IoRequest request_for(std::uint64_t offset_bytes, const ums::IoSegment& segment) const;
    ums::Task<std::error_code> write(ums::IoRequest& request, bool may_be_refused = false) const;
    void report(const RetryResult& tried, const TransferFailure& reported, Finding finding) const;
    void report_anomaly(const ums::IoRequest& request) const;

    const std::uint32_t file_id_;
    const FileOptions& file_;
    const ums::FileHandle handle_;
    Journal& journal_;
    const RunState* const run_;
};

// Writes zeros over a new part of a file that is in use, so that it is allocated and known: within the file's size, 1 MB at a time. The
// caller keeps all others off the range. A failure is retried and is a finding, as for all transfers, unless the volume itself refuses.
// ECANCELED if the run stops before the end: is_called_off() then.
ums::Task<std::error_code> stamp_zeros(SimFile& file, RunState& run, Journal& journal, std::uint64_t begin_bytes, std::uint64_t end_bytes);

// Nothing refused to lengthen a file: the run stops, and the zeros were left out.
[[nodiscard]] bool is_called_off(const std::error_code& error, const RunState& run);

}  // namespace sim
