// What a run has reported so far, by its findings file (docs/findings_format.md), which can be read while the run works.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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
    // Those whose wrong answer had come back before this time. A diagnosis takes a while, so the report may come much later.
    [[nodiscard]] std::uint64_t count_before(std::uint64_t utc_us) const;

private:
    void take(const std::string& line);

    const std::string path_;
    std::uint64_t read_bytes_ = 0;
    std::uint64_t count_ = 0;
    std::uint64_t wrong_data_ = 0;
    std::vector<std::uint64_t> utc_us_;  // when the wrong answers came back, as far as the file says so
};

}  // namespace cli
