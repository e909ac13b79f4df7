#include "ums/io/mapped_engine.hpp"

#include "ums/base/assert.hpp"
#include "ums/io/file_mapping.hpp"
#include "ums/io/transfer_progress.hpp"

namespace ums {

MappedEngine::~MappedEngine() { UMS_ASSERT(finished_count_ == 0); }

bool MappedEngine::perform_immediately(IoRequest& request) {
    if (request.file.mapping == nullptr) return inner_->perform_immediately(request);
    if (!is_transfer(request)) return false;
    request.file.mapping->perform(request);
    return true;
}

void MappedEngine::submit(IoRequest& request) {
    if (request.file.mapping == nullptr || !is_transfer(request)) return inner_->submit(request);
    request.file.mapping->perform(request);
    finished_.push_back(request);
    ++finished_count_;
}

void MappedEngine::poll(IoRequestList& finished) {
    finished.append(finished_);
    finished_count_ = 0;
    inner_->poll(finished);
}

void MappedEngine::wait(std::uint64_t timeout_ns) {
    if (finished_count_ == 0) inner_->wait(timeout_ns);
}

}  // namespace ums
