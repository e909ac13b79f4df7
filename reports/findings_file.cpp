#include "reports/findings_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "reports/finding_json.hpp"
#include "reports/whole_write.hpp"
#include "sim/errors.hpp"

namespace reports {

namespace {

std::string refusal(const struct stat& status) {
    if (S_ISDIR(status.st_mode)) return "it is a directory";
    if (!S_ISREG(status.st_mode)) return "it is not a regular file";
    if (status.st_size > 0) return "it exists and is not empty. Name another file, or remove this one";
    return {};
}

}  // namespace

FindingsFile::FindingsFile(const std::string& path) : path_(path) {
    // O_NONBLOCK: a pipe under that name shall be refused, not waited for.
    const int flags = O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    descriptor_ = ::open(path.c_str(), flags, 0666);
    const int number = errno;
    if (descriptor_ < 0 && (number == EISDIR || number == ENXIO)) {
        throw sim::RefusedError(
            fmt::format("findings file '{}': it is {}.", path, number == EISDIR ? "a directory" : "not a regular file"));
    }
    if (descriptor_ < 0) {
        throw sim::EnvironmentError(fmt::format("findings file '{}': {}.", path, std::generic_category().message(number)));
    }
    struct stat status {};
    const std::string reason = ::fstat(descriptor_, &status) == 0 ? refusal(status) : std::generic_category().message(errno);
    if (reason.empty()) return;
    ::close(descriptor_);
    throw sim::RefusedError(fmt::format("findings file '{}': {}.", path, reason));
}

FindingsFile::~FindingsFile() { ::close(descriptor_); }

void FindingsFile::on_finding(const sim::Finding& finding) {
    ++lines_;
    const std::string line = finding_json(finding);
    const std::error_code error = write_whole(descriptor_, line);
    if (!error) {
        size_bytes_ += line.size();
        return;
    }
    if (lost_lines_++ == 0) first_error_ = error;
    // No half line before the next one. If that fails, too, there is nothing more to do.
    static_cast<void>(::ftruncate(descriptor_, static_cast<off_t>(size_bytes_)));
}

std::optional<std::string> FindingsFile::failure() const {
    if (lost_lines_ == 0) return std::nullopt;
    return fmt::format("findings file '{}': {} of {} findings could not be written: {}.", path_, lost_lines_, lines_,
                       first_error_.message());
}

}  // namespace reports
