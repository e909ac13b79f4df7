#include "sim/rehearsal/watched_storage.hpp"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "ums/io/forwarding_engine.hpp"

namespace sim {

class WatchedStorage::Engine final : public ums::ForwardingEngine {
public:
    Engine(WatchedStorage& storage, std::unique_ptr<ums::IoEngine> inner) : ForwardingEngine(std::move(inner)), storage_(storage) {}

    void submit(ums::IoRequest& request) override {
        if (storage_.is_gone()) {
            request.error = std::make_error_code(std::errc::no_such_device);
            back_.push_back(&request);
            return;
        }
        const std::uint64_t delay_ns = storage_.submitted(request);
        const std::uint64_t leaves_ns = std::max(storage_.now_ns() + delay_ns, storage_.stands_still_until_ns());
        if (leaves_ns == storage_.now_ns()) return inner().submit(request);
        on_their_way_.emplace(leaves_ns, &request);
    }
    void poll(ums::IoRequestList& finished) override {
        storage_.time_passes();
        while (!on_their_way_.empty() && on_their_way_.begin()->first <= storage_.now_ns()) {
            inner().submit(*on_their_way_.extract(on_their_way_.begin()).mapped());
        }
        ums::IoRequestList arrived;
        inner().poll(arrived);
        while (ums::IoRequest* request = arrived.pop_front()) back_.push_back(request);
        if (storage_.stands_still_until_ns() > storage_.now_ns()) return;
        for (ums::IoRequest* request : std::exchange(back_, {})) {
            storage_.came_back(*request);
            finished.push_back(*request);
        }
    }
    [[nodiscard]] std::uint32_t in_flight() const override {
        return inner().in_flight() + static_cast<std::uint32_t>(on_their_way_.size() + back_.size());
    }
    [[nodiscard]] std::uint64_t next_completion_ns() const override {
        const std::uint64_t arrives_ns = on_their_way_.empty() ? ums::kNever : on_their_way_.begin()->first;
        const std::uint64_t back_ns = back_.empty() ? ums::kNever : std::max(storage_.stands_still_until_ns(), storage_.now_ns());
        return std::min({arrives_ns, back_ns, inner().next_completion_ns()});
    }

private:
    WatchedStorage& storage_;
    std::multimap<std::uint64_t, ums::IoRequest*> on_their_way_;  // by arrival time
    std::vector<ums::IoRequest*> back_;                           // the host has not received them yet
};

std::error_code WatchedStorage::open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) {
    const std::error_code error = inner().open(path, options, file);
    if (!error) open_[file.value] = path;
    return error;
}

std::error_code WatchedStorage::reopen(ums::FileHandle file, const ums::OpenOptions& options, ums::FileHandle& again) {
    const std::error_code error = inner().reopen(file, options, again);
    if (!error) open_[again.value] = path_of(file);
    return error;
}

void WatchedStorage::close(ums::FileHandle file) {
    open_.erase(file.value);
    inner().close(file);
}

std::unique_ptr<ums::IoEngine> WatchedStorage::make_engine(const ums::EngineOptions& options, std::string& reason) {
    return std::make_unique<Engine>(*this, inner().make_engine(options, reason));
}

}  // namespace sim
