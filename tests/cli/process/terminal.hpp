// A terminal for tests of the console.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "tests/support/catch.hpp"

namespace test {

// A pseudo-terminal whose other end the test holds.
class Terminal {
public:
    Terminal() {
        ::setenv("TERM", "xterm", 1);
        ::unsetenv("NO_COLOR");
        master_ = ::posix_openpt(O_RDWR | O_NOCTTY);
        REQUIRE(master_ >= 0);
        REQUIRE(::grantpt(master_) == 0);
        REQUIRE(::unlockpt(master_) == 0);
        slave_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
        REQUIRE(slave_ >= 0);
        termios mode{};
        ::tcgetattr(slave_, &mode);
        mode.c_oflag &= ~static_cast<tcflag_t>(OPOST);
        ::tcsetattr(slave_, TCSANOW, &mode);
        const winsize size{.ws_row = 25, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
        ::ioctl(slave_, TIOCSWINSZ, &size);
    }
    ~Terminal() {
        ::close(slave_);
        ::close(master_);
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    [[nodiscard]] int descriptor() const { return slave_; }
    // What was written since the last call. The kernel delivers it in pieces, with delay.
    [[nodiscard]] std::string seen() const {
        constexpr int kQuietMs = 50;
        std::string text;
        for (pollfd wait{master_, POLLIN, 0}; ::poll(&wait, 1, kQuietMs) > 0;) {
            char piece[4096];
            const ssize_t size = ::read(master_, piece, sizeof piece);
            if (size <= 0) break;
            text.append(piece, static_cast<std::size_t>(size));
        }
        return text;
    }

private:
    int master_ = -1;
    int slave_ = -1;
};

}  // namespace test
