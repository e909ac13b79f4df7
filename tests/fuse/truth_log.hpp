// What really happened: one JSON object per line, written as it happens. README.md of this folder lists the fields.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace faultfs {

// One object under way: {"event":"…", …}. Values are our own words, numbers and file names without special characters.
class TruthEntry {
public:
    explicit TruthEntry(std::string_view event);
    TruthEntry& add(std::string_view key, std::string_view value);
    TruthEntry& add(std::string_view key, const char* value) { return add(key, std::string_view(value)); }
    TruthEntry& add(std::string_view key, const std::string& value) { return add(key, std::string_view(value)); }
    TruthEntry& add(std::string_view key, bool value);
    TruthEntry& add(std::string_view key, std::uint64_t value);
    TruthEntry& add(std::string_view key, double value);
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

class TruthLog {
public:
    // Throws std::system_error if the file cannot be made.
    explicit TruthLog(const std::string& path);
    ~TruthLog();
    TruthLog(const TruthLog&) = delete;
    TruthLog& operator=(const TruthLog&) = delete;

    void write(const TruthEntry& entry);
    [[nodiscard]] double elapsed_s() const;

private:
    std::FILE* file_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace faultfs
