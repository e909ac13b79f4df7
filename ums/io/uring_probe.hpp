// Whether this process may use io_uring, and if not, why, in words that tell people what to change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

struct io_uring;

namespace ums {

// What the kernel of this machine supports.
struct UringSupport {
    std::error_code error;          // set if io_uring cannot be used
    std::string reason;             // the rest of a sentence that begins with "io_uring cannot be used because"
    std::uint32_t setup_flags = 0;  // IORING_SETUP_*, the best that the kernel accepts
    bool has_truncate = false;      // IORING_OP_FTRUNCATE, Linux 6.9

    [[nodiscard]] bool is_usable() const { return !error; }
};

// What decides whether io_uring may be used.
struct UringEnvironment {
    std::optional<int> disabled_sysctl;  // kernel.io_uring_disabled; none before Linux 6.6
    bool has_seccomp_filter = false;
    std::uint64_t locked_memory_bytes = 0;  // RLIMIT_MEMLOCK; all ones = no limit
};

// `proc_root`: "/proc", or a made-up tree.
[[nodiscard]] UringEnvironment read_uring_environment(const std::string& proc_root = "/proc");

// Why io_uring_setup() failed with `error_number` in such an environment. Pure.
[[nodiscard]] std::string explain_uring_refusal(int error_number, const UringEnvironment& environment);

// Makes a small ring with the best flags, checks for the operations that the engine needs and carries one out, so that the system refuses
// nothing later. Takes well below a millisecond.
[[nodiscard]] UringSupport probe_uring();

// Makes the calling thread the owner of the ring, if `setup_flags` deferred that. Zero or a negative errno value.
[[nodiscard]] int enable_ring(io_uring& ring, std::uint32_t setup_flags);

// Makes a ring. Zero or a negative errno value. The completion queue has `completions_max` entries at least.
[[nodiscard]] int create_ring(io_uring& ring, std::uint32_t submissions_max, std::uint32_t completions_max, std::uint32_t setup_flags);

// io_uring is not available: a std::system_error whose reason can be put into another sentence.
class UringRefusal : public std::system_error {
public:
    // `reason`: see UringSupport.
    UringRefusal(const std::error_code& error, const std::string& reason)
        : std::system_error(error, "io_uring cannot be used because " + reason), reason_(reason) {}

    [[nodiscard]] const std::string& reason() const { return reason_; }

private:
    std::string reason_;
};

// Operations of io_uring that the headers of older distributions do not name. The numbers are part of the kernel's interface and never
// change (linux/io_uring.h); a probe at the start of the program tells whether the running kernel has them.
inline constexpr std::uint8_t kUringOpTruncate = 55;  // IORING_OP_FTRUNCATE, Linux 6.9

}  // namespace ums
