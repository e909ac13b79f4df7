#include "tests/sim/support/memory_storage.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <queue>
#include <stdexcept>
#include <utility>

#include "ums/io/errno_error.hpp"

namespace sim::test {

DiskModel random_disk(std::uint64_t seed, std::uint64_t min_us, std::uint64_t max_us) {
    return [prng = ums::Prng(seed), min_us, max_us](const ums::IoRequest&, std::uint32_t) mutable {
        return prng.between(min_us, max_us) * ums::kNsPerUs;
    };
}

// --- files ---

void MemoryFile::resize(std::uint64_t size_bytes) {
    if (size_bytes < size_bytes_) {
        chunks_.erase(chunks_.lower_bound((size_bytes + kChunkBytes - 1) / kChunkBytes), chunks_.end());
        const std::uint64_t rest = size_bytes % kChunkBytes;
        const auto last = chunks_.find(size_bytes / kChunkBytes);
        if (rest != 0 && last != chunks_.end()) std::memset(last->second.get() + rest, 0, kChunkBytes - rest);
    }
    size_bytes_ = size_bytes;
}

std::byte* MemoryFile::chunk(std::uint64_t offset_bytes) {
    Chunk& chunk = chunks_[offset_bytes / kChunkBytes];
    if (!chunk) chunk = std::make_unique<std::byte[]>(kChunkBytes);
    return chunk.get();
}

void MemoryFile::read(std::uint64_t offset_bytes, std::byte* data, std::uint64_t size_bytes) const {
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

void MemoryFile::write(std::uint64_t offset_bytes, const std::byte* data, std::uint64_t size_bytes) {
    size_bytes_ = std::max(size_bytes_, offset_bytes + size_bytes);
    while (size_bytes > 0) {
        const std::uint64_t begin = offset_bytes % kChunkBytes;
        const std::uint64_t count = std::min(size_bytes, kChunkBytes - begin);
        std::memcpy(chunk(offset_bytes) + begin, data, count);
        data += count;
        offset_bytes += count;
        size_bytes -= count;
    }
}

// --- names ---

MemoryFile* MemoryStorage::find(const std::string& path) {
    const auto found = files_.find(path);
    return found == files_.end() ? nullptr : found->second.get();
}

std::error_code MemoryStorage::status(const std::string& path, ums::FileStatus& status) {
    status = {};
    if (const MemoryFile* file = find(path)) {
        status.kind = ums::FileKind::regular;
        status.size_bytes = file->size_bytes();
    }
    return {};
}

std::error_code MemoryStorage::open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) {
    const auto found = files_.find(path);
    if (options.create_new && found != files_.end()) return ums::errno_error(EEXIST);
    if (!options.create_new && found == files_.end()) return ums::errno_error(ENOENT);
    const auto opened = options.create_new ? (files_[path] = std::make_shared<MemoryFile>()) : found->second;
    file.value = static_cast<std::int32_t>(open_.size());
    open_.push_back({opened, false});
    ++open_count_;
    return {};
}

void MemoryStorage::close(ums::FileHandle file) {
    OpenFile& open = open_.at(static_cast<std::size_t>(file.value));
    if (!open.file) throw std::logic_error("closed twice");
    if (open.holds_lock) open.file->locked = false;
    open = {};
    --open_count_;
}

std::error_code MemoryStorage::remove(const std::string& path) {
    files_.erase(path);
    return {};
}

std::error_code MemoryStorage::lock(ums::FileHandle file) {
    OpenFile& open = open_.at(static_cast<std::size_t>(file.value));
    if (open.file->locked) return ums::errno_error(EAGAIN);
    open.file->locked = open.holds_lock = true;
    return {};
}

// --- contents ---

std::uint64_t MemoryStorage::used_bytes() const {
    std::uint64_t used = 0;
    for (const auto& [path, file] : files_) used += file->size_bytes();
    return used;
}

std::error_code MemoryStorage::size(ums::FileHandle file, std::uint64_t& size_bytes) {
    size_bytes = file_of(file).size_bytes();
    return {};
}

std::error_code MemoryStorage::allocate(ums::FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
    MemoryFile& target = file_of(file);
    const std::uint64_t end_bytes = std::max(target.size_bytes(), offset_bytes + size_bytes);
    if (used_bytes() - target.size_bytes() + end_bytes > capacity_bytes_) return ums::errno_error(ENOSPC);
    target.resize(end_bytes);
    return {};
}

std::error_code MemoryStorage::truncate(ums::FileHandle file, std::uint64_t size_bytes) {
    file_of(file).resize(size_bytes);
    return {};
}

std::error_code MemoryStorage::read(ums::FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                                    std::size_t& transferred_bytes) {
    const MemoryFile& source = file_of(file);
    transferred_bytes = std::min<std::uint64_t>(size_bytes, source.size_bytes() - std::min(source.size_bytes(), offset_bytes));
    source.read(offset_bytes, data, transferred_bytes);
    return {};
}

std::error_code MemoryStorage::next_data(ums::FileHandle file, std::uint64_t offset_bytes, std::uint64_t& begin_bytes,
                                         std::uint64_t& end_bytes) {
    const MemoryFile& source = file_of(file);
    begin_bytes = offset_bytes;
    while (begin_bytes < source.size_bytes() && !source.has_chunk(begin_bytes)) {
        begin_bytes = (begin_bytes / MemoryFile::kChunkBytes + 1) * MemoryFile::kChunkBytes;
    }
    begin_bytes = std::min(begin_bytes, source.size_bytes());
    end_bytes = begin_bytes;
    while (end_bytes < source.size_bytes() && source.has_chunk(end_bytes)) {
        end_bytes = (end_bytes / MemoryFile::kChunkBytes + 1) * MemoryFile::kChunkBytes;
    }
    return {};
}

std::error_code MemoryStorage::free_space(const std::string&, std::uint64_t& free_bytes) {
    free_bytes = capacity_bytes_ - std::min(capacity_bytes_, used_bytes());
    return {};
}

void MemoryStorage::perform(ums::IoRequest& request) {
    MemoryFile& file = file_of(request.file);
    std::uint64_t offset_bytes = request.offset_bytes;
    switch (request.operation) {
        case ums::IoOperation::sync: return;
        case ums::IoOperation::allocate: request.error = allocate(request.file, request.offset_bytes, request.size_bytes); return;
        case ums::IoOperation::truncate: request.error = truncate(request.file, request.offset_bytes); return;
        case ums::IoOperation::read:
        case ums::IoOperation::write: break;
    }
    for (std::uint32_t i = 0; i < request.segment_count; ++i) {
        const ums::IoSegment& segment = request.segments[i];
        std::uint64_t count = segment.size_bytes;
        if (request.operation == ums::IoOperation::read) {
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

class MemoryStorage::Engine final : public ums::IoEngine {
public:
    explicit Engine(MemoryStorage& storage) : storage_(storage) {}

    [[nodiscard]] std::string_view name() const override { return "memory"; }

    void submit(ums::IoRequest& request) override {
        const std::uint64_t now_ns = storage_.clock_.now_ns();
        out_.push({now_ns + storage_.model_(request, ++storage_.outstanding_), order_++, &request});
    }

    void poll(ums::IoRequestList& finished) override {
        while (!out_.empty() && out_.top().due_ns <= storage_.clock_.now_ns()) {
            ums::IoRequest& request = *out_.top().request;
            request.completed_ns = out_.top().due_ns;
            out_.pop();
            --storage_.outstanding_;
            storage_.perform(request);
            finished.push_back(request);
        }
    }

    void wait(std::uint64_t) override { throw std::logic_error("memory storage is for virtual time"); }
    void wake() override {}
    [[nodiscard]] std::uint32_t in_flight() const override { return static_cast<std::uint32_t>(out_.size()); }
    [[nodiscard]] std::uint64_t next_completion_ns() const override { return out_.empty() ? ums::kNever : out_.top().due_ns; }

private:
    struct Out {
        std::uint64_t due_ns;
        std::uint64_t order;
        ums::IoRequest* request;
        friend bool operator<(const Out& a, const Out& b) { return std::pair(a.due_ns, a.order) > std::pair(b.due_ns, b.order); }
    };

    MemoryStorage& storage_;
    std::priority_queue<Out> out_;
    std::uint64_t order_ = 0;
};

std::unique_ptr<ums::IoEngine> MemoryStorage::make_engine(const ums::EngineOptions&, std::string&) {
    return std::make_unique<Engine>(*this);
}

}  // namespace sim::test
