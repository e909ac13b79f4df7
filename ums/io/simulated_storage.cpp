#include "ums/io/simulated_storage.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <queue>
#include <utility>

#include "ums/base/assert.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/errno_error.hpp"

namespace ums {

DiskModel simulated_disk(std::uint64_t seed) {
    struct Disk {
        Prng prng;
        std::array<std::uint64_t, 8> free_ns{};  // when each channel has done what it has

        std::uint64_t service_ns(const IoRequest& request) {
            const std::uint64_t luck = prng.below(1000);
            const std::uint64_t factor = luck == 0 ? 100 : luck <= 10 ? 10 : 1;
            const std::uint64_t transfer_ns = request.size_bytes / 2;  // 2 GB/s
            return factor * prng.between(60, 140) * kNsPerUs + transfer_ns;
        }
        std::uint64_t operator()(const IoRequest& request, std::uint32_t /*outstanding*/) {
            std::uint64_t& channel = *std::min_element(free_ns.begin(), free_ns.end());
            channel = std::max(channel, request.submitted_ns) + service_ns(request);
            return channel - request.submitted_ns;
        }
    };
    return Disk{Prng(seed)};
}

// --- files ---

void SimulatedFile::resize(std::uint64_t size_bytes) {
    if (size_bytes < size_bytes_) {
        chunks_.erase(chunks_.lower_bound((size_bytes + kChunkBytes - 1) / kChunkBytes), chunks_.end());
        const std::uint64_t rest = size_bytes % kChunkBytes;
        const auto last = chunks_.find(size_bytes / kChunkBytes);
        if (rest != 0 && last != chunks_.end()) std::memset(last->second.get() + rest, 0, kChunkBytes - rest);
    }
    const std::uint64_t old_bytes = std::exchange(size_bytes_, size_bytes);
    if (new_space_ && old_bytes != 0 && size_bytes > old_bytes) new_space_(*this, old_bytes, size_bytes);
}

std::byte* SimulatedFile::chunk(std::uint64_t offset_bytes) {
    Chunk& chunk = chunks_[offset_bytes / kChunkBytes];
    if (!chunk) chunk = std::make_unique<std::byte[]>(kChunkBytes);
    return chunk.get();
}

void SimulatedFile::next_data(std::uint64_t offset_bytes, std::uint64_t& begin_bytes, std::uint64_t& end_bytes) const {
    auto chunk = chunks_.lower_bound(offset_bytes / kChunkBytes);
    begin_bytes = chunk == chunks_.end() ? size_bytes_ : std::min(std::max(offset_bytes, chunk->first * kChunkBytes), size_bytes_);
    end_bytes = begin_bytes;
    for (; chunk != chunks_.end() && end_bytes < size_bytes_ && chunk->first == end_bytes / kChunkBytes; ++chunk) {
        end_bytes = (chunk->first + 1) * kChunkBytes;
    }
}

void SimulatedFile::read(std::uint64_t offset_bytes, std::byte* data, std::uint64_t size_bytes) const {
    while (size_bytes > 0) {
        const std::uint64_t begin = offset_bytes % kChunkBytes;
        const std::uint64_t count = std::min(size_bytes, kChunkBytes - begin);
        const auto chunk = chunks_.find(offset_bytes / kChunkBytes);
        if (chunk != chunks_.end()) {
            std::memcpy(data, chunk->second.get() + begin, count);
        } else {
            std::memset(data, 0, count);
        }
        data += count;
        offset_bytes += count;
        size_bytes -= count;
    }
}

void SimulatedFile::write(std::uint64_t offset_bytes, const std::byte* data, std::uint64_t size_bytes) {
    if (offset_bytes + size_bytes > size_bytes_) resize(offset_bytes + size_bytes);
    while (size_bytes > 0) {
        const std::uint64_t begin = offset_bytes % kChunkBytes;
        const std::uint64_t count = std::min(size_bytes, kChunkBytes - begin);
        std::memcpy(chunk(offset_bytes) + begin, data, count);
        data += count;
        offset_bytes += count;
        size_bytes -= count;
    }
}

std::unique_ptr<SimulatedFile> SimulatedFile::copy() const {
    auto copied = std::make_unique<SimulatedFile>(inode_);
    copied->size_bytes_ = size_bytes_;
    copied->new_space_ = new_space_;
    for (const auto& [index, chunk] : chunks_) {
        Chunk& twin = copied->chunks_[index];
        twin = std::make_unique_for_overwrite<std::byte[]>(kChunkBytes);
        std::memcpy(twin.get(), chunk.get(), kChunkBytes);
    }
    return copied;
}

// --- names ---

namespace {

FileStatus status_from(const SimulatedFile& file) {
    FileStatus status;
    status.kind = FileKind::regular;
    status.size_bytes = status.freed_by_removal_bytes = file.size_bytes();
    status.device_id = 1;
    status.inode = file.inode();
    return status;
}

}  // namespace

SimulatedFile* SimulatedStorage::find(const std::string& path) {
    const auto found = files_.find(path);
    return found == files_.end() ? nullptr : found->second.get();
}

void SimulatedStorage::put(const std::string& path, std::unique_ptr<SimulatedFile> file) {
    last_inode_ = std::max(last_inode_, file->inode());
    files_[path] = std::move(file);
}

std::error_code SimulatedStorage::resolve(const std::string& path, std::string& resolved) {
    resolved = path;
    return {};
}

std::error_code SimulatedStorage::status(const std::string& path, FileStatus& status) {
    const SimulatedFile* file = find(path);
    status = file != nullptr ? status_from(*file) : FileStatus{};
    return {};
}

std::error_code SimulatedStorage::status_of(FileHandle file, FileStatus& status) {
    status = status_from(file_of(file));
    return {};
}

std::error_code SimulatedStorage::open(const std::string& path, const OpenOptions& options, FileHandle& file) {
    const auto found = files_.find(path);
    if (options.create_new && found != files_.end()) return errno_error(EEXIST);
    if (!options.create_new && found == files_.end()) return errno_error(ENOENT);
    const auto opened = options.create_new ? (files_[path] = std::make_shared<SimulatedFile>(++last_inode_)) : found->second;
    if (options.create_new) opened->write(0, options.first_bytes.data(), options.first_bytes.size());
    file = add_open(opened, path);
    return {};
}

std::error_code SimulatedStorage::reopen(FileHandle file, const OpenOptions& options, FileHandle& again) {
    if (options.view != FileView::none) return errno_error(EOPNOTSUPP);  // its time does not pass while a thread copies
    again = add_open(open_.at(static_cast<std::size_t>(file.value)).file, {});
    return {};
}

FileHandle SimulatedStorage::add_open(std::shared_ptr<SimulatedFile> file, std::string path) {
    open_.push_back({std::move(file), std::move(path), false});
    ++open_count_;
    return {static_cast<std::int32_t>(open_.size() - 1)};
}

void SimulatedStorage::close(FileHandle file) {
    OpenFile& open = open_.at(static_cast<std::size_t>(file.value));
    UMS_ASSERT(open.file != nullptr);  // closed twice
    if (open.holds_lock) open.file->locked = false;
    open = {};
    --open_count_;
}

std::error_code SimulatedStorage::remove(FileHandle file) {
    const OpenFile& open = open_.at(static_cast<std::size_t>(file.value));
    if (find(open.path) != open.file.get()) return errno_error(ENOENT);
    files_.erase(open.path);
    return {};
}

std::error_code SimulatedStorage::lock(FileHandle file) {
    OpenFile& open = open_.at(static_cast<std::size_t>(file.value));
    if (open.file->locked) return errno_error(EAGAIN);
    open.file->locked = open.holds_lock = true;
    return {};
}

// --- contents ---

std::uint64_t SimulatedStorage::used_bytes() const {
    std::uint64_t used = 0;
    for (const auto& [path, file] : files_) used += file->size_bytes();
    return used;
}

std::error_code SimulatedStorage::size(FileHandle file, std::uint64_t& size_bytes) {
    size_bytes = file_of(file).size_bytes();
    return {};
}

std::error_code SimulatedStorage::allocate(FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    SimulatedFile& target = file_of(file);
    const std::uint64_t end_bytes = std::max(target.size_bytes(), offset_bytes + size_bytes);
    if (used_bytes() - target.size_bytes() + end_bytes > capacity_bytes_) return errno_error(ENOSPC);
    target.resize(end_bytes);
    return {};
}

std::error_code SimulatedStorage::truncate(FileHandle file, std::uint64_t size_bytes) {
    file_of(file).resize(size_bytes);
    return {};
}

std::error_code SimulatedStorage::read(FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                                       std::size_t& transferred_bytes) {
    const SimulatedFile& source = file_of(file);
    transferred_bytes = std::min<std::uint64_t>(size_bytes, source.size_bytes() - std::min(source.size_bytes(), offset_bytes));
    source.read(offset_bytes, data, transferred_bytes);
    return {};
}

std::error_code SimulatedStorage::next_data(FileHandle file, std::uint64_t offset_bytes, std::uint64_t& begin_bytes,
                                            std::uint64_t& end_bytes) {
    file_of(file).next_data(offset_bytes, begin_bytes, end_bytes);
    return {};
}

std::error_code SimulatedStorage::free_space(const std::string&, std::uint64_t& free_bytes) {
    free_bytes = capacity_bytes_ - std::min(capacity_bytes_, used_bytes());
    return {};
}

void SimulatedStorage::perform(IoRequest& request) {
    switch (request.operation) {
        case IoOperation::sync: return;
        case IoOperation::allocate: request.error = allocate(request.file, request.offset_bytes, request.size_bytes); return;
        case IoOperation::truncate: request.error = truncate(request.file, request.offset_bytes); return;
        case IoOperation::read:
        case IoOperation::write: transfer(request); return;
    }
}

void SimulatedStorage::transfer(IoRequest& request) {
    SimulatedFile& file = file_of(request.file);
    std::uint64_t offset_bytes = request.offset_bytes;
    for (std::uint32_t i = 0; i < request.segment_count; ++i) {
        const IoSegment& segment = request.segments[i];
        std::uint64_t count = segment.size_bytes;
        if (request.operation == IoOperation::read) {
            count = std::min(count, file.size_bytes() - std::min(file.size_bytes(), offset_bytes));
            file.read(offset_bytes, segment.data, count);
        } else {
            file.write(offset_bytes, segment.data, count);
        }
        request.transferred_bytes += count;
        offset_bytes += count;
        if (count < segment.size_bytes) return;
    }
}

// --- engine ---

class SimulatedStorage::Engine final : public IoEngine {
public:
    explicit Engine(SimulatedStorage& storage) : storage_(storage) {}

    [[nodiscard]] std::string_view name() const override { return "simulated"; }

    void submit(IoRequest& request) override {
        const std::uint64_t now_ns = storage_.clock_.now_ns();
        out_.push({now_ns + storage_.model_(request, ++storage_.outstanding_), order_++, &request});
    }

    void poll(IoRequestList& finished) override {
        while (!out_.empty() && out_.top().due_ns <= storage_.clock_.now_ns()) {
            IoRequest& request = *out_.top().request;
            request.completed_ns = out_.top().due_ns;
            out_.pop();
            --storage_.outstanding_;
            storage_.perform(request);
            finished.push_back(request);
        }
    }

    void wait(std::uint64_t) override { UMS_ASSERT(!"a simulated storage is for virtual time: nobody sleeps"); }
    void wake() override {}
    [[nodiscard]] std::uint32_t in_flight() const override { return static_cast<std::uint32_t>(out_.size()); }
    [[nodiscard]] std::uint64_t next_completion_ns() const override { return out_.empty() ? kNever : out_.top().due_ns; }

private:
    struct Out {
        std::uint64_t due_ns;
        std::uint64_t order;
        IoRequest* request;
        friend bool operator<(const Out& a, const Out& b) { return std::pair(a.due_ns, a.order) > std::pair(b.due_ns, b.order); }
    };

    SimulatedStorage& storage_;
    std::priority_queue<Out> out_;
    std::uint64_t order_ = 0;
};

std::unique_ptr<IoEngine> SimulatedStorage::make_engine(const EngineOptions&, std::string&) { return std::make_unique<Engine>(*this); }

}  // namespace ums
