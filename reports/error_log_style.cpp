#include "reports/error_log_style.hpp"

#include "reports/html/embedded.hpp"
#include "reports/output_file.hpp"
#include "sim/errors.hpp"

namespace reports {

std::string error_log_style_path(const std::string& log_path) {
    return log_path.substr(0, log_path.find_last_of('/') + 1) + "ErrorLog.xslt";
}

void write_error_log_style(const std::string& log_path) {
    const OutputKind kind{.what = "style sheet", .refusal = "was not made by ioproof", .is_ours = [](std::string_view head) {
                              return head.find("<!-- ioproof ErrorLog.xslt") != std::string_view::npos;
                          }};
    try {
        OutputFile file(kind, error_log_style_path(log_path));
        static_cast<void>(file.write(embedded::kErrorLogStyle));
    } catch (const sim::RefusedError&) {
        return;
    } catch (const sim::EnvironmentError&) {
        return;
    }
}

}  // namespace reports
