// The error log of a run: SQLIOSim's sqliosim.log.xml, one element for each event, well-formed whenever the process ends (see XmlTail).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reports/xml_tail.hpp"
#include "sim/event.hpp"

namespace reports {

// An open file that is closed with its object, for XmlTail.
class LogFile final : public TailFile {
public:
    explicit LogFile(int descriptor) : descriptor_(descriptor) {}
    ~LogFile() override;
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    std::error_code write_at(std::uint64_t offset_bytes, std::string_view bytes) override;
    std::error_code truncate(std::uint64_t size_bytes) override;
    [[nodiscard]] int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

// One call at a time (the contract of EventSink); any thread. Nothing but the constructor throws.
class XmlLog final : public sim::EventSink {
public:
    // Makes the file, or replaces a log of ours or of SQLIOSim, as SQLIOSim does. The file stays locked until the object ends. Throws
    // sim::RefusedError if there is something else under that name, sim::EnvironmentError if another run writes to it or the system does
    // not let us make it; the file is not touched then.
    explicit XmlLog(const std::string& path);

    // A thread_id of 0 becomes the calling thread.
    void on_event(const sim::Event& event) override;
    void on_finding(const sim::Finding& finding) override;

    // What could not be written (a full disk does not stop the run): one sentence, or nothing if all is there. Ask at the end.
    [[nodiscard]] std::optional<std::string> failure() const;

private:
    const std::string path_;
    LogFile file_;
    XmlTail tail_;
    std::uint64_t entries_ = 0;
    std::uint64_t lost_entries_ = 0;
    std::error_code first_error_;
};

}  // namespace reports
