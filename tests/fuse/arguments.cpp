#include "tests/fuse/arguments.hpp"

#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace faultfs {

Arguments parse_arguments(int argc, char** argv) {
    Arguments arguments;
    for (int index = 1; index < argc; ++index) {
        const std::string_view name = argv[index];
        if (!name.starts_with("--")) {
            arguments.mountpoint = name;
            continue;
        }
        if (name == "--shared") {
            arguments.is_shared = true;
            continue;
        }
        if (name == "--refuses-direct") {
            arguments.refuses_direct = true;
            continue;
        }
        if (name == "--refuses-direct-io") {
            arguments.refuses_direct_io = true;
            continue;
        }
        if (++index == argc) throw std::invalid_argument(fmt::format("{} needs a value", name));
        if (name == "--folder")
            arguments.folder = argv[index];
        else if (name == "--truth")
            arguments.truth = argv[index];
        else if (name == "--requests")
            arguments.requests = argv[index];
        else if (name == "--fault")
            arguments.faults.emplace_back(argv[index]);
        else if (name == "--lifetime")
            arguments.lifetime_s = static_cast<unsigned>(std::stoul(argv[index]));
        else if (name == "--pace-us")
            arguments.pace_us = static_cast<unsigned>(std::stoul(argv[index]));
        else
            throw std::invalid_argument(fmt::format("{} is not known", name));
    }
    if (arguments.folder.empty() || arguments.truth.empty() || arguments.mountpoint.empty())
        throw std::invalid_argument(
            "usage: faulty_fs --folder FOLDER --truth FILE [--requests FILE] [--fault FAULT]... [--lifetime SECONDS] "
            "[--pace-us MICROSECONDS] [--shared] [--refuses-direct] [--refuses-direct-io] MOUNTPOINT");
    return arguments;
}

}  // namespace faultfs
