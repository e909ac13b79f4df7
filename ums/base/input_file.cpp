#include "ums/base/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace ums {

namespace {

constexpr std::size_t kMegabyte = 1024UL * 1024;
constexpr std::size_t kPieceBytes = 256UL * 1024;

class Descriptor {
public:
    explicit Descriptor(int value) : value_(value) {}
    ~Descriptor() {
        if (value_ >= 0) ::close(value_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int get() const { return value_; }

private:
    int value_;
};

InputFile failed(std::string_view what) {
    return {{}, fmt::format("cannot be {}: {}", what, std::generic_category().message(errno)), false, false};
}

InputFile unfit(std::string problem) { return {{}, std::move(problem), true, false}; }

std::string_view kind_of(mode_t mode) {
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a FIFO";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

InputFile whole_of(int descriptor, std::size_t bytes_max) {
    InputFile input;
    // One byte more than allowed, to detect a longer file.
    while (input.bytes.size() <= bytes_max) {
        const std::size_t size_bytes = input.bytes.size();
        const std::size_t piece_bytes = std::min(kPieceBytes, bytes_max + 1 - size_bytes);
        input.bytes.resize(size_bytes + piece_bytes);
        ssize_t result = 0;
        do {
            result = ::read(descriptor, input.bytes.data() + size_bytes, piece_bytes);
        } while (result < 0 && errno == EINTR);
        if (result < 0) return failed("read");
        input.bytes.resize(size_bytes + static_cast<std::size_t>(result));
        if (result == 0) return input;
    }
    return unfit(fmt::format("is larger than {} MB", bytes_max / kMegabyte));
}

}  // namespace

InputFile read_input_file(const std::string& path, std::size_t bytes_max) {
    struct stat facts {};
    // Opening some devices has effects, so the type is checked first; it is checked again because the name may have changed hands.
    if (::stat(path.c_str(), &facts) != 0) return failed("opened");
    if (!S_ISREG(facts.st_mode)) return unfit(fmt::format("is {}; only regular files are read", kind_of(facts.st_mode)));
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file.get() < 0 || ::fstat(file.get(), &facts) != 0) return failed("opened");
    if (!S_ISREG(facts.st_mode)) return unfit(fmt::format("is {}; only regular files are read", kind_of(facts.st_mode)));
    InputFile input = whole_of(file.get(), bytes_max);
    input.is_of_root = facts.st_uid == 0 && ::geteuid() != 0;
    return input;
}

}  // namespace ums
