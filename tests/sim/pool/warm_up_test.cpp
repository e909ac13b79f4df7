#include "sim/pool/warm_up.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/sim/support/virtual_world.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/resident.hpp"
#include "ums/io/forwarding_storage.hpp"
#include "ums/io/posix_storage.hpp"

using sim::BufferPool;
using sim::testing::VirtualWorld;
using ums::testing::resident_bytes;

namespace {

constexpr std::uint64_t kWarmPoolBytes = std::uint64_t{40} << 20;

// Records which memory its engines were given, and on which thread.
class Storage final : public ums::ForwardingStorage {
public:
    struct Told {
        std::thread::id thread;
        const std::byte* data;
        std::size_t size_bytes;
    };

    using ums::ForwardingStorage::ForwardingStorage;
    std::unique_ptr<ums::IoEngine> make_engine(const ums::EngineOptions& options, std::string& reason) override {
        return std::make_unique<Engine>(inner().make_engine(options, reason), *this);
    }

    std::vector<Told> told;

private:
    class Engine final : public ums::IoEngine {
    public:
        Engine(std::unique_ptr<ums::IoEngine> inner, Storage& storage) : inner_(std::move(inner)), storage_(storage) {}
        [[nodiscard]] std::string_view name() const override { return inner_->name(); }
        void use_memory(std::byte* data, std::size_t size_bytes) override {
            const std::lock_guard guard(storage_.mutex_);
            storage_.told.push_back({std::this_thread::get_id(), data, size_bytes});
        }
        void submit(ums::IoRequest& request) override { inner_->submit(request); }
        void poll(ums::IoRequestList& finished) override { inner_->poll(finished); }
        void wait(std::uint64_t timeout_ns) override { inner_->wait(timeout_ns); }
        void wake() override { inner_->wake(); }
        [[nodiscard]] std::uint32_t in_flight() const override { return inner_->in_flight(); }

    private:
        const std::unique_ptr<ums::IoEngine> inner_;
        Storage& storage_;
    };

    std::mutex mutex_;
};

}  // namespace

TEST_CASE("the pool's memory is populated before it is needed, and given to every scheduler's engine") {
    const bool is_stopping = GENERATE(false, true);
    CAPTURE(is_stopping);
    const BufferPool pool(kWarmPoolBytes, 16);
    const ums::MemoryRegion& memory = pool.slots().memory();
    CHECK(resident_bytes(memory.data(), memory.size_bytes()) == 0);
    ums::PosixStorage posix;
    Storage storage(posix);
    const ums::RealClock clock;
    ums::SchedulerGroupOptions options;
    options.cpu_count = 3;
    ums::SchedulerGroup schedulers(options, storage, clock);
    sim::RunState run;
    if (is_stopping) run.stop(sim::Outcome::stopped, "enough");
    schedulers.run(sim::warm_up(schedulers, pool, run));
    CHECK(resident_bytes(memory.data(), memory.size_bytes()) == (is_stopping ? 0 : memory.size_bytes()));
    REQUIRE(storage.told.size() == (is_stopping ? 0 : 3));
    for (std::size_t i = 0; i < storage.told.size(); ++i) {
        CHECK(storage.told[i].data == memory.data());
        CHECK(storage.told[i].size_bytes == memory.size_bytes());
        for (std::size_t k = 0; k < i; ++k) CHECK(storage.told[i].thread != storage.told[k].thread);
    }
}

TEST_CASE("in virtual time, which needs no warm-up, the pool's memory is left untouched") {
    const BufferPool pool(kWarmPoolBytes, 16);
    VirtualWorld world;
    sim::RunState run;
    world.run([&](VirtualWorld& there) { return sim::warm_up(*there.schedulers, pool, run); });
    CHECK(resident_bytes(pool.slots().memory().data(), pool.slots().memory().size_bytes()) == 0);
}
