#include "sim/files/file_creator.hpp"

#include <algorithm>
#include <cctype>
#include <exception>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sim/files/overdue_request.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/sched/event.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kMb = 1 << 20;

bool has_database_extension(std::string_view path) {
    if (path.size() < 4) return false;
    std::string end(path.substr(path.size() - 4));
    std::transform(end.begin(), end.end(), end.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return end == ".mdf" || end == ".ndf" || end == ".ldf";
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

[[noreturn]] void fail(const std::string& path, std::string_view what, std::error_code error) {
    throw EnvironmentError(fmt::format("{}: {}: {}.", path, what, error.message()));
}

}  // namespace

// Closes and, if we made the file, removes it, unless the preparation came to its end.
class FileCreator::Pending {
public:
    Pending(ums::Storage& storage, const std::string& path) : storage_(storage), path_(path) {}
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    ~Pending() {
        if (done) return;
        if (created) storage_.remove(path_);
        if (control.is_open()) storage_.close(control);
    }

    ums::FileHandle control;
    bool created = false;
    bool is_device = false;
    bool done = false;

private:
    ums::Storage& storage_;
    const std::string path_;
};

void FileCreator::refuse_dangerous_name(const FileOptions& file) const {
    if (options_.overwrite_foreign_files || !has_database_extension(file.path)) return;
    throw RefusedError(
        fmt::format("{}: refused: *.mdf, *.ndf and *.ldf are names of real databases. Use *.mdx and *.ldx for test files.", file.path));
}

// Opens and locks.
void FileCreator::open_control(const FileOptions& file, const ums::OpenOptions& how, Pending& pending) const {
    const auto error = storage_.open(file.path, how, pending.control);
    if (error == std::errc::invalid_argument && how.direct) {
        throw EnvironmentError(fmt::format(
            "{}: the file system refuses unbuffered access (O_DIRECT), which SQL Server needs and NoBuffering=TRUE asks for. To "
            "test it through the system's cache set NoBuffering=FALSE.",
            file.path));
    }
    if (error == std::errc::device_or_resource_busy && how.exclusive) {
        throw EnvironmentError(fmt::format("{}: the device is in use: it is mounted, or part of another device.", file.path));
    }
    if (error == std::errc::no_such_file_or_directory && how.create_new) {
        throw EnvironmentError(fmt::format("{}: the folder {} does not exist.", file.path, folder_of(file.path)));
    }
    if (error) fail(file.path, how.create_new ? "cannot be created" : "cannot be opened", error);
    pending.created = how.create_new;
    if (storage_.lock(pending.control)) {
        throw EnvironmentError(fmt::format("{}: is in use by another run (or another program holds a lock on it).", file.path));
    }
}

// True if there is a file that may be used, which is then open and locked.
bool FileCreator::open_existing(const FileOptions& file, Pending& pending) const {
    ums::FileStatus status;
    if (const auto error = storage_.status(file.path, status)) fail(file.path, "cannot be examined", error);
    switch (status.kind) {
        case ums::FileKind::missing: return false;
        case ums::FileKind::regular: break;
        case ums::FileKind::directory: throw RefusedError(fmt::format("{}: is a folder; a file name is needed.", file.path));
        case ums::FileKind::block_device:
            if (!options_.overwrite_foreign_files) {
                throw RefusedError(
                    fmt::format("{}: refused: it is a block device, and what is on it would be destroyed. Give "
                                "--overwrite-foreign-files if it may be.",
                                file.path));
            }
            pending.is_device = true;
            break;
        case ums::FileKind::other:
            throw RefusedError(fmt::format("{}: refused: it is neither a regular file nor a block device.", file.path));
    }
    open_control(file, {.direct = direct(), .exclusive = pending.is_device}, pending);
    if (!options_.overwrite_foreign_files) check_signature(file, pending);
    return true;
}

PageHeader FileCreator::check_signature(const FileOptions& file, const Pending& pending) const {
    const ums::MemoryRegion page(kPageBytes, ums::MemoryKind::plain);
    std::size_t transferred = 0;
    const auto error = storage_.read(pending.control, 0, page.data(), kPageBytes, transferred);
    if (error) fail(file.path, "its first page cannot be read", error);
    if (transferred == kPageBytes && has_signature(page.data())) return read_header(page.data());
    throw RefusedError(fmt::format(
        "{}: refused: the file exists and does not begin with ioproof's signature, so it may be somebody's data. Choose another "
        "name, remove it yourself, or give --overwrite-foreign-files if it may be destroyed.",
        file.path));
}

void FileCreator::create(const FileOptions& file, Pending& pending) const {
    open_control(file, {.create_new = true, .direct = direct()}, pending);
}

void FileCreator::check_space(const FileOptions& file, std::uint64_t present_bytes) const {
    const std::uint64_t wanted_bytes = file.initial_size_mb * kMb;
    std::uint64_t free_bytes = 0;
    if (file.sparse || wanted_bytes <= present_bytes || storage_.free_space(folder_of(file.path), free_bytes)) return;
    if (wanted_bytes - present_bytes <= free_bytes) return;
    throw EnvironmentError(fmt::format("{}: not enough space: {} MB are needed, {} MB are free in {}.", file.path,
                                       (wanted_bytes - present_bytes) / kMb, free_bytes / kMb, folder_of(file.path)));
}

// Brings the file to `size_bytes`; what is new in it, and all of a log file, reads as zeros afterwards.
ums::Task<void> FileCreator::set_size(const FileOptions& file, const Pending& pending, const FileStamper& stamper,
                                      std::uint64_t size_bytes) const {
    std::uint64_t present_bytes = 0;
    if (const auto error = storage_.size(pending.control, present_bytes)) fail(file.path, "its size cannot be read", error);
    if (file.sparse) {
        // Pages of an earlier run would stand where holes are expected.
        if (const auto error = storage_.truncate(pending.control, kPageBytes)) fail(file.path, "cannot be emptied", error);
        if (const auto error = storage_.truncate(pending.control, size_bytes)) fail(file.path, "cannot be extended", error);
        co_return;
    }
    check_space(file, present_bytes);
    if (size_bytes > present_bytes) {
        if (const auto error = storage_.allocate(pending.control, 0, size_bytes)) {
            // Without space the system may have gone half of the way.
            static_cast<void>(storage_.truncate(pending.control, present_bytes));
            fail(file.path, "cannot be extended", error);
        }
    }
    if (file.is_log) {
        co_await stamp(file, stamper, kPageBytes, size_bytes);
    } else if (options_.stamp_files && size_bytes > present_bytes) {
        co_await stamp(file, stamper, std::max<std::uint64_t>(present_bytes / kPageBytes * kPageBytes, kPageBytes), size_bytes);
    }
}

ums::Task<void> FileCreator::stamp(const FileOptions& file, const FileStamper& stamper, std::uint64_t begin_bytes,
                                   std::uint64_t end_bytes) {
    if (const auto error = co_await stamper.write_zeros(begin_bytes, end_bytes)) fail(file.path, "cannot be stamped with zeros", error);
}

ums::FileHandle FileCreator::open_for_transfers(const FileOptions& file) const {
    ums::FileHandle handle;
    const auto error = storage_.open(file.path, {.direct = direct(), .durable_writes = options_.write_through}, handle);
    if (error) fail(file.path, "cannot be opened for transfers", error);
    return handle;
}

// What can be done with a device is less than what was asked for.
FileOptions FileCreator::usable_options(const FileOptions& file, const Pending& pending, std::uint64_t size_bytes) {
    FileOptions usable = file;
    usable.max_size_mb = std::max(file.max_size_mb, size_bytes / kMb);
    if (pending.is_device) {
        usable.max_size_mb = size_bytes / kMb;
        usable.increment_mb = 0;
        usable.shrinkable = false;
        usable.sparse = false;
    }
    return usable;
}

// A larger existing file is not cut, a smaller one is extended; of a device as much is used as was asked for.
std::uint64_t FileCreator::wanted_size(const FileOptions& file, const Pending& pending) const {
    const std::uint64_t initial_bytes = file.initial_size_mb * kMb;
    std::uint64_t present_bytes = 0;
    if (const auto error = storage_.size(pending.control, present_bytes)) fail(file.path, "its size cannot be read", error);
    // A larger existing file is not cut, a smaller one is extended; a part of a MB becomes a whole one.
    if (!pending.is_device) return std::max(initial_bytes, (present_bytes + kMb - 1) / kMb * kMb);
    if (present_bytes >= initial_bytes) return initial_bytes;
    throw EnvironmentError(fmt::format("{}: the device is too small: InitialSize is {} MB, it has {} MB.", file.path, file.initial_size_mb,
                                       present_bytes / kMb));
}

SimFile::Setup FileCreator::setup_of(std::uint32_t id, const FileOptions& file, const Pending& pending, std::uint64_t size_bytes) const {
    SimFile::Setup setup;
    setup.created = pending.created;
    setup.is_device = pending.is_device;
    setup.id = id;
    setup.options = usable_options(file, pending, size_bytes);
    setup.transfers = open_for_transfers(file);
    setup.control = pending.control;
    setup.size_bytes = size_bytes;
    setup.direct = direct();
    setup.durable_writes = options_.write_through;
    setup.target_io_duration_ms = options_.target_io_duration_ms;
    setup.request_blocks_max = options_.max_outstanding_io == 0 ? kOutstandingIoMax : options_.max_outstanding_io;
    setup.cpu_count = options_.cpu_count;
    return setup;
}

SimFile::Setup FileCreator::adopt(const FileOptions& file, PageHeader& header) {
    refuse_dangerous_name(file);
    Pending pending(storage_, file.path);
    open_control(file, {.direct = direct()}, pending);
    header = check_signature(file, pending);
    std::uint64_t size_bytes = 0;
    if (const auto error = storage_.size(pending.control, size_bytes)) fail(file.path, "its size cannot be read", error);
    SimFile::Setup setup = setup_of(header.file_id, file, pending, size_bytes / kPageBytes * kPageBytes);
    pending.done = true;
    return setup;
}

ums::Task<SimFile::Setup> FileCreator::prepare(std::uint32_t id, const FileOptions& file) {
    ums::Event done;
    ums::TaskGroup watchers;
    if (run_ != nullptr) ums::Scheduler::current().fork(watchers, watch(id, file, done));
    SimFile::Setup setup;
    std::exception_ptr failure;
    try {
        setup = co_await make(id, file);
    } catch (...) {
        failure = std::current_exception();
    }
    done.set();
    co_await watchers.join();
    if (failure) std::rethrow_exception(failure);
    co_return setup;
}

// The monitor of a run knows files that are there.
ums::Task<void> FileCreator::watch(std::uint32_t id, const FileOptions& file, ums::Event& done) {
    return visit_overdue(done, [this, id, &file](ums::IoRequest& request) {
        if (request.owner != nullptr) return;  // a file that is there
        judge_overdue(request, id, file, *run_, journal_, [this](Finding finding) { journal_.report(std::move(finding)); });
    });
}

ums::Task<SimFile::Setup> FileCreator::make(std::uint32_t id, const FileOptions& file) {
    refuse_dangerous_name(file);
    Pending pending(storage_, file.path);
    if (open_existing(file, pending) && options_.delete_files_at_startup && !pending.is_device) {
        if (const auto error = storage_.remove(file.path)) fail(file.path, "cannot be deleted", error);
        storage_.close(pending.control);
        pending.control = {};
    }
    if (!pending.control.is_open()) {
        check_space(file, 0);
        create(file, pending);
    }
    const std::uint64_t size_bytes = wanted_size(file, pending);
    const FileStamper stamper(id, file, pending.control, journal_, run_);
    std::uint32_t signature_checksum = 0;
    if (const auto error = co_await stamper.write_signature(run_id_, signature_checksum)) {
        fail(file.path, "the signature page cannot be written", error);
    }
    if (!pending.is_device) {
        co_await set_size(file, pending, stamper, size_bytes);
    } else if (file.is_log || options_.stamp_files) {
        co_await stamp(file, stamper, kPageBytes, size_bytes);
    }
    if (const auto error = storage_.sync(pending.control)) fail(file.path, "cannot be made durable", error);

    SimFile::Setup setup = setup_of(id, file, pending, size_bytes);
    setup.signature_checksum = signature_checksum;
    pending.done = true;
    co_return setup;
}

}  // namespace sim
