#include "tests/fuse/disk.hpp"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace faultfs {

DiskFile::DiskFile(std::string file_name, int fd_)
    : name(std::move(file_name)), fd(fd_), is_log(name.ends_with(".ldx") || name.ends_with(".trn")) {
    struct stat facts {};
    if (fstat(fd, &facts) == 0) right = device_bytes(0, static_cast<std::uint64_t>(facts.st_size));
    pages.resize(page_count());
    for (std::uint64_t page = 0; page < page_count(); ++page) pages[page].writes = is_zero(right_page(page)) ? 0 : 1;
}

DiskFile::~DiskFile() { close(fd); }

Bytes DiskFile::right_page(std::uint64_t page) const {
    const auto begin = right.begin() + static_cast<std::ptrdiff_t>(page * kPageBytes);
    return {begin, begin + kPageBytes};
}

Bytes DiskFile::device_bytes(std::uint64_t offset, std::uint64_t size_bytes) const {
    Bytes bytes(size_bytes);
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t got = pread(fd, &bytes[done], bytes.size() - done, static_cast<off_t>(offset + done));
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    bytes.resize(done);
    return bytes;
}

void DiskFile::put_on_device(std::uint64_t offset, std::span<const std::uint8_t> bytes) const {
    while (!bytes.empty()) {
        const ssize_t put = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (put <= 0) return;
        offset += static_cast<std::uint64_t>(put);
        bytes = bytes.subspan(static_cast<std::size_t>(put));
    }
}

// What is new in it is as it is now.
void Disk::follow_size(DiskFile& file) const {
    struct stat facts {};
    if (!is_shared_ || fstat(file.fd, &facts) != 0 || static_cast<std::uint64_t>(facts.st_size) == file.size()) return;
    const std::uint64_t before = file.size();
    const auto now = static_cast<std::uint64_t>(facts.st_size);
    file.right.resize(now);
    file.pages.resize(file.page_count());
    if (now < before) return;
    const Bytes added = file.device_bytes(before, now - before);
    std::copy(added.begin(), added.end(), file.right.begin() + static_cast<std::ptrdiff_t>(before));
}

void Disk::add_fault(FaultSpec spec) {
    const std::lock_guard lock(mutex_);
    truth_.write(TruthEntry("fault").add("spec", spec.text));
    specs_.push_back(std::move(spec));
}

void Disk::clear_faults() {
    const std::lock_guard lock(mutex_);
    truth_.write(TruthEntry("clear"));
    for (FaultSpec& spec : specs_) spec.count = 0;
}

std::shared_ptr<DiskFile> Disk::open(const std::string& name, const std::string& path, int flags, unsigned mode) {
    const std::lock_guard lock(mutex_);
    if (const auto known = files_.find(name); known != files_.end()) {
        if ((flags & O_EXCL) != 0) {
            errno = EEXIST;
            return nullptr;
        }
        if ((flags & O_TRUNC) != 0) cut(*known->second, 0);
        return known->second;
    }
    const int access = flags & (O_CREAT | O_EXCL | O_TRUNC);
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | access, mode);
    if (fd < 0) return nullptr;
    auto file = std::make_shared<DiskFile>(name, fd);
    files_[name] = file;
    return file;
}

void Disk::forget(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto node = files_.find(name);
    if (node == files_.end()) return;
    power_.shrink(name, 0);
    forgotten_.push_back(std::move(node->second));
    files_.erase(node);
}

void Disk::rename(const std::string& from, const std::string& to) {
    forget(to);
    const std::lock_guard lock(mutex_);
    auto node = files_.extract(from);
    if (node.empty()) return;
    node.key() = to;
    node.mapped()->name = to;
    files_.insert(std::move(node));
}

bool Disk::is_eligible(const FaultSpec& spec, const Request& request, std::uint64_t page, std::uint64_t writes) const {
    const DiskFile& file = request.file;
    if (spec.on_sync || spec.fired >= spec.count || truth_.elapsed_s() < spec.after_s || writes < spec.min_writes) return false;
    if (page < spec.first_page || page > spec.last_page) return false;
    if (spec.only_last_page && page + 1 != file.page_count()) return false;
    if (spec.only_middle && (page == request.first() || page + 1 >= request.end())) return false;
    return fnmatch(spec.file_pattern.c_str(), file.name.c_str(), 0) == 0;
}

std::uint64_t Disk::inject(const FaultSpec& spec, const DiskFile& file, std::uint64_t page, const Place& other) {
    TruthEntry entry("inject");
    entry.add("id", ++last_injection_).add("effect", name_of(spec.effect)).add("spec", spec.text).add("file", file.name).add("page", page);
    if (other.file != nullptr) entry.add("other_file", other.file->name).add("other_page", other.page);
    truth_.write(entry);
    return last_injection_;
}

bool Disk::choose_other(FaultSpec& spec, const Place& place, Place& other) {
    other = place;
    if (spec.to == "other") {
        for (const auto& [name, file] : files_) {
            if (file.get() != place.file && !file->is_log) other.file = file.get();
        }
        if (other.file == place.file || other.file->page_count() == 0) return false;
        other.page = place.page % other.file->page_count();
    } else if (spec.to == "far") {
        // One that is not just about to be written anyway.
        const std::uint64_t writes = place.file->pages[place.page].writes;
        for (int tries = 0; tries < 100; ++tries) {
            other.page = spec.random.below(place.file->page_count());
            if (other.page != place.page && place.file->pages[other.page].writes >= writes) break;
        }
    } else {
        other.page = place.page + 1 < place.file->page_count() ? place.page + 1 : place.page - 1;
    }
    const bool is_same = other.file == place.file && other.page == place.page;
    return !is_same && other.page < other.file->page_count() && other.file->pages[other.page].writes > 0;
}

void Disk::expose(const Request& request, const Place& place, std::uint64_t injection, Effect effect, bool persistent) {
    PageState& state = place.file->pages[place.page];
    TruthEntry entry("expose");
    entry.add("id", injection).add("effect", name_of(effect)).add("file", place.file->name).add("page", place.page);
    entry.add("persistent", persistent).add("writes", state.writes).add("read_back", state.read_back);
    entry.add("read_back_s", state.read_back_s);
    entry.add("older_is_zero", is_zero(state.older)).add("request_offset", request.offset).add("request_size", request.size);
    if (state.partner.file != nullptr) {
        const Place& partner = state.partner;
        entry.add("role", state.is_target ? "target" : "source").add("other_file", partner.file->name).add("other_page", partner.page);
        const bool stands = partner.page < partner.file->page_count() &&
                            partner.file->device_bytes(partner.page * kPageBytes, kPageBytes) == place.file->right_page(place.page);
        if (!state.is_target) entry.add("elsewhere", stands || target_seen_[injection]);
        if (state.is_target) target_seen_[injection] = true;
    }
    truth_.write(entry);
}

void Disk::expose_request(const Request& request, std::uint64_t injection, Effect effect, bool persistent, bool is_write) {
    TruthEntry entry("expose");
    entry.add("id", injection).add("effect", name_of(effect)).add("file", request.file.name).add("page", request.offset / kPageBytes);
    entry.add("persistent", persistent).add("is_write", is_write);
    entry.add("request_offset", request.offset).add("request_size", request.size);
    truth_.write(entry);
}

void Disk::cut(DiskFile& file, std::uint64_t size_bytes) {
    if (ftruncate(file.fd, static_cast<off_t>(size_bytes)) != 0) return;
    power_.shrink(file.name, size_bytes);
    file.right.resize(size_bytes);
    file.pages.resize(file.page_count());
}

void Disk::set_power(const PowerSpec& spec) {
    const std::lock_guard lock(mutex_);
    power_.set(spec);
}

void Disk::cut_power(const CutSpec& spec) {
    const std::lock_guard lock(mutex_);
    for (const PutBack& put : power_.cut(spec)) {
        const auto found = files_.find(put.file);
        if (found == files_.end()) continue;
        DiskFile& file = *found->second;
        const std::span<const std::uint8_t> left = std::span(put.bytes).first(std::min(put.bytes.size(), file.size() - put.offset));
        const bool is_same = std::equal(left.begin(), left.end(), file.right.begin() + static_cast<std::ptrdiff_t>(put.offset));
        file.put_on_device(put.offset, left);
        std::copy(left.begin(), left.end(), file.right.begin() + static_cast<std::ptrdiff_t>(put.offset));
        if (is_same) continue;
        truth_.write(TruthEntry("forgotten")
                         .add("file", put.file)
                         .add("offset", put.offset)
                         .add("size", static_cast<std::uint64_t>(left.size()))
                         .add("promised", put.promised));
    }
    truth_.write(TruthEntry("cut"));
}

// The folder below is no part of the game: what it holds need not survive a power cut.
int Disk::sync(DiskFile& file) {
    const std::lock_guard lock(mutex_);
    for (FaultSpec& spec : specs_) {
        const bool is_meant =
            spec.on_sync && truth_.elapsed_s() >= spec.after_s && fnmatch(spec.file_pattern.c_str(), file.name.c_str(), 0) == 0;
        if (!is_meant || !spec.fires()) continue;
        const std::uint64_t id = inject(spec, file, 0);
        TruthEntry entry("expose");
        entry.add("id", id).add("effect", name_of(spec.effect)).add("file", file.name).add("page", std::uint64_t{0}).add("is_sync", true);
        entry.add("persistent", true).add("is_write", false).add("request_offset", std::uint64_t{0}).add("request_size", std::uint64_t{0});
        truth_.write(entry);
        return -spec.error;
    }
    power_.sync(file.name);
    return 0;
}

int Disk::resize(DiskFile& file, std::uint64_t size_bytes) {
    const std::lock_guard lock(mutex_);
    truth_.write(TruthEntry("resize").add("file", file.name).add("from", file.size()).add("to", size_bytes));
    cut(file, size_bytes);
    return file.size() == size_bytes ? 0 : -EIO;
}

int Disk::allocate(DiskFile& file, int mode, std::uint64_t offset, std::uint64_t size_bytes) {
    const std::lock_guard lock(mutex_);
    if (fallocate(file.fd, mode, static_cast<off_t>(offset), static_cast<off_t>(size_bytes)) != 0) return -errno;
    const std::uint64_t end = offset + size_bytes;
    if ((mode & FALLOC_FL_KEEP_SIZE) == 0 && end > file.size()) {
        file.right.resize(end);
        file.pages.resize(file.page_count());
    }
    if ((mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) != 0) {
        const std::uint64_t stop = std::min(end, file.size());
        for (std::uint64_t at = offset; at < stop; ++at) file.right[at] = 0;
        for (std::uint64_t page = offset / kPageBytes; page < std::min(stop / kPageBytes, file.page_count()); ++page) file.pages[page] = {};
    }
    return 0;
}

}  // namespace faultfs
