#include "sim/bench/measure_files.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "sim/database_name.hpp"
#include "sim/errors.hpp"
#include "sim/files/file_examiner.hpp"
#include "sim/files/file_lock.hpp"
#include "sim/files/file_names.hpp"
#include "sim/files/sector_size.hpp"
#include "sim/files/space_check.hpp"
#include "sim/files/transfer_failure.hpp"
#include "sim/page/measure_mark.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/assert.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/units.hpp"
#include "ums/io/errno_error.hpp"

namespace sim {

namespace {

ums::FileView view_of(MeasureView view) {
    switch (view) {
        case MeasureView::none: return ums::FileView::none;
        case MeasureView::mapped: return ums::FileView::mapped;
        case MeasureView::synced: return ums::FileView::synced;
        case MeasureView::lines_written: return ums::FileView::lines_written;
        case MeasureView::lines_started: return ums::FileView::lines_started;
    }
    UMS_ASSERT(false && "unknown view");
}

bool is_in_sectors(const MeasureTarget& target, std::uint32_t sector_bytes) {
    MeasureTarget requests = target;
    if (has_block_range(target)) requests.block_bytes_min = 0;  // their sizes are chosen so that they are
    return is_in_units(requests, sector_bytes) && target.piece_bytes % sector_bytes == 0;
}

}  // namespace

struct MeasureFiles::Wish {
    std::string path;
    std::vector<std::string> names;    // `path`, and others by which targets name it
    std::vector<std::size_t> targets;  // indices
    std::uint64_t create_bytes = 0;
    bool keep_existing = true;
    bool may_overwrite = false;
    bool writes = false;
    bool is_raw_when_written = false;
    bool is_raw_when_made = false;
    bool is_direct = false;
    bool has_stamped_sectors = false;  // stamped sectors are written to it
    bool has_other_data = false;       // other data is written to it
    bool is_verified = false;
    bool is_ours = false;
    bool is_unfinished = false;
    bool holds_pages = false;
    std::uint32_t file_id = 1;
    std::uint64_t first_run_id = 0;  // of its first page
    ums::FileStatus found;
    std::uint64_t present_bytes = 0;
    KnownPages known;
    MeasureFile* file = nullptr;

    [[nodiscard]] bool changes() const { return writes || create_bytes != 0; }
    [[nodiscard]] bool is_missing() const { return found.kind == ums::FileKind::missing; }
    [[nodiscard]] bool is_device() const { return found.kind == ums::FileKind::block_device; }
    // The contents are from a measurement, and the size is the requested one.
    [[nodiscard]] bool is_taken_as_it_is() const {
        return create_bytes == 0 || (keep_existing && is_ours && !is_unfinished && present_bytes == create_bytes);
    }
    // It should still be as the last measurement left it.
    [[nodiscard]] bool is_known() const {
        return known.book != nullptr && keep_existing && (create_bytes == 0 || create_bytes == known.size_bytes);
    }
    // What it holds where nothing has been read or written.
    [[nodiscard]] BookPast past(BookUnit unit) const {
        if (file->was_created) return BookPast::pages;
        if (unit == BookUnit::page && is_ours && !holds_pages) return BookPast::mixed;
        const bool was_foreign = is_known() && known.book->past() == BookPast::foreign;
        if (!is_ours || was_foreign) return BookPast::foreign;
        return is_device() ? BookPast::device : BookPast::pages;
    }
};

MeasureFiles::~MeasureFiles() {
    for (const MeasureDoor& door : doors_) {
        if (door.handle.is_open()) storage_.close(door.handle);
    }
    for (const auto& file : files_) {
        if (file->control.is_open()) storage_.close(file->control);
    }
}

std::uint64_t MeasureFiles::book_bytes(const std::vector<MeasureTarget>& targets) const {
    std::uint64_t sum_bytes = 0;
    for (const auto& file : files_) {
        if (file->pages == nullptr || file->has_known_pages) continue;  // the memory of known ones is taken already
        std::uint64_t reached_bytes = file->was_created ? file->size_bytes : 0;
        for (std::size_t i = 0; i < targets.size(); ++i) {
            const MeasureTarget& target = targets[i];
            const bool is_random = target.access == MeasureAccess::random || target.access == MeasureAccess::mixed;
            if (doors_[i].file != file.get() || !is_random) continue;
            const std::uint64_t end_bytes =
                target.max_offset_bytes != 0 ? std::min(target.max_offset_bytes, file->size_bytes) : file->size_bytes;
            reached_bytes += end_bytes - std::min(end_bytes, target.base_offset_bytes);
        }
        sum_bytes += std::min(reached_bytes, file->size_bytes) / file->pages->unit_bytes() * PageBook::kEntryBytes;
    }
    return sum_bytes;
}

void MeasureFiles::remove_created() {
    for (const auto& file : files_) {
        if (!file->was_created || !file->control.is_open()) continue;
        // One that was there holds neither what it held nor a mark by which the next measurement would take it.
        static_cast<void>(file->was_there ? storage_.truncate(file->control, 0) : storage_.remove(file->control));
    }
}

void MeasureFiles::keep_for_next() {
    for (const auto& file : files_) {
        if (file->pages == nullptr || !file->control.is_open()) continue;
        kept_.keep(file->path, file->control, {std::move(file->pages), file->size_bytes});
        file->control = {};
    }
}

std::vector<MeasureFiles::Wish> MeasureFiles::gather(const std::vector<MeasureTarget>& targets) const {
    std::vector<Wish> wishes;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const MeasureTarget& target = targets[i];
        FileOptions named;
        named.path = target.path;
        resolve_name(named, storage_);
        ums::FileStatus found;
        static_cast<void>(storage_.status(named.path, found));  // look() says what is wrong
        // By a relative and an absolute path, for instance, or by hard links.
        auto place = std::find_if(wishes.begin(), wishes.end(), [&](const Wish& wish) {
            const bool is_missing = found.kind == ums::FileKind::missing;
            if (wish.path == named.path) return true;
            if (is_missing != wish.is_missing()) return false;
            return is_missing ? is_same_new_file(wish.path, named.path, storage_) : wish.found.is_same_file(found);
        });
        if (place == wishes.end()) {
            wishes.emplace_back();
            place = wishes.end() - 1;
            place->path = named.path;
            place->found = found;
        }
        place->names.push_back(named.path);
        place->targets.push_back(i);
        const bool writes = target.write_percent > 0;
        if (target.create_bytes != 0 && place->create_bytes != 0 && target.create_bytes != place->create_bytes) {
            throw RefusedError(fmt::format("{}: two targets want to make it with different sizes.", target.path));
        }
        place->create_bytes = std::max(place->create_bytes, target.create_bytes);
        place->keep_existing = place->keep_existing && (target.create_bytes == 0 || target.keep_existing);
        place->may_overwrite = place->may_overwrite || target.may_overwrite;
        place->writes = place->writes || writes;
        const bool is_raw = target.source.contents != MeasureContents::pages;
        place->is_raw_when_written = place->is_raw_when_written || (writes && is_raw);
        place->is_raw_when_made = place->is_raw_when_made || (target.create_bytes != 0 && is_raw);
        place->is_direct = place->is_direct || target.direct;
        place->is_verified = place->is_verified || is_in_units(target, kPageBytes);
        const bool is_stamped = target.source.contents == MeasureContents::sectors;
        const bool fills = writes || target.create_bytes != 0;
        place->has_stamped_sectors = place->has_stamped_sectors || (fills && is_stamped);
        place->has_other_data = place->has_other_data || (fills && !is_stamped);
    }
    return wishes;
}

void MeasureFiles::open(const std::vector<MeasureTarget>& targets, bool verify) {
    std::vector<Wish> wishes = gather(targets);
    try {
        for (Wish& wish : wishes) look(wish);
        for (Wish& wish : wishes) make(wish);
        for (Wish& wish : wishes) {
            MeasureFile& file = *wish.file;
            file.has_raw_writes = wish.is_raw_when_written || (file.was_created && wish.is_raw_when_made);
            const bool has_pages = !file.has_raw_writes && (wish.holds_pages || wish.writes || file.was_created);
            // Writing pages requires their versions, verified or not.
            if (has_pages && (wish.writes || file.was_created || (verify && wish.is_verified))) {
                if (!wish.changes()) lock_file_for_verification(storage_, wish.path, file.control);
                file.pages = book_of(wish, BookUnit::page);
            } else if (file.has_raw_writes && wish.has_stamped_sectors && !wish.has_other_data) {
                file.pages = book_of(wish, BookUnit::sector);
            }
        }
        for (std::size_t i = 0; i < targets.size(); ++i) {
            const auto wish = std::find_if(wishes.begin(), wishes.end(), [&](const Wish& each) {
                return std::find(each.targets.begin(), each.targets.end(), i) != each.targets.end();
            });
            open_door(targets[i], *wish->file);
        }
    } catch (...) {
        remove_created();
        throw;
    }
}

// What the last measurement knew, if it is of the same units; otherwise a new book.
std::unique_ptr<PageBook> MeasureFiles::book_of(Wish& wish, BookUnit unit) const {
    MeasureFile& file = *wish.file;
    const BookPast past = wish.past(unit);
    if (wish.is_known() && !file.was_created && wish.known.book->unit() == unit && wish.known.book->past() == past) {
        file.has_known_pages = true;
        wish.known.book->begin_next_measurement();
        return std::move(wish.known.book);
    }
    const std::uint32_t unit_bytes = unit == BookUnit::page ? kPageBytes : kSectorBytes;
    const std::uint64_t first_run_id = file.was_created ? run_id_ : wish.first_run_id;
    return std::make_unique<PageBook>(file.size_bytes / unit_bytes, wish.file_id, run_id_, unit, past, first_run_id);
}

// Changes nothing on the storage.
void MeasureFiles::look(Wish& wish) {
    const std::string& path = wish.path;
    if (wish.changes()) {
        for (const std::string& name : wish.names) refuse_dangerous_name(name, wish.may_overwrite);
    }
    if (const auto error = storage_.status(path, wish.found)) fail_start(path, "cannot be examined", error);
    switch (wish.found.kind) {
        case ums::FileKind::missing:
            // It is not made again: what it held, and nobody has read since, may be lost.
            if (wish.keep_existing && kept_.has(path)) {
                throw EnvironmentError(fmt::format(
                    "{}: was there when it was last measured, and is missing now: something else has removed it, or lost it.", path));
            }
            if (wish.create_bytes == 0)
                throw EnvironmentError(
                    fmt::format("{}: there is no such file. Name an existing one, or give the size with which to create it.", path));
            refuse_file_among_devices(path);
            break;
        case ums::FileKind::regular: break;
        case ums::FileKind::block_device:
            if (wish.create_bytes != 0)
                throw RefusedError(fmt::format("{}: is a device, which has a size of its own: give no size to create.", path));
            break;
        case ums::FileKind::directory: throw RefusedError(fmt::format("{}: is a folder; a file name is needed.", path));
        case ums::FileKind::link:
            throw RefusedError(
                fmt::format("{}: refused: it is a symbolic link to {}. Name the file itself.", path, wish.found.link_target));
        case ums::FileKind::other: throw RefusedError(fmt::format("{}: refused: it is neither a regular file nor a block device.", path));
    }
    files_.push_back(std::make_unique<MeasureFile>());
    MeasureFile& file = *files_.back();
    wish.file = &file;
    file.path = path;
    file.id = static_cast<std::uint32_t>(files_.size());
    file.is_device = wish.is_device();
    file.was_there = !wish.is_missing();
    file.is_direct = wish.is_direct;
    if (!wish.is_missing()) look_at_contents(wish);
}

void MeasureFiles::look_at_contents(Wish& wish) {
    const std::string& path = wish.path;
    MeasureFile& file = *wish.file;
    wish.known = kept_.take(wish.found);
    const ums::OpenOptions how{.direct = wish.is_direct, .read_only = !wish.changes(), .exclusive = wish.is_device() && wish.changes()};
    if (const auto error = storage_.open(path, how, file.control)) {
        if (error == std::errc::device_or_resource_busy && how.exclusive) {
            throw RefusedError(fmt::format(
                "{}: refused: the device is in use: it is mounted, or part of another device. Release it, or name another one.", path));
        }
        refuse_read_only_device(path, how, error);
        if (error == std::errc::invalid_argument && how.direct) {
            throw EnvironmentError(
                fmt::format("{}: the file system refuses access past the system's cache (O_DIRECT). Measure it buffered.", path));
        }
        fail_start(path, "cannot be opened", error);
    }
    if (wish.changes()) lock_file(storage_, path, file.control, file.was_created);
    if (const auto error = storage_.size(file.control, wish.present_bytes)) fail_start(path, "its size cannot be read", error);
    file.size_bytes = wish.present_bytes;
    if (wish.is_known() && wish.known.size_bytes != wish.present_bytes) {
        throw EnvironmentError(
            fmt::format("{}: had {} bytes when it was last measured, and has {} now: something else has changed it, or lost it.", path,
                        wish.known.size_bytes, wish.present_bytes));
    }
    const ums::MemoryRegion page(kPageBytes, ums::MemoryKind::plain);
    std::size_t transferred = 0;
    const auto error = storage_.read(file.control, 0, page.data(), kPageBytes, transferred);
    if (error && wish.changes()) fail_start(path, "its first page cannot be read", error);
    // A first page without its signature is a wrong page like any other, if it had one when it was last measured. But what may be
    // somebody's data now is not written to, unless that was allowed.
    const bool is_trusted = wish.is_known() && (!wish.changes() || wish.may_overwrite);
    const bool held_pages = is_trusted && wish.known.book->unit() == BookUnit::page && wish.known.book->past() != BookPast::mixed;
    wish.holds_pages = held_pages || (!error && transferred == kPageBytes && has_signature(page.data()));
    wish.is_ours = is_trusted || wish.holds_pages || (transferred >= kMeasureMarkBytes && has_measure_mark(page.data()));
    wish.is_unfinished = transferred >= kMeasureMarkBytes && has_unfinished_mark(page.data());
    if (wish.is_unfinished && wish.create_bytes == 0) {
        // Reads of space that was never written do not reach the device.
        throw EnvironmentError(fmt::format(
            "{}: is unfinished: the measurement that made it was cut off. Give a size to create it again, or remove it.", path));
    }
    if (wish.holds_pages) take_header(read_header(page.data()), wish);
    if (wish.is_known()) wish.file_id = wish.known.book->file_id();
    const bool is_empty = wish.create_bytes != 0 && wish.present_bytes == 0 && transferred == 0;
    if (!wish.changes() || wish.is_ours || wish.may_overwrite || is_empty) return;
    throw RefusedError(fmt::format(
        "{}: refused: it does not begin with a mark of ioproof, so it may be somebody's data, and it would be overwritten. Name another "
        "file, or give --overwrite-foreign-files if this one may be destroyed.",
        path));
}

// Of a first page whose checksum may be wrong.
void MeasureFiles::take_header(const PageHeader& header, Wish& wish) {
    if (wish.changes() && !wish.may_overwrite) refuse_newer_format(wish.path, header);
    if (header.file_id <= kFilesMax) wish.file_id = header.file_id;
    wish.first_run_id = header.run_id;
}

void MeasureFiles::make(Wish& wish) {
    MeasureFile& file = *wish.file;
    if (wish.is_taken_as_it_is()) return;
    wish.holds_pages = false;
    if (wish.is_missing()) {
        const ums::OpenOptions how{.create_new = true, .direct = wish.is_direct};
        if (const auto error = storage_.open(wish.path, how, file.control)) {
            if (error == std::errc::invalid_argument && how.direct) {
                throw EnvironmentError(
                    fmt::format("{}: the file system refuses access past the system's cache (O_DIRECT). Measure it buffered.", wish.path));
            }
            fail_start(wish.path, "cannot be created", error);
        }
        file.was_created = true;
        lock_file(storage_, wish.path, file.control, file.was_created);
    } else if (const auto error = storage_.truncate(file.control, 0)) {
        fail_start(wish.path, "cannot be emptied", error);
    }
    file.was_created = true;
    set_size(wish);
}

void MeasureFiles::set_size(const Wish& wish) {
    MeasureFile& file = *wish.file;
    std::error_code error = storage_.check_size(file.control, wish.create_bytes);
    // A file system may give all that it has before it refuses. What the old file took may not be listed as free yet (btrfs).
    std::uint64_t free_bytes = 0;
    const bool is_known = !error && !storage_.free_space(folder_of(wish.path), free_bytes);
    if (is_known && free_bytes + wish.present_bytes < wish.create_bytes) error = std::make_error_code(std::errc::no_space_on_device);
    if (!error) error = storage_.allocate(file.control, 0, wish.create_bytes);
    if (error) {
        const std::string more = is_about_space(error) ? " " + free_space_text(storage_, wish.path) : reservation_text(error);
        throw EnvironmentError(
            fmt::format("{}: cannot be made {} bytes large: {}.{}", wish.path, wish.create_bytes, ums::error_text(error), more));
    }
    file.size_bytes = wish.create_bytes;
}

void MeasureFiles::open_door(const MeasureTarget& target, MeasureFile& file) {
    const bool writes = target.write_percent > 0;
    const ums::OpenOptions how{
        .direct = target.direct, .durable_writes = writes && target.write_through, .read_only = !writes, .view = view_of(target.view)};
    MeasureDoor door{.file = &file, .handle = {}};
    if (const auto error = storage_.reopen(file.control, how, door.handle)) {
        if (error == std::errc::invalid_argument && how.direct) {
            throw EnvironmentError(
                fmt::format("{}: the file system refuses access past the system's cache (O_DIRECT). Measure it buffered.", file.path));
        }
        fail_start(file.path, target.view != MeasureView::none ? "cannot be mapped" : "cannot be opened for transfers", error);
    }
    doors_.push_back(door);
    check_passage(storage_, file.path, door.handle);
    if (!target.direct) return;
    doors_.back().sector_bytes = sector_bytes_of(storage_, door.handle);
    file.sector_bytes = std::max(file.sector_bytes, doors_.back().sector_bytes);
    if (!is_in_sectors(target, doors_.back().sector_bytes)) refuse_parts_of_sectors(file.path, doors_.back().sector_bytes);
}

}  // namespace sim
