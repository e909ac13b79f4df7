// A size as DiskSpd's text has it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace reports {

// "0", "512B", "64KiB", "1.50MiB", "20GiB": the largest unit that is not larger than the size, with two decimals if it is no multiple.
// `width` = columns of the number, filled with spaces; 0 = as it comes.
std::string diskspd_size(std::uint64_t size_bytes, std::size_t width = 0);

}  // namespace reports
