// What a run has reported so far, by its findings file (docs/findings_format.md), which can be read while the run works.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace cli {

class ReportedFindings {
public:
    explicit ReportedFindings(std::string path) : path_(std::move(path)) {}

    // Reads what has been added to the file. Lines that are not findings count for nothing: a power cut may have left anything there.
    void look();
    // Without warnings.
    [[nodiscard]] std::uint64_t count() const { return count_; }
    // Of these, wrong or missing data: the others are requests that failed, as they do when somebody cuts the power of the storage.
    [[nodiscard]] std::uint64_t wrong_data() const { return wrong_data_; }
    // When the first wrong answer came back, even if it was reported after others; empty if none says so. A diagnosis takes a while, so
    // the report may come much later.
    [[nodiscard]] std::optional<std::uint64_t> first_utc_us() const { return first_utc_us_; }

private:
    void take(const std::string& line);

    const std::string path_;
    std::uint64_t read_bytes_ = 0;
    std::uint64_t count_ = 0;
    std::uint64_t wrong_data_ = 0;
    std::optional<std::uint64_t> first_utc_us_;
};

}  // namespace cli
