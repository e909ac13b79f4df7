// Which engine a scheduler gets, and the one line for people when it is not the best one.
#pragma once

#include <memory>
#include <string>

#include "ums/io/io_engine.hpp"
#include "ums/io/storage.hpp"
#include "ums/io/uring_probe.hpp"

namespace ums {

[[nodiscard]] std::unique_ptr<IoEngine> make_threads_engine(const EngineOptions& options);

// Throws std::system_error, "io_uring cannot be used because …".
[[nodiscard]] std::unique_ptr<IoEngine> make_uring_engine(const EngineOptions& options, const UringSupport& support);

// io_uring, or threads with a `reason`: "io_uring is not used because …; using a pool of threads".
[[nodiscard]] std::unique_ptr<IoEngine> make_best_engine(const EngineOptions& options, const UringSupport& support, std::string& reason);

}  // namespace ums
