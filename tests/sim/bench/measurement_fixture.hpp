// Measurements by specification in virtual time, on a storage in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/bench/measurement.hpp"
#include "tests/sim/support/run_fixture.hpp"
#include "tests/support/catch.hpp"
#include "ums/base/units.hpp"

namespace sim::testing {

inline const std::string kMeasured = "/memory/measured.dat";

inline MeasureTarget small_target() {
    MeasureTarget target;
    target.path = kMeasured;
    target.create_bytes = 2 * ums::kMb;
    target.block_bytes = 8192;
    target.access = MeasureAccess::random;
    target.outstanding = 4;
    return target;
}

inline MeasureSpec spec_of(const MeasureTarget& target) {
    MeasureSpec spec;
    spec.timespans.resize(1);
    spec.timespans[0].duration_s = 1;
    spec.timespans[0].cpu_count = 1;
    spec.timespans[0].targets = {target};
    return spec;
}

inline MeasureResults run_spec(VirtualRun& run, const MeasureSpec& spec) {
    REQUIRE(check_measure_spec(spec).empty());
    return Measurement(spec, run.storage, run.clock, run.sink).run();
}

// A disk whose requests take `service_us` each, `channels` at a time.
inline DiskModel channels_disk(std::uint32_t channels, std::uint64_t service_us) {
    return [channels, service_us](const ums::IoRequest&, std::uint32_t outstanding) {
        const std::uint64_t turns = (std::max(outstanding, 1U) + channels - 1) / channels;
        return turns * service_us * ums::kNsPerUs;
    };
}

inline std::vector<std::byte> measured_bytes(VirtualRun& run, std::uint64_t size_bytes) {
    std::vector<std::byte> bytes(size_bytes);
    run.memory.find(kMeasured)->read(0, bytes.data(), size_bytes);
    return bytes;
}

// Requests of `size_bytes` that were posted after the file had been filled, which takes requests of 1 MB.
inline std::vector<Recorded> measured_requests(const VirtualRun& run, ums::IoOperation operation, std::uint64_t size_bytes) {
    return run.storage.select([&](const Recorded& request) { return request.operation == operation && request.size_bytes == size_bytes; });
}

}  // namespace sim::testing
