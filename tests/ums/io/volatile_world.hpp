// A storage that can lose power, with an engine and a clock that tests move.
#pragma once

#include <algorithm>
#include <cstring>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "ums/io/volatile_storage.hpp"

namespace ums::testing {

inline constexpr std::uint64_t kSector = 512;

// No destaging, so that losses remain visible.
inline VolatileOptions never_destaged(std::uint32_t unit_bytes = 512) {
    VolatileOptions options;
    options.atomic_unit_bytes = unit_bytes;
    options.destage_min_ns = options.destage_max_ns = kNever;
    return options;
}

class VolatileWorld {
public:
    // Every request takes 100 us.
    explicit VolatileWorld(const VolatileOptions& options)
        : VolatileWorld(options, [](const IoRequest&, std::uint32_t) { return 100 * kNsPerUs; }) {}
    VolatileWorld(const VolatileOptions& options, DiskModel model)
        : disk(clock, std::move(model)), storage(disk, clock, options), engine(storage.make_engine({}, reason_)) {}

    // A durable file of zeros.
    FileHandle make(const std::string& path, std::uint64_t size_bytes) {
        FileHandle file;
        REQUIRE(!storage.open(path, {.create_new = true}, file));
        REQUIRE(!storage.allocate(file, 0, size_bytes));
        REQUIRE(!storage.sync(file));
        return file;
    }

    IoRequest& post(IoOperation operation, FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes, char text = 0,
                    bool durable = false) {
        std::vector<std::byte> bytes(operation == IoOperation::write ? size_bytes : 0, static_cast<std::byte>(text));
        return post_bytes(operation, file, offset_bytes, size_bytes, std::move(bytes), durable);
    }
    IoRequest& post_bytes(IoOperation operation, FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes,
                          std::vector<std::byte> bytes, bool durable) {
        Posted& posted = posted_.emplace_back();
        posted.bytes = std::move(bytes);
        posted.segment = {posted.bytes.data(), posted.bytes.size()};
        IoRequest& request = posted.request;
        request.operation = operation;
        request.durable = durable;
        request.file = file;
        request.offset_bytes = offset_bytes;
        request.size_bytes = size_bytes;
        request.segments = &posted.segment;
        request.segment_count = operation == IoOperation::write ? 1 : 0;
        request.submitted_ns = clock.now_ns();
        engine->submit(request);
        return request;
    }
    IoRequest& post_write(FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes, char text, bool durable = false) {
        return post(IoOperation::write, file, offset_bytes, size_bytes, text, durable);
    }

    // Advances the time to the next completion and returns the requests that complete then.
    std::vector<IoRequest*> step() {
        clock.advance_to(engine->next_completion_ns());
        IoRequestList finished;
        engine->poll(finished);
        std::vector<IoRequest*> result;
        while (IoRequest* request = finished.pop_front()) result.push_back(request);
        return result;
    }
    void drain() {
        while (engine->in_flight() > 0) step();
        posted_.clear();
    }
    void forget(const IoRequest* request) {
        posted_.remove_if([request](const Posted& posted) { return &posted.request == request; });
    }
    void write(FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes, char text, bool durable = false) {
        post_write(file, offset_bytes, size_bytes, text, durable);
        drain();
    }

    VirtualClock clock;
    SimulatedStorage disk;
    VolatileStorage storage;

private:
    struct Posted {
        IoRequest request;
        IoSegment segment;
        std::vector<std::byte> bytes;
    };
    std::string reason_;
    std::list<Posted> posted_;

public:
    std::unique_ptr<IoEngine> engine;
};

inline constexpr std::uint64_t kCuts = 300;  // of one moment: enough for all mixes

// One letter per sector, "." for zeros, "?" for a sector of mixed contents.
inline std::string sectors_of(const SimulatedFile& file) {
    std::vector<std::byte> bytes(file.size_bytes());
    file.read(0, bytes.data(), bytes.size());
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += kSector) {
        const std::byte first = bytes[at];
        const bool is_whole =
            std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin() + static_cast<std::ptrdiff_t>(at + kSector),
                        [first](std::byte each) { return each == first; });
        text += !is_whole ? '?' : first == std::byte{0} ? '.' : static_cast<char>(first);
    }
    return text;
}

// Everything that many cuts of this moment leave of the file, sorted; includes "missing" if some leave no file.
inline std::vector<std::string> all_remains(VolatileStorage& storage, const std::string& path) {
    std::vector<std::string> result;
    for (std::uint64_t seed = 0; seed < kCuts; ++seed) {
        const PowerCut cut = storage.cut(seed);
        const auto file = cut.files.find(path);
        result.push_back(file == cut.files.end() ? "missing" : sectors_of(*file->second));
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

}  // namespace ums::testing
