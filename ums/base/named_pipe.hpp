// A pipe with a name, through which one process tells another that something has just happened. Whoever writes never waits.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "ums/base/output_handle.hpp"

namespace ums {

// One thread at a time.
class PipeReader {
public:
    // Makes the pipe; one that stands there is taken, anything else is an error (EEXIST).
    static std::error_code open(const std::string& path, PipeReader& reader);

    // Passes over what has come so far.
    void drain();
    // Waits until one of `wanted` comes, and passes over others. Nothing if `patience` is over before.
    std::optional<char> wait_for(std::string_view wanted, std::chrono::milliseconds patience);

private:
    OutputHandle pipe_;
};

// Any thread.
class PipeWriter {
public:
    // ENXIO if nobody reads there, ENOSTR if it is no pipe.
    static std::error_code open(const std::string& path, PipeWriter& writer);

    // Is dropped if the reader is behind, or gone.
    void put(char what) const;

private:
    OutputHandle pipe_;
};

}  // namespace ums
