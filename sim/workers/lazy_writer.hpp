// Lazy writer: keeps free memory available. A clock hand goes around the frames, spares those that were used since it last passed, writes
// the dirty ones and evicts the clean ones. Users that find too little memory move the hand, too, for clean pages
// (BufferManager::acquire_slots).
#pragma once

#include <atomic>

#include "sim/context/run_context.hpp"

namespace sim {

class LazyWriter {
public:
    explicit LazyWriter(RunContext& context) : context_(context) {}

    // The service: works when memory is needed and checks once a second, until stop().
    ums::Task<void> serve();
    void stop();

private:
    ums::Task<void> make_room();
    ums::Task<bool> sweep_some();
    ums::Task<void> write(PageKey key);

    RunContext& context_;
    std::atomic<bool> stopping_{false};
};

}  // namespace sim
