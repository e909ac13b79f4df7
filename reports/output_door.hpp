// The one door to the files that the program writes besides its test files. Only a file of the same kind may be replaced, or an empty one:
// anything else under the name stays as it is. Symbolic links are followed, and their target is checked and written, never the link. *.mdf,
// *.ndf and *.ldf are refused whatever they hold.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ums/base/output_handle.hpp"

namespace reports {

// A kind of file, and how it is recognised.
struct OutputKind {
    std::string_view what;                               // "JSON file", for messages
    std::string_view refusal;                            // "is not a JSON file of ioproof": the file exists and ...
    std::function<bool(std::string_view head)> is_ours;  // looks at the first kHeadBytes
    bool takes_streams = false;                          // pipes, terminals, /dev/null, /dev/full: for files that are written in one go
};

inline constexpr std::size_t kHeadBytes = 4096;

struct OpenOutput {
    ums::OutputHandle file;  // for reading and writing. Of a stream: for writing
    bool is_new = false;     // made by this call
    bool is_stream = false;  // not a file that can be replaced: it accepts what is written to it
    std::string path;        // of the file itself, not of a link to it
};

// Creates the file if it does not exist; changes nothing in an existing one. Throws sim::RefusedError if something else is under the name,
// sim::EnvironmentError if the system does not let us.
[[nodiscard]] OpenOutput open_output(const OutputKind& kind, const std::string& path);

// Throws what open_output would throw, and creates nothing: to check all files before the first is touched.
void check_output(const OutputKind& kind, const std::string& path);

// Keeps other runs from writing to the file as long as it is open. Throws sim::EnvironmentError if one already does.
void lock_output(const OutputKind& kind, const std::string& path, ums::OutputHandle& file);

}  // namespace reports
