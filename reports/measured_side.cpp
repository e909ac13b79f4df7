#include "reports/measured_side.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "reports/bench_report.hpp"
#include "reports/json_limits.hpp"
#include "reports/json_schema.hpp"
#include "reports/json_text.hpp"
#include "reports/measure_json.hpp"
#include "reports/results_document.hpp"
#include "reports/statistics.hpp"
#include "reports/sweep_report.hpp"
#include "ums/base/printable.hpp"

namespace reports {

namespace {

using SideJson = nlohmann::ordered_json;

// --- the least that a document holds ---

std::string object_schema(const std::string& properties, std::string_view required) {
    return fmt::format(R"({{"type":"object","properties":{{{}}},"required":[{}]}})", properties, required);
}

std::string array_schema(const std::string& items) { return fmt::format(R"({{"type":"array","items":{}}})", items); }

// Nothing that is measured comes near the maximum, and squares of squares of such numbers are still finite.
constexpr std::string_view kNumberSchema = R"({"type":"number","minimum":0,"maximum":1e18})";
constexpr std::string_view kNumberOrNullSchema = R"({"type":["number","null"],"minimum":0,"maximum":1e18})";
constexpr std::string_view kCountSchema = R"({"type":"integer","minimum":0})";
constexpr std::string_view kTextSchema = R"({"type":"string"})";

std::string property(std::string_view name, std::string_view schema) { return fmt::format(R"("{}":{})", name, schema); }

std::string counts_schema() {
    const std::string pair = fmt::format(R"({{"type":"array","minItems":2,"maxItems":2,"items":{}}})", kNumberSchema);
    const std::string latency =
        object_schema(fmt::format("{},{},{},{}", property("count", kCountSchema), property("mean_ns", kNumberSchema),
                                  property("max_ns", kNumberSchema), property("percentiles_ns", array_schema(pair))),
                      R"("count","mean_ns","max_ns","percentiles_ns")");
    return object_schema(fmt::format("{},{},{},{}", property("requests", kCountSchema), property("requests_per_s", kNumberSchema),
                                     property("bytes_per_s", kNumberSchema), property("latency", latency)),
                         R"("requests","requests_per_s","bytes_per_s","latency")");
}

std::string directions_schema(const std::string& more, std::string_view more_required) {
    const std::string counts = counts_schema();
    return object_schema(fmt::format("{}{},{},{}", more, property("reads", counts), property("writes", counts), property("both", counts)),
                         fmt::format(R"({}"reads","writes")", more_required));
}

std::string measurement_schema() {
    const std::string target =
        directions_schema(fmt::format("{},{},", property("path", kTextSchema), property("class", kTextSchema)), R"("path","class",)");
    const std::string total = directions_schema("", "");
    const std::string rounds = object_schema(
        fmt::format("{},{}", property("totals", array_schema(total)), property("targets", array_schema(array_schema(target)))),
        R"("totals")");
    const std::string intervals = object_schema(
        fmt::format("{},{},{}", property("interval_ms", kCountSchema), property("reads", array_schema(std::string(kCountSchema))),
                    property("writes", array_schema(std::string(kCountSchema)))),
        R"("interval_ms","reads","writes")");
    return object_schema(fmt::format("{},{},{},{},{},{},{},{},{},{},{}", property("duration_ns", kCountSchema),
                                     property("intervals", intervals), property("verify", R"({"type":"boolean"})"),
                                     property("findings", kCountSchema), property("stopped", R"({"type":"boolean"})"),
                                     property("failure", kTextSchema), property("start_utc", kTextSchema), property("engine", kTextSchema),
                                     property("targets", array_schema(target)), property("total", total), property("rounds", rounds)),
                         R"("findings","stopped","failure","start_utc","engine","targets","total")");
}

std::string own_path_schema() {
    return object_schema(
        fmt::format("{},{},{},{},{},{},{},{},{}", property("files", array_schema(std::string(kTextSchema))),
                    property("engine", kTextSchema), property("requests_per_s", kNumberSchema), property("bytes_per_s", kNumberSchema),
                    property("latency_mean_us", kNumberSchema), property("cpu_ns_per_request", kNumberSchema),
                    property("findings", kCountSchema), property("stopped", R"({"type":"boolean"})"), property("failure", kTextSchema)),
        R"("files","engine","requests_per_s","bytes_per_s","latency_mean_us","cpu_ns_per_request","findings","stopped","failure")");
}

std::string sweep_schema() {
    std::string columns = property("depth", kCountSchema);
    std::string required = R"("depth")";
    for (const std::string_view name : {"requests_per_s", "latency_mean_us", "latency_p99_us"}) {
        columns += "," + property(name, name == "latency_p99_us" ? kNumberOrNullSchema : kNumberSchema);
        required += fmt::format(R"(,"{}")", name);
    }
    const std::string series =
        object_schema(fmt::format("{},{},{},{}", property("name", kTextSchema), property("has_knee", R"({"type":"boolean"})"),
                                  property("knee_depth", kCountSchema), property("points", array_schema(object_schema(columns, required)))),
                      R"("name","has_knee","knee_depth","points")");
    return object_schema(
        fmt::format("{},{},{},{},{},{}", property("files", array_schema(std::string(kTextSchema))),
                    property("asked", array_schema(std::string(kTextSchema))), property("is_complete", R"({"type":"boolean"})"),
                    property("findings", kCountSchema), property("failure", kTextSchema), property("series", array_schema(series))),
        R"("files","asked","is_complete","series")");
}

// --- figures ---

constexpr std::string_view kDirections[] = {"reads", "writes", "both"};

double percentile_in(const SideJson& counts, double percent) {
    for (const SideJson& pair : counts["latency"]["percentiles_ns"]) {
        if (pair[0].get<double>() == percent) return pair[1].get<double>();
    }
    return 0;
}

// Adds one direction in every round. Without requests, the rate is 0, and there is no time: an average of 0 us would be a good one.
void add_direction(MeasuredGroup& group, const std::string& name, const std::vector<const SideJson*>& rounds) {
    constexpr double kMegabyte = 1 << 20;
    MeasuredFigure rate{name, "/s", true, true, {}};
    MeasuredFigure bytes{name, "MB/s", true, false, {}};
    MeasuredFigure mean{name + ", average", "us", false, true, {}};
    for (const SideJson* counts : rounds) {
        rate.values.push_back((*counts)["requests_per_s"].get<double>());
        bytes.values.push_back((*counts)["bytes_per_s"].get<double>() / kMegabyte);
        mean.values.push_back((*counts)["latency"]["mean_ns"].get<double>() / 1000);
    }
    group.figures.insert(group.figures.end(), {std::move(rate), std::move(bytes)});
    const bool has_times =
        std::all_of(rounds.begin(), rounds.end(), [](const SideJson* counts) { return (*counts)["latency"]["count"] != 0; });
    if (has_times) group.figures.push_back(std::move(mean));
    for (const double percent : {50.0, 99.0, 99.9, 99.99}) {
        MeasuredFigure figure{fmt::format("{}, {} %", name, percent), "us", false, false, {}, true};
        const bool is_there = std::all_of(rounds.begin(), rounds.end(), [&](const SideJson* counts) {
            return has_requests_beyond((*counts)["latency"]["count"].get<double>(), percent);
        });
        if (!is_there) continue;
        for (const SideJson* counts : rounds) figure.values.push_back(percentile_in(*counts, percent) / 1000);
        group.figures.push_back(std::move(figure));
    }
}

// `rounds`: objects with "reads" and "writes", of the total also with "both".
void add_directions(MeasuredGroup& group, const std::vector<const SideJson*>& rounds) {
    for (const std::string_view direction : kDirections) {
        const std::string name(direction);
        const bool is_there = std::all_of(rounds.begin(), rounds.end(), [&](const SideJson* round) { return round->contains(name); });
        if (!is_there) continue;
        std::vector<const SideJson*> counts;
        for (const SideJson* round : rounds) counts.push_back(&(*round)[name]);
        add_direction(group, name, counts);
    }
}

// Adds the values of an object that have the names of asked_json(), as text.
void add_asked(MeasuredGroup& group, const SideJson& target) {
    sim::MeasureTimespan names;
    names.targets.emplace_back();
    const SideJson asked = asked_json(names, 0);
    for (const auto& item : asked.items()) {
        const auto value = target.find(item.key());
        if (value == target.end()) continue;
        group.asked.emplace_back(item.key(), value->is_string() ? value->get<std::string>() : value->dump());
    }
}

MeasuredGroup group_of_target(const SideJson& document, std::size_t index) {
    const SideJson& target = document["targets"][index];
    MeasuredGroup group{target["class"].get<std::string>(), target["path"].get<std::string>(), {}, {}};
    add_asked(group, target);
    for (const char* fact : {"size_bytes", "verified"}) {
        if (target.contains(fact)) group.asked.emplace_back(fact, target[fact].dump());
    }
    for (const char* condition : {"schedulers", "warm_up_s"}) {
        if (document.contains(condition)) group.asked.emplace_back(condition, document[condition].dump());
    }
    std::vector<const SideJson*> rounds;
    if (document.contains("rounds") && document["rounds"].contains("targets")) {
        for (const SideJson& round : document["rounds"]["targets"]) {
            if (index < round.size()) rounds.push_back(&round[index]);
        }
    }
    if (rounds.empty()) rounds.push_back(&target);
    add_directions(group, rounds);
    return group;
}

// The last interval may have been cut short, which would look like a slump.
void add_intervals(MeasuredSide& side, const SideJson& document) {
    const SideJson& intervals = document["intervals"];
    side.interval_ms = intervals["interval_ms"].get<std::uint64_t>();
    if (side.interval_ms == 0) return;
    const SideJson& writes = intervals["writes"];
    std::uint64_t count = intervals["reads"].size();
    if (document.contains("duration_ns"))
        count = std::min(count, document["duration_ns"].get<std::uint64_t>() / 1'000'000 / side.interval_ms);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t written = i < writes.size() ? writes[i].get<std::uint64_t>() : 0;
        side.interval_requests.push_back(intervals["reads"][i].get<std::uint64_t>() + written);
    }
}

MeasuredSide side_of_measurement(const SideJson& document) {
    MeasuredSide side;
    side.kind = MeasuredKind::measurement;
    side.start_utc = document["start_utc"].get<std::string>();
    side.engine = document["engine"].get<std::string>();
    side.is_whole = !document["stopped"].get<bool>() && document["failure"].get<std::string>().empty();
    if (document.contains("verify")) side.wants_verification = document["verify"].get<bool>();
    if (document.contains("intervals")) add_intervals(side, document);
    std::vector<const SideJson*> rounds;
    if (document.contains("rounds")) {
        for (const SideJson& round : document["rounds"]["totals"]) rounds.push_back(&round);
    }
    if (rounds.empty()) rounds.push_back(&document["total"]);
    side.round_count = rounds.size();
    const std::size_t targets = document["targets"].size();
    if (targets != 1) {
        side.groups.push_back({"all", "", {}, {}});
        add_directions(side.groups.back(), rounds);
    }
    for (std::size_t i = 0; i < targets; ++i) side.groups.push_back(group_of_target(document, i));
    if (targets == 1) {
        // Only the total has both directions together.
        side.groups.back().figures.clear();
        add_directions(side.groups.back(), rounds);
    }
    return side;
}

MeasuredSide side_of_own_path(const SideJson& document) {
    MeasuredSide side;
    side.kind = MeasuredKind::own_path;
    side.engine = document["engine"].get<std::string>();
    side.is_whole = !document["stopped"].get<bool>() && document["failure"].get<std::string>().empty();
    MeasuredGroup group;
    for (const SideJson& file : document["files"]) group.path += (group.path.empty() ? "" : ", ") + file.get<std::string>();
    for (const char* name :
         {"pattern", "op", "block_bytes_min", "block_bytes_max", "depth", "cpus", "verify", "durable", "scatter", "direct"}) {
        if (!document.contains(name)) continue;
        const SideJson& value = document[name];
        group.asked.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
    const auto number = [&](const char* name) { return std::vector<double>{document[name].get<double>()}; };
    group.figures = {{"requests", "/s", true, true, number("requests_per_s")},
                     {"bytes", "/s", true, false, number("bytes_per_s")},
                     {"average latency", "us", false, true, number("latency_mean_us")},
                     {"CPU a request", "ns", false, false, number("cpu_ns_per_request")}};
    side.groups.push_back(std::move(group));
    return side;
}

MeasuredSide side_of_sweep(const SideJson& document) {
    MeasuredSide side;
    side.kind = MeasuredKind::sweep;
    side.is_whole = document["is_complete"].get<bool>();
    MeasuredGroup sweep{"sweep", "", {}, {}};
    for (const SideJson& file : document["files"]) sweep.path += (sweep.path.empty() ? "" : ", ") + file.get<std::string>();
    for (const SideJson& word : document["asked"]) {
        const auto text = word.get<std::string>();
        const std::size_t sign = text.find('=');
        sweep.asked.emplace_back("--" + text.substr(0, sign), sign == std::string::npos ? "given" : text.substr(sign + 1));
    }
    side.groups.push_back(std::move(sweep));
    for (const SideJson& series : document["series"]) {
        MeasuredGroup group{series["name"].get<std::string>(), "", {}, {}};
        for (const SideJson& point : series["points"]) {
            const auto add = [&](const char* name, const char* unit, bool more_is_better, const char* column) {
                if (point[column].is_null()) return;
                group.figures.push_back({fmt::format("depth {}{}", point["depth"].get<std::uint64_t>(), name),
                                         unit,
                                         more_is_better,
                                         false,
                                         {point[column].get<double>()}});
            };
            add("", "/s", true, "requests_per_s");
            add(", average", "us", false, "latency_mean_us");
            add(", 99 %", "us", false, "latency_p99_us");
        }
        if (series["has_knee"].get<bool>())
            group.figures.push_back({"knee at depth", "", true, false, {series["knee_depth"].get<double>()}});
        side.groups.push_back(std::move(group));
    }
    return side;
}

struct MeasuredForm {
    std::string_view document;
    int version;
    std::string (*schema)();
    MeasuredSide (*read)(const SideJson& document);
};

constexpr MeasuredForm kMeasuredForms[] = {{kMeasureDocument, kMeasureVersion, measurement_schema, side_of_measurement},
                                           {kBenchDocument, kBenchVersion, own_path_schema, side_of_own_path},
                                           {kSweepDocument, kSweepVersion, sweep_schema, side_of_sweep}};

const MeasuredForm* form_of(const SideJson& document) {
    if (!document.is_object() || !document.contains("document")) return nullptr;
    const auto* const form = std::find_if(std::begin(kMeasuredForms), std::end(kMeasuredForms),
                                          [&](const MeasuredForm& each) { return document["document"] == each.document; });
    return form == std::end(kMeasuredForms) ? nullptr : form;
}

}  // namespace

bool is_measured_document(std::string_view text) {
    constexpr std::size_t kSearchedBytes = 256;
    const std::string_view head = text.substr(0, kSearchedBytes);
    return std::any_of(std::begin(kMeasuredForms), std::end(kMeasuredForms), [&](const MeasuredForm& form) {
        return head.starts_with('{') && head.find(json_mark(form.document)) != std::string_view::npos;
    });
}

SideJson read_measured_document(std::string_view text, const std::string& name) {
    const auto refuse = [&](const std::string& reason) {
        throw ResultsDocumentError(
            fmt::format("'{}': {}. A measurement is what 'ioproof bench --json FILE' or 'ioproof sweep --json FILE' writes.",
                        ums::printable(name), reason));
    };
    if (const auto problem = json_problem(text)) refuse("it " + *problem);
    SideJson document = SideJson::parse(text);
    const MeasuredForm* const form = form_of(document);
    if (form == nullptr) refuse("it is JSON, but not a measurement of ioproof");
    if (document.value("version", SideJson()) != form->version) {
        refuse(fmt::format("it is of version {}; this version of ioproof reads version {}", document.value("version", SideJson()).dump(),
                           form->version));
    }
    if (document.contains("failure") && !document.contains("targets") && form->document == kMeasureDocument) {
        refuse("nothing was measured in it");
    }
    if (const auto problem = JsonSchema(form->schema()).problem_of(document)) refuse(*problem);
    return document;
}

MeasuredSide read_measured_side(std::string_view text, const std::string& name) {
    return measured_side_of(read_measured_document(text, name), name);
}

MeasuredSide measured_side_of(const SideJson& document, const std::string& name) {
    MeasuredSide side = form_of(document)->read(document);
    side.name = name;
    side.finding_count = document.contains("findings") ? document["findings"].get<std::uint64_t>() : 0;
    return side;
}

MeasuredSide measured_side_of(const sim::MeasureTimespan& spec) {
    MeasuredSide side;
    side.kind = MeasuredKind::measurement;
    if (spec.targets.size() > 1) side.groups.push_back({"all", "", {}, {}});
    for (std::size_t i = 0; i < spec.targets.size(); ++i) {
        side.groups.push_back({spec.targets[i].label, spec.targets[i].path, {}, {}});
        add_asked(side.groups.back(), asked_json(spec, i));
        // The size of an existing file is not known yet.
        const std::uint64_t size_bytes = spec.targets[i].create_bytes;
        if (size_bytes != 0) side.groups.back().asked.emplace_back("size_bytes", fmt::format("{}", size_bytes));
    }
    return side;
}

}  // namespace reports
