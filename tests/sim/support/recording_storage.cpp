#include "tests/sim/support/recording_storage.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ums/base/prng.hpp"

namespace sim::testing {

std::vector<Recorded> RecordingStorage::select(const std::function<bool(const Recorded&)>& wanted) const {
    std::vector<Recorded> selected;
    for (const Recorded& request : requests_) {
        if (wanted(request)) selected.push_back(request);
    }
    return selected;
}

std::error_code RecordingStorage::open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) {
    const std::error_code error = inner().open(path, options, file);
    const std::lock_guard guard(mutex_);
    if (!error) paths_[file.value] = path;
    return error;
}

std::error_code RecordingStorage::reopen(ums::FileHandle file, const ums::OpenOptions& options, ums::FileHandle& again) {
    const std::error_code error = inner().reopen(file, options, again);
    const std::lock_guard guard(mutex_);
    if (!error) paths_[again.value] = paths_.at(file.value);
    return error;
}

void RecordingStorage::close(ums::FileHandle file) {
    {
        const std::lock_guard guard(mutex_);
        paths_.erase(file.value);
    }
    inner().close(file);
}

std::error_code RecordingStorage::submitted(const ums::IoRequest& request, std::uint32_t engine) {
    const int tag = tagger_ ? tagger_() : 0;
    const std::lock_guard guard(mutex_);
    const bool is_transfer = request.operation == ums::IoOperation::read || request.operation == ums::IoOperation::write;
    Recorded record;
    record.operation = request.operation;
    record.path = paths_.at(request.file.value);
    record.offset_bytes = request.offset_bytes;
    record.size_bytes = request.size_bytes;
    record.segment_count = request.segment_count;
    record.durable = request.durable;
    record.of_load = is_transfer && request.owner != nullptr;
    record.submitted_ns = request.submitted_ns;
    record.engine = engine;
    record.tag = tag;
    ++count_;
    for (const std::uint64_t value : {std::uint64_t{static_cast<std::uint8_t>(request.operation)}, record.offset_bytes, record.size_bytes,
                                      std::uint64_t{record.segment_count}, record.submitted_ns, std::uint64_t{engine}}) {
        hash_ = ums::mix64(hash_ ^ value);
    }
    if (is_transfer) {
        Range range{request.offset_bytes, request.offset_bytes + request.size_bytes, request.operation == ums::IoOperation::write,
                    record.path};
        for (const auto& [other_request, other] : out_) {
            const bool meets = other.path == range.path && other.begin_bytes < range.end_bytes && range.begin_bytes < other.end_bytes;
            if (!meets || (!range.is_write && !other.is_write)) continue;
            overlaps_.push_back(fmt::format("{}: {} of [{}, {}) while a {} of [{}, {}) is out", range.path,
                                            range.is_write ? "write" : "read", range.begin_bytes, range.end_bytes,
                                            other.is_write ? "write" : "read", other.begin_bytes, other.end_bytes));
        }
        out_.emplace(&request, std::move(range));
    }
    if (record.of_load) {
        record.in_flight = ++in_flight_;
        record.file_in_flight = ++file_in_flight_[record.path];
        in_flight_max_ = std::max(in_flight_max_, in_flight_);
    }
    const std::error_code error = fault_ ? fault_(record) : std::error_code{};
    if (keep_) requests_.push_back(std::move(record));
    return error;
}

void RecordingStorage::came_back(ums::IoRequest& request) {
    const bool is_transfer = request.operation == ums::IoOperation::read || request.operation == ums::IoOperation::write;
    const std::lock_guard guard(mutex_);
    const std::string& path = paths_.at(request.file.value);
    if (is_transfer) out_.erase(&request);
    if (is_transfer && request.owner != nullptr) {
        --in_flight_;
        --file_in_flight_[path];
    }
    if (tamper_) tamper_(request, path);
}

class RecordingStorage::Engine final : public ums::IoEngine {
public:
    Engine(RecordingStorage& storage, std::unique_ptr<ums::IoEngine> inner, std::uint32_t id)
        : storage_(storage), inner_(std::move(inner)), id_(id) {}

    [[nodiscard]] std::string_view name() const override { return inner_->name(); }

    void submit(ums::IoRequest& request) override {
        if (const std::error_code error = storage_.submitted(request, id_)) {
            request.error = error;
            failed_.push_back(request);
            ++failed_count_;
        } else {
            inner_->submit(request);
        }
    }

    void poll(ums::IoRequestList& finished) override {
        ums::IoRequestList all;
        if (inner_->in_flight() > 0) inner_->poll(all);
        all.append(failed_);
        failed_count_ = 0;
        while (ums::IoRequest* request = all.pop_front()) {
            storage_.came_back(*request);
            finished.push_back(*request);
        }
    }

    void wait(std::uint64_t timeout_ns) override {
        if (failed_count_ == 0) inner_->wait(timeout_ns);
    }
    void wake() override { inner_->wake(); }
    [[nodiscard]] std::uint32_t in_flight() const override { return inner_->in_flight() + failed_count_; }
    [[nodiscard]] std::uint64_t next_completion_ns() const override { return failed_count_ > 0 ? 0 : inner_->next_completion_ns(); }

private:
    RecordingStorage& storage_;
    const std::unique_ptr<ums::IoEngine> inner_;
    const std::uint32_t id_;
    ums::IoRequestList failed_;
    std::uint32_t failed_count_ = 0;
};

std::unique_ptr<ums::IoEngine> RecordingStorage::make_engine(const ums::EngineOptions& options, std::string& reason) {
    std::unique_ptr<ums::IoEngine> engine = inner().make_engine(options, reason);
    const std::lock_guard guard(mutex_);
    return std::make_unique<Engine>(*this, std::move(engine), engine_count_++);
}

}  // namespace sim::testing
