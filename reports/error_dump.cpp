#include "reports/error_dump.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "reports/dump_text.hpp"
#include "reports/whole_write.hpp"

namespace reports {

namespace {

// With '/' at its end; whole, for people and programs that stand elsewhere.
std::string folder_of(const std::string& path) {
    std::error_code error;
    const std::string whole = std::filesystem::absolute(path, error).string();
    const std::string& usable = error ? path : whole;
    return usable.substr(0, usable.find_last_of('/') + 1);
}

}  // namespace

ErrorDump::ErrorDump(const std::string& log_path, std::string version, sim::EventSink& messages)
    : folder_(folder_of(log_path)), version_(std::move(version)), messages_(messages) {}

int ErrorDump::create_next(std::string& path) {
    // Dumps of earlier runs and of runs at the same time stay: O_EXCL.
    constexpr std::uint64_t kNumberMax = 99'999;
    while (last_number_ < kNumberMax) {
        path = fmt::format("{}SqlSimErrorDump{:05}.txt", folder_, ++last_number_);
        const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY | O_CLOEXEC, 0666);
        if (descriptor >= 0) return descriptor;
        if (errno == EINTR) --last_number_;
        if (errno != EINTR && errno != EEXIST) return -1;
    }
    errno = EEXIST;
    return -1;
}

std::string ErrorDump::save_evidence(const sim::Finding& finding) {
    if (written_ == kDumpsMax) {
        warn_once(limit_said_, finding, fmt::format("{} dump files have been written in this run; further findings get none.", kDumpsMax));
        return {};
    }
    std::string path;
    const std::uint64_t last_number = last_number_;
    const int descriptor = create_next(path);
    std::error_code error;
    if (descriptor < 0) {
        error = {errno, std::generic_category()};
    } else {
        error = write_whole(descriptor, dump_text(finding, version_));
        // Where writing is put off, the end tells.
        if (::close(descriptor) != 0 && !error && errno != EINTR) error = {errno, std::generic_category()};
        if (error) ::unlink(path.c_str());
    }
    if (!error) {
        ++written_;
        return path;
    }
    if (error != std::errc::file_exists) last_number_ = last_number;
    warn_once(failure_said_, finding,
              fmt::format("Dump file {} cannot be written: {}. The run goes on; further failures of this kind are not logged.", path,
                          error.message()));
    return {};
}

void ErrorDump::warn_once(bool& is_said, const sim::Finding& finding, std::string text) {
    if (std::exchange(is_said, true)) return;
    sim::Event event;
    event.severity = sim::Severity::warning;
    event.utc_us = finding.utc_us;
    event.tick_ms = finding.tick_ms;
    event.cpu = finding.cpu;
    event.user = finding.user;
    event.source_file = "error_dump.cpp";
    event.function = "ErrorDump::save_evidence";
    event.description = std::move(text);
    messages_.on_event(event);
}

}  // namespace reports
