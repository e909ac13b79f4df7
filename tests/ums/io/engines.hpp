// The engines that this machine supports, so that one test covers them all, and a few functions to drive them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"
#include "ums/io/io_engine.hpp"
#include "ums/io/storage.hpp"

namespace ums::testing {

struct EngineVariant {
    std::string name;
    std::function<std::unique_ptr<IoEngine>(const EngineOptions&)> make;

    friend std::ostream& operator<<(std::ostream& stream, const EngineVariant& variant) { return stream << variant.name; }
};

// "threads" and, if the machine allows it, "uring": with the kernel's best flags, and as on older kernels.
[[nodiscard]] std::vector<EngineVariant> engine_variants();

// True if io_uring works here.
[[nodiscard]] bool has_uring();

// Polls and waits until `count` requests have come back; fails the test after 20 s.
void collect(IoEngine& engine, std::uint32_t count);

// Submits one request and waits until it has come back.
void finish(IoEngine& engine, IoRequest& request);

[[nodiscard]] IoRequest make_request(IoOperation operation, FileHandle file, std::uint64_t offset_bytes,
                                     const std::vector<IoSegment>& segments);
[[nodiscard]] IoRequest make_request(IoOperation operation, FileHandle file, std::uint64_t offset_bytes = 0, std::uint64_t size_bytes = 0);

}  // namespace ums::testing
