#include "sim/rehearsal/reader_faults.hpp"

#include <algorithm>

#include "sim/limits.hpp"
#include "sim/page/page_codec.hpp"

namespace sim {

namespace {

constexpr std::uint64_t kDrawnWithinMs = 900;
constexpr std::uint64_t kStaleReadsMax = 6;

bool is_of_volume(ReaderFault fault) { return fault == ReaderFault::lost_write || fault == ReaderFault::misdirected_write; }

bool ends_by_itself(ReaderFault fault) { return fault == ReaderFault::stale_read || fault == ReaderFault::misdirected_read; }

}  // namespace

ReaderFaults::ReaderFaults(ReaderFault fault, std::uint64_t seed, ums::SimulatedStorage& volume, const ums::Clock& clock,
                           std::vector<ReaderView*> views)
    : fault_(fault), prng_(seed), volume_(volume), clock_(clock), views_(std::move(views)) {
    if (fault == ReaderFault::honest) return;
    for (std::uint64_t i = prng_.between(1, 3); i > 0; --i) plans_.push_back(draw());
}

ReaderFaults::Plan ReaderFaults::draw() {
    Plan plan;
    plan.after_ns = prng_.below(kDrawnWithinMs) * ums::kNsPerMs;
    const bool may_be_on_volume = is_of_volume(fault_) || (fault_ == ReaderFault::damaged_page && prng_.below(2) == 0);
    if (may_be_on_volume) plan.place = prng_.below(2) == 0 ? Place::at_a_write : Place::at_the_end;
    plan.reader = prng_.below(views_.size());
    const bool is_for_a_while = ends_by_itself(fault_) || (fault_ == ReaderFault::old_size && prng_.below(2) == 0);
    if (is_for_a_while) plan.reads = static_cast<std::uint32_t>(prng_.between(1, kStaleReadsMax));
    return plan;
}

// --- when it begins ---

void ReaderFaults::page_written(const OwnerView::PageWrite& write) {
    const bool is_missed = begun_ns_ == 0 || fault_ == ReaderFault::old_size || prng_.below(4) != 0;
    if (is_missed || !fits(write)) return;
    const auto due =
        std::find_if(plans_.begin(), plans_.end(), [&](const Plan& plan) { return clock_.now_ns() >= begun_ns_ + plan.after_ns; });
    if (due != plans_.end() && begin_trouble(*due, write)) plans_.erase(due);
}

void ReaderFaults::has_grown(const OwnerView::Growth& growth) {
    const bool is_it = begun_ns_ != 0 && fault_ == ReaderFault::old_size && !plans_.empty();
    if (!is_it) return;
    // One for each reader that was drawn, whatever the time.
    std::set<std::size_t> readers;
    for (const Plan& plan : plans_) {
        if (!readers.insert(plan.reader).second) continue;
        ReaderTrouble trouble;
        trouble.fault = fault_;
        trouble.path = growth.path;
        trouble.file_id = growth.file_id;
        trouble.page_id = growth.old_pages;
        trouble.reads = plan.reads;
        views_[plan.reader]->add(std::move(trouble));
    }
    plans_.clear();
}

// A page that was there before and differs now, but not the first page of a file, which identifies it. Nor a page that a reader has seen
// half-written: followed by an old or another image, it would look damaged.
bool ReaderFaults::fits(const OwnerView::PageWrite& write) const {
    if (write.seen_bytes != 0) return false;
    if (write.page_id == 0 || used_.contains({write.file_id, write.page_id}) || !is_sound_page(write.before.data())) return false;
    return read_header(write.before.data()).version < read_header(write.after.data()).version;
}

// False if this fault is impossible for this page.
bool ReaderFaults::begin_trouble(const Plan& plan, const OwnerView::PageWrite& write) {
    ReaderTrouble trouble;
    trouble.fault = fault_;
    trouble.is_on_volume = plan.place != Place::on_the_way;
    trouble.is_at_the_end = plan.place == Place::at_the_end;
    trouble.path = write.path;
    trouble.file_id = write.file_id;
    trouble.page_id = write.page_id;
    trouble.reads = plan.reads;
    if (fault_ == ReaderFault::damaged_page) {
        trouble.flipped_bits = some_bits();
    } else if (fault_ == ReaderFault::misdirected_write || fault_ == ReaderFault::misdirected_read) {
        trouble.image = other_page(write);
        if (trouble.image.empty()) return false;
    } else {
        trouble.image = write.before;
        trouble.version = read_header(write.before.data()).version;
    }
    used_.insert({write.file_id, write.page_id});
    switch (plan.place) {
        case Place::on_the_way: views_[plan.reader]->add(std::move(trouble)); break;
        case Place::at_a_write: put(trouble); break;
        case Place::at_the_end: at_the_end_.push_back(std::move(trouble)); break;
    }
    return true;
}

void ReaderFaults::owner_is_over() {
    for (const ReaderTrouble& trouble : at_the_end_) put(trouble);
}

// --- on the volume ---

void ReaderFaults::put(const ReaderTrouble& trouble) {
    ReaderTrouble standing = trouble;
    ums::SimulatedFile& file = *volume_.find(trouble.path);
    const std::uint64_t offset_bytes = std::uint64_t{trouble.page_id} * kPageBytes;
    if (standing.image.empty()) {
        standing.image.resize(kPageBytes);
        file.read(offset_bytes, standing.image.data(), kPageBytes);
        flip_bits(standing.image, standing.flipped_bits);
    }
    file.write(offset_bytes, standing.image.data(), kPageBytes);
    for (ReaderView* view : views_) view->add(standing);
}

bool ReaderFaults::is_healed(const ReaderTrouble& trouble) const {
    if (!trouble.is_on_volume) return false;
    std::vector<std::byte> image(kPageBytes);
    volume_.find(trouble.path)->read(std::uint64_t{trouble.page_id} * kPageBytes, image.data(), kPageBytes);
    return image != trouble.image;
}

// --- images ---

std::vector<std::byte> ReaderFaults::other_page(const OwnerView::PageWrite& write) {
    constexpr int kTries = 8;
    const ums::SimulatedFile& file = *volume_.find(write.path);
    std::vector<std::byte> image(kPageBytes);
    for (int i = 0; i < kTries; ++i) {
        const std::uint64_t page_id = prng_.below(file.size_bytes() / kPageBytes);
        file.read(page_id * kPageBytes, image.data(), kPageBytes);
        if (page_id != 0 && page_id != write.page_id && is_sound_page(image.data())) return image;
    }
    return {};
}

std::vector<std::uint32_t> ReaderFaults::some_bits() {
    std::set<std::uint32_t> bits;
    for (std::uint64_t i = prng_.between(1, 8); i > 0; --i)
        bits.insert(static_cast<std::uint32_t>(prng_.below(std::uint64_t{kPageBytes} * 8)));
    return {bits.begin(), bits.end()};
}

}  // namespace sim
