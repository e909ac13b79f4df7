#include "ums/io/uring_probe.hpp"

#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <liburing.h>

#include "ums/io/errno_error.hpp"

namespace ums {

namespace {

constexpr std::string_view kTooOld = "this kernel's io_uring is too old (Linux 5.11 or newer is needed)";

struct NamedOpcode {
    int opcode;
    std::string_view name;
};

constexpr std::array kOpcodesNeeded = {
    NamedOpcode{IORING_OP_NOP, "NOP"},
    NamedOpcode{IORING_OP_READ, "READ"},
    NamedOpcode{IORING_OP_WRITE, "WRITE"},
    NamedOpcode{IORING_OP_READV, "READV"},
    NamedOpcode{IORING_OP_WRITEV, "WRITEV"},
    NamedOpcode{IORING_OP_FSYNC, "FSYNC"},
    NamedOpcode{IORING_OP_FALLOCATE, "FALLOCATE"},
};

// Best first; a kernel that does not know a flag says EINVAL. Linux 6.1: completions are worked off when their owner asks for them, on its
// own thread, without interrupting it; the ring belongs to the thread that enables it. Linux 5.19: no interrupts between CPUs.
constexpr std::array<std::uint32_t, 3> kSetupFlags = {
    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_R_DISABLED,
    IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL,
    0,
};

struct RingExit {
    void operator()(io_uring* ring) const { io_uring_queue_exit(ring); }
};
struct ProbeFree {
    void operator()(io_uring_probe* probe) const { io_uring_free_probe(probe); }
};

UringSupport refused(int error_number, std::string reason) {
    UringSupport support;
    support.error = errno_error(error_number);
    support.reason = std::move(reason);
    return support;
}

UringSupport refused_by_kernel(int error_number) {
    return refused(error_number, explain_uring_refusal(error_number, read_uring_environment("/proc")));
}

// Zero, or the negative errno value if the ring accepts requests but does not work.
int try_ring(io_uring& ring, std::uint32_t setup_flags) {
    if (const int result = enable_ring(ring, setup_flags); result < 0) return result;
    io_uring_prep_nop(io_uring_get_sqe(&ring));
    if (const int result = io_uring_submit_and_wait(&ring, 1); result < 0) return result;
    io_uring_cqe* completion = nullptr;
    if (const int result = io_uring_peek_cqe(&ring, &completion); result < 0) return result;
    const int result = completion->res;
    io_uring_cqe_seen(&ring, completion);
    return result;
}

UringSupport examine_ring(io_uring& ring, std::uint32_t setup_flags) {
    if ((ring.features & IORING_FEAT_EXT_ARG) == 0 || (ring.features & IORING_FEAT_NODROP) == 0) {
        return refused(EOPNOTSUPP, std::string(kTooOld));
    }
    const std::unique_ptr<io_uring_probe, ProbeFree> probe(io_uring_get_probe_ring(&ring));
    if (probe == nullptr) return refused(EOPNOTSUPP, "this kernel does not report which io_uring operations it has");
    for (const NamedOpcode& needed : kOpcodesNeeded) {
        if (io_uring_opcode_supported(probe.get(), needed.opcode) == 0) {
            return refused(EOPNOTSUPP, fmt::format("this kernel's io_uring does not have the operation {}", needed.name));
        }
    }
    if (const int result = try_ring(ring, setup_flags); result < 0) return refused_by_kernel(-result);
    UringSupport support;
    support.setup_flags = setup_flags;
    support.has_truncate = io_uring_opcode_supported(probe.get(), kUringOpTruncate) != 0;
    return support;
}

}  // namespace

UringEnvironment read_uring_environment(const std::string& proc_root) {
    UringEnvironment environment;
    std::ifstream sysctl(proc_root + "/sys/kernel/io_uring_disabled");
    if (int value = 0; sysctl >> value) environment.disabled_sysctl = value;

    std::ifstream status(proc_root + "/self/status");
    for (std::string line; std::getline(status, line);) {
        constexpr std::string_view kKey = "Seccomp:";
        if (line.compare(0, kKey.size(), kKey) != 0) continue;
        environment.has_seccomp_filter = line.find('2', kKey.size()) != std::string::npos;
        break;
    }

    rlimit limit{};
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0) environment.locked_memory_bytes = limit.rlim_cur;
    return environment;
}

std::string explain_uring_refusal(int error_number, const UringEnvironment& environment) {
    const int disabled = environment.disabled_sysctl.value_or(0);
    switch (error_number) {
        case ENOSYS:
            if (environment.has_seccomp_filter) return "a seccomp filter hides it (containers often have one)";
            return "this kernel was built without it or is older than Linux 5.1";
        case EPERM:
        case EACCES:
            if (disabled == 2) return "the system forbids it to everyone (sysctl kernel.io_uring_disabled is 2)";
            if (disabled == 1)
                return "the system allows it to root and the group kernel.io_uring_group only (sysctl kernel.io_uring_disabled is 1)";
            if (environment.has_seccomp_filter) return "a seccomp filter forbids it (containers often have one)";
            return "the system forbids it (a security module, perhaps)";
        case EINVAL: return std::string(kTooOld);  // IORING_SETUP_CQSIZE is of Linux 5.5, _CLAMP of 5.6
        case ENOMEM:
            if (environment.locked_memory_bytes == RLIM_INFINITY) return "there is not enough memory for its queues";
            return fmt::format("the memory for its queues was refused; the limit for locked memory is {} KB (ulimit -l)",
                               environment.locked_memory_bytes / 1024);
        case EMFILE:
        case ENFILE: return "there are too many open files (ulimit -n)";
        default: return fmt::format("the kernel refused it: {}", errno_error(error_number).message());
    }
}

int enable_ring(io_uring& ring, std::uint32_t setup_flags) {
    if ((setup_flags & IORING_SETUP_R_DISABLED) == 0) return 0;
    // Not io_uring_enable_rings(): the library of Debian 12 declares it but does not export it.
    return io_uring_register(static_cast<unsigned>(ring.ring_fd), IORING_REGISTER_ENABLE_RINGS, nullptr, 0);
}

int create_ring(io_uring& ring, std::uint32_t submissions_max, std::uint32_t completions_max, std::uint32_t setup_flags) {
    io_uring_params parameters{};
    parameters.flags = setup_flags | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
    parameters.cq_entries = completions_max;
    return io_uring_queue_init_params(submissions_max, &ring, &parameters);
}

UringSupport probe_uring() {
    constexpr std::uint32_t kEntries = 4;
    int result = 0;
    for (const std::uint32_t flags : kSetupFlags) {
        io_uring ring{};
        result = create_ring(ring, kEntries, kEntries, flags);
        if (result == -EINVAL) continue;
        if (result < 0) break;
        const std::unique_ptr<io_uring, RingExit> owner(&ring);
        return examine_ring(ring, flags);
    }
    return refused_by_kernel(-result);
}

}  // namespace ums
