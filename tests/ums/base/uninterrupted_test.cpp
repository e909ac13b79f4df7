#include "ums/base/uninterrupted.hpp"

#include <cerrno>

#include "tests/support/catch.hpp"

TEST_CASE("a system call is repeated while a signal interrupts it, and not after another error") {
    int calls = 0;
    const auto fails_twice = [&calls](int number) {
        errno = number;
        return ++calls > 2 ? 7 : -1;
    };
    CHECK(ums::uninterrupted([&] { return fails_twice(EINTR); }) == 7);
    CHECK(calls == 3);
    calls = 0;
    CHECK(ums::uninterrupted([&] { return fails_twice(EIO); }) == -1);
    CHECK(calls == 1);
}
