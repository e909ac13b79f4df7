// What the kernel asked the file system for: a JSON object a line for each read, write and fsync, in the order in which they were answered.
// README.md of this folder lists the fields.
#pragma once

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace faultfs {

class RequestLog {
public:
    // An empty path: nothing is written. Throws std::system_error if the file cannot be made.
    explicit RequestLog(const std::string& path);
    ~RequestLog();
    RequestLog(const RequestLog&) = delete;
    RequestLog& operator=(const RequestLog&) = delete;

    // One request, from its arrival to the end of the scope, when it is answered.
    class Entry {
    public:
        Entry(RequestLog* log, std::string text) : log_(log), text_(std::move(text)) {}
        ~Entry();
        Entry(const Entry&) = delete;
        Entry& operator=(const Entry&) = delete;

    private:
        RequestLog* const log_;  // null: it is not written
        const std::string text_;
    };

    // `flags`: with which the file was opened. Any thread.
    [[nodiscard]] Entry note(std::string_view operation, std::string_view file, std::uint64_t offset, std::uint64_t size, int flags);
    void flush();

private:
    void write(std::string_view line);

    std::FILE* file_ = nullptr;
    std::mutex mutex_;               // guards what is below, and the order of the lines
    std::uint64_t last_number_ = 0;  // of requests, by arrival
};

}  // namespace faultfs
