#include "reports/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "reports/whole_write.hpp"
#include "sim/errors.hpp"

namespace reports {

namespace {

constexpr std::size_t kHeadBytes = 4096;

std::error_code last_error() { return {errno, std::generic_category()}; }

bool has_mark(int descriptor, std::string_view mark) {
    std::string head(kHeadBytes, '\0');
    const ssize_t size = ::pread(descriptor, head.data(), head.size(), 0);
    head.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return head.find(mark) != std::string::npos;
}

// Empty if the file may be replaced.
std::string refusal(int descriptor, std::string_view mark) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return last_error().message();
    if (!S_ISREG(status.st_mode)) return "it is not a regular file";
    if (status.st_size == 0 || has_mark(descriptor, mark)) return {};
    return "it exists and was not made by ioproof. Name another file, or remove this one";
}

}  // namespace

OutputFile::OutputFile(std::string what, std::string path, std::string_view mark) : what_(std::move(what)), path_(std::move(path)) {
    made_ = ::access(path_.c_str(), F_OK) != 0;
    // O_NONBLOCK: a pipe under that name shall be refused, not waited for.
    const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EISDIR) throw sim::RefusedError(fmt::format("{} '{}': it is a directory.", what_, path_));
    if (descriptor < 0) throw sim::EnvironmentError(fmt::format("{} '{}': {}.", what_, path_, last_error().message()));
    const std::string reason = refusal(descriptor, mark);
    ::close(descriptor);
    if (!reason.empty()) throw sim::RefusedError(fmt::format("{} '{}': {}.", what_, path_, reason));
}

OutputFile::~OutputFile() {
    if (made_) ::unlink(path_.c_str());
}

std::optional<std::string> OutputFile::write(std::string_view text) {
    const std::string temporary = fmt::format("{}.{}.new", path_, ::getpid());
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    std::error_code error = descriptor < 0 ? last_error() : write_whole(descriptor, text);
    if (descriptor >= 0 && ::close(descriptor) != 0 && !error) error = last_error();
    if (!error && std::rename(temporary.c_str(), path_.c_str()) != 0) error = last_error();
    if (error) {
        if (descriptor >= 0) ::unlink(temporary.c_str());
        return fmt::format("{} '{}': could not be written: {}.", what_, path_, error.message());
    }
    made_ = false;
    return std::nullopt;
}

}  // namespace reports
