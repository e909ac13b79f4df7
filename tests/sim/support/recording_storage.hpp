// A storage that passes everything on to another one and records every request: what, where, how many at a time. It can also fail requests,
// and it checks a guarantee of the simulation: no transfer overlaps an outstanding write.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "ums/io/forwarding_storage.hpp"

namespace sim::testing {

struct Recorded {
    ums::IoOperation operation{};
    std::string path;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    std::uint32_t segment_count = 0;
    bool durable = false;
    bool of_load = false;  // posted for a test file's load, not for its creation
    std::uint64_t submitted_ns = 0;
    std::uint32_t engine = 0;
    std::uint32_t in_flight = 0;       // of the load, this one included
    std::uint32_t file_in_flight = 0;  // the same for this file
    int tag = 0;
};

class RecordingStorage final : public ums::ForwardingStorage {
public:
    // Called for each request before it is passed on; if it returns an error, the request fails with that instead. Any scheduler's thread,
    // one call at a time.
    using Fault = std::function<std::error_code(const Recorded& request)>;
    // Called when a request has completed, before the simulation sees it.
    using Tamper = std::function<void(ums::IoRequest& request, const std::string& path)>;

    using ForwardingStorage::ForwardingStorage;

    // Before the run.
    void set_fault(Fault fault) { fault_ = std::move(fault); }
    void set_tamper(Tamper tamper) { tamper_ = std::move(tamper); }
    // Tags every request with the value that this returns, e.g. the phase of the run.
    void set_tagger(std::function<int()> tagger) { tagger_ = std::move(tagger); }
    void keep_requests(bool keep) { keep_ = keep; }

    // After the run.
    [[nodiscard]] const std::vector<Recorded>& requests() const { return requests_; }
    [[nodiscard]] std::vector<Recorded> select(const std::function<bool(const Recorded&)>& wanted) const;
    [[nodiscard]] std::uint64_t trace_hash() const { return hash_; }
    [[nodiscard]] std::uint64_t request_count() const { return count_; }
    [[nodiscard]] std::uint32_t in_flight_max() const { return in_flight_max_; }
    // Descriptions of overlapping transfers.
    [[nodiscard]] const std::vector<std::string>& overlaps() const { return overlaps_; }

    std::error_code open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) override;
    std::error_code reopen(ums::FileHandle file, const ums::OpenOptions& options, ums::FileHandle& again) override;
    void close(ums::FileHandle file) override;
    std::unique_ptr<ums::IoEngine> make_engine(const ums::EngineOptions& options, std::string& reason) override;

private:
    class Engine;
    struct Range {
        std::uint64_t begin_bytes;
        std::uint64_t end_bytes;
        bool is_write;
        std::string path;
    };

    std::error_code submitted(const ums::IoRequest& request, std::uint32_t engine);
    void came_back(ums::IoRequest& request);

    Fault fault_;
    Tamper tamper_;
    std::function<int()> tagger_;
    bool keep_ = true;

    std::mutex mutex_;  // guards everything below
    std::map<std::int32_t, std::string> paths_;
    std::map<const ums::IoRequest*, Range> out_;
    std::map<std::string, std::uint32_t> file_in_flight_;
    std::uint32_t in_flight_ = 0;
    std::uint32_t in_flight_max_ = 0;
    std::vector<Recorded> requests_;
    std::uint64_t hash_ = 0;
    std::uint64_t count_ = 0;
    std::uint32_t engine_count_ = 0;
    std::vector<std::string> overlaps_;
};

}  // namespace sim::testing
