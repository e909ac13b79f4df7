#include "sim/run/simulation.hpp"

#include <exception>
#include <utility>
#include <vector>

#include "sim/run/reader_driver.hpp"
#include "sim/run/run_driver.hpp"
#include "sim/run/verify_driver.hpp"

namespace sim {

namespace {

std::unique_ptr<Driver> make_driver(Options options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink, PromiseKeeper* keeper,
                                    RunGroup* group) {
    const bool only_reads = group != nullptr && group->reads_with().has_value();
    if (only_reads) return std::make_unique<ReaderDriver>(std::move(options), storage, clock, sink, keeper, group);
    switch (options.job) {
        case Job::run:
        case Job::resume:
        case Job::repair: return std::make_unique<RunDriver>(std::move(options), storage, clock, sink, keeper, group);
        case Job::verify: return std::make_unique<VerifyDriver>(std::move(options), storage, clock, sink, keeper);
    }
    UMS_ASSERT(false && "unknown job");
}

}  // namespace

Simulation::Simulation(Options options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink, PromiseKeeper* keeper,
                       RunGroup* group)
    : driver_(make_driver(std::move(options), storage, clock, sink, keeper, group)) {}

Simulation::~Simulation() = default;

Results Simulation::run() { return driver_->run(); }

void Simulation::request_stop() { driver_->request_stop(); }

void Simulation::release_locks() { driver_->release_locks(); }

void Simulation::look_at_calls() { driver_->look_at_calls(); }

void Simulation::expect_looks(bool are_expected) { driver_->expect_looks(are_expected); }

Progress Simulation::progress() const { return driver_->progress(); }

Phase Simulation::phase() const { return driver_->current_phase(); }

void run_together(std::span<Simulation* const> simulations, ums::VirtualClock& clock,
                  const std::function<void(std::size_t index, Results results)>& on_end) {
    std::vector<ums::SchedulerGroup*> groups;
    for (Simulation* simulation : simulations) groups.push_back(&simulation->driver_->begin());
    for (Simulation* simulation : simulations) simulation->driver_->start();
    std::exception_ptr failure;
    ums::run_together(groups, clock, [&](std::size_t index) {
        try {
            groups[index]->finish();
            on_end(index, simulations[index]->driver_->end());
        } catch (...) {
            failure = std::current_exception();
            for (Simulation* simulation : simulations) simulation->request_stop();
        }
    });
    if (failure) std::rethrow_exception(failure);
}

}  // namespace sim
