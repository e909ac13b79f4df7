#include "reports/findings_file.hpp"

#include <fmt/format.h>

#include "reports/finding_json.hpp"
#include "ums/base/error_text.hpp"

namespace reports {

OutputKind findings_kind() {
    return {.what = "findings file", .refusal = "is not empty", .is_ours = [](std::string_view) { return false; }};
}

FindingsFile::FindingsFile(const std::string& path) : path_(path), file_(open_output(findings_kind(), path).file) {
    lock_output(findings_kind(), path, file_);
    file_.append_only();
}

void FindingsFile::on_finding(const sim::Finding& finding) {
    ++lines_;
    const std::string line = finding_json(finding);
    const std::error_code error = file_.write(line);
    if (!error) {
        size_bytes_ += line.size();
        return;
    }
    if (lost_lines_++ == 0) first_error_ = error;
    // Removes an incomplete line before the next one. If that fails, too, nothing more can be done.
    static_cast<void>(file_.truncate(size_bytes_));
}

std::optional<std::string> FindingsFile::failure() const {
    if (lost_lines_ == 0) return std::nullopt;
    return fmt::format("findings file '{}': {} of {} findings could not be written: {}.", path_, lost_lines_, lines_,
                       ums::error_text(first_error_));
}

}  // namespace reports
