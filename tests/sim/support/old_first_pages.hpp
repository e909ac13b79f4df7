// A storage that returns an old page when the first page of a file is read for the first time, as from a stale cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "sim/options.hpp"
#include "tests/sim/support/page_buffer.hpp"
#include "ums/io/forwarding_storage.hpp"

namespace sim::testing {

class OldFirstPages final : public ums::ForwardingStorage {
public:
    explicit OldFirstPages(ums::Storage& inner) : ums::ForwardingStorage(inner) {}

    void answer_with(const std::string& path, const PageIdentity& old) {
        const PageBuffer page(old);
        files_[path].old.assign(page.data(), page.data() + kPageBytes);
    }
    // For each file, the page that an earlier run made there.
    void answer_with_run(std::uint64_t run_id, const Options& options) {
        std::uint32_t file_id = 0;
        for (const FileOptions& file : options.files) answer_with(file.path, {run_id, ++file_id, 0, 1, 0, 1});
    }

    std::error_code open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) override {
        const std::error_code error = inner().open(path, options, file);
        const auto known = files_.find(path);
        if (!error && known != files_.end()) known->second.handle = file;
        return error;
    }
    std::error_code read(ums::FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                         std::size_t& transferred_bytes) override {
        const std::error_code error = inner().read(file, offset_bytes, data, size_bytes, transferred_bytes);
        for (auto& [path, known] : files_) {
            if (offset_bytes != 0 || known.handle != file) continue;
            std::copy_n(known.old.begin(), std::min(known.old.size(), size_bytes), data);
            known.old.clear();
        }
        return error;
    }

private:
    struct File {
        ums::FileHandle handle;
        std::vector<std::byte> old;  // empty once it has been returned
    };
    std::map<std::string, File> files_;
};

}  // namespace sim::testing
