#include "cli/measuring/measuring.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/measuring/overwritable.hpp"
#include "cli/process/console_sink.hpp"
#include "cli/process/exit_codes.hpp"
#include "cli/process/run_control.hpp"
#include "cli/process/stop_signals.hpp"
#include "config/problems.hpp"
#include "config/text_decoding.hpp"
#include "reports/measure_report.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/printable.hpp"
#include "ums/io/posix_storage.hpp"

namespace cli {

sim::MeasureResults run_measurement(const sim::MeasureSpec& spec, Console& console,
                                    const std::function<void(const sim::MeasureProgress&)>& on_second) {
    if (const std::string problem = sim::check_measure_spec(spec); !problem.empty()) throw UsageError(problem);
    const GracefulStop stop;
    const ums::RealClock clock;
    ums::PosixStorage storage;
    RunControl* control = nullptr;
    ConsoleSink sink(console, [&control] { control->wake(); }, {.has_log = false});
    sim::Measurement measurement(spec, storage, clock, sink);
    RunControl run_control(stop, {.on_stop_signal =
                                      [&](int) {
                                          erase_line_at_exit(console.redraws());
                                          measurement.request_stop();
                                      },
                                  .on_wake = [&] { console.flush(""); },
                                  .on_second =
                                      [&] {
                                          on_second(measurement.progress());
                                          console.flush("");
                                      }});
    control = &run_control;
    sim::MeasureResults results;
    run_control.run([&] { results = measurement.run(); });
    return results;
}

std::string engine_messages(const sim::MeasureResults& results, std::string_view tool) {
    for (const sim::MeasureTimespanResults& span : results.timespans) {
        const std::string pool = reports::small_pool_text(span);
        if (pool.empty()) continue;
        const std::string reason = span.engine_reason.empty() ? "" : fmt::format("{}: {}\n", tool, ums::printable(span.engine_reason));
        return fmt::format("{}{}: {}\n", reason, tool, pool);
    }
    return {};
}

std::string hole_messages(const sim::MeasureResults& results, std::string_view tool) {
    std::vector<std::string> lines;
    for (const sim::MeasureTimespanResults& span : results.timespans) {
        for (const std::string& text : reports::hole_texts(span)) {
            const std::string line = fmt::format("{}: {}\n", tool, text);
            if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
        }
    }
    return fmt::format("{}", fmt::join(lines, ""));
}

void refuse_windows_path(const std::string& path) {
    if (path.starts_with('#')) {
        throw UsageError(fmt::format("{}: is a Windows physical disk; name the block device instead, as in /dev/nvme0n1", path));
    }
    const bool has_drive = path.size() >= 2 && std::isalpha(static_cast<unsigned char>(path[0])) != 0 && path[1] == ':' &&
                           (path.size() == 2 || path[2] == '\\' || path[2] == '/');
    // "dir\file" would be a file of this folder, perhaps on another disk than the one that is meant.
    const bool has_backslash = !path.starts_with('/') && path.find('\\') != std::string::npos;
    if (has_drive || has_backslash) {
        throw UsageError(fmt::format("{}: is a Windows path; name a file of this machine, as in /mnt/data/testfile.dat", path));
    }
}

void check_cpus(std::string_view option, const std::vector<std::uint32_t>& wanted, const std::vector<std::uint32_t>& allowed) {
    if (allowed.empty()) return;
    for (const std::uint32_t cpu : wanted) {
        if (std::find(allowed.begin(), allowed.end(), cpu) != allowed.end()) continue;
        throw UsageError(fmt::format("{}: CPU {} is not there, or not allowed to this process; there are {} of them, up to {}", option, cpu,
                                     allowed.size(), allowed.back()));
    }
}

void allow_empty_targets(sim::MeasureSpec& spec) {
    ums::PosixStorage storage;
    for (sim::MeasureTimespan& span : spec.timespans) {
        for (sim::MeasureTarget& target : span.targets) {
            if (target.may_overwrite || (target.write_percent == 0 && target.create_bytes == 0)) continue;
            target.may_overwrite = holds_nothing(storage, target.path);
        }
    }
}

std::string decoded_document(std::string_view bytes, const std::string& name) {
    try {
        return config::decode_text(bytes, name);
    } catch (const config::ConfigError& error) {
        throw UsageError(error.what());
    }
}

std::string program_name(const std::string& path) {
    std::string name = path.substr(path.find_last_of('/') + 1);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name.ends_with(".exe") || name.ends_with(".com")) name.erase(name.size() - 4);
    return name;
}

}  // namespace cli
