#include "sim/files/transfer_failure.hpp"

#include <cerrno>
#include <cstdint>

#include "sim/limits.hpp"
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

TEST_CASE("findings about a file say what it is for, whoever reports them") {
    const sim::FileOptions stripe{.path = "ioproof_backup_1.bak", .role = sim::FileRole::backup};
    const sim::TransferFailure failure{.operation = ums::IoOperation::write, .size_bytes = 8192, .error = errno_error(EIO)};
    const ums::IoRequest request{};
    for (const sim::Finding& finding : {sim::recovered_failure(6, stripe, failure), sim::persistent_failure(6, stripe, failure, 5),
                                        sim::failed_request(6, stripe, sim::FileRequest::sync, errno_error(EIO)),
                                        sim::late_transfer(6, stripe, request), sim::interrupted_transfer(6, stripe, request)}) {
        INFO(finding.description);
        CHECK(finding.place.role == sim::FileRole::backup);
    }
}

TEST_CASE("a failed transfer of a backup chain is placed by its offset, as in a log: it has no pages") {
    constexpr std::uint64_t kOffsetBytes = 5 * sim::kPageBytes + 4096;
    const sim::TransferFailure failure{
        .operation = ums::IoOperation::read, .offset_bytes = kOffsetBytes, .size_bytes = 4096, .error = errno_error(EIO)};
    const sim::FileOptions chain{.path = "ioproof_backup.trn", .role = sim::FileRole::backup_chain};
    const sim::Finding in_chain = sim::persistent_failure(7, chain, failure, 1);
    CHECK(in_chain.place.is_log);
    CHECK(in_chain.place.page_id == 0);
    CHECK(in_chain.place.offset_bytes == kOffsetBytes);
    const sim::FileOptions stripe{.path = "ioproof_backup_1.bak", .role = sim::FileRole::backup};
    const sim::Finding in_stripe = sim::persistent_failure(6, stripe, failure, 1);
    CHECK_FALSE(in_stripe.place.is_log);
    CHECK(in_stripe.place.page_id == 5);
}
