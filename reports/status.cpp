#include "reports/status.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reports/json_text.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kStatusVersion = 1;

// "HELP", "TYPE" and one value, for metrics without labels.
std::string metric(std::string_view name, std::string_view type, std::string_view help, double value) {
    return fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n{0} {3}\n", name, type, help, value);
}

std::string metric(std::string_view name, std::string_view type, std::string_view help, std::uint64_t value) {
    return fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n{0} {3}\n", name, type, help, value);
}

// The format is UTF-8, and people view it on a terminal.
std::string label_value(std::string_view text) {
    std::string escaped;
    for (const char c : ums::printable(text)) {
        if (c == '\\' || c == '"') escaped += '\\';
        escaped += c;
    }
    return escaped;
}

double seconds(std::uint64_t duration_us) { return static_cast<double>(duration_us) / 1e6; }

std::string file_metrics(const sim::Progress& progress) {
    std::string averages =
        "# HELP ioproof_file_io_duration_average_seconds Running average of the duration of requests.\n"
        "# TYPE ioproof_file_io_duration_average_seconds gauge\n";
    std::string blocks =
        "# HELP ioproof_file_request_blocks Requests that may be outstanding.\n"
        "# TYPE ioproof_file_request_blocks gauge\n";
    for (const auto& file : progress.files) {
        const std::string label = label_value(file.path);
        averages +=
            fmt::format("ioproof_file_io_duration_average_seconds{{file=\"{}\"}} {}\n", label, seconds(file.average_io_duration_us));
        blocks += fmt::format("ioproof_file_request_blocks{{file=\"{}\"}} {}\n", label, file.request_blocks);
    }
    return averages + blocks;
}

Json group_of_status(const sim::GroupResult& group) {
    Json members = Json::array();
    for (const sim::GroupMemberResult& member : group.members) {
        members.push_back(
            {{"rank", member.rank}, {"host", member.host}, {"state", member.state}, {"clock_offset_us", member.clock_offset_us}});
    }
    return {{"name", group.name},
            {"plan", group.plan},
            {"rank", group.rank},
            {"of", group.of},
            {"turn", group.turn ? group.turn->number : 0},
            {"turns", group.turn ? group.turn->turns : 0},
            {"missing_ranks", group.missing_ranks},
            {"members", std::move(members)}};
}

std::string group_metrics(const StatusBoard& board) {
    if (!board.group()) return {};
    const sim::GroupResult& group = *board.group();
    std::string text = metric("ioproof_group_ranks", "gauge", "Runs of the group.", std::uint64_t{group.of});
    text += metric("ioproof_group_missing_ranks", "gauge", "Runs of the group that did not come, or were lost or cut off.",
                   std::uint64_t{group.missing_ranks.size()});
    if (group.turn) text += metric("ioproof_group_turn", "gauge", "The turn of the hand-over, from 1.", std::uint64_t{group.turn->number});
    return text;
}

}  // namespace

void StatusBoard::update(sim::Progress progress, std::uint64_t run_elapsed_us) {
    const auto keep = [](std::uint64_t& now, std::uint64_t before) { now = std::max(now, before); };
    keep(progress.io_count, progress_.io_count);
    keep(progress.io_bytes, progress_.io_bytes);
    keep(progress.pages_verified, progress_.pages_verified);
    keep(progress.findings, progress_.findings);
    keep(progress.warnings, progress_.warnings);
    keep(progress.throttle_count, progress_.throttle_count);
    progress_ = std::move(progress);
    samples_.push_back({run_elapsed_us, meter_.update(progress_, run_elapsed_us - std::min(run_elapsed_us, run_elapsed_us_))});
    if (samples_.size() > kSamplesMax) samples_.pop_front();
    run_elapsed_us_ = run_elapsed_us;
}

std::string status_json(const StatusBoard& board) {
    const sim::Progress& progress = board.progress();
    Json files = Json::array();
    for (const auto& file : progress.files) {
        files.push_back(
            {{"path", file.path}, {"average_io_duration_us", file.average_io_duration_us}, {"request_blocks", file.request_blocks}});
    }
    Json long_calls = Json::array();
    for (const auto& call : progress.long_calls) {
        long_calls.push_back({{"call", call.name}, {"path", call.path}, {"duration_us", call.duration_us}});
    }
    Json samples = Json::array();
    for (const StatusSample& sample : board.samples()) {
        samples.push_back({{"run_elapsed_us", sample.run_elapsed_us},
                           {"ios_per_second", sample.rates.ios_per_second},
                           {"mb_per_second", sample.rates.mb_per_second}});
    }
    Json document{{"version", kStatusVersion},
                  {"ioproof", board.head().version},
                  {"seed", fmt::format("{}", board.head().seed)},
                  {"engine", board.head().engine},
                  {"start_utc_us", board.head().start_utc_us},
                  {"rehearsal", board.head().rehearsal},
                  {"run_elapsed_us", board.run_elapsed_us()},
                  {"phase", sim::name_of(progress.phase)},
                  {"cycle", progress.cycle},
                  {"cycles", progress.cycles},
                  {"phase_elapsed_us", progress.elapsed_us},
                  {"phase_duration_us", progress.phase_duration_us},
                  {"done_fraction", progress.done_fraction},
                  {"io_count", progress.io_count},
                  {"io_bytes", progress.io_bytes},
                  {"pages_verified", progress.pages_verified},
                  {"findings", progress.findings},
                  {"warnings", progress.warnings},
                  {"throttle_count", progress.throttle_count},
                  {"outstanding_io", progress.outstanding_io},
                  {"lost_requests", progress.lost_requests},
                  {"long_calls", long_calls},
                  {"files", files},
                  {"samples", samples}};
    if (board.group()) document["group"] = group_of_status(*board.group());
    return json_line(document);
}

std::string status_metrics(const StatusBoard& board) {
    const sim::Progress& progress = board.progress();
    std::string text = fmt::format(
        "# HELP ioproof_build_info The program's version.\n# TYPE ioproof_build_info gauge\nioproof_build_info{{version=\"{}\"}} 1\n",
        label_value(board.head().version));
    text += fmt::format(
        "# HELP ioproof_phase_info The phase that the run is in.\n# TYPE ioproof_phase_info gauge\n"
        "ioproof_phase_info{{phase=\"{}\"}} 1\n",
        label_value(sim::name_of(progress.phase)));
    text += metric("ioproof_run_elapsed_seconds", "gauge", "Time since the run began.", seconds(board.run_elapsed_us()));
    text += metric("ioproof_phase_elapsed_seconds", "gauge", "Time since the phase began.", seconds(progress.elapsed_us));
    text += metric("ioproof_cycle", "gauge", "The cycle that the run is in, from 1.", std::uint64_t{progress.cycle});
    text += metric("ioproof_io_requests_total", "counter", "Requests done since the run began.", progress.io_count);
    text += metric("ioproof_io_bytes_total", "counter", "Bytes read and written since the run began.", progress.io_bytes);
    text += metric("ioproof_pages_verified_total", "counter", "Pages that came back and were right.", progress.pages_verified);
    text += metric("ioproof_findings_total", "counter", "Pages and requests that were wrong, lost or failed.", progress.findings);
    text += metric("ioproof_warnings_total", "counter", "Requests that came back late.", progress.warnings);
    text += metric("ioproof_throttles_total", "counter", "Request blocks discarded because the average was above the target.",
                   progress.throttle_count);
    text += metric("ioproof_outstanding_io", "gauge", "Requests outstanding.", progress.outstanding_io);
    text += metric("ioproof_long_calls", "gauge", "Calls other than requests, such as syncs, that have not returned for 15 seconds.",
                   std::uint64_t{progress.long_calls.size()});
    text += metric("ioproof_lost_requests", "gauge", "Requests that did not come back in two minutes.", progress.lost_requests);
    return text + group_metrics(board) + file_metrics(progress);
}

}  // namespace reports
