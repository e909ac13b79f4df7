// A storage that goes wrong on purpose, around one that does not: for rehearsals. The files below keep what was written; wrong bytes
// exist in memory only, and reads return them in their place, through any handle, until the place is written again. So the files below
// are the truth, and what the program under test was given can be compared with them without asking the program.
//
// Here are the names, the handles and the one lock; which request goes wrong is FaultChoice's, what is done to it FaultEffects', what was
// done FaultRecord's. Requests without an owner (creating the files, a search for evidence) are never chosen and expose nothing, but they
// see what is wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

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
        std::vector<std::string> log_paths;
    };

    // `inner` and `clock` must outlive the injector.
    FaultInjector(ums::Storage& inner, const ums::Clock& clock, Setup setup);

    // Where plans for a single phase learn the phase. Before the run begins; called from the schedulers' threads.
    void set_phase_source(std::function<Phase()> source) { moment_.phase_source = std::move(source); }
    // The program has reported something. What failed until then is healed, as if a person had replaced the part. Any thread.
    void on_finding(const Finding& finding);
    // All that was injected. Any thread.
    [[nodiscard]] std::vector<InjectedFault> faults() const;

    // A backup was completed that holds other log than was written. Any thread.
    [[nodiscard]] bool has_wrong_copy() const;

    // Of the requests that came: what, where, when. The same run in virtual time gives the same.
    [[nodiscard]] std::uint64_t trace_hash() const;
    [[nodiscard]] std::uint64_t request_count() const;

    std::error_code open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) override;
    std::error_code reopen(ums::FileHandle file, const ums::OpenOptions& options, ums::FileHandle& again) override;
    void close(ums::FileHandle file) override;
    std::error_code remove(ums::FileHandle file) override;
    std::error_code truncate(ums::FileHandle file, std::uint64_t size_bytes) override;
    std::error_code read(ums::FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                         std::size_t& transferred_bytes) override;
    std::unique_ptr<ums::IoEngine> make_engine(const ums::EngineOptions& options, std::string& reason) override;

    // For the engines: what happens to a request that is posted, and the alterations when it has come back. Any thread.
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
};

}  // namespace sim
