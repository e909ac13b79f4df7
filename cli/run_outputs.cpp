#include "cli/run_outputs.hpp"

#include "cli/configuration.hpp"
#include "cli/distinct_files.hpp"
#include "config/config.hpp"
#include "reports/error_log_style.hpp"
#include "reports/findings_file.hpp"
#include "reports/log_file.hpp"
#include "reports/output_file.hpp"

namespace cli {

reports::OutputKind configuration_kind() {
    return {.what = "configuration",
            .refusal = "was not written by -save",
            .is_ours = [](std::string_view head) { return config::is_saved_configuration(head); },
            .takes_streams = true};
}

void check_run_outputs(const RunArguments& arguments, const sim::Options& options) {
    std::vector<NamedFile> files{{.what = "the configuration", .path = configuration_file(arguments).value_or(""), .is_written = false},
                                 {.what = "-save", .path = arguments.save_path},
                                 {.what = "the log", .path = options.error_file},
                                 {.what = "the log's style sheet", .path = reports::error_log_style_path(options.error_file)},
                                 {.what = "--findings", .path = arguments.findings_path},
                                 {.what = "--json", .path = arguments.json_path},
                                 {.what = "--html", .path = arguments.html_path},
                                 {.what = "--ledger", .path = arguments.ledger_path}};
    for (const sim::FileOptions& file : options.files) files.push_back({.what = "the test file", .path = file.path, .is_written = false});
    check_distinct(files);

    const auto check = [](const reports::OutputKind& kind, const std::string& path) {
        if (!path.empty()) reports::check_output(kind, path);
    };
    check(configuration_kind(), arguments.save_path);
    check(reports::log_kind(), options.error_file);
    check(reports::findings_kind(), arguments.findings_path);
    check(reports::json_kind(), arguments.json_path);
    check(reports::html_kind(), arguments.html_path);
}

}  // namespace cli
