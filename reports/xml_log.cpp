#include "reports/xml_log.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include <fmt/format.h>

#include "reports/log_events.hpp"
#include "reports/xml_entry.hpp"
#include "sim/errors.hpp"

namespace reports {

namespace {

constexpr std::string_view kRoot = "ERRORLOG";
constexpr std::string_view kProlog = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

std::error_code last_error() { return {errno, std::generic_category()}; }

// Ours, or SQLIOSim's, which may be UTF-16: without the zero bytes the marks are the same.
bool looks_like_log(int descriptor) {
    std::string head(4096, '\0');
    const ssize_t size = ::pread(descriptor, head.data(), head.size(), 0);
    head.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    std::erase(head, '\0');
    const std::size_t begin = head.find("<?xml");
    return begin <= 3 && (head.find("ErrorLog.xslt") != std::string::npos || head.find("<ERRORLOG>") != std::string::npos ||
                          head.find("<ENTRY TYPE='") != std::string::npos);
}

std::string refusal(int descriptor, const struct stat& status) {
    if (!S_ISREG(status.st_mode)) return "it is not a regular file";
    if (status.st_size > 0 && !looks_like_log(descriptor)) {
        return "it exists and is not a log of ioproof or SQLIOSim. Name another file, or remove this one";
    }
    return {};
}

// Gives an open, locked file that may be overwritten.
int open_log(const std::string& path) {
    // O_NONBLOCK: a pipe under that name shall be refused, not waited for.
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EISDIR) throw sim::RefusedError(fmt::format("log file '{}': it is a directory.", path));
    if (descriptor < 0) throw sim::EnvironmentError(fmt::format("log file '{}': {}.", path, last_error().message()));
    struct stat status {};
    const bool known = ::fstat(descriptor, &status) == 0;
    // Where the file system has no locks, there is nobody to ask.
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ::close(descriptor);
        throw sim::EnvironmentError(fmt::format("log file '{}': another run is writing to it.", path));
    }
    const std::string reason = known ? refusal(descriptor, status) : last_error().message();
    if (!reason.empty()) {
        ::close(descriptor);
        throw sim::RefusedError(fmt::format("log file '{}': {}.", path, reason));
    }
    return descriptor;
}

std::uint64_t size_of(int descriptor) {
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

}  // namespace

LogFile::~LogFile() { ::close(descriptor_); }

std::error_code LogFile::write_at(std::uint64_t offset_bytes, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return last_error();
        if (written == 0) return std::make_error_code(std::errc::no_space_on_device);
        offset_bytes += static_cast<std::uint64_t>(written);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

std::error_code LogFile::truncate(std::uint64_t size_bytes) {
    return ::ftruncate(descriptor_, static_cast<off_t>(size_bytes)) == 0 ? std::error_code{} : last_error();
}

XmlLog::XmlLog(const std::string& path) : path_(path), file_(open_log(path)), tail_(file_, kRoot) {
    ::tzset();  // localtime_r need not read TZ itself
    const std::uint64_t old_size_bytes = size_of(file_.descriptor());
    if (const auto error = tail_.start(kProlog, old_size_bytes)) {
        if (old_size_bytes == 0) ::unlink(path_.c_str());
        throw sim::EnvironmentError(fmt::format("log file '{}': {}.", path_, error.message()));
    }
}

void XmlLog::on_event(const sim::Event& event) {
    sim::Event entry = event;
    if (entry.thread_id == 0) entry.thread_id = static_cast<std::uint64_t>(::gettid());
    ++entries_;
    if (const auto error = tail_.append(xml_entry(entry))) {
        if (lost_entries_++ == 0) first_error_ = error;
    }
}

void XmlLog::on_finding(const sim::Finding& finding) {
    on_event(finding_event(finding));
    if (!finding.dump_path.empty()) on_event(dump_event(finding));
}

std::optional<std::string> XmlLog::failure() const {
    if (lost_entries_ == 0) return std::nullopt;
    return fmt::format("log file '{}': {} of {} entries could not be written: {}.", path_, lost_entries_, entries_, first_error_.message());
}

}  // namespace reports
