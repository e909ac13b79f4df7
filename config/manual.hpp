// The manual page of configuration files, ioproof.conf(5), from the table of parameters. Pure.
#pragma once

#include <string>
#include <string_view>

namespace config {

[[nodiscard]] std::string configuration_manual(std::string_view version);

}  // namespace config
