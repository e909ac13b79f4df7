// A complete run: creates the files, drives all users through all phases, verifies, and reports what happened. Or a verification of the
// files that a crash left (see Options::job), or a run that reads what a run on another host writes (see RunGroup::reads_with()). The only
// class of sim that others need.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "sim/errors.hpp"
#include "sim/event.hpp"
#include "sim/group/run_group.hpp"
#include "sim/options.hpp"
#include "sim/promises/promise_keeper.hpp"
#include "sim/results.hpp"
#include "ums/base/clock.hpp"
#include "ums/io/storage.hpp"

namespace sim {

class Driver;

class Simulation {
public:
    // `options` must have passed config's checks. `storage`, `clock`, `sink` and `keeper` must outlive the simulation. Opens nothing yet.
    // `keeper`: keeps what the storage has acknowledged, outside it; null: nothing does. `group`: the one to which this run belongs; null:
    // none. It must outlive the simulation, too.
    Simulation(Options options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink, PromiseKeeper* keeper = nullptr,
               RunGroup* group = nullptr);
    ~Simulation();

    // Runs to the end and returns what happened; blocks meanwhile. Once per object. Findings are results, not exceptions. Throws
    // RefusedError or EnvironmentError if the run could not begin and the storage is not to blame, and then removes the files that it
    // created. Storage that failed before the run began results in Outcome::failed, lack of space later on in Outcome::not_done.
    Results run();

    // Ends the run cleanly: users stop, everything outstanding is drained, the result says Outcome::stopped. Any thread, any time; does
    // not block.
    void request_stop();

    // Gives up the files although this run has not ended, so that others may take them. For a rehearsal of exactly that. Any thread.
    void release_locks();

    // Warns of calls into the storage that do not return, of those that took long, and if the whole process stood still. To be called once
    // a second while the run goes on, on another thread, because such a call may block the run's own.
    void look_at_calls();
    // False before that thread does what may take it long, true after it: the process has not stood still then.
    void expect_looks(bool are_expected);

    // Any thread, any time.
    [[nodiscard]] Progress progress() const;
    // The same phase, without a lock: for a storage that the run calls. Any thread.
    [[nodiscard]] Phase phase() const;

private:
    friend void run_together(std::span<Simulation* const> simulations, ums::VirtualClock& clock,
                             const std::function<void(std::size_t index, Results results)>& on_end);

    std::unique_ptr<Driver> driver_;
};

// Runs all of them in one virtual time, on the calling thread, like hosts that share a storage. All of them use the clock `clock`. Calls
// `on_end` with the results of each as soon as it has ended, and its index in `simulations`; it must not throw. If run() would throw for
// one of them, the others are stopped, and the exception is thrown once they have ended, too.
void run_together(std::span<Simulation* const> simulations, ums::VirtualClock& clock,
                  const std::function<void(std::size_t index, Results results)>& on_end);

}  // namespace sim
