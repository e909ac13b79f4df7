// The error log of a run: SQLIOSim's sqliosim.log.xml, one element for each event, well-formed at any time (see XmlTail).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reports/log_file.hpp"
#include "reports/xml_tail.hpp"
#include "sim/event.hpp"

namespace reports {

// One call at a time (the contract of EventSink); any thread. Nothing but the constructor throws.
class XmlLog final : public sim::EventSink {
public:
    // Creates the file. An existing log of ioproof or SQLIOSim is replaced, as SQLIOSim does, when the run begins or has a finding: a run
    // that is refused leaves it as it is. The file stays locked until the object ends. Throws as LogFile does; the file is not touched
    // then.
    explicit XmlLog(const std::string& path);

    void on_begin() override;

    // A thread_id of 0 becomes the calling thread.
    void on_event(const sim::Event& event) override;
    void on_finding(const sim::Finding& finding) override;

    // What could not be written (a full disk does not stop the run): one sentence, or nothing if everything was. Ask at the end.
    [[nodiscard]] std::optional<std::string> failure() const;

    [[nodiscard]] const std::string& path() const { return path_; }
    // The log of an earlier run is still there.
    [[nodiscard]] bool is_waiting() const { return file_.is_waiting(); }

private:
    const std::string path_;
    LogFile file_;
    XmlTail tail_;
    std::uint64_t entries_ = 0;
    std::uint64_t lost_entries_ = 0;
    std::error_code first_error_;
};

}  // namespace reports
