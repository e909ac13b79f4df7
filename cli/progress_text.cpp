#include "cli/progress_text.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace cli {
namespace {

constexpr double kBytesPerMb = 1024.0 * 1024.0;  // as SQL Server counts

std::string clock_text(std::uint64_t time_us) {
    const std::uint64_t seconds = time_us / 1'000'000;
    if (seconds >= 3600) return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

std::string count_text(double value) {
    if (value < 10'000) return fmt::format("{:.0f}", value);
    if (value < 1'000'000) return fmt::format("{:.1f}k", value / 1'000);
    return fmt::format("{:.2f}M", value / 1'000'000);
}

std::string phase_text(const sim::Progress& progress) {
    std::string text(sim::name_of(progress.phase));
    if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    if (progress.cycles == 0) return fmt::format("{}, cycle {}", text, progress.cycle);
    if (progress.cycles > 1) return fmt::format("{}, cycle {}/{}", text, progress.cycle, progress.cycles);
    return text;
}

// Where the end is known by time, the time that is left; else the share that is done.
std::string time_text(const sim::Progress& progress) {
    const std::string elapsed = clock_text(progress.elapsed_us);
    if (progress.phase_duration_us > 0) {
        const std::uint64_t left_us = progress.phase_duration_us - std::min(progress.elapsed_us, progress.phase_duration_us);
        return fmt::format("{}, {} left", elapsed, clock_text(left_us));
    }
    if (progress.done_fraction <= 0) return elapsed;
    return fmt::format("{}, {:.0f} %", elapsed, std::min(progress.done_fraction, 1.0) * 100);
}

std::string milliseconds_text(std::uint64_t time_us) {
    const double time_ms = static_cast<double>(time_us) / 1000;
    return time_ms < 10 ? fmt::format("{:.1f}", time_ms) : fmt::format("{:.0f}", time_ms);
}

// "sqliosim.mdx 12 ms x 33": the running average and how many requests the governor allows at that.
std::string files_text(const sim::Progress& progress) {
    std::string text;
    for (const sim::Progress::File& file : progress.files) {
        const std::string name = file.path.substr(file.path.find_last_of('/') + 1);
        text += fmt::format("{}{} {} ms x{}", text.empty() ? "" : ", ", name, milliseconds_text(file.average_io_duration_us), file.request_blocks);
    }
    return text;
}

std::string slowest_text(const sim::Progress& progress) {
    std::uint64_t slowest_us = 0;
    for (const sim::Progress::File& file : progress.files) slowest_us = std::max(slowest_us, file.average_io_duration_us);
    return progress.files.empty() ? "" : fmt::format("avg {} ms", milliseconds_text(slowest_us));
}

// What a line may be made of, and how dear each piece is: 0 is never left out.
struct Piece {
    std::string text;
    int rank = 0;
};

std::string join_within(std::vector<Piece> pieces, std::size_t columns) {
    for (int worst = 9; worst >= 0; --worst) {
        std::string line;
        for (const Piece& piece : pieces) {
            if (!piece.text.empty()) line += (line.empty() ? "" : " | ") + piece.text;
        }
        if (line.size() <= columns || worst == 0) return line.substr(0, columns);
        for (Piece& piece : pieces) {
            if (piece.rank == worst) piece.text.clear();
        }
    }
    return {};
}

}  // namespace

ProgressRates rates_between(const sim::Progress& earlier, const sim::Progress& later, std::uint64_t interval_us) {
    if (interval_us == 0) return {};
    const double seconds = static_cast<double>(interval_us) / 1e6;
    const auto rate = [seconds](std::uint64_t from, std::uint64_t to) { return to > from ? static_cast<double>(to - from) / seconds : 0.0; };
    return {rate(earlier.io_count, later.io_count), rate(earlier.io_bytes, later.io_bytes)};
}

std::string progress_text(const sim::Progress& progress, const ProgressRates& rates, std::size_t columns) {
    const std::string findings =
        progress.findings == 0 ? "0 findings" : fmt::format("{} FINDING{}", progress.findings, progress.findings == 1 ? "" : "S");
    const std::string files = files_text(progress);
    const std::string throttles = progress.throttle_count == 0 ? "" : fmt::format("{} throttles", count_text(static_cast<double>(progress.throttle_count)));
    const auto line = [&](const std::string& averages) {
        return std::vector<Piece>{{phase_text(progress), 0},
                                  {time_text(progress), 1},
                                  {count_text(rates.ios_per_second) + " IO/s", 3},
                                  {fmt::format("{:.0f} MB/s", rates.bytes_per_second / kBytesPerMb), 4},
                                  {averages, 5},
                                  {throttles, 6},
                                  {findings, 0}};
    };
    // Every file by name where there is room, else the slowest one's average.
    const std::vector<Piece> long_line = line(files);
    std::size_t long_columns = 0;
    for (const Piece& piece : long_line) long_columns += piece.text.size() + 3;
    return join_within(long_columns <= columns + 3 ? long_line : line(slowest_text(progress)), columns);
}

}  // namespace cli
