// A file as a view in memory (Linux). A transfer is a copy by the calling thread, which blocks while the system reads a page that is not in
// memory. Any thread may transfer, even at the same time as others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <system_error>

#include "ums/io/file_handle.hpp"
#include "ums/io/io_request.hpp"
#include "ums/io/storage.hpp"

namespace ums {

// What is done besides copying, so that tests can count it and make it fail.
class MappingCalls {
public:
    virtual ~MappingCalls() = default;

    // msync, of whole pages; 0 or an errno value.
    virtual int sync(std::byte* data, std::size_t size_bytes);
    // See cache_lines.hpp.
    virtual void write_back(const std::byte* data, std::size_t size_bytes);
    virtual void drain();
};

class FileMapping {
public:
    // Maps all of the open file. `view` is not `none`; operation_not_supported if this CPU cannot do what it asks for. `file` must stay
    // open, and `calls`, if given, must live, as long as the mapping.
    static std::error_code map(FileHandle file, FileView view, bool is_writable, std::unique_ptr<FileMapping>& mapping,
                               MappingCalls* calls = nullptr);
    FileMapping(const FileMapping&) = delete;
    FileMapping& operator=(const FileMapping&) = delete;
    ~FileMapping();

    // Carries out a read or a write. A page that cannot be read or written is an error of the request (EIO; ENOSPC or EDQUOT if a hole
    // cannot be filled); a request that reaches beyond the end of the file, even of one that was truncated since, comes back short.
    void perform(IoRequest& request);

private:
    FileMapping(FileHandle file, FileView view, bool is_writable, MappingCalls& calls)
        : file_(file), view_(view), is_writable_(is_writable), calls_(calls) {}

    [[nodiscard]] bool copy(const IoRequest& request, const IoSegment& segment, std::byte* place, std::size_t size_bytes) const;
    void judge_bus_error(IoRequest& request) const;
    void flush(IoRequest& request);

    const FileHandle file_;
    const FileView view_;
    const bool is_writable_;
    MappingCalls& calls_;
    std::byte* data_ = nullptr;
    std::uint64_t size_bytes_ = 0;
};

}  // namespace ums
