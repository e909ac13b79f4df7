// A log manager over log files in virtual time, with its writer running.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/log/log_manager.hpp"
#include "tests/sim/support/virtual_world.hpp"

namespace sim::testing {

struct VirtualLogOptions {
    std::vector<std::uint64_t> file_mb = {1};
    std::uint32_t flushes_max = 112;
    std::uint32_t alignment_bytes = 512;
    std::uint32_t flushed_kb_max = 0;
    PromiseBook* promises = nullptr;
    Durability durability = Durability::write_through;
};

class VirtualLog {
public:
    VirtualLog(VirtualWorld& world, const VirtualLogOptions& options) {
        std::vector<SimFile*> pointers;
        for (const std::uint64_t size_mb : options.file_mb) {
            SimFile::Setup file = world.setup(static_cast<std::uint32_t>(files.size() + 1), size_mb << 20, true);
            file.durability = options.durability;
            files.push_back(world.make_file(std::move(file)));
            pointers.push_back(files.back().get());
        }
        LogSetup setup{pointers, 99, options.flushes_max, options.alignment_bytes};
        setup.flushed_kb_max = options.flushed_kb_max;
        setup.promises = options.promises;
        log = std::make_unique<LogManager>(std::move(setup), world.state, world.journal);
        (*world.schedulers)[0].spawn(writer_, "Log Writer", log->run_writer());
    }

    // Before the end.
    ums::Task<void> stop() {
        log->stop();
        co_await writer_.join();
    }

    // Appends one record and waits until it is durable.
    ums::Task<std::uint64_t> commit(std::uint64_t size_bytes, bool* hardened = nullptr) {
        LogReservation reservation = co_await log->space().reserve(size_bytes);
        LogChange change;
        change.kind = LogRecordKind::page_update;
        const std::uint64_t lsn = co_await log->append(reservation, change, size_bytes);
        const bool is_durable = co_await log->harden(lsn);
        if (hardened != nullptr) *hardened = is_durable;
        co_return lsn;
    }

    std::vector<std::unique_ptr<SimFile>> files;
    std::unique_ptr<LogManager> log;

private:
    ums::TaskGroup writer_;
};

// Runs `body(world, log)` with such a log.
template <typename Body>
void run_virtual_log(VirtualWorld& world, const VirtualLogOptions& options, Body&& body) {
    world.run([&](VirtualWorld& w) -> ums::Task<void> {
        VirtualLog log(w, options);
        co_await body(w, log);
        co_await log.stop();
    });
}

}  // namespace sim::testing
