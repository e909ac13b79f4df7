#include "sim/rehearsal/injecting_engine.hpp"

#include <cstddef>
#include <memory>
#include <vector>

#include "tests/sim/support/memory_storage.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/clock.hpp"
#include "ums/io/forwarding_engine.hpp"
#include "ums/io/null_engine.hpp"

namespace {

class EngineWithoutThreads final : public ums::ForwardingEngine {
public:
    explicit EngineWithoutThreads(const std::byte*& used) : ForwardingEngine(std::make_unique<ums::NullEngine>()), used_(used) {}
    void use_memory(std::byte* data, std::size_t /*size_bytes*/) override { used_ = data; }
    [[nodiscard]] bool is_short_of_threads() const override { return true; }

private:
    const std::byte*& used_;
};

}  // namespace

TEST_CASE("an engine that injects faults passes memory on, and says that threads are missing, like the engine below") {
    const ums::VirtualClock clock;
    sim::testing::MemoryStorage memory(clock, sim::testing::random_disk(1, 50, 150));
    sim::FaultInjector injector(memory, clock, {});
    const std::byte* used = nullptr;
    const auto engine = sim::make_injecting_engine(injector, std::make_unique<EngineWithoutThreads>(used));
    CHECK(engine->is_short_of_threads());
    std::vector<std::byte> buffer(4096);
    engine->use_memory(buffer.data(), buffer.size());
    CHECK(used == buffer.data());
    CHECK_FALSE(sim::make_injecting_engine(injector, std::make_unique<ums::NullEngine>())->is_short_of_threads());
}
