// One file for each finding beside the XML log, SqlSimErrorDump00001.txt and so on, with everything that is known, for the storage's
// vendor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include "sim/event.hpp"
#include "ums/base/output_handle.hpp"

namespace reports {

// A broken disk may produce a finding for every page.
inline constexpr std::uint64_t kDumpsMax = 1000;

// One thread. Never throws: a dump that cannot be written is reported once in the log, and the run continues.
class ErrorDump {
public:
    // `log_path`: the dumps go into its folder. `messages`: receives the warnings; must outlive this object. `version`: the program's.
    ErrorDump(const std::string& log_path, std::string version, sim::EventSink& messages);

    // Writes the first kDumpsMax findings of a run, each under the next free number, and never touches an existing file. Returns the file's
    // name, or nothing if none was written.
    std::string save(const sim::Finding& finding);

    // One sentence if dumps could not be written (more than kDumpsMax is no failure), otherwise nothing. Ask at the end.
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
