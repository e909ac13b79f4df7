#include "reports/error_dump.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "ums/base/error_text.hpp"
#include "ums/base/output_place.hpp"

namespace reports {

namespace {

// Ends with '/'; absolute, because people and programs may use it in another folder.
std::string folder_of(const std::string& path) {
    std::error_code error;
    const std::string whole = std::filesystem::absolute(path, error).string();
    const std::string& usable = error ? path : whole;
    return usable.substr(0, usable.find_last_of('/') + 1);
}

}  // namespace

ErrorDump::ErrorDump(const std::string& log_path, std::string version, sim::EventSink& messages)
    : folder_(folder_of(log_path)), version_(std::move(version)), messages_(messages) {}

std::error_code ErrorDump::create_next(std::string& path, ums::OutputHandle& file) {
    // Dumps of earlier and simultaneous runs stay.
    constexpr std::uint64_t kNumberMax = 99'999;
    while (last_number_ < kNumberMax) {
        path = fmt::format("{}SqlSimErrorDump{:05}.txt", folder_, ++last_number_);
        const std::error_code error = ums::create_output(path, ums::OutputAccess::everyone, file);
        if (!error) return {};
        if (error == std::errc::interrupted) --last_number_;
        if (error != std::errc::interrupted && error != std::errc::file_exists) return error;
    }
    return std::make_error_code(std::errc::file_exists);
}

bool ErrorDump::is_beyond_limit(const sim::Finding& finding, OfCause& of_cause) {
    if (written_ == kDumpsMax) {
        warn_once(limit_reported_, finding,
                  fmt::format("{} dump files have been written in this run; further findings get none.", kDumpsMax));
        return true;
    }
    if (of_cause.written < kDumpsOfCauseMax) return false;
    warn_once(of_cause.is_limit_reported, finding,
              fmt::format("{} dump files with this kind of finding ({}) in {} have been written in this run; further ones get none.",
                          kDumpsOfCauseMax, sim::title_of(finding.kind), finding.place.path));
    return true;
}

std::string ErrorDump::save(const sim::Finding& finding) {
    OfCause& of_cause = causes_[{finding.kind, finding.failure ? finding.failure->error_code : 0, finding.place.path}];
    if (is_beyond_limit(finding, of_cause)) return {};
    std::string path;
    const std::uint64_t last_number = last_number_;
    ums::OutputHandle file;
    std::error_code error = create_next(path, file);
    if (file.is_open()) {
        error = file.write(dump_text(finding, version_, run_));
        // If the system delays writing, only close() reports that it failed.
        const std::error_code error_of_end = file.close();
        if (!error) error = error_of_end;
        if (error) ums::remove_output(path);
    }
    if (!error) {
        ++written_;
        ++of_cause.written;
        return path;
    }
    if (lost_++ == 0) first_error_ = error;
    if (error != std::errc::file_exists) last_number_ = last_number;
    warn_once(failure_reported_, finding,
              fmt::format("Dump file {} cannot be written: {}. The run goes on; further failures of this kind are not logged.", path,
                          ums::error_text(error)));
    return {};
}

std::optional<std::string> ErrorDump::failure() const {
    if (lost_ == 0) return std::nullopt;
    return fmt::format("dump files in '{}': {} could not be written: {}.", folder_, lost_, ums::error_text(first_error_));
}

void ErrorDump::warn_once(bool& is_reported, const sim::Finding& finding, std::string text) {
    if (std::exchange(is_reported, true)) return;
    sim::Event event;
    event.severity = sim::Severity::warning;
    event.utc_us = finding.moment.utc_us;
    event.tick_ms = finding.moment.tick_ms;
    event.cpu = finding.moment.cpu;
    event.user = finding.moment.user;
    event.source_file = "error_dump.cpp";
    event.function = "ErrorDump::save";
    event.description = std::move(text);
    messages_.on_event(event);
}

}  // namespace reports
