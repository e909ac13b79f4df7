#include "ums/io/kernel_version.hpp"

#include <sys/utsname.h>

#include <charconv>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace ums {

KernelVersion kernel_version() {
    utsname names{};
    if (::uname(&names) < 0) return {};
    const std::string_view release(names.release);  // "6.1.0-18-amd64"
    KernelVersion version;
    const char* const end = release.data() + release.size();
    const auto [rest, error] = std::from_chars(release.data(), end, version.major);
    if (error == std::errc{} && rest != end) std::from_chars(rest + 1, end, version.minor);
    return version;
}

std::string system_text() {
    utsname names{};
    if (::uname(&names) < 0) return {};
    return fmt::format("{}: {} {}, {}", &names.nodename[0], &names.sysname[0], &names.release[0], &names.machine[0]);
}

}  // namespace ums
