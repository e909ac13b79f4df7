// One file for each finding beside the XML log, SqlSimErrorDump00001.txt and so on: all that is known, for the vendor of the storage.
#pragma once

#include <cstdint>
#include <string>

#include "sim/event.hpp"

namespace reports {

// A broken disk has as many findings as pages.
inline constexpr std::uint64_t kDumpsMax = 1000;

// One call at a time (the contract of EventSink); any thread. Never throws: what cannot be written is said once in the log, and the run
// goes on.
class ErrorDump final : public sim::EventSink {
public:
    // `log_path`: the dumps come into its folder. `messages` gets the warnings; it must outlive this object. `version`: of the program.
    ErrorDump(const std::string& log_path, std::string version, sim::EventSink& messages);

    void on_event(const sim::Event& /*event*/) override {}
    void on_finding(const sim::Finding& /*finding*/) override {}
    // Writes the first kDumpsMax of a run under the next free number; a file that exists is never touched. Empty if nothing was written.
    std::string save_evidence(const sim::Finding& finding) override;

private:
    // -1 with errno set if no file can be made.
    int create_next(std::string& path);
    void warn_once(bool& is_said, const sim::Finding& finding, std::string text);

    const std::string folder_;  // with '/' at its end
    const std::string version_;
    sim::EventSink& messages_;
    std::uint64_t last_number_ = 0;
    std::uint64_t written_ = 0;
    bool limit_said_ = false;
    bool failure_said_ = false;
};

}  // namespace reports
