// A storage that sees each request when it is posted and when it completes, and knows its file: the base of a host's path to the volume.
// For virtual time, one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <system_error>

#include "ums/base/clock.hpp"
#include "ums/io/forwarding_storage.hpp"

namespace sim {

class WatchedStorage : public ums::ForwardingStorage {
public:
    // Both must outlive the storage.
    WatchedStorage(ums::Storage& inner, const ums::Clock& clock) : ForwardingStorage(inner), clock_(clock) {}

    std::error_code open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) override;
    std::error_code reopen(ums::FileHandle file, const ums::OpenOptions& options, ums::FileHandle& again) override;
    void close(ums::FileHandle file) override;
    std::unique_ptr<ums::IoEngine> make_engine(const ums::EngineOptions& options, std::string& reason) override;

protected:
    // The host posts a request. Returns how long it takes to reach the storage below, in ns.
    virtual std::uint64_t submitted(ums::IoRequest& /*request*/) { return 0; }
    // The host is about to get the request back.
    virtual void came_back(ums::IoRequest& request) = 0;
    // Called often, between requests.
    virtual void time_passes() {}
    // The host stands still until then: requests that it posts leave later, and completions wait. 0: it does not stand still.
    [[nodiscard]] virtual std::uint64_t stands_still_until_ns() const { return 0; }
    // The host is gone: what it posts from now on fails, and reaches nothing.
    [[nodiscard]] virtual bool is_gone() const { return false; }

    [[nodiscard]] std::uint64_t now_ns() const { return clock_.now_ns(); }
    [[nodiscard]] const std::string& path_of(ums::FileHandle file) const { return open_.at(file.value); }

private:
    class Engine;

    const ums::Clock& clock_;
    std::map<std::int32_t, std::string> open_;  // by handle
};

}  // namespace sim
