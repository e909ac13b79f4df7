// A file system that passes everything through to a folder and answers wrongly when it is told to. For the end-to-end test of ioproof and
// for people who want to see what a program finds. README.md of this folder says how it is used.
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <fuse.h>
#include <fuse_lowlevel.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "tests/fuse/arguments.hpp"
#include "tests/fuse/disk.hpp"
#include "tests/fuse/request_log.hpp"

namespace {

using faultfs::Answer;
using faultfs::Arguments;
using faultfs::Disk;
using faultfs::DiskFile;

// A file of this name takes lines of text: a fault, "hang OPERATION", "clear", "power DISK", or "cut DRAW". It is not in the folder.
constexpr const char* kControl = "/.faults";
constexpr unsigned kTransferBytesMax = 1 << 20;
constexpr unsigned kTransfersMax = 1024;

struct State {
    explicit State(const Arguments& arguments)
        : folder(arguments.folder),
          truth(arguments.truth),
          disk(truth),
          requests(arguments.requests),
          pace(arguments.pace_us),
          refuses_direct(arguments.refuses_direct),
          refuses_direct_io(arguments.refuses_direct_io) {}

    std::string folder;
    faultfs::TruthLog truth;
    Disk disk;
    faultfs::RequestLog requests;
    std::chrono::microseconds pace;  // what each transfer takes; one at a time
    bool refuses_direct;             // files cannot be opened with O_DIRECT
    bool refuses_direct_io;          // they can, but not be read and written then

    std::mutex mutex;  // guards what is below
    std::condition_variable stall_end;
    bool is_ending = false;
    std::map<std::string, std::string, std::less<>> hanging;  // operations that get no answer, and for which files
    std::chrono::steady_clock::time_point idle_from{};        // when the transfers that have come so far will be done
};

State* g_state = nullptr;

bool is_control(const char* path) { return path != nullptr && std::strcmp(path, kControl) == 0; }
std::string below(const char* path) { return g_state->folder + path; }
int result_of(int value) { return value < 0 ? -errno : 0; }

// Waits, for ever or until "clear", where this operation is to get no answer. `file`: empty where it is about none.
void hang_if_wanted(std::string_view operation, const std::string& file = {}) {
    std::unique_lock lock(g_state->mutex);
    g_state->stall_end.wait(lock, [&] {
        const auto wanted = g_state->hanging.find(operation);
        return g_state->is_ending || wanted == g_state->hanging.end() || fnmatch(wanted->second.c_str(), file.c_str(), 0) != 0;
    });
}

void let_go() {
    {
        const std::lock_guard lock(g_state->mutex);
        g_state->hanging.clear();
    }
    g_state->stall_end.notify_all();
}

// "write", or "write *.mdx".
bool hang(std::string_view text) {
    static const std::set<std::string, std::less<>> kOperations{"open",      "create", "read",  "write",  "truncate",
                                                                "fallocate", "fsync",  "lseek", "unlink", "statfs"};
    const std::string_view operation = text.substr(0, text.find(' '));
    if (!kOperations.contains(operation)) return false;
    const std::lock_guard lock(g_state->mutex);
    g_state->hanging[std::string(operation)] = operation == text ? "*" : text.substr(operation.size() + 1);
    return true;
}

// Handles hold a reference each.
struct Handle {
    std::shared_ptr<DiskFile> file;
    bool is_direct = false;  // it was opened with O_DIRECT, not given it later

    DiskFile& operator*() const { return *file; }
    DiskFile* operator->() const { return file.get(); }
};

// Null is the control file.
Handle* handle_of(const fuse_file_info* info) { return reinterpret_cast<Handle*>(info->fh); }
bool is_refused(const fuse_file_info* info) { return g_state->refuses_direct_io && handle_of(info)->is_direct; }

// The answer comes when it is this transfer's turn, and after what a fault wants.
int to_result(const Answer& answer) {
    using std::chrono::steady_clock;
    std::unique_lock lock(g_state->mutex);
    g_state->idle_from = std::max(g_state->idle_from, steady_clock::now()) + g_state->pace;
    const auto delay = std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(answer.delay_s));
    const auto due = g_state->idle_from + delay;
    if (due > steady_clock::now()) g_state->stall_end.wait_until(lock, due, [] { return g_state->is_ending; });
    return static_cast<int>(answer.result);
}

int do_getattr(const char* path, struct stat* facts, fuse_file_info* info) {
    if (is_control(path)) {
        *facts = {};
        facts->st_mode = S_IFREG | 0600;
        facts->st_nlink = 1;
        facts->st_uid = getuid();
        facts->st_gid = getgid();
        return 0;
    }
    if (info != nullptr && handle_of(info) != nullptr) return result_of(fstat((*handle_of(info))->fd, facts));
    return result_of(lstat(below(path).c_str(), facts));
}

int open_file(const char* path, int flags, unsigned mode, fuse_file_info* info) {
    info->fh = 0;
    info->direct_io = is_control(path) || (flags & O_DIRECT) != 0 ? 1 : 0;
#if FUSE_USE_VERSION >= 312 && FUSE_VERSION >= FUSE_MAKE_VERSION(3, 15)
    info->parallel_direct_writes = 1;
#endif
    if (is_control(path)) return 0;
    if (g_state->refuses_direct && (flags & O_DIRECT) != 0) return -EINVAL;
    auto file = g_state->disk.open(path + 1, below(path), flags, mode);
    if (!file) return -errno;
    info->fh = reinterpret_cast<std::uint64_t>(new Handle{std::move(file), (flags & O_DIRECT) != 0});
    return 0;
}

int do_open(const char* path, fuse_file_info* info) {
    if (!is_control(path)) hang_if_wanted("open");
    return open_file(path, info->flags & ~O_CREAT, 0, info);
}

int do_create(const char* path, mode_t mode, fuse_file_info* info) {
    hang_if_wanted("create");
    return open_file(path, info->flags | O_CREAT, mode, info);
}

int do_release(const char* /*path*/, fuse_file_info* info) {
    delete handle_of(info);
    return 0;
}

int do_read(const char* /*path*/, char* buffer, std::size_t size, off_t offset, fuse_file_info* info) {
    if (handle_of(info) == nullptr) return 0;
    const auto offset_bytes = static_cast<std::uint64_t>(offset);
    const auto seen = g_state->requests.note("read", (*handle_of(info))->name, offset_bytes, size, info->flags);
    hang_if_wanted("read", (*handle_of(info))->name);
    if (is_refused(info)) return -EINVAL;
    auto* const bytes = reinterpret_cast<std::uint8_t*>(buffer);
    return to_result(g_state->disk.read(**handle_of(info), {bytes, size}, offset_bytes));
}

int control(std::string_view text) {
    try {
        while (!text.empty()) {
            const std::string_view line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(text.size(), line.size() + 1));
            constexpr std::string_view kHang = "hang ";
            constexpr std::string_view kPower = "power ";
            constexpr std::string_view kCut = "cut ";
            if (line == "clear") {
                g_state->disk.clear_faults();
                let_go();
            } else if (line.starts_with(kHang)) {
                if (!hang(line.substr(kHang.size()))) throw std::invalid_argument(fmt::format("'{}': no such operation", line));
            } else if (line.starts_with(kPower)) {
                g_state->disk.set_power(faultfs::parse_power(line.substr(kPower.size())));
            } else if (line.starts_with(kCut)) {
                g_state->disk.cut_power(faultfs::parse_cut(line.substr(kCut.size())));
            } else if (!line.empty()) {
                g_state->disk.add_fault(faultfs::parse_fault(line));
            }
        }
    } catch (const std::invalid_argument& error) {
        fmt::print(stderr, "faulty_fs: {}\n", error.what());
        return -EINVAL;
    }
    return 0;
}

int do_write(const char* /*path*/, const char* buffer, std::size_t size, off_t offset, fuse_file_info* info) {
    if (handle_of(info) == nullptr) {
        const int error = control({buffer, size});
        return error != 0 ? error : static_cast<int>(size);
    }
    const auto offset_bytes = static_cast<std::uint64_t>(offset);
    const auto seen = g_state->requests.note("write", (*handle_of(info))->name, offset_bytes, size, info->flags);
    hang_if_wanted("write", (*handle_of(info))->name);
    if (is_refused(info)) return -EINVAL;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(buffer);
    return to_result(g_state->disk.write(**handle_of(info), {bytes, size}, offset_bytes, (info->flags & O_DSYNC) != 0));
}

int do_truncate(const char* path, off_t size, fuse_file_info* info) {
    if (is_control(path)) return 0;
    hang_if_wanted("truncate");
    if (info != nullptr && handle_of(info) != nullptr) return g_state->disk.resize(**handle_of(info), static_cast<std::uint64_t>(size));
    const auto file = g_state->disk.open(path + 1, below(path), 0, 0);
    return file ? g_state->disk.resize(*file, static_cast<std::uint64_t>(size)) : -errno;
}

int do_fallocate(const char* /*path*/, int mode, off_t offset, off_t size, fuse_file_info* info) {
    hang_if_wanted("fallocate");
    return g_state->disk.allocate(**handle_of(info), mode, static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(size));
}

int do_fsync(const char* /*path*/, int /*data_only*/, fuse_file_info* info) {
    if (info == nullptr || handle_of(info) == nullptr) return 0;
    const auto seen = g_state->requests.note("fsync", (*handle_of(info))->name, 0, 0, info->flags);
    hang_if_wanted("fsync", (*handle_of(info))->name);
    return g_state->disk.sync(**handle_of(info));
}

off_t do_lseek(const char* /*path*/, off_t offset, int whence, fuse_file_info* info) {
    hang_if_wanted("lseek");
    const off_t result = lseek((*handle_of(info))->fd, offset, whence);
    return result < 0 ? -errno : result;
}

int do_unlink(const char* path) {
    hang_if_wanted("unlink");
    g_state->disk.forget(path + 1);
    return result_of(unlink(below(path).c_str()));
}

int do_rename(const char* from, const char* to, unsigned flags) {
    if (flags != 0) return -EINVAL;
    if (rename(below(from).c_str(), below(to).c_str()) != 0) return -errno;
    g_state->disk.rename(from + 1, to + 1);
    return 0;
}

int do_mkdir(const char* path, mode_t mode) { return result_of(mkdir(below(path).c_str(), mode)); }
int do_rmdir(const char* path) { return result_of(rmdir(below(path).c_str())); }

int do_statfs(const char* path, struct statvfs* facts) {
    hang_if_wanted("statfs");
    return result_of(statvfs(below(path).c_str(), facts));
}

int do_chmod(const char* path, mode_t mode, fuse_file_info* /*info*/) { return result_of(chmod(below(path).c_str(), mode)); }
int do_chown(const char* path, uid_t uid, gid_t gid, fuse_file_info* /*info*/) { return result_of(lchown(below(path).c_str(), uid, gid)); }

int do_utimens(const char* path, const struct timespec times[2], fuse_file_info* /*info*/) {
    return result_of(utimensat(AT_FDCWD, below(path).c_str(), times, AT_SYMLINK_NOFOLLOW));
}

int do_readdir(const char* path, void* buffer, fuse_fill_dir_t fill, off_t /*offset*/, fuse_file_info* /*info*/,
               fuse_readdir_flags /*flags*/) {
    DIR* const folder = opendir(below(path).c_str());
    if (folder == nullptr) return -errno;
    while (const dirent* const entry = readdir(folder)) fill(buffer, entry->d_name, nullptr, 0, fuse_fill_dir_flags{});
    closedir(folder);
    return 0;
}

void* do_init(fuse_conn_info* connection, fuse_config* config) {
    connection->max_write = kTransferBytesMax;
    connection->max_read = kTransferBytesMax;
    connection->want |= connection->capable & FUSE_CAP_ASYNC_DIO;
    // With fewer, who submits one more waits in the kernel until another has been answered.
    connection->max_background = kTransfersMax;
    connection->congestion_threshold = kTransfersMax;
    config->hard_remove = 1;
    config->nullpath_ok = 1;
    config->attr_timeout = 0;
    config->entry_timeout = 0;
    return nullptr;
}

fuse_operations operations() {
    fuse_operations all{};
    all.init = do_init;
    all.getattr = do_getattr;
    all.open = do_open;
    all.create = do_create;
    all.release = do_release;
    all.read = do_read;
    all.write = do_write;
    all.truncate = do_truncate;
    all.fallocate = do_fallocate;
    all.fsync = do_fsync;
    all.lseek = do_lseek;
    all.unlink = do_unlink;
    all.rename = do_rename;
    all.mkdir = do_mkdir;
    all.rmdir = do_rmdir;
    all.statfs = do_statfs;
    all.chmod = do_chmod;
    all.chown = do_chown;
    all.utimens = do_utimens;
    all.readdir = do_readdir;
    return all;
}

// Whoever forgets to unmount, or waits for an answer that is not to come, is let go after the lifetime. Stalled requests are answered
// first, then the process ends for good.
void watch_lifetime(fuse* handle, unsigned lifetime_s) {
    std::thread([handle, lifetime_s] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(lifetime_s);
        while (std::chrono::steady_clock::now() < end && fuse_session_exited(fuse_get_session(handle)) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        {
            const std::lock_guard lock(g_state->mutex);
            g_state->is_ending = true;
        }
        g_state->stall_end.notify_all();
        kill(getpid(), SIGTERM);
        std::this_thread::sleep_for(std::chrono::seconds(3));
        _exit(1);
    }).detach();
}

int loop(fuse* handle) {
#if FUSE_USE_VERSION >= 312
    fuse_loop_config* const config = fuse_loop_cfg_create();
    fuse_loop_cfg_set_max_threads(config, 64);
    fuse_loop_cfg_set_idle_threads(config, 16);
    const int result = fuse_loop_mt(handle, config);
    fuse_loop_cfg_destroy(config);
    return result;
#else
    fuse_loop_config config{0, 16};
    return fuse_loop_mt(handle, &config);
#endif
}

int serve(const Arguments& arguments) {
    const fuse_operations all = operations();
    const std::vector<std::string> words = {"faulty_fs", "-o", "auto_unmount,fsname=faulty_fs,subtype=faulty_fs,max_read=1048576"};
    std::vector<char*> pointers;
    for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    fuse_args args = FUSE_ARGS_INIT(static_cast<int>(pointers.size()), pointers.data());
    fuse* const handle = fuse_new(&args, &all, sizeof all, nullptr);
    if (handle == nullptr || fuse_mount(handle, arguments.mountpoint.c_str()) != 0) return 77;
    fuse_set_signal_handlers(fuse_get_session(handle));
    watch_lifetime(handle, arguments.lifetime_s);
    fmt::print("mounted\n");
    std::fflush(stdout);
    loop(handle);
    fuse_unmount(handle);
    g_state->requests.flush();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    // Goes with the test that started it.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    try {
        const Arguments arguments = faultfs::parse_arguments(argc, argv);
        static State state(arguments);
        g_state = &state;
        if (arguments.is_shared) state.disk.share();
        for (const std::string& fault : arguments.faults) state.disk.add_fault(faultfs::parse_fault(fault));
        // Other threads may still use the state: no destructors.
        _exit(serve(arguments));
    } catch (const std::exception& error) {
        fmt::print(stderr, "faulty_fs: {}\n", error.what());
        return 2;
    }
}
