#include "cli/diskspd/write_buffers.hpp"

#include <fmt/format.h>

#include "cli/process/exit_codes.hpp"
#include "sim/errors.hpp"
#include "ums/base/input_file.hpp"
#include "ums/base/prng.hpp"
#include "ums/base/units.hpp"

namespace cli {
namespace {

constexpr std::size_t kBufferFileBytesMax = std::size_t{1} << 30;

std::vector<std::byte> random_buffer(std::size_t size_bytes, std::uint32_t seed) {
    std::vector<std::byte> bytes(size_bytes);
    ums::Prng random(seed);
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < size_bytes; ++i) {
        if (i % sizeof word == 0) word = random.next();
        bytes[i] = static_cast<std::byte>(word >> i % sizeof word * 8);
    }
    return bytes;
}

std::vector<std::byte> buffer_of_file(std::size_t size_bytes, const std::string& path) {
    const ums::InputFile input = ums::read_input_file(path, kBufferFileBytesMax);
    if (!input.problem.empty()) throw sim::EnvironmentError(fmt::format("{}: {}", path, input.problem));
    if (input.bytes.empty()) throw UsageError(fmt::format("{}: is empty; a buffer needs bytes", path));
    std::vector<std::byte> bytes(size_bytes);
    for (std::size_t i = 0; i < size_bytes; ++i) bytes[i] = static_cast<std::byte>(input.bytes[i % input.bytes.size()]);
    return bytes;
}

}  // namespace

std::shared_ptr<const std::vector<std::byte>> WriteBuffers::buffer_of(const reports::DiskspdTarget& target, std::uint32_t seed) {
    const bool is_random = target.buffer_path.empty();
    auto& buffer = buffers_[{target.buffer_bytes, target.buffer_path, is_random ? seed : 0}];
    if (buffer != nullptr) return buffer;
    if (target.buffer_bytes > bytes_max_ - bytes_) {
        throw UsageError(
            fmt::format("-Z: the buffers of all targets have at most {} MB together; those of the same size, file and seed count once",
                        bytes_max_ / ums::kMb));
    }
    const auto size_bytes = static_cast<std::size_t>(target.buffer_bytes);
    buffer = std::make_shared<const std::vector<std::byte>>(is_random ? random_buffer(size_bytes, seed)
                                                                      : buffer_of_file(size_bytes, target.buffer_path));
    bytes_ += target.buffer_bytes;
    return buffer;
}

}  // namespace cli
