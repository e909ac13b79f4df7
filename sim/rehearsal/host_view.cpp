#include "sim/rehearsal/host_view.hpp"

#include <utility>

#include "sim/limits.hpp"
#include "ums/io/request_bytes.hpp"

namespace sim {

class HostView::Engine final : public ums::IoEngine {
public:
    Engine(HostView& view, std::unique_ptr<ums::IoEngine> inner) : view_(view), inner_(std::move(inner)) {}

    [[nodiscard]] std::string_view name() const override { return inner_->name(); }
    void submit(ums::IoRequest& request) override { inner_->submit(request); }
    void poll(ums::IoRequestList& finished) override {
        view_.land();
        ums::IoRequestList arrived;
        inner_->poll(arrived);
        while (ums::IoRequest* request = arrived.pop_front()) {
            view_.came_back(*request);
            finished.push_back(*request);
        }
    }
    void wait(std::uint64_t timeout_ns) override { inner_->wait(timeout_ns); }
    void wake() override { inner_->wake(); }
    [[nodiscard]] std::uint32_t in_flight() const override { return inner_->in_flight(); }
    [[nodiscard]] std::uint64_t next_completion_ns() const override { return inner_->next_completion_ns(); }

private:
    HostView& view_;
    const std::unique_ptr<ums::IoEngine> inner_;
};

HostView::HostView(ums::SimulatedStorage& volume, const ums::Clock& clock, std::function<bool()> may_land)
    : ForwardingStorage(volume), volume_(volume), clock_(clock), may_land_(std::move(may_land)) {}

std::error_code HostView::open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) {
    const std::error_code error = inner().open(path, options, file);
    if (!error) open_[file.value] = path;
    return error;
}

std::error_code HostView::reopen(ums::FileHandle file, const ums::OpenOptions& options, ums::FileHandle& again) {
    const std::error_code error = inner().reopen(file, options, again);
    if (!error) open_[again.value] = path_of(file);
    return error;
}

void HostView::close(ums::FileHandle file) {
    open_.erase(file.value);
    inner().close(file);
}

std::unique_ptr<ums::IoEngine> HostView::make_engine(const ums::EngineOptions& options, std::string& reason) {
    return std::make_unique<Engine>(*this, inner().make_engine(options, reason));
}

void HostView::land() {
    if (works_since_ns_ == 0) {
        if (!may_land_()) return;
        works_since_ns_ = clock_.now_ns();
    }
    for (Trouble& trouble : troubles_) {
        // What a cache had is never written, also when the cache has dropped it.
        const bool is_to_land = trouble.stale_reads == 0 && !trouble.has_landed && !trouble.is_gone;
        if (!is_to_land || clock_.now_ns() < works_since_ns_ + trouble.lands_at_ns) continue;
        ums::SimulatedFile* const file = volume_.find(trouble.path);
        const std::uint64_t offset_bytes = std::uint64_t{trouble.page_id} * kPageBytes;
        trouble.has_landed = true;
        if (file == nullptr || offset_bytes + kPageBytes > file->size_bytes()) {
            trouble.is_gone = true;  // the file is shorter now
        } else {
            file->write(offset_bytes, trouble.image.data(), kPageBytes);
        }
    }
}

void HostView::came_back(ums::IoRequest& request) {
    const bool is_transfer = request.operation == ums::IoOperation::read || request.operation == ums::IoOperation::write;
    if (!is_transfer || request.error) return;
    for (Trouble& trouble : troubles_) {
        const std::uint64_t offset_bytes = std::uint64_t{trouble.page_id} * kPageBytes;
        const bool is_in_it =
            offset_bytes >= request.offset_bytes && offset_bytes + kPageBytes <= request.offset_bytes + request.size_bytes;
        if (!is_in_it || trouble.is_gone || path_of(request.file) != trouble.path) continue;
        if (request.operation == ums::IoOperation::write) {
            trouble.is_gone = trouble.has_landed || trouble.stale_reads != 0;
        } else if (trouble.stale_reads != 0) {
            ums::copy_to_request(request, offset_bytes, trouble.image.data(), kPageBytes);
            trouble.was_seen = trouble.was_seen || !request.is_search;
            trouble.is_gone = --trouble.stale_reads == 0;
        } else {
            trouble.was_seen = trouble.was_seen || (trouble.has_landed && !request.is_search);
        }
    }
}

}  // namespace sim
