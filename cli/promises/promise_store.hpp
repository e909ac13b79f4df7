// A file of promise records (docs/ledger_format.md): appended to, and rewritten when most of it is obsolete. Only one process at a time may
// write to it. Used by one thread at a time.
//
// Size: 16 bytes for each page that was ever promised, and a tail of at most kTailBytesMax or as much again, whichever is more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "cli/promises/promise_sink.hpp"
#include "sim/errors.hpp"
#include "sim/promises/promises.hpp"
#include "ums/base/output_handle.hpp"

namespace cli {

// The system refuses the file, for `error`.
class StoreError final : public sim::EnvironmentError {
public:
    StoreError(const std::string& text, std::error_code why) : sim::EnvironmentError(text), error(why) {}
    std::error_code error;
};

// Which hosts have worked with the files of a run, and by which paths: the last section of each host and its paths, the present one at the
// end. Of all but that one, nothing else counts any more. At most kRunPlacesMax.
using RunPlaces = std::vector<sim::PromiseSection>;
inline constexpr std::size_t kRunPlacesMax = 64;
// A section begins. One of another run ends everything before it.
void note_place(RunPlaces& places, const sim::PromiseSection& section);

class PromiseStore {
public:
    enum class Use : std::uint8_t { read, write };

    // Throws StoreError if the file cannot be opened, EnvironmentError if it cannot be read or another process writes to it, RefusedError
    // if it holds anything but promise records, or has another format, or for writing the name of a database or of a link that leads to
    // nothing. For writing: creates the file if there is none, and cuts off an incomplete record at its end, which was never acknowledged.
    PromiseStore(const std::filesystem::path& path, Use use);
    PromiseStore(const PromiseStore&) = delete;
    PromiseStore& operator=(const PromiseStore&) = delete;

    // What all records add up to, and, unless null, the places of the run. Reads the file. Throws EnvironmentError if it cannot be read, or
    // was damaged since it was opened.
    [[nodiscard]] sim::Promises load(RunPlaces* places = nullptr) const;

    // One or more complete records. If there is no error, they are on stable storage; otherwise it is as if they had never been appended.
    [[nodiscard]] std::error_code append(std::span<const std::byte> records);
    // Whether the tail is so long that it is time for compact().
    [[nodiscard]] bool is_due() const { return size_bytes_ - tried_bytes_ > tail_bytes_max(); }
    // Rewrites the file under another name, and replaces it once the new one is on stable storage. After an error, all records are as
    // before, and it is time again only after as long a tail: each try reads everything, and writes most of it. If the new file's name
    // could not be made durable, append() tries that first.
    [[nodiscard]] std::error_code compact();

    // The last section before the first damage in a file that the constructor refuses; nothing if there is none, or it cannot be read.
    [[nodiscard]] static std::optional<sim::PromiseSection> section_of_damaged(const std::filesystem::path& path);

    // Reads stored bytes of complete records.
    [[nodiscard]] std::error_code read(std::uint64_t offset_bytes, std::span<std::byte> bytes) const;
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

    static constexpr std::uint64_t kTailBytesMax = 16U << 20;

private:
    [[nodiscard]] std::uint64_t tail_bytes_max() const { return compact_bytes_ > kTailBytesMax ? compact_bytes_ : kTailBytesMax; }
    [[nodiscard]] std::error_code sync_name();
    [[nodiscard]] std::error_code add_up(sim::Promises& promises, RunPlaces* places) const;
    void open(Use use);
    void find_end(Use use);

    const std::string path_;  // of the file itself if a link was named
    ums::OutputHandle file_;
    bool is_name_durable_ = true;
    std::uint64_t size_bytes_ = 0;     // complete records
    std::uint64_t compact_bytes_ = 0;  // the size after the last rewrite; 0: not rewritten since it was opened
    std::uint64_t tried_bytes_ = 0;    // the size after the last try to rewrite it
};

// Promises in a file on another disk: `--ledger FILE`.
class LedgerSink final : public PromiseSink {
public:
    // Throws as PromiseStore does.
    LedgerSink(const std::filesystem::path& path, PromiseStore::Use use) : store_(path, use) {}

    [[nodiscard]] std::string name() const override;
    // Whichever run the file belongs to.
    [[nodiscard]] std::optional<sim::Promises> load(const sim::PromiseKeeper::Wanted& wanted) override;
    [[nodiscard]] std::string append(std::span<const std::byte> record) override;

private:
    PromiseStore store_;
};

}  // namespace cli
