#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "tests/fuse/disk.hpp"

namespace faultfs {

namespace {

constexpr std::uint64_t kAlways = std::numeric_limits<std::uint64_t>::max();

bool is_request_effect(Effect effect) {
    return effect == Effect::io_error || effect == Effect::short_transfer || effect == Effect::stalled_io;
}

// How much comes through. A page that stays unreadable ends every transfer; nothing comes from behind its beginning.
std::uint64_t short_size(const PageState& state, std::uint64_t offset, std::uint64_t size, std::uint64_t page_begin) {
    if (state.read_persistent) return page_begin > offset ? page_begin - offset : 0;
    const std::uint64_t wanted = state.read_bytes == 0 ? size / 2 / kSectorBytes * kSectorBytes : state.read_bytes;
    return std::min(wanted, size - kSectorBytes);
}

}  // namespace

Answer Disk::read(DiskFile& file, std::span<std::uint8_t> out, std::uint64_t offset) {
    const std::lock_guard lock(mutex_);
    follow_size(file);
    Request request{file, offset, offset < file.size() ? std::min<std::uint64_t>(out.size(), file.size() - offset) : 0};
    if (file.is_log) damage_log(request);
    arm_reads(request);
    const Bytes device = file.device_bytes(offset, request.size);
    std::copy(device.begin(), device.end(), out.begin());
    Answer answer{static_cast<std::int64_t>(device.size())};
    answer.result = apply_reads(request, out.first(device.size()), answer);
    if (answer.result <= 0) return answer;
    request.size = static_cast<std::uint64_t>(answer.result);
    if (file.is_log)
        compare_log(request, out.first(request.size));
    else
        compare(request, out.first(request.size));
    return answer;
}

void Disk::arm_reads(const Request& request) {
    for (FaultSpec& spec : specs_) {
        if (spec.on_write || spec.fired >= spec.count || (request.file.is_log && !is_request_effect(spec.effect))) continue;
        for (std::uint64_t page = request.first(); page < request.end(); ++page) {
            PageState& state = request.file.pages[page];
            // A cache that is as new as the volume does no harm.
            const bool is_fresh =
                spec.source == "opened" && request.file.device_bytes(page * kPageBytes, kPageBytes) == request.file.right_page(page);
            if (is_fresh) continue;
            const bool is_busy = state.injection != 0 || state.read_injection != 0 || state.unknown || state.revert != nullptr;
            if (!is_busy && is_eligible(spec, request, page, state.writes)) arm_page(spec, request, page);
        }
    }
}

void Disk::arm_page(FaultSpec& spec, const Request& request, std::uint64_t page) {
    PageState& state = request.file.pages[page];
    const Place place{&request.file, page};
    Place other;
    if (spec.effect == Effect::misdirected_read && !choose_other(spec, place, other)) return;
    if (!spec.fires()) return;
    state.read_injection = inject(spec, request.file, page, other);
    state.read_effect = spec.effect;
    state.read_persistent = spec.reads == 0;
    state.reads_left = spec.reads == 0 ? kAlways : spec.reads;
    state.read_error = spec.error;
    state.read_bytes = spec.bytes;
    if (spec.effect == Effect::stalled_io) state.read_bytes = static_cast<std::uint64_t>(spec.seconds);
    if (is_request_effect(spec.effect)) return;
    const Bytes right = request.file.right_page(page);
    const Bytes older = spec.source == "opened" ? right : state.older.empty() ? Bytes(kPageBytes) : state.older;
    state.read_image = faulty_image(spec, {right, older, other.file == nullptr ? right : other.file->right_page(other.page)});
}

// Returns the result; pages whose reads are spoilt are changed in `out`. The first fault of a whole request decides.
std::int64_t Disk::apply_reads(const Request& request, std::span<std::uint8_t> out, Answer& answer) {
    auto result = static_cast<std::int64_t>(out.size());
    for (std::uint64_t page = request.first(); page < std::min(request.end(), request.file.page_count()); ++page) {
        PageState& state = request.file.pages[page];
        if (state.read_injection == 0) continue;
        const std::uint64_t injection = state.read_injection;
        const bool persistent = state.read_persistent;
        if (state.reads_left != kAlways && --state.reads_left == 0) state.read_injection = 0;
        if (state.read_effect == Effect::stalled_io) {
            answer.delay_s = static_cast<double>(state.read_bytes);
        } else if (state.read_effect == Effect::io_error) {
            result = -state.read_error;
        } else if (state.read_effect == Effect::short_transfer) {
            result = static_cast<std::int64_t>(short_size(state, request.offset, request.size, page * kPageBytes));
        } else {
            std::memcpy(&out[page * kPageBytes - request.offset], state.read_image.data(), kPageBytes);
            state.spoilt = true;
            expose(request, {&request.file, page}, injection, state.read_effect, persistent);
            continue;
        }
        expose_request(request, injection, state.read_effect, persistent, false);
        break;
    }
    return result;
}

void Disk::compare(const Request& request, std::span<const std::uint8_t> got) {
    if (is_shared_) return;  // others write, too
    DiskFile& file = request.file;
    for (std::uint64_t page = request.first(); page < request.end(); ++page) {
        PageState& state = file.pages[page];
        const std::uint64_t begin = page * kPageBytes;
        if (std::memcmp(&got[begin - request.offset], &file.right[begin], kPageBytes) == 0) {
            if (!state.read_back && state.writes > 0) state.read_back_s = truth_.elapsed_s();
            state.read_back = state.read_back || state.writes > 0;
            if (state.revert != nullptr) revert(file, page);
        } else if (!std::exchange(state.spoilt, false) && !state.unknown) {
            // Spoilt reads have been told already. What no fault explains is a mistake of this file system.
            if (state.injection != 0)
                expose(request, {&file, page}, state.injection, state.spec->effect, true);
            else
                truth_.write(TruthEntry("unexplained").add("file", file.name).add("page", page));
        }
    }
}

void Disk::revert(DiskFile& file, std::uint64_t page) {
    PageState& state = file.pages[page];
    state.spec = std::exchange(state.revert, nullptr);
    state.injection = inject(*state.spec, file, page);
    file.put_on_device(page * kPageBytes, state.older);
}

// Log blocks are damaged when they are read, because only then is it known which of them are read at all. To the reader it is the same.
void Disk::damage_log(const Request& request) {
    DiskFile& file = request.file;
    for (FaultSpec& spec : specs_) {
        if (spec.fired >= spec.count || is_request_effect(spec.effect) || !is_eligible(spec, request, request.offset / kPageBytes, kAlways))
            continue;
        std::uint64_t back = spec.back;
        for (std::size_t index = file.blocks.size(); index-- > 0;) {
            const BlockWrite& block = file.blocks[index];
            const bool is_read = block.offset >= request.offset && block.offset + block.written.size() <= request.offset + request.size;
            if (!is_read || back-- > 0) continue;
            damage_block(spec, file, index);
            break;
        }
    }
}

bool Disk::damage_block(FaultSpec& spec, DiskFile& file, std::size_t index) {
    BlockWrite& block = file.blocks[index];
    Bytes image = block.written;
    if (spec.effect == Effect::lost_write) {
        image = block.before;
    } else if (spec.effect == Effect::bit_corruption) {
        damage_bits(image, spec);
    } else if (spec.effect == Effect::zeroed_page) {
        image.assign(image.size(), 0);
    } else if (spec.effect == Effect::stale_block) {
        while (index-- > 0 && file.blocks[index].written.size() > image.size()) {
        }
        if (index == std::numeric_limits<std::size_t>::max()) return false;
        std::copy(file.blocks[index].written.begin(), file.blocks[index].written.end(), image.begin());
    }
    if (image == block.written || !spec.fires()) return false;
    block.injection = inject(spec, file, block.offset / kPageBytes);
    block.effect = spec.effect;
    block.reads_left = spec.on_write ? kAlways : spec.reads;
    file.put_on_device(block.offset, image);
    return true;
}

void Disk::compare_log(const Request& request, std::span<const std::uint8_t> got) {
    if (is_shared_) return;
    for (BlockWrite& block : request.file.blocks) {
        if (block.injection == 0 || block.offset < request.offset) continue;
        if (block.offset + block.written.size() > request.offset + request.size) continue;
        if (std::memcmp(&got[block.offset - request.offset], block.written.data(), block.written.size()) == 0) continue;
        TruthEntry entry("expose");
        entry.add("id", block.injection).add("effect", name_of(block.effect)).add("file", request.file.name);
        entry.add("page", block.offset / kPageBytes).add("persistent", block.reads_left == kAlways).add("is_log", true);
        entry.add("request_offset", block.offset).add("request_size", static_cast<std::uint64_t>(block.written.size()));
        truth_.write(entry);
        if (block.reads_left != kAlways && --block.reads_left == 0) request.file.put_on_device(block.offset, block.written);
    }
}

}  // namespace faultfs
