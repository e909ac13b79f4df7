// The command line of the faulty file system.
#pragma once

#include <string>
#include <vector>

namespace faultfs {

struct Arguments {
    std::string folder;
    std::string truth;
    std::string requests;  // empty: they are not written down
    std::string mountpoint;
    std::vector<std::string> faults;
    unsigned lifetime_s = 600;
    unsigned pace_us = 0;
    bool is_shared = false;
    bool refuses_direct = false;
    bool refuses_direct_io = false;
};

// Throws std::invalid_argument with a sentence for people.
[[nodiscard]] Arguments parse_arguments(int argc, char** argv);

}  // namespace faultfs
