#include "sim/simulation.hpp"

#include <utility>

#include "sim/run/run_driver.hpp"

namespace sim {

class Simulation::Implementation : public RunDriver {
public:
    using RunDriver::RunDriver;
};

Simulation::Simulation(Options options, ums::Storage& storage, const ums::Clock& clock, EventSink& sink)
    : implementation_(std::make_unique<Implementation>(std::move(options), storage, clock, sink)) {}

Simulation::~Simulation() = default;

Results Simulation::run() { return implementation_->run(); }

void Simulation::request_stop() { implementation_->request_stop(); }

Progress Simulation::progress() const { return implementation_->progress(); }

Phase Simulation::phase() const { return implementation_->current_phase(); }

}  // namespace sim
