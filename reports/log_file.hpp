// The file of the XML log. If a log of that name already exists, it stays, and the new one is kept in memory until take_place() replaces
// the old one: in one step, with everything written until then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "reports/output_door.hpp"
#include "reports/xml_tail.hpp"
#include "ums/base/output_handle.hpp"
#include "ums/base/unfinished_file.hpp"

namespace reports {

// Logs of ioproof and of SQLIOSim; the latter may be UTF-16.
OutputKind log_kind();

// Created and destroyed on the main thread; written on any thread, one call at a time.
class LogFile final : public TailFile {
public:
    // Opens an empty file of this name, or the existing log, and locks it for the life of the object. Throws as open_output does, and
    // sim::EnvironmentError if another run writes to it.
    explicit LogFile(const std::string& path);
    // Removes a file that has not taken its place.
    ~LogFile() override;
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    // An earlier log of this name has not been replaced yet.
    [[nodiscard]] bool is_waiting() const { return old_file_.is_open() && !file_.is_open(); }
    // Replaces the earlier log: by a second file that takes its name, so that readers of the old one keep it; or, if there is no room for a
    // second file, by overwriting it. If that fails, too, or a limit forbids files of this size, nothing can be written any more. From then
    // on, a new file stays.
    std::error_code take_place();

    std::error_code write_at(std::uint64_t offset_bytes, std::string_view bytes) override;
    std::error_code truncate(std::uint64_t size_bytes) override;

private:
    std::error_code write_second_file();
    std::error_code write_over_old();

    ums::OutputHandle file_;
    std::string kept_;            // the new log, while the earlier one exists
    std::error_code failure_;     // why it could not take its place
    ums::OutputHandle old_file_;  // stays locked, too, because another run may have opened it before it lost its name
    std::string path_;            // of the file itself, not of a link to it
    std::optional<ums::UnfinishedFile> half_made_;
};

}  // namespace reports
