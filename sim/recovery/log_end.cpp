#include "sim/recovery/log_end.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "sim/files/file_stamper.hpp"
#include "sim/files/io_retry.hpp"
#include "sim/log/log_growth.hpp"
#include "sim/page/log_layout.hpp"
#include "ums/base/units.hpp"
#include "ums/io/errno_error.hpp"

namespace sim {

namespace {

std::uint64_t vlf_begin_of(const LogBlockPlace& block) { return block.offset_bytes - std::uint64_t{block.vlf_sector} * kSectorBytes; }

// Of the VLF sequences of an incarnation the last one.
std::uint64_t end_of_incarnation(std::uint32_t last_vlf) {
    return (std::uint64_t{last_vlf} / kVlfsPerIncarnation + 1) * kVlfsPerIncarnation - 1;
}

// The step by which a log file grows: its Increment or, without one, about one of its VLFs when it must.
std::uint64_t growth_bytes_of(const SimFile& file, std::uint64_t prepared_bytes) {
    constexpr std::uint64_t kVlfsMin = 4;
    const std::uint64_t increment_mb = file.options().increment_mb;
    return increment_mb != 0 ? increment_mb * ums::kMb : (prepared_bytes / kVlfsMin + ums::kMb - 1) / ums::kMb * ums::kMb;
}

}  // namespace

LogEnd::LogEnd(const std::vector<SimFile*>& log_files, const LogContents& contents, const LogExtent& extent, std::uint32_t alignment_bytes,
               std::uint64_t checkpoint_bytes, RunState& run, Journal& journal)
    : log_files_(log_files),
      contents_(contents),
      extent_(extent),
      alignment_bytes_(alignment_bytes),
      checkpoint_bytes_(checkpoint_bytes),
      run_(run),
      journal_(journal) {}

ums::Task<void> LogEnd::find() {
    const bool are_durable = co_await make_durable();
    if (!are_durable) co_return;
    const bool are_whole = co_await restore_sizes();
    if (!are_whole || !find_shapes()) co_return;
    co_await complete_growths();
    if (run_.is_stopping()) co_return;
    position_.last_sequence = extent_.last_sequence;
    position_.last_lsn = extent_.last_lsn;
    std::uint64_t incarnation = position_.incarnation;
    for (const LogBlockPlace& block : contents_.blocks) {
        position_.next_sequence = std::max(position_.next_sequence, block.sequence + 1);
        position_.last_vlf = std::max(position_.last_vlf, vlf_of_lsn(block.last_lsn));
        incarnation = std::max(incarnation, std::uint64_t{block.incarnation} + 1);
    }
    position_.next_sequence = std::max(position_.next_sequence, contents_.promised_sequence + 1);
    const std::uint64_t last_vlf = end_of_incarnation(position_.last_vlf);
    // Behind the last number, the run would end with its first block.
    if (last_vlf + 1 >= kVlfSequenceEnd || incarnation > UINT32_MAX) {
        run_.stop(Outcome::not_done,
                  "The log has no numbers left for another incarnation of the run and its virtual log files, so the run cannot be resumed. "
                  "Begin a new run.");
        co_return;
    }
    position_.last_vlf = static_cast<std::uint32_t>(last_vlf);
    position_.incarnation = static_cast<std::uint32_t>(incarnation);
    find_used();
    position_.places = divide_log(shapes_, alignment_bytes_);
    if (has_room_for_checkpoint()) co_return;
    const bool has_grown = co_await grow();
    if (has_grown) position_.places = divide_log(shapes_, alignment_bytes_);
}

// A run that was killed without a power cut may have left blocks, or a growth, that only the system's cache holds. What is logged next says
// that they are durable, and perhaps goes to another file, so that its sync does not cover them.
ums::Task<bool> LogEnd::make_durable() {
    for (SimFile* const file : log_files_) {
        if (!file->writes_are_durable() && !file->needs_flushes()) continue;
        const std::error_code error = co_await file->sync();
        if (!error) continue;
        co_await end_run_unsynced(*file, error, run_, journal_);
        co_return false;
    }
    co_return true;
}

// Only a repair continues with a log file that is shorter than its blocks say. The lost part is replaced by zeros. A log file that no block
// had used yet may have been left with any size, and then its VLFs may be too short for a block.
ums::Task<bool> LogEnd::restore_sizes() {
    for (SimFile* const file : log_files_) {
        const std::uint64_t used_mb = (least_log_bytes(contents_, file->id()) + ums::kMb - 1) / ums::kMb;
        const bool is_unused = used_mb == 0;
        const std::uint64_t least_mb = is_unused ? file->options().initial_size_mb : used_mb;
        const std::uint64_t least_bytes = least_mb * ums::kMb;
        const std::string_view why = is_unused ? "of its InitialSize" : "that its blocks say it had";
        if (file->size_bytes() >= least_bytes || file->is_device()) continue;
        const std::error_code error = co_await lengthen_log(*file, least_bytes, GrowthPlan{}, run_, journal_);
        if (is_called_off(error, run_)) co_return false;
        if (error) {
            run_.stop(Outcome::not_done,
                      fmt::format("{}: cannot be brought to the {} MB {}: {}.", file->path(), least_mb, why, ums::error_text(error)));
            co_return false;
        }
        journal_.info(fmt::format("{}: brought to the {} MB {}.", file->path(), least_mb, why));
    }
    co_return true;
}

// A file may have been larger than its InitialSize from the start, and it may have grown: each block says where its VLF begins.
bool LogEnd::find_shapes() {
    for (SimFile* file : log_files_) {
        const std::uint64_t size_bytes = file->size_bytes();
        const std::array<std::uint64_t, 2> sizes{file->options().initial_size_mb * ums::kMb, size_bytes};
        std::optional<LogFileShape> shape;
        for (const std::uint64_t bytes : sizes) {
            if (!shape && bytes > kPageBytes && bytes <= size_bytes) shape = shape_of(*file, bytes);
        }
        if (!shape) {
            run_.stop(Outcome::not_done,
                      fmt::format("{}: its virtual log files do not lie where InitialSize and Increment of this configuration "
                                  "would put them. Resume with the configuration of the run.",
                                  file->path()));
            return false;
        }
        shapes_.push_back(*shape);
    }
    return true;
}

// The shape of a file that was made with so many bytes, if the blocks in it allow that.
std::optional<LogFileShape> LogEnd::shape_of(SimFile& file, std::uint64_t prepared_bytes) const {
    LogFileShape shape{&file, prepared_bytes, growth_bytes_of(file, prepared_bytes)};
    const std::uint64_t growth_bytes = shape.growth_bytes;
    for (std::uint64_t begin = prepared_bytes; begin + growth_bytes <= file.size_bytes(); begin += growth_bytes) {
        // Into how many VLFs a step was divided depends on how large the log was then: the blocks know.
        const std::uint32_t many = vlfs_of_large_growth(growth_bytes);
        const bool is_one = lie_in(divide_growth(file, begin, growth_bytes, 1), file, begin, begin + growth_bytes);
        shape.growth_vlfs.push_back(is_one ? 1 : many);
    }
    if (!lie_in(divide_log({&shape, 1}, alignment_bytes_), file, 0, file.size_bytes())) return std::nullopt;
    return shape;
}

// Whether every block in this part of the file lies in one of these VLFs.
bool LogEnd::lie_in(const std::vector<VlfPlace>& places, SimFile& file, std::uint64_t begin_bytes, std::uint64_t end_bytes) const {
    return std::all_of(contents_.blocks.begin(), contents_.blocks.end(), [&](const LogBlockPlace& block) {
        if (block.file_id != file.id() || block.offset_bytes < begin_bytes || block.offset_bytes >= end_bytes) return true;
        const VlfPlace wanted{&file, vlf_begin_of(block), std::uint64_t{block.vlf_sectors} * kSectorBytes};
        return std::find(places.begin(), places.end(), wanted) != places.end();
    });
}

// A file system that was cut off while it made a file longer, or ran out of space, may have left a part of the step. The next step would
// begin behind that part, where nobody looks for a virtual log file. So a file of which the system refuses the rest does not grow in this
// run: there may be room for the next step.
ums::Task<void> LogEnd::complete_growths() {
    for (const LogFileShape& shape : shapes_) {
        SimFile& file = *shape.file;
        const std::uint64_t old_bytes = file.size_bytes();
        const std::uint64_t part_bytes = (old_bytes - shape.prepared_bytes) % shape.growth_bytes;
        const std::uint64_t new_bytes = old_bytes - part_bytes + shape.growth_bytes;
        const bool can_grow = file.options().increment_mb != 0 && !file.is_device() && new_bytes <= file.options().max_size_mb * ums::kMb;
        if (part_bytes == 0 || !can_grow) continue;
        const std::error_code error = co_await lengthen_log(file, new_bytes, GrowthPlan{}, run_, journal_);
        if (run_.is_stopping()) co_return;
        if (error) {
            file.has_part_of_growth = true;
            journal_.warning(
                fmt::format("{}: a growth to {} MB was cut off, and cannot be completed: {}. Until a resume completes it, the "
                            "file does not grow.",
                            file.path(), new_bytes / ums::kMb, ums::error_text(error)));
        } else {
            journal_.info(fmt::format("{}: a growth to {} MB was cut off, and has been completed.", file.path(), new_bytes / ums::kMb));
        }
    }
}

// From the begin of the last complete checkpoint to the end of the log. Of two VLFs in the same place, the newer one is there.
void LogEnd::find_used() {
    const std::uint32_t first_vlf = extent_.checkpoint ? vlf_of_lsn(extent_.checkpoint->begin_lsn) : 0;
    for (const LogBlockPlace& block : contents_.blocks) {
        const bool is_in_row = std::any_of(extent_.row.begin(), extent_.row.end(), [&block](const BlockRange& range) {
            return block.sequence >= range.first && block.sequence <= range.last;
        });
        const std::uint32_t vlf = vlf_of_lsn(block.first_lsn);
        if (!is_in_row || vlf < first_vlf) continue;
        const auto file =
            std::find_if(log_files_.begin(), log_files_.end(), [&block](const SimFile* log) { return log->id() == block.file_id; });
        const UsedVlf found{*file, vlf_begin_of(block), vlf};
        const auto known = std::find_if(position_.used.begin(), position_.used.end(), [&found](const UsedVlf& used) {
            return used.file == found.file && used.offset_bytes == found.offset_bytes;
        });
        if (known == position_.used.end()) {
            position_.used.push_back(found);
        } else {
            known->sequence = std::max(known->sequence, vlf);
        }
    }
}

// A block that does not fit leaves the end of its VLF unused.
bool LogEnd::has_room_for_checkpoint() const {
    std::uint64_t free_bytes = 0;
    for (const VlfPlace& place : position_.places) {
        const bool is_used = std::any_of(position_.used.begin(), position_.used.end(), [&place](const UsedVlf& used) {
            return used.file == place.file && used.offset_bytes == place.offset_bytes;
        });
        if (!is_used) free_bytes += place.size_bytes - std::min<std::uint64_t>(place.size_bytes, kLogBlockBytesMax);
    }
    return free_bytes >= checkpoint_bytes_;
}

// As SQL Server does when recovery finds the log full. MaxSize is for users; without room for a checkpoint nothing could continue.
ums::Task<bool> LogEnd::grow() {
    const auto shape = std::find_if(shapes_.begin(), shapes_.end(), [](const LogFileShape& each) { return !each.file->is_device(); });
    if (shape == shapes_.end()) {
        run_.stop(Outcome::not_done,
                  fmt::format("{}: the log has no room for a checkpoint, and a device cannot be made longer: the run cannot "
                              "be resumed.",
                              log_files_.front()->path()));
        co_return false;
    }
    SimFile& file = *shape->file;
    const std::uint64_t old_bytes = file.size_bytes();
    const std::uint64_t steps = (old_bytes - shape->prepared_bytes) / shape->growth_bytes + 1;
    const std::uint64_t new_bytes = shape->prepared_bytes + steps * shape->growth_bytes;
    const std::error_code error = co_await lengthen_log(file, new_bytes, GrowthPlan{}, run_, journal_);
    if (is_called_off(error, run_)) co_return false;
    if (error) {
        run_.stop(Outcome::not_done, fmt::format("{}: the log has no room for a checkpoint, and cannot grow to {} MB: {}.", file.path(),
                                                 new_bytes / ums::kMb, ums::error_text(error)));
        co_return false;
    }
    file.has_part_of_growth = false;
    journal_.info(fmt::format("{}: recovery leaves no room for a checkpoint in the log, so it was made longer, from {} MB to {} MB.",
                              file.path(), old_bytes / ums::kMb, new_bytes / ums::kMb));
    co_return true;
}

}  // namespace sim
