// ErrorLog.xslt, which makes browsers show the XML log as a table. SQLIOSim has one, too, hence the name.
#pragma once

#include <string>

namespace reports {

[[nodiscard]] std::string error_log_style_path(const std::string& log_path);

// Writes the file into the folder of the log. A foreign file of that name stays as it is, and so does one that cannot be written: the log
// does not depend on it.
void write_error_log_style(const std::string& log_path);

}  // namespace reports
