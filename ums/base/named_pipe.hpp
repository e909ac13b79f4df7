// A named pipe, through which one process tells another that something has just happened. The writer never waits.
#pragma once

#include <array>
#include <bitset>
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

    // Discards what has arrived so far.
    void drain();
    // Waits for one of the characters in `wanted` and discards others. Nothing if none comes within `patience`.
    std::optional<char> wait_for(std::string_view wanted, std::chrono::milliseconds patience);
    // Whether this character has been read since open(), wanted or discarded.
    [[nodiscard]] bool has_read(char what) const { return seen_[static_cast<unsigned char>(what)]; }

private:
    std::string_view read_piece(std::array<char, 4096>& buffer);

    OutputHandle pipe_;
    std::bitset<256> seen_;
};

// Any thread.
class PipeWriter {
public:
    // ENXIO if the pipe has no reader, ENOSTR if it is not a pipe.
    static std::error_code open(const std::string& path, PipeWriter& writer);

    // The character is dropped if the reader is behind, or gone.
    void put(char what) const;

private:
    OutputHandle pipe_;
};

}  // namespace ums
