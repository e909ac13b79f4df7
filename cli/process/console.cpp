#include "cli/process/console.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "ums/base/printable.hpp"

namespace cli {
namespace {

// Messages kept while nobody reads them; a finding takes some 200 bytes.
constexpr std::size_t kQueuedMessagesMax = 10'000;
// What a descriptor that poll() calls writable takes without blocking: terminals keep 256 bytes free, and pipes promise PIPE_BUF (4096).
constexpr std::size_t kTerminalChunkBytes = 256;
constexpr std::size_t kPipeChunkBytes = 4096;
constexpr std::size_t kColumnsDefault = 80;

bool can_redraw(int descriptor) {
    const char* kind = std::getenv("TERM");
    return ::isatty(descriptor) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

// https://no-color.org
bool colors_are_unwanted() {
    const char* value = std::getenv("NO_COLOR");
    return value != nullptr && *value != '\0';
}

// The first of these variables that is set decides (locale(7)).
bool locale_is_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* value = std::getenv(name);
        if (value == nullptr || *value == '\0') continue;
        std::string lower(value);
        std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return lower.find("utf-8") != std::string::npos || lower.find("utf8") != std::string::npos;
    }
    return false;
}

std::string colored(std::string_view text, const Highlight& highlight) {
    if (highlight.color == Highlight::Color::none) return ums::printable_lines(text);
    const std::string_view code = highlight.color == Highlight::Color::yellow ? "\x1b[33m" : "\x1b[1;31m";
    return fmt::format("{}{}{}\x1b[0m{}", ums::printable_lines(text.substr(0, highlight.begin)), code,
                       ums::printable_lines(text.substr(highlight.begin, highlight.end - highlight.begin)),
                       ums::printable_lines(text.substr(highlight.end)));
}

// What of the line fits: one that wraps could not be erased. Leaves one column free, because some terminals wrap a full line.
std::string_view fitting(std::string_view line, std::size_t columns) {
    std::size_t used = 0;
    for (std::size_t at = 0; at < line.size(); ++at) {
        const bool begins_character = (static_cast<unsigned char>(line[at]) & 0xC0U) != 0x80U;  // of UTF-8
        if (begins_character && ++used == columns) return line.substr(0, at);
    }
    return line;
}

bool is_writable(int descriptor, bool wait) {
    pollfd poll_request{.fd = descriptor, .events = POLLOUT, .revents = 0};
    int ready = 0;
    do {
        ready = ::poll(&poll_request, 1, wait ? -1 : 0);
    } while (ready < 0 && errno == EINTR);
    return ready != 0;  // write() reports errors
}

enum class WriteOutcome { done, later, gone };

// Removes what was written from the front of `text`. If the reader is gone, errno says why.
WriteOutcome write_text(int descriptor, std::string& text, bool wait) {
    const std::size_t chunk_bytes = ::isatty(descriptor) == 1 ? kTerminalChunkBytes : kPipeChunkBytes;
    std::size_t written_bytes = 0;
    WriteOutcome outcome = WriteOutcome::done;
    while (written_bytes < text.size()) {
        if (!is_writable(descriptor, wait)) {
            outcome = WriteOutcome::later;
            break;
        }
        const std::size_t size_bytes = std::min(chunk_bytes, text.size() - written_bytes);
        const ssize_t result = ::write(descriptor, text.data() + written_bytes, size_bytes);
        if (result >= 0) {
            written_bytes += static_cast<std::size_t>(result);
        } else if (errno != EINTR && errno != EAGAIN) {
            outcome = WriteOutcome::gone;
            break;
        } else if (errno == EAGAIN && !wait) {
            outcome = WriteOutcome::later;
            break;
        }
    }
    const int error_number = errno;
    text.erase(0, written_bytes);
    errno = error_number;
    return outcome;
}

}  // namespace

Console::Console(int results_descriptor, int messages_descriptor)
    : results_descriptor_(results_descriptor),
      messages_descriptor_(messages_descriptor),
      redraws_(can_redraw(messages_descriptor)),
      shows_colors_(redraws_ && !colors_are_unwanted()),
      shows_utf8_(locale_is_utf8()),
      results_to_terminal_(::isatty(results_descriptor) == 1) {}

std::size_t Console::columns() const {
    winsize size{};
    if (::ioctl(messages_descriptor_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return kColumnsDefault;
}

void Console::add_result(std::string_view text) {
    const std::lock_guard lock(mutex_);
    queue_.push_back({results_descriptor_, ums::printable_lines(text)});
}

void Console::add_message(std::string_view text, const Highlight& highlight) {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= kQueuedMessagesMax) {
        ++left_out_;
        return;
    }
    queue_.push_back({messages_descriptor_, shows_colors_ ? colored(text, highlight) : ums::printable_lines(text)});
}

void Console::flush(std::string_view progress) {
    if (!write_queued(false) || !redraws_ || progress == drawn_ || !erase_progress(false)) return;
    // Returns to the first column: a "^C" that the terminal echoes there is erased with the line; at its end, it could make the line wrap.
    std::string text = progress.empty() ? "" : fmt::format("{}\r", fitting(progress, columns()));
    write_text(messages_descriptor_, text, false);
    drawn_ = progress;  // even if only part of it came out, because that part must be erased
}

void Console::finish() {
    erase_progress(true);
    write_queued(true);
    // If the system delays writing (NFS, quotas), only close() reports that it failed.
    const int copy = ::fcntl(results_descriptor_, F_DUPFD_CLOEXEC, 3);
    if (copy >= 0 && ::close(copy) != 0) note_lost(results_descriptor_, errno);
}

void Console::note_lost(int descriptor, int error_number) {
    const bool is_reader_gone =
        error_number == EPIPE || error_number == ECONNRESET || (error_number == EIO && results_to_terminal_) || error_number == EINTR;
    if (descriptor != results_descriptor_ || is_reader_gone || results_error_) return;
    results_error_ = {error_number, std::generic_category()};
}

bool Console::erase_progress(bool wait) {
    if (drawn_.empty()) return true;
    std::string text = "\r\x1b[K";
    if (write_text(messages_descriptor_, text, wait) == WriteOutcome::later) return false;
    drawn_.clear();
    return true;
}

bool Console::write_queued(bool wait) {
    for (;;) {
        Piece piece;
        {
            const std::lock_guard lock(mutex_);
            if (queue_.empty() && left_out_ > 0) {
                queue_.push_back({messages_descriptor_, fmt::format("… {} messages left out here; they are in the log\n", left_out_)});
                left_out_ = 0;
            }
            if (queue_.empty()) return true;
            piece = std::move(queue_.front());
            queue_.pop_front();
        }
        const bool is_ready = (wait || is_writable(piece.descriptor, false)) && erase_progress(wait);
        const WriteOutcome outcome = is_ready ? write_text(piece.descriptor, piece.text, wait) : WriteOutcome::later;
        if (outcome == WriteOutcome::gone) note_lost(piece.descriptor, errno);
        if (outcome == WriteOutcome::later) {
            const std::lock_guard lock(mutex_);
            queue_.push_front(std::move(piece));
            return false;
        }
    }
}

}  // namespace cli
