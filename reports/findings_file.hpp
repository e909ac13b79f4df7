// `--findings FILE`: one JSON object per line, written to the file immediately when a finding is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include "reports/output_door.hpp"
#include "sim/event.hpp"
#include "ums/base/output_handle.hpp"

namespace reports {

// Never replaces a findings file.
OutputKind findings_kind();

// One call at a time (the contract of EventSink); any thread. Only the constructor throws.
class FindingsFile final : public sim::EventSink {
public:
    // Creates the file, or uses an empty one, and locks it. Throws sim::RefusedError if it is not empty or not a regular file (its contents
    // are never overwritten), sim::EnvironmentError if it cannot be created or another run writes to it.
    explicit FindingsFile(const std::string& path);
    FindingsFile(const FindingsFile&) = delete;
    FindingsFile& operator=(const FindingsFile&) = delete;

    void on_event(const sim::Event& /*event*/) override {}
    // Written with one system call, so that readers see only complete lines, which stay whatever happens to the process afterwards.
    // Warnings are lines, too ("warning": true).
    void on_finding(const sim::Finding& finding) override;

    // One sentence if something could not be written (a full disk does not stop the run), otherwise nothing. Ask at the end.
    [[nodiscard]] std::optional<std::string> failure() const;

private:
    const std::string path_;
    ums::OutputHandle file_;
    std::uint64_t size_bytes_ = 0;
    std::uint64_t lines_ = 0;
    std::uint64_t lost_lines_ = 0;
    std::error_code first_error_;
};

}  // namespace reports
