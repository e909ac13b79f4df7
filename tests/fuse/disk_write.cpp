#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tests/fuse/disk.hpp"

namespace faultfs {

namespace {

constexpr std::size_t kBlocksKept = 512;

}  // namespace

Answer Disk::write(DiskFile& file, std::span<const std::uint8_t> data, std::uint64_t offset, bool durable) {
    const std::lock_guard lock(mutex_);
    if (power_.is_on()) power_.write(file.name, offset, data.size(), file.device_bytes(offset, data.size()), durable);
    const Request request{file, offset, data.size()};
    Answer answer{static_cast<std::int64_t>(data.size())};
    if (offset + data.size() > file.size()) {
        file.right.resize(offset + data.size());
        file.pages.resize(file.page_count());
    }
    if (fail_write(request, data, answer)) return answer;
    accept_write(request, data);
    write_faults(request);
    return answer;
}

// Errors, short and slow writes: faults of the request as a whole. True: the request ends here.
bool Disk::fail_write(const Request& request, std::span<const std::uint8_t> data, Answer& answer) {
    for (FaultSpec& spec : specs_) {
        const bool is_error = spec.effect == Effect::io_error;
        const bool is_short = spec.effect == Effect::short_transfer && request.size > kSectorBytes;
        if (!spec.on_write || (!is_error && !is_short && spec.effect != Effect::stalled_io)) continue;
        const std::uint64_t page = request.offset / kPageBytes;
        const std::uint64_t writes = page < request.file.page_count() ? request.file.pages[page].writes : 0;
        if (!is_eligible(spec, request, page, writes) || !spec.fires()) continue;
        expose_request(request, inject(spec, request.file, page), spec.effect, false, true);
        if (spec.effect == Effect::stalled_io) {
            answer.delay_s = spec.seconds;
            continue;
        }
        if (is_short) {
            const std::uint64_t half = std::max<std::uint64_t>(request.size / 2 / kSectorBytes, 1) * kSectorBytes;
            const std::uint64_t done = std::min(spec.bytes == 0 ? half : spec.bytes, request.size - kSectorBytes);
            answer.result = static_cast<std::int64_t>(done);
            accept_write({request.file, request.offset, done}, data.first(done));
        } else {
            answer.result = -spec.error;
        }
        const std::uint64_t end = std::min((request.offset + request.size - 1) / kPageBytes + 1, request.file.page_count());
        for (std::uint64_t torn = page; torn < end; ++torn) request.file.pages[torn].unknown = true;
        return true;
    }
    return false;
}

// As an honest device does it.
void Disk::accept_write(const Request& request, std::span<const std::uint8_t> data) {
    DiskFile& file = request.file;
    for (BlockWrite& block : file.blocks) {
        const bool is_overwritten = block.offset < request.offset + request.size && request.offset < block.offset + block.written.size();
        if (is_overwritten) block.injection = 0;
    }
    if (file.is_log && request.offset >= kPageBytes && !is_zero(data)) {
        file.blocks.push_back({request.offset, file.device_bytes(request.offset, data.size()), {data.begin(), data.end()}});
        if (file.blocks.size() > kBlocksKept) file.blocks.pop_front();
    }
    for (std::uint64_t page = request.first(); page < request.end(); ++page) {
        PageState& state = file.pages[page];
        if (state.injection != 0) truth_.write(TruthEntry("heal").add("id", state.injection).add("file", file.name).add("page", page));
        const bool is_written = !is_zero(data.subspan(page * kPageBytes - request.offset, kPageBytes));
        const std::uint64_t writes = state.writes + (is_written ? 1 : 0);
        Bytes older = file.is_log ? Bytes() : file.right_page(page);
        state = PageState{};
        state.writes = writes;
        state.older = std::move(older);
    }
    std::copy(data.begin(), data.end(), file.right.begin() + static_cast<std::ptrdiff_t>(request.offset));
    file.put_on_device(request.offset, data);
}

// What goes wrong behind the back of a write that was acknowledged.
void Disk::write_faults(const Request& request) {
    DiskFile& file = request.file;
    if (file.is_log) return;
    for (FaultSpec& spec : specs_) {
        if (!spec.on_write || spec.effect == Effect::io_error || spec.effect == Effect::short_transfer) continue;
        if (spec.effect == Effect::stalled_io) continue;
        bool hit_all = false;
        for (std::uint64_t page = request.first(); page < request.end(); ++page) {
            const PageState& state = file.pages[page];
            if (state.injection != 0 || state.revert != nullptr) continue;
            if (!hit_all && (!is_eligible(spec, request, page, state.writes) || !spec.fires())) continue;
            if (state.writes < spec.min_writes) continue;
            hit_all = spec.whole_request;
            hit_page(spec, file, page);
        }
    }
}

void Disk::hit_page(FaultSpec& spec, DiskFile& file, std::uint64_t page) {
    PageState& state = file.pages[page];
    state.spec = &spec;
    if (spec.effect == Effect::reverted_page) {
        state.revert = &spec;
        return;
    }
    if (spec.effect == Effect::misdirected_write) {
        misdirect(spec, file, page);
        return;
    }
    const Bytes right = file.right_page(page);
    const Bytes image = faulty_image(spec, {right, state.older, right});
    state.injection = inject(spec, file, page);
    file.put_on_device(page * kPageBytes, image);
}

void Disk::misdirect(FaultSpec& spec, DiskFile& file, std::uint64_t page) {
    PageState& source = file.pages[page];
    const Place here{&file, page};
    Place there;
    if (!choose_other(spec, here, there) || there.file->pages[there.page].injection != 0) {
        --spec.fired;
        return;
    }
    PageState& target = there.file->pages[there.page];
    const std::uint64_t id = inject(spec, file, page, there);
    file.put_on_device(page * kPageBytes, source.older);
    there.file->put_on_device(there.page * kPageBytes, file.right_page(page));
    source.injection = id;
    source.partner = there;
    target.injection = id;
    target.partner = here;
    target.is_target = true;
    target.spec = &spec;
}

}  // namespace faultfs
