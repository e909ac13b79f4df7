// A size in the form of DiskSpd's text. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace reports {

// "0", "512B", "64KiB", "1.50MiB", "20GiB": the largest unit that does not exceed the size, with two decimals if the size is not a multiple
// of it. `width`: columns of the number, padded with spaces; 0 = no padding.
std::string diskspd_size(std::uint64_t size_bytes, std::size_t width = 0);

}  // namespace reports
