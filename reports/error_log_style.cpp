#include "reports/error_log_style.hpp"

#include "reports/html/embedded.hpp"
#include "reports/output_file.hpp"
#include "sim/errors.hpp"

namespace reports {

void write_error_log_style(const std::string& log_path) {
    const std::string folder = log_path.substr(0, log_path.find_last_of('/') + 1);
    try {
        OutputFile file("style sheet", folder + "ErrorLog.xslt", "<!-- ioproof ErrorLog.xslt");
        static_cast<void>(file.write(embedded::kErrorLogStyle));
    } catch (const sim::RefusedError&) {
        return;
    } catch (const sim::EnvironmentError&) {
        return;
    }
}

}  // namespace reports
