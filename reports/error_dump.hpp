// One file for each finding beside the XML log, SqlSimErrorDump00001.txt and so on: everything that is known, for the vendor of the
// storage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include "sim/event.hpp"
#include "ums/base/output_handle.hpp"

namespace reports {

// A broken disk has as many findings as pages.
inline constexpr std::uint64_t kDumpsMax = 1000;

// One thread. Never throws: what cannot be written is reported once in the log, and the run continues.
class ErrorDump {
public:
    // `log_path`: the dumps go into its folder. `messages` gets the warnings; it must outlive this object. `version`: of the program.
    ErrorDump(const std::string& log_path, std::string version, sim::EventSink& messages);

    // Writes the first kDumpsMax of a run under the next free number; an existing file is never touched. Returns the file's name, or
    // nothing if none was written.
    std::string save(const sim::Finding& finding);

    // Dumps that could not be written (more than kDumpsMax is no failure): one sentence, or nothing. Ask at the end.
    [[nodiscard]] std::optional<std::string> failure() const;

private:
    // EEXIST if all numbers are taken.
    std::error_code create_next(std::string& path, ums::OutputHandle& file);
    void warn_once(bool& is_reported, const sim::Finding& finding, std::string text);

    const std::string folder_;  // with '/' at its end
    const std::string version_;
    sim::EventSink& messages_;
    std::uint64_t last_number_ = 0;
    std::uint64_t written_ = 0;
    std::uint64_t lost_ = 0;
    std::error_code first_error_;
    bool limit_reported_ = false;
    bool failure_reported_ = false;
};

}  // namespace reports
