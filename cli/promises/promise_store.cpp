#include "cli/promises/promise_store.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sim/database_name.hpp"
#include "sim/errors.hpp"
#include "ums/base/output_place.hpp"
#include "ums/io/errno_error.hpp"

namespace cli {
namespace {

std::string_view characters_of(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// False at the end of the file, or if it cannot be read (`error` is set then).
bool read_exactly(const ums::OutputHandle& file, std::uint64_t offset, std::span<std::byte> bytes, std::error_code& error) {
    std::size_t count = 0;
    error = file.read_at(offset, bytes, count);
    return !error && count == bytes.size();
}

// Exactly one of them is set.
struct ReadRecord {
    std::optional<sim::PromiseSection> section;
    std::optional<sim::PromiseBatch> batch;
};

// Passes complete records from the beginning to `take`. Returns where they end.
std::uint64_t for_each_stored_record(const ums::OutputHandle& file, std::error_code& error,
                                     const std::function<void(const ReadRecord&)>& take) {
    std::uint64_t at = 0;
    for (;;) {
        std::vector<std::byte> bytes(sizeof(sim::PromiseHeader));
        if (!read_exactly(file, at, bytes, error)) return at;
        const std::optional<sim::PromiseHeader> header = sim::read_promise_header(bytes);
        if (!header) return at;
        bytes.resize(header->size_bytes);
        if (!read_exactly(file, at, bytes, error)) return at;
        const ReadRecord record{sim::decode_section(bytes), sim::decode_batch(bytes)};
        if (!record.section && !record.batch) return at;
        take(record);
        at += bytes.size();
    }
}

// Records are multiples of 8 bytes long, so a complete record after a damaged one begins at a multiple of 8. The remainder of a last record
// that was cut holds none: its pages and paths have no magic with the right checksum before it.
bool has_record(std::span<const std::byte> tail) {
    for (std::size_t at = 8; at + sizeof(sim::PromiseHeader) <= tail.size(); at += 8) {
        std::uint32_t magic = 0;
        std::memcpy(&magic, tail.data() + at + 4, sizeof magic);
        if (magic != sim::kPromiseMagic) continue;
        const std::optional<sim::PromiseHeader> header = sim::read_promise_header(tail.subspan(at, sizeof(sim::PromiseHeader)));
        if (!header || header->size_bytes > tail.size() - at) continue;
        const std::span<const std::byte> record = tail.subspan(at, header->size_bytes);
        if (sim::decode_section(record) || sim::decode_batch(record)) return true;
    }
    return false;
}

bool is_same_place(const sim::PromiseSection& a, const sim::PromiseSection& b) {
    return a.host == b.host &&
           std::equal(a.files.begin(), a.files.end(), b.files.begin(), b.files.end(),
                      [](const sim::PromisedFile& of_a, const sim::PromisedFile& of_b) { return of_a.path == of_b.path; });
}

// Throws RefusedError.
void refuse_ledger_name(const std::string& path) {
    if (sim::is_database_name(path)) {
        throw sim::RefusedError(fmt::format("{}: refused: *.mdf, *.ndf and *.ldf are names of real databases. Name another file.", path));
    }
    ums::OutputStatus status;
    const std::error_code error = ums::read_output_status(path, status);
    if (error == std::errc::no_such_file_or_directory && ums::is_name_taken(path)) {
        throw sim::RefusedError(
            fmt::format("{}: refused: it is a symbolic link that leads to nothing. Name another file, or remove this link.", path));
    }
    // Not even opened: that may have an effect on a device.
    const bool may_be_opened = error || status.type == ums::OutputStatus::Type::regular || status.type == ums::OutputStatus::Type::folder;
    if (!may_be_opened) throw sim::RefusedError(fmt::format("{}: refused: a ledger is a regular file.", path));
}

}  // namespace

void note_place(RunPlaces& places, const sim::PromiseSection& section) {
    std::erase_if(places,
                  [&section](const sim::PromiseSection& known) { return known.run_id != section.run_id || is_same_place(known, section); });
    if (places.size() == kRunPlacesMax) places.erase(places.begin());
    places.push_back(section);
}

PromiseStore::PromiseStore(const std::filesystem::path& path, Use use) : path_(ums::real_path(path.string()).value_or(path.string())) {
    if (use == Use::write) {
        refuse_ledger_name(path.string());
        refuse_ledger_name(path_);
    }
    open(use);
    find_end(use);
}

void PromiseStore::open(Use use) {
    std::error_code error = use == Use::read ? ums::open_for_reading(path_, file_) : ums::open_existing_output(path_, file_);
    if (use == Use::write && error == std::errc::no_such_file_or_directory) {
        error = ums::create_output(path_, ums::OutputAccess::everyone, file_);
    }
    if (error) throw StoreError(fmt::format("{}: the ledger cannot be opened: {}", path_, ums::error_text(error)), error);
    ums::OutputStatus status;
    if (ums::read_output_status(file_, status) || status.type != ums::OutputStatus::Type::regular) {
        throw sim::RefusedError(fmt::format("{}: refused: a ledger is a regular file.", path_));
    }
    if (use == Use::read) return;
    if (!file_.lock()) throw sim::EnvironmentError(fmt::format("{}: another process keeps its promises there.", path_));
    error = ums::sync_folder_of(path_);
    if (error) throw StoreError(fmt::format("{}: cannot be made durable: {}", path_, ums::error_text(error)), error);
}

// Refuses a file that no store can have written, because it is somebody else's. A power cut leaves the last record incomplete: zeros, or a
// part of it.
void PromiseStore::find_end(Use use) {
    std::error_code error;
    size_bytes_ = for_each_stored_record(file_, error, [](const ReadRecord& /*record*/) {});
    if (error) throw sim::EnvironmentError(fmt::format("{}: cannot be read: {}", path_, ums::error_text(error)));
    const std::uint64_t file_bytes = file_.size_bytes().value_or(size_bytes_);
    if (file_bytes == size_bytes_) return;
    std::vector<std::byte> begin(std::min<std::uint64_t>(sizeof(std::uint32_t) * 2, file_bytes));
    const bool is_read = read_exactly(file_, 0, begin, error);
    std::uint32_t magic = 0;
    if (is_read && begin.size() == 8) std::memcpy(&magic, begin.data() + 4, sizeof magic);
    const bool may_be_ours = size_bytes_ > 0 || (magic == sim::kPromiseMagic && file_bytes <= sim::kPromiseRecordBytesMax);
    if (!may_be_ours) throw sim::RefusedError(fmt::format("{}: refused: it is not a ledger of ioproof.", path_));
    if (file_bytes - size_bytes_ > sim::kPromiseRecordBytesMax) {
        throw sim::RefusedError(
            fmt::format("{}: refused: damaged at byte {}: what follows is more than the one record that a cut may leave "
                        "unfinished.",
                        path_, size_bytes_));
    }
    std::vector<std::byte> tail(file_bytes - size_bytes_);
    if (!read_exactly(file_, size_bytes_, tail, error)) {
        throw sim::EnvironmentError(fmt::format("{}: cannot be read: {}", path_, error ? ums::error_text(error) : "it became shorter"));
    }
    if (has_record(tail)) {
        throw sim::RefusedError(fmt::format("{}: refused: damaged at byte {}: whole records follow. Do not rely on the disk that it is on.",
                                            path_, size_bytes_));
    }
    if (use == Use::read) return;
    error = file_.truncate(size_bytes_);
    if (!error) error = file_.sync();
    if (error)
        throw sim::EnvironmentError(fmt::format("{}: its unfinished last record cannot be cut off: {}", path_, ums::error_text(error)));
}

std::error_code PromiseStore::add_up(sim::Promises& promises, RunPlaces* places) const {
    std::error_code error;
    const std::uint64_t end = for_each_stored_record(file_, error, [&promises, places](const ReadRecord& record) {
        if (record.section && places != nullptr) note_place(*places, *record.section);
        if (record.section) return promises.begin(*record.section);
        // add() refuses only batches of a section that has ended, and those were refused before they were stored.
        static_cast<void>(promises.add(*record.batch));
    });
    if (!error && end < size_bytes_) error = std::make_error_code(std::errc::io_error);
    return error;
}

sim::Promises PromiseStore::load(RunPlaces* places) const {
    sim::Promises promises;
    if (const auto error = add_up(promises, places)) {
        throw sim::EnvironmentError(fmt::format("{}: cannot be read: {}", path_, ums::error_text(error)));
    }
    return promises;
}

std::optional<sim::PromiseSection> PromiseStore::section_of_damaged(const std::filesystem::path& path) {
    ums::OutputHandle file;
    if (ums::open_for_reading(path.string(), file)) return std::nullopt;
    std::optional<sim::PromiseSection> section;
    std::error_code error;
    static_cast<void>(for_each_stored_record(file, error, [&section](const ReadRecord& record) {
        if (record.section) section = record.section;
    }));
    return section;
}

std::error_code PromiseStore::read(std::uint64_t offset_bytes, std::span<std::byte> bytes) const {
    std::error_code error;
    if (read_exactly(file_, offset_bytes, bytes, error)) return {};
    return error ? error : std::make_error_code(std::errc::io_error);
}

std::error_code PromiseStore::sync_name() {
    const std::error_code error = ums::sync_folder_of(path_);
    is_name_durable_ = !error;
    return error;
}

std::error_code PromiseStore::append(std::span<const std::byte> records) {
    // Until then a power cut may bring back the file before its rewrite, without these records.
    if (!is_name_durable_) {
        if (const std::error_code error = sync_name()) return error;
    }
    std::error_code error = file_.write_at(size_bytes_, characters_of(records));
    if (!error) error = file_.sync();
    if (error) {
        static_cast<void>(file_.truncate(size_bytes_));
        return error;
    }
    size_bytes_ += records.size();
    return {};
}

std::error_code PromiseStore::compact() {
    tried_bytes_ = size_bytes_;
    sim::Promises promises;
    RunPlaces places;
    if (const auto error = add_up(promises, &places)) return error;
    // Always the same temporary name, so that what a power cut leaves is replaced instead of accumulating.
    const std::string beside = path_ + ".ioproof-new";
    ums::remove_output(beside);
    ums::OutputHandle file;
    std::error_code error = ums::create_output(beside, ums::OutputAccess::this_user, file);
    if (error) return error;
    file.copy_permissions(file_);
    std::uint64_t size_bytes = 0;
    const auto put = [&](std::span<const std::byte> record) {
        if (!error) error = file.write_at(size_bytes, characters_of(record));
        size_bytes += record.size();
    };
    for (std::size_t i = 0; i + 1 < places.size(); ++i) put(encode(places[i]));
    promises.for_each_record(put);
    if (!error) error = file.sync();
    if (!error && !file.lock()) error = std::make_error_code(std::errc::device_or_resource_busy);
    if (!error) error = ums::replace_output(beside, path_);
    if (error) {
        ums::remove_output(beside);
        return error;
    }
    error = sync_name();
    file_ = std::move(file);
    size_bytes_ = compact_bytes_ = tried_bytes_ = size_bytes;
    return error;
}

std::string LedgerSink::name() const { return "the ledger " + store_.path(); }

std::optional<sim::Promises> LedgerSink::load(const sim::PromiseKeeper::Wanted& /*wanted*/) {
    sim::Promises promises = store_.load();
    if (promises.section().run_id == 0) return std::nullopt;
    return promises;
}

std::string LedgerSink::append(std::span<const std::byte> record) {
    if (const std::error_code error = store_.append(record)) return ums::error_text(error);
    // If this fails, the file merely keeps growing: the promises are complete.
    if (store_.is_due()) static_cast<void>(store_.compact());
    return {};
}

}  // namespace cli
