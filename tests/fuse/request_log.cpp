#include "tests/fuse/request_log.hpp"

#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <system_error>

#include <fmt/format.h>

namespace faultfs {

namespace {

std::int64_t utc_us() {
    using std::chrono::system_clock;
    return std::chrono::duration_cast<std::chrono::microseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

RequestLog::RequestLog(const std::string& path) {
    if (path.empty()) return;
    file_ = std::fopen(path.c_str(), "we");
    if (file_ == nullptr) throw std::system_error(errno, std::generic_category(), path);
}

RequestLog::~RequestLog() {
    if (file_ != nullptr) std::fclose(file_);
}

RequestLog::Entry RequestLog::note(std::string_view operation, std::string_view file, std::uint64_t offset, std::uint64_t size, int flags) {
    if (file_ == nullptr) return {nullptr, {}};
    const std::lock_guard lock(mutex_);
    return {this, fmt::format("{{\"number\":{},\"operation\":\"{}\",\"file\":\"{}\",\"offset\":{},\"size\":{},\"direct\":{},"
                              "\"dsync\":{},\"begin_us\":{}",
                              ++last_number_, operation, file, offset, size, (flags & O_DIRECT) != 0, (flags & O_DSYNC) != 0, utc_us())};
}

RequestLog::Entry::~Entry() {
    if (log_ != nullptr) log_->write(text_);
}

void RequestLog::write(std::string_view line) {
    const std::lock_guard lock(mutex_);
    fmt::print(file_, "{},\"end_us\":{}}}\n", line, utc_us());
}

void RequestLog::flush() {
    const std::lock_guard lock(mutex_);
    if (file_ != nullptr) std::fflush(file_);
}

}  // namespace faultfs
