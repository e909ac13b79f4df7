// An engine without a device: every request has succeeded by the next poll(), and nothing was transferred. It shows what the path above the
// engines costs (scheduler, tasks, governor). A read leaves its buffers as they are.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "ums/io/io_engine.hpp"

namespace ums {

class NullEngine final : public IoEngine {
public:
    NullEngine() = default;
    NullEngine(const NullEngine&) = delete;
    NullEngine& operator=(const NullEngine&) = delete;
    // Asserts that no request is outstanding.
    ~NullEngine() override;

    [[nodiscard]] std::string_view name() const override { return "null"; }
    void submit(IoRequest& request) override;
    void poll(IoRequestList& finished) override;
    void wait(std::uint64_t timeout_ns) override;
    void wake() override;
    [[nodiscard]] std::uint32_t in_flight() const override { return in_flight_; }

private:
    IoRequestList finished_;
    std::uint32_t in_flight_ = 0;

    std::mutex mutex_;  // guards woken_
    std::condition_variable wake_up_;
    bool woken_ = false;
};

}  // namespace ums
