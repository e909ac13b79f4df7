// The terminal, shared by messages, the report, and one progress line that is redrawn in place. Any thread may add text, and never blocks
// on it: only the run's control thread writes. So a stalled terminal (Ctrl-S, a pager) does not stop the I/O being measured, and nothing
// garbles the progress line.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>

namespace cli {

// A part of a message that is highlighted on a terminal.
struct Highlight {
    enum class Color { none, yellow, red };

    Color color = Color::none;
    std::size_t begin = 0;  // in the message
    std::size_t end = 0;
};

class Console {
public:
    // Descriptors for results and for messages; both must outlive the console. Progress goes where the messages go.
    Console(int results_descriptor, int messages_descriptor);

    // True if the progress can be redrawn in place: messages go to a terminal that is not "dumb".
    [[nodiscard]] bool redraws() const { return redraws_; }
    [[nodiscard]] bool shows_colors() const { return shows_colors_; }
    // True if the locale's characters are UTF-8 (LC_ALL, LC_CTYPE, LANG).
    [[nodiscard]] bool shows_utf8() const { return shows_utf8_; }
    // The terminal's present width; users resize windows.
    [[nodiscard]] std::size_t columns() const;

    // Queue complete lines. Any thread. ums::printable_lines makes the text harmless for a terminal, and colors are added after that. While
    // nobody drains the queue, the oldest messages stay, and further ones are counted and left out (the log has them); results are never
    // left out.
    void add_result(std::string_view text);
    void add_message(std::string_view text, const Highlight& highlight = {});

    // Control thread only. Writes what it can without waiting; when everything is written, draws `progress` (not wider than columns()).
    void flush(std::string_view progress);
    // Control thread only. Writes everything, waits for a slow reader, and erases the progress line. Drops output that has no reader any
    // more (closed pipe, terminal that hung up).
    void finish();

    // After finish(): why results could not be written, or nothing. A reader that has gone away is no failure: it has read what it wanted
    // (`| head`).
    [[nodiscard]] std::error_code results_error() const { return results_error_; }

private:
    struct Piece {
        int descriptor = -1;
        std::string text;
    };

    // Keeps the first reason why results were lost.
    void note_lost(int descriptor, int error_number);
    // True if the screen shows no progress line any more.
    bool erase_progress(bool wait);
    // Writes from the head of the queue; `wait` = even if that blocks. True if the queue is empty.
    bool write_queued(bool wait);

    const int results_descriptor_;
    const int messages_descriptor_;
    const bool redraws_;
    const bool shows_colors_;
    const bool shows_utf8_;
    const bool results_to_terminal_;
    std::error_code results_error_;
    std::string drawn_;  // the progress line on the screen

    std::mutex mutex_;  // guards what follows
    std::deque<Piece> queue_;
    std::size_t left_out_ = 0;
};

}  // namespace cli
