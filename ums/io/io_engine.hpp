// The interface through which transfers reach the storage. One engine belongs to one scheduler and is used by that scheduler's thread only,
// except wake(). Engines: io_uring, a pool of threads, copies to and from mapped files, a simulated disk, and one that transfers nothing.
//
// An engine continues a transfer that was cut short or interrupted (EINTR, EAGAIN); the caller sees one completion with the sum. Only the
// end of the file and errors end a transfer early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ums/base/units.hpp"
#include "ums/io/io_request.hpp"

namespace ums {

// No engine sleeps longer at a time; keeps timeouts within what system calls take.
inline constexpr std::uint64_t kWaitNsMax = 3600 * kNsPerSecond;

class IoEngine {
public:
    virtual ~IoEngine() = default;

    // "uring", "threads", …
    [[nodiscard]] virtual std::string_view name() const = 0;

    // Many transfers will use this memory. The engine may prepare it for that, or not; transfers of other memory work, too. It must stay
    // mapped, as the same memory, as long as anything is submitted to the engine. May be called several times.
    virtual void use_memory(std::byte* /*data*/, std::size_t /*size_bytes*/) {}

    // Takes a request; it is the engine's until poll() hands it back. It may just be queued until the next poll() or wait(). Never fails: a
    // request that cannot be started comes back with its error. Never blocks on the device, except for a file that was opened with a
    // FileView.
    virtual void submit(IoRequest& request) = 0;

    // Carries out immediately a request that is a copy (FileHandle::is_copied). False: not done, submit() it.
    [[nodiscard]] virtual bool perform_immediately(IoRequest& /*request*/) { return false; }

    // Starts everything queued and appends finished requests to `finished`, with `error` and `transferred_bytes` set. Does not sleep.
    virtual void poll(IoRequestList& finished) = 0;

    // Starts everything queued, then sleeps until a request finishes, wake() is called, or the timeout expires. May return early.
    virtual void wait(std::uint64_t timeout_ns) = 0;

    // Ends a wait() that is in progress or about to begin. Any thread.
    virtual void wake() = 0;

    // The system refused a thread that the engine, or the kernel on its behalf, wanted: it manages with fewer, or its requests fail. Any
    // thread.
    [[nodiscard]] virtual bool is_short_of_threads() const { return false; }

    // Requests that were submitted and not handed back.
    [[nodiscard]] virtual std::uint32_t in_flight() const = 0;

    // Virtual time only: when the next request finishes, or kNever.
    [[nodiscard]] virtual std::uint64_t next_completion_ns() const { return kNever; }
};

}  // namespace ums
