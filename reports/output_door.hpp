// The only way to the files that the program writes besides its test files. Replaces only a file of the same kind or an empty one: anything
// else with the name stays as it is. Follows symbolic links: checks and writes their target, never the link. Refuses *.mdf, *.ndf and
// *.ldf, whatever they hold.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ums/base/output_handle.hpp"

namespace reports {

// A kind of file, and how to recognize it.
struct OutputKind {
    std::string_view what;                               // "JSON file", for messages
    std::string_view refusal;                            // "is not an HTML file of ioproof": the file exists and ...
    std::function<bool(std::string_view head)> is_ours;  // examines the first kHeadBytes
    bool takes_streams = false;                          // pipes, terminals, /dev/null, /dev/full: for files that are written all at once
    std::string_view advice = {};                        // a sentence, for messages that the system refuses the file
};

inline constexpr std::size_t kHeadBytes = 4096;

struct OpenOutput {
    ums::OutputHandle file;  // for reading and writing; a stream: for writing
    bool is_new = false;     // created by this call
    bool is_stream = false;  // not a file that can be replaced: it takes what is written to it
    std::string path;        // of the file itself, not of a link to it
};

// Creates the file if it does not exist; changes nothing in an existing one. Throws sim::RefusedError if something else has the name,
// sim::EnvironmentError if the system refuses.
[[nodiscard]] OpenOutput open_output(const OutputKind& kind, const std::string& path);

// Throws what open_output would throw, but creates nothing, so that all files can be checked before the first one is touched.
void check_output(const OutputKind& kind, const std::string& path);

// Keeps other runs from writing to the file while it is open. Throws sim::EnvironmentError if one already does.
void lock_output(const OutputKind& kind, const std::string& path, ums::OutputHandle& file);

}  // namespace reports
