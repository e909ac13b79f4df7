// Memory that was given to an engine: transfers must be the same, whether the kernel pins it or not.
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/seed.hpp"
#include "tests/ums/io/child_process.hpp"
#include "tests/ums/io/engine_bench.hpp"
#include "tests/ums/io/resource_limit.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/prng.hpp"
#include "ums/base/units.hpp"

using namespace ums;
using namespace ums::testing;

namespace {

using ums::kMb;

// Memory of this process that the kernel has pinned for devices and rings.
std::size_t pinned_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind("VmPin:", 0) == 0) return std::stoull(line.substr(6)) * 1024;
    }
    return 0;
}

// The kernel tears a ring down asynchronously.
bool is_released() {
    for (int i = 0; i < 1000 && pinned_bytes() > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return pinned_bytes() == 0;
}

// Root may lock any amount, but not in every container. Not by mlock(), which does nothing under a sanitizer.
bool may_lock(std::size_t size_bytes) {
    const MemoryRegion memory(size_bytes, MemoryKind::huge_pages);
    return syscall(SYS_mlock, memory.data(), memory.size_bytes()) == 0;
}

void fill(std::byte* data, std::size_t size_bytes, std::uint64_t seed) {
    Prng prng(seed);
    for (std::size_t i = 0; i < size_bytes; i += sizeof(std::uint64_t)) {
        const std::uint64_t word = prng.next();
        std::memcpy(data + i, &word, sizeof word);
    }
}

// Writes [from, from + size) to the beginning of the file and reads it back to `to`.
bool survives(IoEngine& engine, FileHandle file, std::byte* from, std::byte* to, std::size_t size_bytes) {
    const std::vector<IoSegment> source = {{from, size_bytes}};
    const std::vector<IoSegment> target = {{to, size_bytes}};
    IoRequest write = make_request(IoOperation::write, file, 0, source);
    finish(engine, write);
    IoRequest read = make_request(IoOperation::read, file, 0, target);
    finish(engine, read);
    return write.is_complete_transfer() && read.is_complete_transfer() && std::memcmp(from, to, size_bytes) == 0;
}

}  // namespace

TEST_CASE("transfers are right whether their memory is registered completely, in part, or not at all") {
    const auto variant = GENERATE(from_range(engine_variants()));
    const bool direct = GENERATE(false, true);
    CAPTURE(variant, direct);
    if (direct && (!TempFolder().has_direct_io() || test::kIsThreadSanitized)) return;  // there is one thread, and it would take a minute
    Bench bench(variant, {}, direct);
    // More than one registered buffer can hold; the second region is registered without its first and last MB.
    const MemoryRegion first(70 * kMb, MemoryKind::huge_pages);
    const MemoryRegion second(4 * kMb, MemoryKind::plain);
    const MemoryRegion other(70 * kMb, MemoryKind::plain);
    bench.engine->use_memory(first.data(), first.size_bytes());
    bench.engine->use_memory(second.data() + kMb, 2 * kMb);
    const std::uint64_t seed = test_seed("transfers of registered memory");
    fill(first.data(), first.size_bytes(), seed);
    fill(second.data(), second.size_bytes(), seed + 1);

    CHECK(survives(*bench.engine, bench.file, first.data(), other.data(), first.size_bytes()));
    CHECK(survives(*bench.engine, bench.file, other.data(), first.data(), first.size_bytes()));
    CHECK(survives(*bench.engine, bench.file, second.data(), other.data(), second.size_bytes()));
    Prng prng(seed + 2);
    for (int i = 0; i < 50; ++i) {
        const std::size_t size_bytes = kPage * prng.between(1, 128);
        const std::size_t offset = kPage * prng.below((64 * kMb + 2 * kMb - size_bytes) / kPage);  // many around the boundary at 64 MB
        CAPTURE(size_bytes, offset);
        CHECK(survives(*bench.engine, bench.file, first.data() + offset, second.data() + kPage * prng.below(256), size_bytes));
    }
    for (const std::size_t boundary : {64 * kMb, 70 * kMb - kPage}) {
        CAPTURE(boundary);
        CHECK(survives(*bench.engine, bench.file, first.data() + boundary - kPage, second.data() + kMb - kPage, 2 * kPage));
    }
    // Several segments, some of them in registered memory.
    const std::vector<IoSegment> source = {{second.data() + 2 * kMb, kPage}, {other.data(), kPage}, {first.data(), kPage}};
    const std::vector<IoSegment> target = {{first.data() + kMb, kPage}, {first.data() + 3 * kMb, kPage}, {second.data(), kPage}};
    IoRequest write = make_request(IoOperation::write, bench.file, kPage, source);
    finish(*bench.engine, write);
    IoRequest read = make_request(IoOperation::read, bench.file, kPage, target);
    finish(*bench.engine, read);
    CHECK(read.is_complete_transfer());
    for (std::size_t i = 0; i < source.size(); ++i) CHECK(std::memcmp(source[i].data, target[i].data, kPage) == 0);
}

TEST_CASE("the kernel holds the memory registered with an io_uring engine as long as the engine lives") {
    if (!has_uring() || !may_lock(100 * kMb)) {
        WARN("not tried: io_uring cannot be used here, or this user may not lock that much");
        return;
    }
    const MemoryRegion memory(100 * kMb, MemoryKind::huge_pages);
    CHECK(is_released());
    {
        PosixStorage storage;
        std::string reason;
        const auto engine = storage.make_engine({.kind = EngineKind::uring}, reason);
        engine->use_memory(memory.data(), memory.size_bytes());
        CHECK(pinned_bytes() == memory.size_bytes());
    }
    CHECK(is_released());
}

TEST_CASE("a process that may not lock or register memory transfers as usual") {
    const bool is_forbidden = GENERATE(false, true);
    CAPTURE(is_forbidden);
    if (!has_uring() || !can_limit(RLIMIT_MEMLOCK, 8 << 20)) {
        WARN("not tried: io_uring cannot be used here, or not with so much locked memory");
        return;
    }
    const TempFolder folder;  // of this process: the child may be another user, who could not remove it
    const std::string report = in_child_process([&]() -> std::string {
        PosixStorage storage;
        OpenOptions options;
        options.create_new = true;
        FileHandle file;
        if (storage.open(folder.file("data.mdx"), options, file)) return "no file";
        const ResourceLimit limit(RLIMIT_MEMLOCK, 8 << 20);
        if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) return "still root";
        std::string reason;
        const auto engine = storage.make_engine({.kind = EngineKind::uring}, reason);
        IoRequest sync = make_request(IoOperation::sync, file);
        finish(*engine, sync);  // the ring is enabled by now
        if (is_forbidden && !forbid(SystemCall::io_uring_register, EPERM)) return "transferred";
        const MemoryRegion memory(32 * kMb, MemoryKind::huge_pages);
        engine->use_memory(memory.data(), memory.size_bytes());
        if (pinned_bytes() != 0) return "held";
        fill(memory.data(), kMb, 1);
        return survives(*engine, file, memory.data(), memory.data() + kMb, kMb) ? "transferred" : "lost";
    });
    if (report == "still root") {
        WARN("not tried: the root of this container has no other users");
        return;
    }
    CHECK(report == "transferred");
}
