#include "ums/io/uring_engine.hpp"

#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <thread>

#include "ums/base/assert.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/os_thread.hpp"
#include "ums/io/blocking_io.hpp"
#include "ums/io/errno_error.hpp"
#include "ums/io/io_vector.hpp"
#include "ums/io/transfer_progress.hpp"
#include "ums/io/uring_probe.hpp"

namespace ums {

namespace {

constexpr std::uint32_t kDepthMax = 16384;  // the kernel's limit for completions is 65536
constexpr std::uint32_t kDepthMin = 16;     // less is not worth a ring
// Submissions made between two system calls. A small queue stays in the CPU's first cache; more are submitted in several calls.
constexpr std::uint32_t kSubmissionsMax = 256;
constexpr std::uint64_t kRetryPauseNs = kNsPerMs;
constexpr std::uint32_t kRingTriesMax = 100;  // what the ring puts off for longer than that is done by a blocking call

// The kernel writes the counter of a wake-up here. It is never read, and outlives every engine.
std::uint64_t unused_counter;

std::uint64_t steady_now_ns() { return RealClock().now_ns(); }

[[noreturn]] void throw_refusal(int error_number) {
    throw UringRefusal(errno_error(error_number), explain_uring_refusal(error_number, read_uring_environment("/proc")));
}

// Errors of io_uring_enter() that are not our mistakes: the system lacks something, or a signal arrived.
void check_enter(int result) {
    UMS_ASSERT(result >= 0 || result == -EINTR || result == -EAGAIN || result == -EBUSY || result == -ENOMEM || result == -ETIME);
}

void bind_ring_workers(io_uring& ring, std::uint64_t mask) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const std::uint32_t cpu : cpus_of_mask(mask)) CPU_SET(cpu, &set);
    // As with every binding to CPUs, a refusal is no reason to fail.
    io_uring_register_iowq_aff(&ring, sizeof set, &set);
}

}  // namespace

UringEngine::WakeUp::WakeUp() : event_fd(eventfd(0, EFD_CLOEXEC)) {  // blocking: io_uring then waits for it instead of failing
    if (event_fd < 0) throw_refusal(errno);
}

UringEngine::WakeUp::~WakeUp() { ::close(event_fd); }

UringEngine::Ring::~Ring() {
    if (is_open) io_uring_queue_exit(&ring);
}

UringEngine::UringEngine(const EngineOptions& options, const UringSupport& support)
    : support_(support), io_affinity_(options.io_affinity), helper_({1, own_thread_cpus(options), "io helper"}, [this] { wake(); }) {
    UMS_ASSERT(support.is_usable());
    create(std::clamp(options.queue_depth, 1U, kDepthMax));
}

UringEngine::~UringEngine() { UMS_ASSERT(in_flight_ == 0); }

// The queues count as locked memory on some kernels (before 5.12, and again on 6.18), and ordinary users have little of that.
void UringEngine::create(std::uint32_t depth) {
    for (;;) {
        const int result = create_ring(ring_.ring, std::min(std::bit_ceil(depth), kSubmissionsMax), depth + 1, support_.setup_flags);
        if (result == 0) break;
        if (result != -ENOMEM || depth <= kDepthMin) throw_refusal(-result);
        depth /= 2;
    }
    ring_.is_open = true;
    depth_ = depth;
}

void UringEngine::enable_on_first_use() {
    if (has_owner_) return;
    has_owner_ = true;
    const int result = enable_ring(ring_.ring, support_.setup_flags);
    UMS_ASSERT(result == 0);  // tried by probe_uring()
    if (io_affinity_ != 0) {
        // The kernel assigns workers to a thread at its first submission.
        arm_wake_up();
        if (enter()) bind_ring_workers(ring_.ring, io_affinity_);
    }
}

void UringEngine::use_memory(std::byte* data, std::size_t size_bytes) {
    enable_on_first_use();
    memory_.add(ring_.ring, data, size_bytes);
}

void UringEngine::submit(IoRequest& request) {
    check_request(request);
    enable_on_first_use();
    ++in_flight_;
    if (is_empty_transfer(request)) {
        finished_.push_back(request);
    } else if (request.operation == IoOperation::truncate && !support_.has_truncate) {
        delegate_to_helper(request);
    } else {
        start(request);
    }
}

// In the ring, the kernel gives every transfer of such a file to a worker thread of its own, which costs several times what the copy costs.
// What cannot be finished here goes on there.
bool UringEngine::perform_immediately(IoRequest& request) {
    if (!request.file.is_in_memory || !is_transfer(request)) return false;
    check_request(request);
    BlockingCalls calls;
    while (request.transferred_bytes < request.size_bytes) {
        const std::int64_t result = calls.transfer(request, next_piece(request), request.durable);
        if (result == -EAGAIN || is_durable_write_refused(request, result)) return false;
        if (advance_request(request, result) == RequestStep::finished) break;
    }
    return true;
}

void UringEngine::retry_later(IoRequest& request) {
    if (retries_.empty()) retry_at_ns_ = steady_now_ns() + kRetryPauseNs;
    retries_.push_back(request);
}

void UringEngine::start(IoRequest& request) {
    io_uring_sqe* submission = in_ring_ < depth_ ? io_uring_get_sqe(&ring_.ring) : nullptr;
    if (submission == nullptr) {
        backlog_.push_back(request);
        return;
    }
    prepare(*submission, request);
    io_uring_sqe_set_data(submission, &request);
    ++in_ring_;
}

void UringEngine::prepare(io_uring_sqe& submission, IoRequest& request) const {
    const int file = request.file.value;
    switch (request.operation) {
        case IoOperation::read:
        case IoOperation::write: {
            const bool is_read = request.operation == IoOperation::read;
            const TransferPiece piece = next_piece(request);
            if (piece.segment_count > 1) {
                io_uring_prep_rw(is_read ? IORING_OP_READV : IORING_OP_WRITEV, &submission, file, as_iovec(piece.segments),
                                 piece.segment_count, piece.offset_bytes);
            } else if (const auto buffer = memory_.find(piece.data, piece.size_bytes)) {
                io_uring_prep_rw(is_read ? IORING_OP_READ_FIXED : IORING_OP_WRITE_FIXED, &submission, file, piece.data, piece.size_bytes,
                                 piece.offset_bytes);
                submission.buf_index = *buffer;
            } else {
                io_uring_prep_rw(is_read ? IORING_OP_READ : IORING_OP_WRITE, &submission, file, piece.data, piece.size_bytes,
                                 piece.offset_bytes);
            }
            if (!is_read && request.durable) submission.rw_flags = RWF_DSYNC;
            return;
        }
        case IoOperation::sync: io_uring_prep_fsync(&submission, file, IORING_FSYNC_DATASYNC); return;
        case IoOperation::allocate:
            io_uring_prep_fallocate(&submission, file, 0, static_cast<__off_t>(request.offset_bytes),
                                    static_cast<__off_t>(request.size_bytes));
            return;
        case IoOperation::truncate: io_uring_prep_rw(kUringOpTruncate, &submission, file, nullptr, 0, request.offset_bytes); return;
    }
    UMS_ASSERT(false && "an unknown operation");
}

void UringEngine::poll(IoRequestList& finished) {
    enable_on_first_use();
    reap();
    start_all();
    reap();
    while (IoRequest* request = finished_.pop_front()) {
        --in_flight_;
        finished.push_back(*request);
    }
}

// Moves waiting requests into the submission queue, as far as there is room.
void UringEngine::start_waiting() {
    if (!retries_.empty()) start_due_retries();
    while (!backlog_.empty() && in_ring_ < depth_ && io_uring_sq_space_left(&ring_.ring) > 0) start(*backlog_.pop_front());
}

void UringEngine::start_due_retries() {
    if (steady_now_ns() < retry_at_ns_) return;
    backlog_.append(retries_);
}

// One system call, unless more requests wait than the submission queue holds.
void UringEngine::start_all() {
    do {
        start_waiting();
        if (!is_enter_needed() || !enter()) return;
    } while (!backlog_.empty() && in_ring_ < depth_);
}

bool UringEngine::is_enter_needed() const {
    if (io_uring_sq_ready(&ring_.ring) > 0) return true;
    // The kernel sets this flag when it has completions that it can deliver only during a system call.
    return (__atomic_load_n(ring_.ring.sq.kflags, __ATOMIC_RELAXED) & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) != 0;
}

// False if the kernel accepted nothing for now.
bool UringEngine::enter() {
    const int result = io_uring_submit_and_get_events(&ring_.ring);
    check_enter(result);
    return result >= 0;
}

void UringEngine::wait(std::uint64_t timeout_ns) {
    enable_on_first_use();
    reap();
    if (finished_.empty() && !woken_) {
        if (!wake_up_armed_) arm_wake_up();
        start_waiting();
        // Room is left over only if everything that may be in the ring is.
        while (io_uring_sq_space_left(&ring_.ring) == 0 && enter()) start_waiting();
        sleep(timeout_ns);
        reap();
    } else {
        start_all();
    }
    woken_ = false;
}

void UringEngine::arm_wake_up() {
    io_uring_sqe* submission = io_uring_get_sqe(&ring_.ring);
    if (submission == nullptr && enter()) submission = io_uring_get_sqe(&ring_.ring);
    if (submission == nullptr) return;
    io_uring_prep_read(submission, wake_up_.event_fd, &unused_counter, sizeof unused_counter, 0);
    io_uring_sqe_set_data(submission, nullptr);
    wake_up_armed_ = true;
}

void UringEngine::sleep(std::uint64_t timeout_ns) {
    timeout_ns = std::min(timeout_ns, kWaitNsMax);
    if (!retries_.empty()) timeout_ns = std::min(timeout_ns, retry_at_ns_ - std::min(retry_at_ns_, steady_now_ns()));
    // If the wake-up could not be posted (the kernel is short of memory), nothing could end a long sleep.
    if (!wake_up_armed_) timeout_ns = std::min(timeout_ns, kRetryPauseNs);
    __kernel_timespec timeout{};
    timeout.tv_sec = static_cast<long long>(timeout_ns / kNsPerSecond);
    timeout.tv_nsec = static_cast<long long>(timeout_ns % kNsPerSecond);
    io_uring_cqe* completion = nullptr;
    const int result = io_uring_submit_and_wait_timeout(&ring_.ring, &completion, 1, &timeout, nullptr);
    check_enter(result);
    const bool is_short_of_resources = result == -EAGAIN || result == -EBUSY || result == -ENOMEM;
    if (is_short_of_resources) std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(timeout_ns, kRetryPauseNs)));
}

void UringEngine::wake() {
    const std::uint64_t one = 1;
    uninterrupted([&] { return ::write(wake_up_.event_fd, &one, sizeof one); });
}

void UringEngine::reap() {
    unsigned head = 0;
    unsigned count = 0;
    io_uring_cqe* completion = nullptr;
    io_uring_for_each_cqe(&ring_.ring, head, completion) {
        ++count;
        if (auto* request = static_cast<IoRequest*>(io_uring_cqe_get_data(completion)); request != nullptr) {
            completed(*request, completion->res);
        } else {
            wake_up_armed_ = false;
            woken_ = true;
        }
    }
    if (count > 0) io_uring_cq_advance(&ring_.ring, count);
    helper_.collect(finished_);
}

void UringEngine::completed(IoRequest& request, std::int32_t result) {
    --in_ring_;
    // The kernel could not start the worker thread that it needs for this request.
    const bool lacks_worker = result == -ECANCELED;
    if (lacks_worker) is_short_of_threads_.store(true, std::memory_order_relaxed);
    if (lacks_worker || is_durable_write_refused(request, result)) {
        delegate_to_helper(request);
        return;
    }
    switch (advance_request(request, result)) {
        case RequestStep::finished: finished_.push_back(request); return;
        case RequestStep::more: start(request); return;
        case RequestStep::retry_later: request.deferral_count < kRingTriesMax ? retry_later(request) : delegate_to_helper(request); return;
    }
}

void UringEngine::delegate_to_helper(IoRequest& request) {
    IoRequestList requests;
    requests.push_back(request);
    helper_.submit(requests);
}

}  // namespace ums
