// An engine that forwards every call to another one: to see or alter requests on their way, derive from it and override submit() and
// poll().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "ums/io/io_engine.hpp"

namespace ums {

// perform_immediately() is not forwarded: all requests come through submit().
class ForwardingEngine : public IoEngine {
public:
    explicit ForwardingEngine(std::unique_ptr<IoEngine> inner) : inner_(std::move(inner)) {}

    [[nodiscard]] std::string_view name() const override { return inner_->name(); }
    void use_memory(std::byte* data, std::size_t size_bytes) override { inner_->use_memory(data, size_bytes); }
    void submit(IoRequest& request) override { inner_->submit(request); }
    void poll(IoRequestList& finished) override { inner_->poll(finished); }
    void wait(std::uint64_t timeout_ns) override { inner_->wait(timeout_ns); }
    void wake() override { inner_->wake(); }
    [[nodiscard]] bool is_short_of_threads() const override { return inner_->is_short_of_threads(); }
    [[nodiscard]] std::uint32_t in_flight() const override { return inner_->in_flight(); }
    [[nodiscard]] std::uint64_t next_completion_ns() const override { return inner_->next_completion_ns(); }

protected:
    [[nodiscard]] IoEngine& inner() const { return *inner_; }

private:
    const std::unique_ptr<IoEngine> inner_;
};

}  // namespace ums
