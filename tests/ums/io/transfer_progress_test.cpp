#include "ums/io/transfer_progress.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

#include "tests/support/catch.hpp"

using namespace ums;

namespace {

// A file whose byte at offset n is n + 1, and a request for a part of it in several segments.
struct Transfer {
    static constexpr std::uint64_t kOffset = 5;

    explicit Transfer(const std::vector<std::size_t>& sizes) {
        std::size_t sum = 0;
        for (const std::size_t size : sizes) sum += size;
        memory.resize(sum);
        std::byte* data = memory.data();
        for (const std::size_t size : sizes) {
            segments.push_back({data, size});
            data += size;
        }
        request.operation = IoOperation::read;
        request.offset_bytes = kOffset;
        request.size_bytes = sum;
        request.segments = segments.data();
        request.segment_count = static_cast<std::uint32_t>(segments.size());
    }

    [[nodiscard]] static std::vector<IoSegment> segments_of(const TransferPiece& piece) {
        if (piece.segment_count == 1) return {{piece.data, piece.size_bytes}};
        return {piece.segments, piece.segments + piece.segment_count};
    }

    // Does what the kernel does for `size_bytes` of the piece.
    static void carry_out(const TransferPiece& piece, std::size_t size_bytes) {
        std::uint64_t offset = piece.offset_bytes;
        for (const IoSegment& segment : segments_of(piece)) {
            for (std::size_t i = 0; i < segment.size_bytes && size_bytes > 0; ++i, --size_bytes) {
                segment.data[i] = static_cast<std::byte>(++offset);
            }
        }
    }

    [[nodiscard]] bool has_right_bytes(std::size_t size_bytes) const {
        for (std::size_t i = 0; i < memory.size(); ++i) {
            const std::size_t expected = i < size_bytes ? kOffset + i + 1 : 0;
            if (memory[i] != static_cast<std::byte>(expected)) return false;
        }
        return true;
    }

    std::vector<std::byte> memory;
    std::vector<IoSegment> segments;
    IoRequest request;
};

std::size_t size_of(const TransferPiece& piece) {
    std::size_t sum = 0;
    for (const IoSegment& segment : Transfer::segments_of(piece)) sum += segment.size_bytes;
    return sum;
}

// Tries every way in which the system can split the rest of the transfer. Returns how many there are.
std::uint64_t try_all_cuts(Transfer& transfer) {
    std::uint64_t ways = 0;
    const std::uint64_t before = transfer.request.transferred_bytes;
    const TransferPiece piece = next_piece(transfer.request);
    REQUIRE(piece.offset_bytes == Transfer::kOffset + before);
    REQUIRE(size_of(piece) > 0);
    REQUIRE(size_of(piece) <= transfer.request.size_bytes - before);
    for (std::size_t size = 1; size <= size_of(piece); ++size) {
        std::fill(transfer.memory.begin() + static_cast<std::ptrdiff_t>(before), transfer.memory.end(), std::byte{0});
        transfer.request.transferred_bytes = before;
        Transfer::carry_out(piece, size);
        const RequestStep step = advance_request(transfer.request, static_cast<std::int64_t>(size));
        REQUIRE(transfer.has_right_bytes(before + size));
        if (step == RequestStep::finished) {
            REQUIRE(transfer.request.is_complete_transfer());
            ++ways;
        } else {
            REQUIRE(step == RequestStep::more);
            ways += try_all_cuts(transfer);
        }
    }
    return ways;
}

}  // namespace

TEST_CASE("however a vectored transfer is cut short, it ends with all bytes in their places") {
    std::uint64_t ways = 0;
    for (std::size_t a = 0; a <= 3; ++a) {
        for (std::size_t b = 0; b <= 3; ++b) {
            for (std::size_t c = 0; c <= 3; ++c) {
                if (a + b + c == 0) continue;
                Transfer transfer({a, b, c});
                ways += try_all_cuts(transfer);
            }
        }
    }
    CHECK(ways > 900);
}

TEST_CASE("a transfer starts with all of its segments, a single one without a vector") {
    Transfer many({2, 3});
    const TransferPiece vector = next_piece(many.request);
    CHECK(vector.segment_count == 2);
    CHECK(vector.segments == many.segments.data());

    Transfer one({4});
    const TransferPiece piece = next_piece(one.request);
    CHECK(piece.segment_count == 1);
    CHECK(piece.data == one.memory.data());
    CHECK(piece.size_bytes == 4);
}

TEST_CASE("a segment of more than 1 GiB is transferred in pieces") {
    const IoSegment segment{nullptr, std::size_t{3} << 30};
    IoRequest request;
    request.size_bytes = segment.size_bytes;
    request.segments = &segment;
    request.segment_count = 1;
    CHECK(next_piece(request).size_bytes == 1U << 30);
    CHECK(advance_request(request, 1 << 30) == RequestStep::more);
    CHECK(next_piece(request).offset_bytes == std::uint64_t{1} << 30);
}

TEST_CASE("a transfer that the system cuts short says where, one that is only too large for a single call does not") {
    Transfer cut({4, 4});
    CHECK(advance_request(cut.request, 3) == RequestStep::more);
    CHECK(cut.request.short_bytes == 3);
    CHECK(advance_request(cut.request, 1) == RequestStep::more);
    CHECK(cut.request.short_bytes == 3);  // the rest of the first segment came completely

    const IoSegment segment{nullptr, std::size_t{3} << 30};
    IoRequest large;
    large.size_bytes = segment.size_bytes;
    large.segments = &segment;
    large.segment_count = 1;
    for (int piece = 0; piece < 2; ++piece) CHECK(advance_request(large, 1 << 30) == RequestStep::more);
    CHECK(advance_request(large, 1 << 30) == RequestStep::finished);
    CHECK(large.is_complete_transfer());
    CHECK(large.short_bytes == 0);
}

TEST_CASE("a transfer of zero bytes means the end of the file, not an error") {
    Transfer transfer({4});
    CHECK(advance_request(transfer.request, 3) == RequestStep::more);
    CHECK(advance_request(transfer.request, 0) == RequestStep::finished);
    CHECK(!transfer.request.error);
    CHECK(transfer.request.transferred_bytes == 3);
    CHECK_FALSE(transfer.request.is_complete_transfer());
}

TEST_CASE("an interrupted call is retried immediately, one that the system cannot carry out now is retried later") {
    for (const IoOperation operation :
         {IoOperation::read, IoOperation::write, IoOperation::sync, IoOperation::allocate, IoOperation::truncate}) {
        Transfer transfer({4});
        transfer.request.operation = operation;
        CHECK(advance_request(transfer.request, -EINTR) == RequestStep::more);
        // ERESTARTSYS and the like, which only the kernel's own headers name.
        for (const int number : {512, 513, 514, 516}) CHECK(advance_request(transfer.request, -number) == RequestStep::more);
        if (operation != IoOperation::sync) CHECK(advance_request(transfer.request, -EAGAIN) == RequestStep::retry_later);
        CHECK(!transfer.request.error);
        CHECK(transfer.request.transferred_bytes == 0);
    }
}

TEST_CASE("a sync that fails is not retried, whatever the error: the next one would succeed without what was lost") {
    for (const int number : {EAGAIN, EIO, ENOMEM}) {
        IoRequest request;
        request.operation = IoOperation::sync;
        CHECK(advance_request(request, -number) == RequestStep::finished);
        CHECK(request.error == std::error_code(number, std::system_category()));
    }
}

TEST_CASE("what the system cannot do for seconds becomes an error, and a request that is posted again starts anew") {
    Transfer transfer({4});
    for (std::uint32_t i = 1; i < kDeferralsMax; ++i) REQUIRE(advance_request(transfer.request, -EAGAIN) == RequestStep::retry_later);
    CHECK(advance_request(transfer.request, -EAGAIN) == RequestStep::finished);
    CHECK(transfer.request.error == std::errc::resource_unavailable_try_again);
    transfer.request.reset();
    CHECK(advance_request(transfer.request, -EAGAIN) == RequestStep::retry_later);
}

TEST_CASE("an error ends a request and keeps what was transferred before it") {
    for (const int number : {EIO, ENOSPC, EBADF, EFBIG, EDQUOT, EOPNOTSUPP}) {
        Transfer transfer({4});
        CHECK(advance_request(transfer.request, 2) == RequestStep::more);
        CHECK(advance_request(transfer.request, -number) == RequestStep::finished);
        CHECK(transfer.request.error == std::error_code(number, std::system_category()));
        CHECK(transfer.request.transferred_bytes == 2);
    }
}

TEST_CASE("invalid_argument is an error at the start, but the end of the file when a direct transfer is continued") {
    Transfer at_start({4});
    CHECK(advance_request(at_start.request, -EINVAL) == RequestStep::finished);
    CHECK(at_start.request.error == std::errc::invalid_argument);

    Transfer continued({4});
    CHECK(advance_request(continued.request, 2) == RequestStep::more);
    CHECK(advance_request(continued.request, -EINVAL) == RequestStep::finished);
    CHECK(!continued.request.error);
    CHECK(continued.request.transferred_bytes == 2);
}

TEST_CASE("operations that transfer nothing finish with their first result") {
    for (const IoOperation operation : {IoOperation::sync, IoOperation::allocate, IoOperation::truncate}) {
        IoRequest request;
        request.operation = operation;
        request.size_bytes = 4096;
        CHECK_FALSE(is_empty_transfer(request));
        CHECK(advance_request(request, 0) == RequestStep::finished);
        CHECK(!request.error);
        IoRequest failing;
        failing.operation = operation;
        CHECK(advance_request(failing, -EINVAL) == RequestStep::finished);
        CHECK(failing.error == std::errc::invalid_argument);
    }
}

TEST_CASE("only a durable write can be refused as one") {
    IoRequest request;
    request.operation = IoOperation::write;
    CHECK_FALSE(is_durable_write_refused(request, -EOPNOTSUPP));
    request.durable = true;
    CHECK(is_durable_write_refused(request, -EOPNOTSUPP));
    CHECK(is_durable_write_refused(request, -EPERM));
    CHECK_FALSE(is_durable_write_refused(request, -EIO));
    CHECK_FALSE(is_durable_write_refused(request, 4096));
    request.operation = IoOperation::allocate;
    CHECK_FALSE(is_durable_write_refused(request, -EOPNOTSUPP));
}
