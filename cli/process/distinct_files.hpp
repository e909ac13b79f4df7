// Detects, before anything is touched, that a command names the same file twice, however it is spelled, or a stream that is none.
#pragma once

#include <string>
#include <vector>

namespace cli {

struct NamedFile {
    std::string what;  // "--json", for the message
    std::string path;  // empty: not requested
    bool is_written = true;
};

// Follows links of both kinds, and compares files that do not exist yet by folder and name. Devices that only take data (/dev/null) may be
// named twice. Throws UsageError if a file has two of these names and one of them is to be written, and if one that is to be written
// is called '-': where that means the standard output, leave the name out.
void check_distinct(const std::vector<NamedFile>& files);

}  // namespace cli
