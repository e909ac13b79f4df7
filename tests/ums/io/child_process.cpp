#include "tests/ums/io/child_process.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <exception>
#include <fstream>
#include <span>

namespace ums::testing {

std::string in_child_process(const std::function<std::string()>& body) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return "no pipe";
    const pid_t child = fork();
    if (child == 0) {
        alarm(120);  // ends a child that hangs, for whose answer the test would wait without limit
        close(ends[0]);
        std::string text;
        try {
            text = body();
        } catch (const std::exception& error) {
            text = std::string("exception: ") + error.what();
        } catch (...) {  // a failed REQUIRE must not leave the child
            text = "a test failed";
        }
        text += '.';
        const auto written = write(ends[1], text.data(), text.size());
        _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
    }
    close(ends[1]);
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t count = 0; (count = read(ends[0], buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(count));
    close(ends[0]);
    waitpid(child, nullptr, 0);
    if (text.empty()) return "died";
    text.pop_back();
    return text;
}

namespace {

bool install_filter(std::span<sock_filter> program) {
    sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace

bool forbid(SystemCall call, int error_number) {
    constexpr std::array<long, 5> kNumbers = {SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_renameat2, SYS_clone3};
    const auto number = static_cast<unsigned>(kNumbers[static_cast<std::size_t>(call)]);
    const auto answer = static_cast<unsigned>(SECCOMP_RET_ERRNO | (static_cast<unsigned>(error_number) & SECCOMP_RET_DATA));
    std::array<sock_filter, 4> program = {{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    return install_filter(program);
}

bool forbid_flock(int descriptor, int operation, int error_number) {
    const auto answer = static_cast<unsigned>(SECCOMP_RET_ERRNO | (static_cast<unsigned>(error_number) & SECCOMP_RET_DATA));
    // The lower halves of the two arguments.
    constexpr unsigned kDescriptor = offsetof(seccomp_data, args);
    constexpr unsigned kOperation = kDescriptor + 8;
    std::array<sock_filter, 8> program = {{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(SYS_flock), 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kDescriptor),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(descriptor), 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kOperation),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(operation), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    return install_filter(program);
}

namespace {

// An ordinary user may mount in a user namespace in which it is root.
bool enter_mount_namespace() {
    if (unshare(CLONE_NEWNS) == 0) return true;
    const uid_t user = getuid();
    const gid_t group = getgid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
    std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
    return getuid() == 0;
}

}  // namespace

bool mount_privately(const std::string& type, const std::string& folder, const std::string& options) {
    return enter_mount_namespace() && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount(type.c_str(), folder.c_str(), type.c_str(), 0, options.c_str()) == 0;
}

}  // namespace ums::testing
