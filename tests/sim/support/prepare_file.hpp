// All steps of making one test file, for tests that want the file and not the steps.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/files/file_creator.hpp"

namespace sim::testing {

inline ums::Task<SimFile::Setup> prepare_file(FileCreator& creator, std::uint32_t id, const FileOptions& file) {
    const std::size_t index = creator.files().size();
    const std::vector<FileOptions> files(1, file);
    co_await creator.claim(files, id);
    co_await creator.replace_old_files();
    SimFile::Setup setup = co_await creator.prepare(index);
    co_return setup;
}

}  // namespace sim::testing
