// `ioproof bench` on a block device: a loop device on a file.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "tests/cli/ioproof_program.hpp"
#include "tests/support/catch.hpp"

using test::IoproofFolder;

namespace {

// A loop device on a file; has no path if none is available.
class LoopDevice {
public:
    explicit LoopDevice(const std::filesystem::path& file) {
        const std::string command = "losetup --find --show '" + file.string() + "' 2>/dev/null";
        FILE* const pipe = ::popen(command.c_str(), "r");
        if (pipe == nullptr) return;
        char line[256] = {};
        if (std::fgets(line, sizeof line, pipe) != nullptr) path_ = std::string(line).substr(0, std::string(line).find('\n'));
        static_cast<void>(::pclose(pipe));
    }
    ~LoopDevice() {
        if (!path_.empty()) CHECK(test::Process({"/bin/sh", "-c", "losetup --detach " + path_}, "/").wait() == 0);
    }
    LoopDevice(const LoopDevice&) = delete;
    LoopDevice& operator=(const LoopDevice&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

std::string first_bytes(const std::string& path, std::size_t count) {
    std::string bytes(count, '\0');
    std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(count));
    return bytes;
}

}  // namespace

TEST_CASE("a device may be read without a switch, but is written only with the one that allows it") {
    if (::geteuid() != 0) {
        WARN("skipped: a loop device needs root");
        return;
    }
    const IoproofFolder folder;
    const std::string foreign = "somebody's data";
    folder.write("disk.img", foreign);
    std::filesystem::resize_file(folder.path() / "disk.img", 4 << 20);
    const LoopDevice device(folder.path() / "disk.img");
    if (device.path().empty()) {
        WARN("skipped: no loop device can be had here");
        return;
    }
    const auto bench = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"bench", device.path(), "--buffered", "--threads", "1", "--seconds", "1"});
        return folder.start(more);
    };
    CHECK(bench({"--json", "read.json"})->wait() == 0);
    CHECK_THAT(folder.read("read.json"), ContainsSubstring("\"size_bytes\": 4194304"));
    for (const std::vector<std::string>& writes : {std::vector<std::string>{"--op", "write"}, {"--preset", "log"}}) {
        const auto refused = bench(writes);
        CHECK(refused->wait() == 2);
        CHECK_THAT(refused->error(), ContainsSubstring(device.path() + ": refused"));
    }
    CHECK(first_bytes(device.path(), foreign.size()) == foreign);
    CHECK(bench({"--size", "1M", "--op", "write", "--overwrite-foreign-files"})->wait() == 2);
    CHECK(first_bytes(device.path(), foreign.size()) == foreign);

    const auto allowed = bench({"--op", "write", "--contents", "noise", "--overwrite-foreign-files"});
    CHECK(allowed->wait() == 0);
    CHECK_THAT(first_bytes(device.path(), 512), ContainsSubstring("IOPM"));
    // The device now has ioproof's mark.
    CHECK(bench({"--op", "write", "--contents", "noise"})->wait() == 0);
    CHECK(first_bytes(device.path(), 512).find(foreign) == std::string::npos);
}
