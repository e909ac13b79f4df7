#include "tests/fuse/truth_log.hpp"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace faultfs {

TruthEntry::TruthEntry(std::string_view event) : text_(fmt::format("{{\"event\":\"{}\"", event)) {}

TruthEntry& TruthEntry::add(std::string_view key, std::string_view value) {
    text_ += fmt::format(",\"{}\":\"{}\"", key, value);
    return *this;
}

TruthEntry& TruthEntry::add(std::string_view key, bool value) {
    text_ += fmt::format(",\"{}\":{}", key, value);
    return *this;
}

TruthEntry& TruthEntry::add(std::string_view key, std::uint64_t value) {
    text_ += fmt::format(",\"{}\":{}", key, value);
    return *this;
}

TruthEntry& TruthEntry::add(std::string_view key, double value) {
    text_ += fmt::format(",\"{}\":{:.6f}", key, value);
    return *this;
}

TruthLog::TruthLog(const std::string& path) : file_(std::fopen(path.c_str(), "we")) {
    if (file_ == nullptr) throw std::system_error(errno, std::generic_category(), path);
}

TruthLog::~TruthLog() { std::fclose(file_); }

void TruthLog::write(const TruthEntry& entry) {
    const std::string line = fmt::format("{},\"time_s\":{:.6f}}}\n", entry.text(), elapsed_s());
    std::fwrite(line.data(), 1, line.size(), file_);
    std::fflush(file_);
}

double TruthLog::elapsed_s() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

}  // namespace faultfs
