// A storage whose transfers go wrong by rule: errors, transfers that end early, delays, and completions that are held back until the test
// releases them. It also tells an observer when a transfer begins and when its completion is reported. Files are those of the storage
// below.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "ums/base/clock.hpp"
#include "ums/io/forwarding_storage.hpp"
#include "ums/io/io_request.hpp"
#include "ums/sched/task.hpp"

namespace sim::testing {

// What happens to one request.
struct Fate {
    int error = 0;                                     // it fails with this errno, and nothing is transferred
    std::optional<std::uint64_t> transferred_bytes{};  // reports this many bytes as transferred, whatever was
    std::uint64_t short_bytes = 0;                     // reports that a call ended after this many bytes and was continued
    std::uint64_t delay_ns = 0;                        // its completion is reported this much later
    bool hold = false;                                 // … or when the test calls release_held()
};

class FaultyEngine;

class FaultyStorage final : public ums::ForwardingStorage {
public:
    using Rule = std::function<Fate(const ums::IoRequest& request)>;

    class Observer {
    public:
        virtual ~Observer() = default;
        virtual void on_begin(const ums::IoRequest& request) = 0;
        virtual void on_end(const ums::IoRequest& request) = 0;
    };

    FaultyStorage(ums::Storage& inner, const ums::Clock& clock) : ums::ForwardingStorage(inner), clock_(clock) {}
    ~FaultyStorage() override;

    // Called for each request as it is posted, one at a time. Any thread may set it, any time; nullptr = no faults.
    void set_rule(Rule rule);
    // Before the first request.
    void set_observer(Observer* observer) { observer_ = observer; }
    // Called before dropping caches, opening and finding holes, on the thread that does it: may block.
    void set_before_call(std::function<void()> before_call) { before_call_ = std::move(before_call); }
    std::error_code reopen(ums::FileHandle file, const ums::OpenOptions& options, ums::FileHandle& again) override {
        if (before_call_) before_call_();
        return ums::ForwardingStorage::reopen(file, options, again);
    }
    std::error_code drop_cache(ums::FileHandle file) override {
        if (before_call_) before_call_();
        return ums::ForwardingStorage::drop_cache(file);
    }
    std::error_code next_data(ums::FileHandle file, std::uint64_t offset_bytes, std::uint64_t& begin_bytes,
                              std::uint64_t& end_bytes) override {
        if (before_call_) before_call_();
        return ums::ForwardingStorage::next_data(file, offset_bytes, begin_bytes, end_bytes);
    }
    // Releases everything that is held. Any thread.
    void release_held();
    // Releases the oldest or the newest held request. False if none is held.
    bool release_first();
    bool release_last();
    [[nodiscard]] std::size_t held_count() const;

    std::unique_ptr<ums::IoEngine> make_engine(const ums::EngineOptions& options, std::string& reason) override;

private:
    friend class FaultyEngine;

    struct Held {
        FaultyEngine* engine;
        ums::IoRequest* request;
    };

    [[nodiscard]] Fate fate_of(const ums::IoRequest& request);
    void release(std::vector<Held>::iterator place);

    const ums::Clock& clock_;
    Observer* observer_ = nullptr;
    std::function<void()> before_call_;
    mutable std::mutex mutex_;  // guards the rest, and the state of the engines
    Rule rule_;
    std::vector<Held> held_;  // oldest first
    std::set<FaultyEngine*> engines_;
};

// Until a request is held, for a second at most.
ums::Task<void> wait_for_held(const FaultyStorage& storage, const ums::Clock& clock);

}  // namespace sim::testing
