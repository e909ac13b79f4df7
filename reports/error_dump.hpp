// One file for each finding beside the XML log, SqlSimErrorDump00001.txt and so on, with everything that is known, for the storage's
// vendor.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "reports/dump_text.hpp"
#include "sim/event.hpp"
#include "sim/finding.hpp"
#include "ums/base/output_handle.hpp"

namespace reports {

// A broken disk may produce a finding for every page.
inline constexpr std::uint64_t kDumpsMax = 1000;
// Of one kind and error in one file: what a lost file gives is the same again and again.
inline constexpr std::uint64_t kDumpsOfCauseMax = 64;

// One thread. Never throws: a dump that cannot be written is reported once in the log, and the run continues.
class ErrorDump {
public:
    // `log_path`: the dumps go into its folder. `messages`: receives the warnings; must outlive this object. `version`: the program's.
    ErrorDump(const std::string& log_path, std::string version, sim::EventSink& messages);

    // Each dump tells this about the run. Before the first finding.
    void describe_run(std::vector<DumpFact> run) { run_ = std::move(run); }

    // Writes the first kDumpsMax findings of a run, and of each cause the first kDumpsOfCauseMax, each under the next free number, and
    // never touches an existing file. Returns the file's name, or nothing if none was written.
    std::string save(const sim::Finding& finding);

    // One sentence if dumps could not be written (a limit is no failure), otherwise nothing. Ask at the end.
    [[nodiscard]] std::optional<std::string> failure() const;

private:
    // What findings with the same cause have in common.
    struct Cause {
        sim::FindingKind kind{};
        int error_code = 0;
        std::string path;

        auto operator<=>(const Cause&) const = default;
    };
    struct OfCause {
        std::uint64_t written = 0;
        bool is_limit_reported = false;
    };

    // True if the finding gets no dump.
    bool is_beyond_limit(const sim::Finding& finding, OfCause& of_cause);
    // EEXIST if all numbers are taken.
    std::error_code create_next(std::string& path, ums::OutputHandle& file);
    void warn_once(bool& is_reported, const sim::Finding& finding, std::string text);

    const std::string folder_;  // with '/' at its end
    const std::string version_;
    std::vector<DumpFact> run_;
    sim::EventSink& messages_;
    std::uint64_t last_number_ = 0;
    std::uint64_t written_ = 0;
    std::map<Cause, OfCause> causes_;
    std::uint64_t lost_ = 0;
    std::error_code first_error_;
    bool limit_reported_ = false;
    bool failure_reported_ = false;
};

}  // namespace reports
