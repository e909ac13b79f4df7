// A file of promise records (docs/ledger_format.md): appended to, and rewritten when most of it is out of date. One process at a time has
// it. Used by one thread at a time.
//
// Size: 16 bytes a page that was ever promised, and a tail of at most kTailBytesMax or as much again, whichever is more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "cli/witness/promise_sink.hpp"
#include "sim/promises/promises.hpp"
#include "ums/base/output_handle.hpp"

namespace cli {

class PromiseStore {
public:
    enum class Use : std::uint8_t { read, write };

    // Throws EnvironmentError if the file cannot be opened or somebody writes to it, RefusedError if it holds anything but promise records,
    // or has another format. For writing: created if there is none, and an incomplete record at its end is cut off: it was never promised.
    PromiseStore(const std::filesystem::path& path, Use use);
    PromiseStore(const PromiseStore&) = delete;
    PromiseStore& operator=(const PromiseStore&) = delete;

    // What the records add up to. Reads the file.
    [[nodiscard]] sim::Promises load() const;

    // Complete records, one or more. On stable storage if there is no error; otherwise as if they had never been appended.
    [[nodiscard]] std::error_code append(std::span<const std::byte> records);
    // The tail is long: it is time for compact().
    [[nodiscard]] bool is_due() const { return size_bytes_ - compact_bytes_ > tail_bytes_max(); }
    // Rewrites the file into another one beside it, which takes its place once it is on stable storage. An error leaves everything as it
    // was.
    [[nodiscard]] std::error_code compact();

    // Bytes of complete records, as they are.
    [[nodiscard]] std::error_code read(std::uint64_t offset_bytes, std::span<std::byte> bytes) const;
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

    static constexpr std::uint64_t kTailBytesMax = 16U << 20;

private:
    [[nodiscard]] std::uint64_t tail_bytes_max() const { return compact_bytes_ > kTailBytesMax ? compact_bytes_ : kTailBytesMax; }
    void open(Use use);
    void find_end(Use use);

    const std::string path_;  // of the file itself, if a link was named
    ums::OutputHandle file_;
    std::uint64_t size_bytes_ = 0;     // whole records
    std::uint64_t compact_bytes_ = 0;  // the size when it was rewritten last; 0: never since it was opened
};

// Promises in a file on another disk: `--ledger FILE`.
class LedgerSink final : public PromiseSink {
public:
    // Throws as PromiseStore does.
    LedgerSink(const std::filesystem::path& path, PromiseStore::Use use) : store_(path, use) {}

    [[nodiscard]] std::string name() const override;
    // Whatever run the file holds.
    [[nodiscard]] std::optional<sim::Promises> load(const sim::PromiseKeeper::Wanted& wanted) override;
    [[nodiscard]] std::string append(std::span<const std::byte> record) override;

private:
    PromiseStore store_;
};

}  // namespace cli
