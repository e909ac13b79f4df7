// A pipe with a name, through which one process tells another that something has just happened. The writer never waits.
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
    // Creates the pipe; an existing pipe is used, anything else is an error (EEXIST).
    static std::error_code open(const std::string& path, PipeReader& reader);

    // Skips what has come so far.
    void drain();
    // Waits until one of `wanted` comes, and skips others. Nothing if `patience` ends first.
    std::optional<char> wait_for(std::string_view wanted, std::chrono::milliseconds patience);

private:
    OutputHandle pipe_;
};

// Any thread.
class PipeWriter {
public:
    // ENXIO if nobody reads there, ENOSTR if it is no pipe.
    static std::error_code open(const std::string& path, PipeWriter& writer);

    // The character is dropped if the reader is behind, or gone.
    void put(char what) const;

private:
    OutputHandle pipe_;
};

}  // namespace ums
