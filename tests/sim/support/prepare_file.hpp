// All steps of creating one test file, for tests that need the file and not the steps.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/files/file_creator.hpp"

namespace sim::testing {

inline ums::Task<SimFile::Setup> prepare_file(FileCreator& creator, std::uint32_t id, const FileOptions& file) {
    const std::vector<NumberedFile> files(1, {id, file});
    co_await creator.claim(files);
    co_await creator.replace_old_files();
    SimFile::Setup setup = co_await creator.prepare(0);
    co_return setup;
}

}  // namespace sim::testing
