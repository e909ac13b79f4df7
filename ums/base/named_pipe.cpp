#include "ums/base/named_pipe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "ums/base/clock.hpp"
#include "ums/base/units.hpp"

namespace ums {

namespace {

std::error_code pipe_error() { return {errno, std::generic_category()}; }

bool is_pipe(int descriptor) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode);
}

}  // namespace

// Also open for writing, so that the pipe does not end when a writer closes it.
std::error_code PipeReader::open(const std::string& path, PipeReader& reader) {
    if (::mkfifo(path.c_str(), 0600) != 0 && errno != EEXIST) return pipe_error();
    const int descriptor = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return pipe_error();
    reader.pipe_ = OutputHandle(descriptor);
    reader.seen_.reset();
    return is_pipe(descriptor) ? std::error_code{} : std::make_error_code(std::errc::file_exists);
}

// Into the buffer; empty if nothing is there.
std::string_view PipeReader::read_piece(std::array<char, 4096>& buffer) {
    const ssize_t count = ::read(pipe_.descriptor_, buffer.data(), buffer.size());
    const std::string_view come(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    for (const char what : come) seen_.set(static_cast<unsigned char>(what));
    return come;
}

void PipeReader::drain() {
    std::array<char, 4096> passed{};
    while (!read_piece(passed).empty()) {
    }
}

std::optional<char> PipeReader::wait_for(std::string_view wanted, std::chrono::milliseconds patience) {
    const RealClock clock;
    const std::uint64_t end_ns = clock.now_ns() + static_cast<std::uint64_t>(std::chrono::nanoseconds(patience).count());
    for (;;) {
        std::array<char, 4096> buffer{};
        const std::string_view come = read_piece(buffer);
        const std::size_t found = come.find_first_of(wanted);
        if (found != std::string_view::npos) return come[found];
        const std::uint64_t now_ns = clock.now_ns();
        if (now_ns >= end_ns) return std::nullopt;
        pollfd descriptor{.fd = pipe_.descriptor_, .events = POLLIN, .revents = 0};
        ::poll(&descriptor, 1, static_cast<int>((end_ns - now_ns) / kNsPerMs) + 1);
    }
}

std::error_code PipeWriter::open(const std::string& path, PipeWriter& writer) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0) return pipe_error();
    OutputHandle opened(descriptor);
    if (!is_pipe(descriptor)) return std::make_error_code(std::errc::not_a_stream);
    writer.pipe_ = std::move(opened);
    return {};
}

void PipeWriter::put(char what) const { [[maybe_unused]] const ssize_t written = ::write(pipe_.descriptor_, &what, 1); }

}  // namespace ums
