// The buffers of -Z<size>[,<file>], from which targets write. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "reports/diskspd/diskspd_profile.hpp"

namespace cli {

class WriteBuffers {
public:
    // `bytes_max`: of all different buffers together.
    explicit WriteBuffers(std::uint64_t bytes_max = std::uint64_t{1} << 30) : bytes_max_(bytes_max) {}

    // Random bytes, or those of the target's file, repeated if it is shorter. Targets that ask for the same bytes get the same buffer.
    // Throws UsageError if the buffers become too large, or the file is empty; sim::EnvironmentError if it cannot be read.
    std::shared_ptr<const std::vector<std::byte>> buffer_of(const reports::DiskspdTarget& target, std::uint32_t seed);

private:
    const std::uint64_t bytes_max_;
    std::uint64_t bytes_ = 0;
    std::map<std::tuple<std::uint64_t, std::string, std::uint32_t>, std::shared_ptr<const std::vector<std::byte>>> buffers_;
};

}  // namespace cli
