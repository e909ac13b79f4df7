// An engine around another one: transfers of files that were opened with a FileView are copies, which the calling thread makes immediately;
// everything else goes to the other engine. This is what DiskSpd does, and every program that maps its files: however many requests may be
// outstanding, they are carried out one after another, and the thread blocks while the system reads a page.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "ums/io/io_engine.hpp"

namespace ums {

class MappedEngine final : public IoEngine {
public:
    explicit MappedEngine(std::unique_ptr<IoEngine> inner) : inner_(std::move(inner)) {}
    // Asserts that no request is outstanding.
    ~MappedEngine() override;

    // The other engine's.
    [[nodiscard]] std::string_view name() const override { return inner_->name(); }
    void use_memory(std::byte* data, std::size_t size_bytes) override { inner_->use_memory(data, size_bytes); }
    void submit(IoRequest& request) override;
    [[nodiscard]] bool perform_immediately(IoRequest& request) override;
    void poll(IoRequestList& finished) override;
    void wait(std::uint64_t timeout_ns) override;
    void wake() override { inner_->wake(); }
    [[nodiscard]] bool is_short_of_threads() const override { return inner_->is_short_of_threads(); }
    [[nodiscard]] std::uint32_t in_flight() const override { return inner_->in_flight() + finished_count_; }
    [[nodiscard]] std::uint64_t next_completion_ns() const override { return inner_->next_completion_ns(); }

private:
    const std::unique_ptr<IoEngine> inner_;
    IoRequestList finished_;
    std::uint32_t finished_count_ = 0;
};

}  // namespace ums
