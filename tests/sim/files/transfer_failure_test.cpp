#include "sim/files/transfer_failure.hpp"

#include <cerrno>

#include "tests/support/catch.hpp"
#include "ums/io/errno_error.hpp"

using ums::errno_error;

TEST_CASE("limits of the process and of the volume say nothing about the storage") {
    for (const int number : {ENOMEM, ENOBUFS, ECANCELED, EINTR, EMFILE, ENFILE, ENOSPC, EDQUOT, EFBIG}) {
        INFO("errno " << number);
        CHECK_FALSE(sim::is_about_storage(errno_error(number)));
    }
    for (const int number : {EIO, ENXIO, EROFS, ETIMEDOUT, EINVAL, EBADF, EAGAIN}) {
        INFO("errno " << number);
        CHECK(sim::is_about_storage(errno_error(number)));
    }
}

TEST_CASE("the message names the limit that was reached") {
    sim::TransferFailure failure{.operation = ums::IoOperation::write, .size_bytes = 8192, .error = errno_error(ECANCELED)};
    CHECK(sim::retry_message("a.mdx", failure).find("cannot start a thread: the limit of processes") != std::string::npos);
    failure.error = errno_error(EMFILE);
    CHECK(sim::retry_message("a.mdx", failure).find("ulimit -n") != std::string::npos);
    failure.error = errno_error(EFBIG);
    CHECK(sim::retry_message("a.mdx", failure).find("ulimit -f") != std::string::npos);
}
