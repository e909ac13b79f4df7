// Two files of a command that are the same file, however they are spelled: detected before either is touched.
#pragma once

#include <string>
#include <vector>

namespace cli {

struct NamedFile {
    std::string what;  // "--json", for the message
    std::string path;  // empty: not asked for
    bool is_written = true;
};

// Links of both kinds are followed, and files that do not exist yet are compared by folder and name. Devices that only take what is
// written (/dev/null) may be named twice. Throws UsageError if one file has two names here, one of which is written.
void check_distinct(const std::vector<NamedFile>& files);

}  // namespace cli
