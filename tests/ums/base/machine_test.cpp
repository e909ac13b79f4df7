#include "ums/base/machine.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/process.hpp"
#include "ums/base/units.hpp"

namespace {

using ums::kMb;

// Folders proc and sys as a kernel would show them: 8000 MB, of which 6000 MB are available.
class FakeKernel {
public:
    FakeKernel() { write("proc/meminfo", "MemTotal:  8192000 kB\nMemFree: 1 kB\nMemAvailable:  6144000 kB\n"); }

    void write(const std::string& name, const std::string& text) const {
        const std::filesystem::path path = folder_.path() / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }
    [[nodiscard]] ums::Machine machine() const { return ums::this_machine(folder_.path().string()); }

private:
    test::TempFolder folder_;
};

}  // namespace

TEST_CASE("this machine has a CPU and memory") {
    const ums::Machine machine = ums::this_machine();
    CHECK(machine.cpu_count >= 1);
    CHECK(machine.memory_bytes > 64 * kMb);
    CHECK(machine.available_bytes > 0);
    CHECK(machine.available_bytes <= machine.memory_bytes);
}

TEST_CASE("the CPUs of a machine that could have more than 1024 of them are found") {
    const auto read = [](std::span<std::uint64_t> mask) {
        if (mask.size_bytes() * 8 < 1536) return false;
        mask[0] = 1U << 3;
        mask[1535 / 64] = std::uint64_t{1} << 1535 % 64;
        return true;
    };
    CHECK(ums::cpus_allowed(read) == std::vector<std::uint32_t>{3, 1535});
    CHECK(ums::cpus_allowed([](std::span<std::uint64_t>) { return false; }).empty());
}

TEST_CASE("without control groups the memory is that of the machine") {
    const FakeKernel kernel;
    CHECK(kernel.machine().memory_bytes == 8000 * kMb);
    CHECK(kernel.machine().available_bytes == 6000 * kMb);
}

TEST_CASE("what cannot be read is not known, which is no error") {
    const test::TempFolder empty;
    const ums::Machine machine = ums::this_machine(empty.path().string());
    CHECK(machine.cpu_count >= 1);
    CHECK(machine.memory_bytes == 0);
    CHECK(machine.available_bytes == 0);
}

TEST_CASE("cgroup v2: the tightest limit of the group and its ancestors counts, and cached files count as available") {
    const FakeKernel kernel;
    kernel.write("proc/self/cgroup", "0::/system.slice/run.scope\n");
    kernel.write("sys/fs/cgroup/system.slice/run.scope/memory.max", "max\n");
    kernel.write("sys/fs/cgroup/system.slice/memory.max", std::to_string(1000 * kMb));
    kernel.write("sys/fs/cgroup/system.slice/memory.current", std::to_string(700 * kMb));
    kernel.write("sys/fs/cgroup/system.slice/memory.stat", "anon 1\ninactive_file " + std::to_string(500 * kMb) + "\n");
    CHECK(kernel.machine().memory_bytes == 1000 * kMb);
    CHECK(kernel.machine().available_bytes == 800 * kMb);
}

TEST_CASE("cgroup v2: the memory beyond which a group is held back is not used") {
    const FakeKernel kernel;
    kernel.write("proc/self/cgroup", "0::/run\n");
    kernel.write("sys/fs/cgroup/run/memory.max", std::to_string(2000 * kMb));
    kernel.write("sys/fs/cgroup/run/memory.high", std::to_string(500 * kMb));
    kernel.write("sys/fs/cgroup/run/memory.current", std::to_string(100 * kMb));
    CHECK(kernel.machine().memory_bytes == 500 * kMb);
    CHECK(kernel.machine().available_bytes == 400 * kMb);
    kernel.write("sys/fs/cgroup/run/memory.high", "max\n");
    CHECK(kernel.machine().memory_bytes == 2000 * kMb);
}

TEST_CASE("cgroup v2: a CPU quota is rounded up and never adds CPUs") {
    const FakeKernel kernel;
    kernel.write("proc/self/cgroup", "0::/\n");
    kernel.write("sys/fs/cgroup/cpu.max", "50000 100000\n");
    CHECK(kernel.machine().cpu_count == 1);
    kernel.write("sys/fs/cgroup/cpu.max", "max 100000\n");
    CHECK(kernel.machine().cpu_count == ums::this_machine("/nowhere").cpu_count);
    kernel.write("sys/fs/cgroup/cpu.max", "100000000 100000\n");
    CHECK(kernel.machine().cpu_count == ums::this_machine("/nowhere").cpu_count);
}

TEST_CASE("cgroup v1: memory and CPU have separate folders") {
    const FakeKernel kernel;
    kernel.write("proc/self/cgroup", "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n");
    kernel.write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", std::to_string(512 * kMb));
    kernel.write("sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", std::to_string(100 * kMb));
    kernel.write("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "100000\n");
    kernel.write("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us", "100000\n");
    CHECK(kernel.machine().memory_bytes == 512 * kMb);
    CHECK(kernel.machine().available_bytes == 412 * kMb);
    CHECK(kernel.machine().cpu_count == 1);
    kernel.write("sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "-1\n");
    CHECK(kernel.machine().cpu_count == ums::this_machine("/nowhere").cpu_count);
}

TEST_CASE("a full group has nothing available, even if its parent has") {
    const FakeKernel kernel;
    kernel.write("proc/self/cgroup", "0::/run\n");
    kernel.write("sys/fs/cgroup/run/memory.max", std::to_string(100 * kMb));
    kernel.write("sys/fs/cgroup/run/memory.current", std::to_string(300 * kMb));
    kernel.write("sys/fs/cgroup/memory.max", std::to_string(1000 * kMb));
    CHECK(kernel.machine().available_bytes == 0);
}
