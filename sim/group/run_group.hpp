// The other runs of a group on several hosts, as one of the runs sees them: the interface to the witness, or to a test.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/finding.hpp"
#include "sim/group/group_result.hpp"

namespace sim {

// The files as their new owner found them and continues with them.
struct TakeOver {
    std::uint64_t run_id = 0;
    std::uint32_t incarnation = 0;  // the one that begins now
    std::uint32_t first_vlf = 0;    // its first LSN is in this VLF; those of earlier incarnations are in smaller ones
    std::uint64_t last_lsn = 0;     // of the log before it
    std::uint64_t redo_utc_us = 0;  // from then until utc_us, by this host's clock, the new owner rewrote pages with their old LSN
    std::uint64_t utc_us = 0;       // when the new owner found them, by this host's clock
    std::map<std::uint32_t, std::vector<std::uint32_t>> versions;  // of each data file's pages; 0: nothing was known
};

class RunGroup {
public:
    enum class Meeting : std::uint8_t {
        begin,        // before any file is touched
        main_run,     // the files are created and written
        final_audit,  // no run of this group writes any more
    };

    virtual ~RunGroup() = default;

    // All functions: any thread; they never wait.

    // Which run it is, and with which files.
    virtual void begins(std::uint64_t run_id, std::vector<std::string> paths) = 0;
    // This run has reached the meeting. True once the others have, too, or are no longer waited for; called repeatedly. Throws
    // EnvironmentError if this run must not touch the files.
    [[nodiscard]] virtual bool may_pass(Meeting meeting, std::uint32_t cycle) = 0;
    // How long users rest from now on, between two bursts of load. 0: they work.
    [[nodiscard]] virtual std::uint64_t rest_us() const = 0;

    // The run whose files are to be taken over, or read; 0: the files are recreated, or no run is known.
    [[nodiscard]] virtual std::uint64_t wanted_run_id() const = 0;
    // Whether files that are taken over must be those of an earlier owner: if no run is known, it has made none.
    [[nodiscard]] virtual bool hands_files_over() const { return false; }
    // What was read and compared before anything is written, even if that ended with findings.
    virtual void verified(const TakeOverResult& what) = 0;
    virtual void takes_over(TakeOver what) = 0;

    // For a run that only reads what another one, the owner, writes.
    enum class Coherence : std::uint8_t {
        strict,         // each read must see what was promised before it began
        close_to_open,  // ... before its file was opened: the files are reopened for each pass
    };
    enum class Owner : std::uint8_t {
        works,
        ended,  // in order: none of its writes is in flight
        lost,
        unknown,  // the witness has not answered for so long that nothing is waited for
    };
    // Nothing: this run has its own files.
    [[nodiscard]] virtual std::optional<Coherence> reads_with() const { return std::nullopt; }
    // The state of the owner, whose run is wanted_run_id().
    [[nodiscard]] virtual Owner owner() const { return Owner::works; }
    // What the reader has done so far.
    virtual void has_read(const ReaderResult& what) { static_cast<void>(what); }

    // Adds to a finding what the group knows about it.
    virtual void explain(Finding& finding) const = 0;
};

}  // namespace sim
