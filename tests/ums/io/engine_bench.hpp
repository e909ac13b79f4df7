// A new file in a folder of its own, and an engine to test on it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/ums/io/engines.hpp"
#include "tests/ums/io/memory.hpp"
#include "tests/ums/io/temp_folder.hpp"
#include "ums/io/posix_storage.hpp"

namespace ums::testing {

inline constexpr std::uint64_t kPage = 8192;

struct Bench {
    explicit Bench(const EngineVariant& variant, const EngineOptions& options = {}, bool direct = false) : engine(variant.make(options)) {
        OpenOptions open_options;
        open_options.create_new = true;
        open_options.direct = direct;
        REQUIRE(!storage.open(path(), open_options, file));
    }
    ~Bench() { storage.close(file); }

    [[nodiscard]] std::string path() const { return folder.file("data.mdx"); }
    [[nodiscard]] std::uint64_t size_bytes() {
        std::uint64_t size = 0;
        REQUIRE(!storage.size(file, size));
        return size;
    }

    TempFolder folder;
    PosixStorage storage;
    std::unique_ptr<IoEngine> engine;
    FileHandle file;
};

// `memory` in segments of `segment_bytes`, last piece first, so that the order matters.
inline std::vector<IoSegment> scattered(const Memory& memory, std::size_t segment_bytes) {
    std::vector<IoSegment> segments;
    for (std::size_t end = memory.size_bytes(); end > 0; end -= segment_bytes) {
        segments.push_back({memory.data() + end - segment_bytes, segment_bytes});
    }
    return segments;
}

}  // namespace ums::testing
