// Block devices used as files.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "sim/files/file_creator.hpp"
#include "sim/files/file_examiner.hpp"
#include "tests/sim/support/creator_bench.hpp"
#include "tests/support/catch.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;

namespace {

// A storage that presents one regular file as a block device, and refuses what a device does not support.
struct DeviceStorage final : ums::ForwardingStorage {
    DeviceStorage(ums::Storage& inner, std::string device_path) : ums::ForwardingStorage(inner), path(std::move(device_path)) {}
    std::error_code status(const std::string& name, ums::FileStatus& status) override {
        const auto error = inner().status(name, status);
        if (name == path) status.kind = ums::FileKind::block_device;
        return error;
    }
    std::error_code open(const std::string& name, const ums::OpenOptions& how, ums::FileHandle& file) override {
        if (name == path && how.exclusive && is_mounted) return system_error(EBUSY);
        if (name == path && how.exclusive) was_exclusive = true;
        return inner().open(name, how, file);
    }
    std::error_code remove(ums::FileHandle) override { return violation(); }
    std::error_code allocate(ums::FileHandle, std::uint64_t, std::uint64_t) override { return violation(); }
    std::error_code truncate(ums::FileHandle, std::uint64_t) override { return violation(); }

    std::error_code violation() {
        ++violations;
        return system_error(EINVAL);
    }

    const std::string path;
    bool is_mounted = false;
    bool was_exclusive = false;
    int violations = 0;
};

}  // namespace

TEST_CASE("without the switch a block device is refused, with or without a signature") {
    CreatorBench bench;
    const std::string path = bench.folder / "sdx";
    make_our_file(path, 2 * kMb);
    DeviceStorage devices(bench.posix, path);
    bench.storage = &devices;
    const Prepared refused = bench.prepare(bench.file("sdx"));
    CHECK(refused.error == Error::refused);
    CHECK_THAT(refused.message, ContainsSubstring("refused: it is a block device"));
    CHECK_THAT(refused.message, ContainsSubstring("--overwrite-foreign-files"));
    CHECK(content(path)[0] == std::byte{1});
}

TEST_CASE("with the switch a block device is a file of fixed size") {
    CreatorBench bench;
    const std::string path = bench.folder / "sdx";
    make_file(path, std::string(3 * kMb + 512, 'x'));
    DeviceStorage devices(bench.posix, path);
    bench.storage = &devices;
    bench.options.overwrite_foreign_files = true;
    sim::FileOptions file = bench.file("sdx", 2);
    file.sparse = true;
    file.shrinkable = true;
    file.increment_mb = 1;
    const Prepared made = bench.prepare(file);
    REQUIRE(made.error == Error::none);
    CHECK(devices.violations == 0);
    CHECK(devices.was_exclusive);
    CHECK(begins_with_signature(path));
    CHECK(size_of_file(path) == 3 * kMb + 512);
    CHECK(made.setup.is_device);
    CHECK_FALSE(made.setup.created);
    CHECK(made.setup.size_bytes == 2 * kMb);
    CHECK(made.setup.options.max_size_mb == 2);
    CHECK(made.setup.options.increment_mb == 0);
    CHECK_FALSE(made.setup.options.shrinkable);
    CHECK_FALSE(made.setup.options.sparse);
    // What lies beyond the part in use is left alone.
    CHECK(peek(path, 2 * kMb, 1)[0] == std::byte{'x'});
}

TEST_CASE("a block device that an earlier run left is a file of fixed size, too, also if less of it is left") {
    CreatorBench bench;
    const std::string path = bench.folder / "sdx";
    const std::uint64_t left_mb = GENERATE(std::uint64_t{1}, std::uint64_t{3});
    make_file(path, std::string(left_mb * kMb, 'x'));
    DeviceStorage devices(bench.posix, path);
    bench.options.overwrite_foreign_files = true;
    sim::FileOptions file = bench.file("sdx", 2);
    file.sparse = true;
    file.shrinkable = true;
    file.increment_mb = 1;
    for (const bool is_read_only : {true, false}) {
        sim::FileExaminer examiner(bench.options, devices);
        const std::unique_ptr<sim::FileClaim> claim = examiner.examine_left(1, file, is_read_only);
        CHECK(claim->is_device());
        CHECK(claim->size_bytes == std::min<std::uint64_t>(left_mb, 2) * kMb);
        CHECK(claim->file.max_size_mb == 2);
        CHECK(claim->file.increment_mb == 0);
        CHECK_FALSE(claim->file.shrinkable);
        CHECK_FALSE(claim->file.sparse);
    }
}

TEST_CASE("a log and a stamped data file on a block device begin with zeros") {
    CreatorBench bench;
    const std::string path = bench.folder / "sdx";
    DeviceStorage devices(bench.posix, path);
    bench.storage = &devices;
    bench.options.overwrite_foreign_files = true;
    for (const bool is_log : {true, false}) {
        make_file(path, std::string(2 * kMb, 'x'));
        bench.options.stamp_files = !is_log;
        sim::FileOptions file = bench.file("sdx", 1);
        file.is_log = is_log;
        REQUIRE(bench.prepare(file).error == Error::none);
        CHECK(is_all_zero(peek(path, sim::kPageBytes, kMb - sim::kPageBytes)));
        CHECK(peek(path, kMb, 1)[0] == std::byte{'x'});
    }
    CHECK(devices.violations == 0);
}

TEST_CASE("a block device that is too small or in use is left untouched") {
    CreatorBench bench;
    const std::string path = bench.folder / "sdx";
    make_file(path, std::string(2 * kMb, 'x'));
    DeviceStorage devices(bench.posix, path);
    bench.storage = &devices;
    bench.options.overwrite_foreign_files = true;
    const Prepared small = bench.prepare(bench.file("sdx", 3));
    CHECK(small.error == Error::environment);
    CHECK_THAT(small.message, ContainsSubstring("the device is too small: InitialSize is 3 MB, it has 2 MB"));
    devices.is_mounted = true;
    const Prepared mounted = bench.prepare(bench.file("sdx", 1));
    CHECK(mounted.error == Error::environment);
    CHECK_THAT(mounted.message, ContainsSubstring("the device is in use: it is mounted"));
    CHECK(peek(path, 0, 1)[0] == std::byte{'x'});
    CHECK(devices.violations == 0);
}

namespace {

// A loop device over a file, if this user may create one here.
class LoopDevice {
public:
    explicit LoopDevice(const std::string& backing, const std::string& switches = "") {
        if (::geteuid() != 0) return;
        const std::string command = "losetup " + switches + " --find --show '" + backing + "' 2>/dev/null";
        std::FILE* pipe = ::popen(command.c_str(), "r");
        char line[64] = {};
        if (pipe != nullptr && std::fgets(line, sizeof line, pipe) != nullptr)
            path_ = std::string(line).substr(0, std::string(line).find('\n'));
        if (pipe != nullptr) ::pclose(pipe);
    }
    ~LoopDevice() {
        if (!path_.empty() && std::system(("losetup -d " + path_).c_str()) != 0) std::fprintf(stderr, "%s stays\n", path_.c_str());
    }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace

TEST_CASE("a real block device (a loop device) is prepared without buffering, and refused while it is mounted") {
    CreatorBench bench;
    bench.options.no_buffering = true;
    bench.options.overwrite_foreign_files = true;
    const std::string backing = bench.folder / "disk";
    make_file(backing, std::string(24 * kMb, 'x'));
    const LoopDevice loop(backing);
    if (loop.path().empty()) {
        WARN("not tried: no loop device can be had here");
        return;
    }
    sim::FileOptions file = bench.log_file("x", 2);
    file.path = loop.path();
    const Prepared made = bench.prepare(file);
    CHECK(made.message.empty());
    REQUIRE(made.error == Error::none);
    CHECK(made.setup.is_device);
    CHECK(begins_with_signature(loop.path()));
    CHECK(is_all_zero(peek(loop.path(), sim::kPageBytes, 2 * kMb - sim::kPageBytes)));
    CHECK(peek(loop.path(), 2 * kMb, 1)[0] == std::byte{'x'});
    CHECK(size_of_file(backing) == 24 * kMb);
    file.initial_size_mb = 25;
    CHECK_THAT(bench.prepare(file).message, ContainsSubstring("it has 24 MB"));
    file.initial_size_mb = 2;
    const std::string mount_point = bench.folder / "mnt";
    std::filesystem::create_directory(mount_point);
    const std::string mount = "(mkfs.ext4 -q " + loop.path() + " && mount " + loop.path() + " " + mount_point + ") >/dev/null 2>&1";
    if (std::system(mount.c_str()) != 0) {
        WARN("nothing can be mounted here");
        return;
    }
    const Prepared mounted = bench.prepare(file);
    CHECK(mounted.error == Error::environment);
    CHECK_THAT(mounted.message, ContainsSubstring("the device is in use"));
    CHECK(std::system(("umount " + mount_point).c_str()) == 0);
}

TEST_CASE("a read-only block device is refused and is no finding: Linux opens it for writing, and refuses the writes") {
    CreatorBench bench;
    bench.options.overwrite_foreign_files = true;
    const std::string backing = bench.folder / "disk";
    make_file(backing, std::string(4 * kMb, 'x'));
    const LoopDevice loop(backing, "--read-only");
    if (loop.path().empty()) {
        WARN("not tried: no loop device can be had here");
        return;
    }
    sim::FileOptions file = bench.file("x", 2);
    file.path = loop.path();
    const Prepared refused = bench.prepare(file);
    CHECK(refused.error == Error::environment);
    CHECK_THAT(refused.message, ContainsSubstring("the device is read-only"));
    CHECK(refused.findings.empty());
}
