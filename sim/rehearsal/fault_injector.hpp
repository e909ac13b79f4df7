// A storage that goes wrong on purpose, around one that does not: for rehearsals. The files below keep what was written; wrong bytes exist
// only in memory, and reads through any handle return them instead until the place is written again. So the files below are the truth, and
// what the program under test was given can be compared with them without asking the program.
//
// This class holds the names, the handles and the one lock; FaultChoice decides which request goes wrong, FaultEffects alters it, and
// FaultRecord keeps what was done. Requests without an owner (creating the files, a search for evidence) are never chosen and expose
// nothing, but they see what is wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/options.hpp"
#include "sim/rehearsal/fault_choice.hpp"
#include "sim/rehearsal/fault_effects.hpp"
#include "sim/rehearsal/fault_plan.hpp"
#include "sim/rehearsal/fault_record.hpp"
#include "sim/rehearsal/faulty_files.hpp"
#include "sim/rehearsal/injected_fault.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/forwarding_storage.hpp"

namespace sim {

class FaultInjector final : public ums::ForwardingStorage {
public:
    struct Setup {
        std::vector<FaultPlan> plans;
        std::uint64_t seed = 0;
        std::vector<std::string> log_paths;  // files that hold blocks, not pages
        bool has_log_backups = false;
    };
    // For a run with these options.
    [[nodiscard]] static Setup setup_for(const Options& options, std::vector<FaultPlan> plans, std::uint64_t seed);

    // `inner` and `clock` must outlive the injector.
    FaultInjector(ums::Storage& inner, const ums::Clock& clock, Setup setup);

    // Where plans for a single phase get the phase from; called from the schedulers' threads. Set it before the run begins.
    void set_phase_source(std::function<Phase()> source) { moment_.phase_source = std::move(source); }
    // The program has reported something. What failed there is healed, as if the part had been replaced. Any thread.
    void on_finding(const Finding& finding);
    // All injected faults. Any thread.
    [[nodiscard]] std::vector<InjectedFault> faults() const;

    // A backup was completed whose log differs from what was written. Any thread.
    [[nodiscard]] bool has_wrong_copy() const;

    // Of the requests received: what, where, when. The same run in virtual time gives the same hash.
    [[nodiscard]] std::uint64_t trace_hash() const;
    [[nodiscard]] std::uint64_t request_count() const;
    // When the program last posted a read or a write of its work.
    [[nodiscard]] std::uint64_t last_work_ns() const;

    std::error_code open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) override;
    std::error_code reopen(ums::FileHandle file, const ums::OpenOptions& options, ums::FileHandle& again) override;
    void close(ums::FileHandle file) override;
    std::error_code remove(ums::FileHandle file) override;
    std::error_code truncate(ums::FileHandle file, std::uint64_t size_bytes) override;
    std::error_code read(ums::FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                         std::size_t& transferred_bytes) override;
    std::unique_ptr<ums::IoEngine> make_engine(const ums::EngineOptions& options, std::string& reason) override;

    // For the engines: the fate of a request that is posted, and the alterations when it has completed. Any thread.
    [[nodiscard]] RequestFate fate_of(const ums::IoRequest& request);
    void carry_out(ums::IoRequest& request, RequestFate& fate);
    [[nodiscard]] const ums::Clock& clock() const { return moment_.clock; }

private:
    void trace(const ums::IoRequest& request);

    FaultMoment moment_;

    mutable std::mutex mutex_;  // guards the rest
    ums::Prng prng_;
    FaultyFiles files_;
    FaultRecord record_;
    FaultChoice choice_;
    FaultEffects effects_;
    std::uint64_t trace_hash_ = 0;
    std::uint64_t request_count_ = 0;
    std::uint64_t last_work_ns_ = 0;
};

}  // namespace sim
