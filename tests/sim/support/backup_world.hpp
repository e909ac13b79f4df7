// The files of backups in a world of workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/backup/backup_files.hpp"
#include "sim/files/file_creator.hpp"
#include "tests/sim/support/worker_world.hpp"

namespace sim::testing {

// Makes the files of the backups that the options want. `outstanding` must outlive the world's parts.
inline ums::Task<void> add_backup_files(WorkerWorld& world, ums::Semaphore& outstanding) {
    FileCreator creator(world.options, world.storage, world.journal, world.context().run_id);
    const std::vector<FileOptions> files = backup_files(world.options);
    const std::vector<NumberedFile> wanted = numbered(files, static_cast<std::uint32_t>(world.options.files.size()) + 1);
    co_await creator.claim(wanted);
    co_await creator.replace_old_files();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        SimFile::Setup setup = co_await creator.prepare(i);
        const FileContext context{world.storage, outstanding, world.state, world.journal, load_of(world.options)};
        world.parts->add_backup_file(std::move(setup), world.options.backup_user, context);
    }
    for (const auto& data : world.parts->backup_files.data_files) world.parts->diagnosis->add_file(*data);
}

}  // namespace sim::testing
