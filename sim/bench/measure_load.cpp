#include "sim/bench/measure_load.hpp"

#include <algorithm>

#include "sim/bench/measure_answer.hpp"
#include "sim/bench/measured_page.hpp"
#include "sim/bench/write_contents.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/memory_region.hpp"
#include "ums/base/units.hpp"
#include "ums/sched/scheduler.hpp"

namespace sim {

namespace {

// The system's timers may be late by up to this much: the rest of the wait for an intended start is spent polling the clock.
constexpr std::uint64_t kTimerLateNs = 100 * ums::kNsPerUs;

// With more threads than this, small memory gets no huge pages: each takes 2 MB.
constexpr std::size_t kHugePageThreads = 64;
constexpr std::size_t kHugePageBytesMin = std::size_t{256} << 10;

constexpr std::size_t kMemoryPageBytes = 4096;

// Memory of one task, for blocks up to a given size, in one piece or in pieces that are not adjacent.
class BlockMemory {
public:
    BlockMemory(std::byte* data, std::uint32_t piece_bytes) : data_(data), piece_bytes_(piece_bytes) {}

    static std::size_t needed_bytes(const MeasureTarget& target) {
        const std::size_t bytes = std::size_t{target.block_bytes} * (target.piece_bytes == 0 ? 1 : 2);
        return (bytes + kMemoryPageBytes - 1) / kMemoryPageBytes * kMemoryPageBytes;
    }

    void segments_of(std::size_t size_bytes, std::vector<ums::IoSegment>& segments) const {
        segments.clear();
        if (piece_bytes_ == 0) {
            segments.push_back({data_, size_bytes});
            return;
        }
        for (std::size_t done = 0; done < size_bytes; done += piece_bytes_) {
            segments.push_back({data_ + 2 * done, std::min<std::size_t>(piece_bytes_, size_bytes - done)});
        }
    }

private:
    std::byte* const data_;
    const std::uint32_t piece_bytes_;
};

std::size_t tasks_of(const MeasureTimespan& spec, const MeasureTarget& target) {
    return spec.requests_per_thread != 0 ? spec.requests_per_thread : target.outstanding;
}

std::size_t threads_of(const MeasureTimespan& spec) {
    std::size_t threads = spec.threads_total;
    if (threads == 0) {
        for (const MeasureTarget& target : spec.targets) threads += target.threads;
    }
    return threads;
}

void make_memory(const MeasureTimespan& spec, MeasureThread& thread) {
    const std::size_t bytes = memory_bytes_of(spec, thread);
    const bool is_plain = bytes < kHugePageBytesMin && threads_of(spec) > kHugePageThreads;
    thread.memory = ums::MemoryRegion(bytes, is_plain ? ums::MemoryKind::plain : ums::MemoryKind::huge_pages);
    thread.memory.populate(0, bytes);
    ums::Scheduler::current().use_memory(thread.memory.data(), bytes);
}

// The next task's part, for reads or for writes; null if it makes none.
std::byte* take_memory(MeasureThread& thread, const MeasureTarget& target, bool is_used) {
    if (!is_used) return nullptr;
    std::byte* const data = thread.memory.data() + thread.memory_used_bytes;
    thread.memory_used_bytes += BlockMemory::needed_bytes(target);
    UMS_ASSERT(thread.memory_used_bytes <= thread.memory.size_bytes());
    return data;
}

// Whether the contents being written are those whose versions the book keeps.
bool is_made_by(const PageBook* book, MeasureContents contents) {
    if (book == nullptr) return false;
    return contents == (book->unit() == BookUnit::page ? MeasureContents::pages : MeasureContents::sectors);
}

// One task's request on a lane, from the choice of what to request to its statistics.
class Step {
public:
    Step(MeasureShared& shared, MeasureThread& thread, MeasureLane& lane)
        : shared_(shared),
          lane_(lane),
          spec_(lane.work.spec),
          file_(*lane.work.door.file),
          own_chooser_(lane.chooser),
          read_memory_(take_memory(thread, spec_, spec_.write_percent < 100), spec_.piece_bytes),
          write_memory_(take_memory(thread, spec_, spec_.write_percent > 0), spec_.piece_bytes),
          contents_(spec_.source),
          writes_stamped_(spec_.write_percent > 0 && is_made_by(file_.pages.get(), spec_.source.contents)),
          unit_bytes_(file_.pages != nullptr ? file_.pages->unit_bytes() : kSectorBytes) {
        request_.file = lane.work.door.handle;
        request_.owner = &file_;
        if (lane.work.is_verified || writes_stamped_) marks_.resize(spec_.block_bytes / unit_bytes_);
    }

    [[nodiscard]] MeasureLane& lane() { return lane_; }
    [[nodiscard]] ums::IoRequest& request() { return request_; }
    [[nodiscard]] bool is_write() const { return request_.operation == ums::IoOperation::write; }
    [[nodiscard]] bool is_verified_read() const { return !is_write() && lane_.work.is_verified; }
    [[nodiscard]] bool has_device() const { return !request_.file.is_copied(); }

    // At once, so that requests of other tasks on the lane cannot come in between.
    void choose(ums::Prng& prng) {
        OffsetChooser& chooser = spec_.same_start ? own_chooser_ : lane_.chooser;
        const bool is_new_run = chooser.begins_run(prng);
        if (is_new_run) {
            lane_.run_writes = spec_.write_percent == 100 || (spec_.write_percent > 0 && prng.below(100) < spec_.write_percent);
        }
        const bool writes = lane_.run_writes;
        request_.reset();
        request_.operation = writes ? ums::IoOperation::write : ums::IoOperation::read;
        request_.durable = writes && spec_.write_through;
        std::uint32_t size_bytes = spec_.block_bytes;
        if (has_block_range(spec_)) {
            const std::uint32_t stamped = writes_stamped_ || lane_.work.is_verified ? unit_bytes_ : kSectorBytes;
            const std::uint32_t unit = std::max(stamped, lane_.work.door.sector_bytes);
            const std::uint32_t units_min = (spec_.block_bytes_min + unit - 1) / unit;
            size_bytes = static_cast<std::uint32_t>(prng.between(units_min, spec_.block_bytes / unit)) * unit;
        }
        request_.size_bytes = size_bytes;
        request_.offset_bytes = chooser.next(size_bytes, is_new_run, prng);
    }

    // The time that the chosen request takes up at the lane's rate.
    [[nodiscard]] double interval_ns() const {
        switch (spec_.rate.unit) {
            case MeasureRateUnit::none: return 0;
            case MeasureRateUnit::requests_per_s: return 1e9 / spec_.rate.amount;
            case MeasureRateUnit::bytes_per_s: return static_cast<double>(request_.size_bytes) * 1e9 / spec_.rate.amount;
        }
        return 0;
    }

    // Right before it is posted.
    void prepare(ums::Prng& prng) {
        (is_write() ? write_memory_ : read_memory_).segments_of(request_.size_bytes, segments_);
        request_.segments = segments_.data();
        request_.segment_count = static_cast<std::uint32_t>(segments_.size());
        if (is_write()) {
            make_contents(prng);
        } else if (is_verified_read()) {
            for (const ums::IoSegment& segment : segments_) stamp_not_read(segment.data, segment.size_bytes);
            for (std::size_t i = 0; i < unit_count(); ++i) marks_[i] = file_.pages->mark(first_unit() + i);
        }
    }

    // Called when the request has completed.
    ums::Task<void> look_at_answer() {
        const bool is_right = is_answered(file_, request_, shared_.run, shared_.journal);
        if (is_write() && writes_stamped_) {
            for (std::size_t i = 0; i < unit_count(); ++i) file_.pages->end_write(first_unit() + i, is_right);
        }
        if (!is_right || !is_verified_read()) co_return;
        std::uint64_t judged = 0;
        for (std::size_t i = 0; i < unit_count(); ++i) {
            const std::byte* const image = unit_data(i);
            const BookJudgement judgement = file_.pages->judge(first_unit() + i, image, marks_[i]);
            if (judgement != BookJudgement::not_judged) ++judged;
            if (judgement != BookJudgement::wrong) continue;
            co_await report_wrong_page(file_, request_.file, first_unit() + i, image, marks_[i], shared_.journal);
        }
        lane_.work.pages_verified.fetch_add(judged, std::memory_order_relaxed);
        lane_.work.pages_not_judged.fetch_add(unit_count() - judged, std::memory_order_relaxed);
    }

    // `handled_ns`: when the task got the answer. An answer that waited for others of the same moment was of no use to anyone before, and
    // DiskSpd and fio count the same way.
    void count(std::uint64_t intended_ns, std::uint64_t handled_ns) {
        const std::uint64_t completed_ns = std::max(request_.completed_ns, handled_ns);
        if (completed_ns < shared_.window.begin_ns || completed_ns >= shared_.window.end_ns.load(std::memory_order_relaxed)) return;
        if (!request_.is_complete_transfer()) return;
        const std::uint64_t start_ns = intended_ns != 0 ? intended_ns : request_.submitted_ns;
        const std::uint64_t latency_ns = completed_ns - std::min(completed_ns, start_ns);
        MeasureCounts& counts = is_write() ? lane_.row.writes : lane_.row.reads;
        ++counts.requests;
        counts.bytes += request_.size_bytes;
        if (shared_.spec.measure_latency) counts.latency.add(latency_ns);
        if (shared_.spec.iops_interval_ms == 0) return;
        const std::uint64_t interval = (completed_ns - shared_.window.begin_ns) / (shared_.spec.iops_interval_ms * ums::kNsPerMs);
        if (lane_.row.intervals.size() <= interval) lane_.row.intervals.resize(interval + 1);
        MeasureInterval& counted = lane_.row.intervals[interval];
        (is_write() ? counted.writes : counted.reads).add(request_.size_bytes, latency_ns);
    }

    // Whether the lane must make its writes durable now.
    [[nodiscard]] bool must_flush() {
        if (!is_write() || spec_.flush_every_writes == 0) return false;
        if (++lane_.writes_since_flush < spec_.flush_every_writes) return false;
        lane_.writes_since_flush = 0;
        return true;
    }

    ums::Task<void> flush() {
        ums::IoRequest sync;
        sync.operation = ums::IoOperation::sync;
        sync.file = request_.file;
        sync.owner = &file_;
        co_await ums::Scheduler::current().io(sync);
        const bool is_counted =
            sync.completed_ns >= shared_.window.begin_ns && sync.completed_ns < shared_.window.end_ns.load(std::memory_order_relaxed);
        if (is_answered(file_, sync, shared_.run, shared_.journal) && is_counted) ++lane_.row.flushes;
    }

private:
    // Pages, or sectors.
    [[nodiscard]] std::uint64_t first_unit() const { return request_.offset_bytes / unit_bytes_; }
    [[nodiscard]] std::size_t unit_count() const { return request_.size_bytes / unit_bytes_; }
    [[nodiscard]] std::byte* unit_data(std::size_t index) const {
        std::size_t offset = index * unit_bytes_;
        for (const ums::IoSegment& segment : segments_) {
            if (offset < segment.size_bytes) return segment.data + offset;
            offset -= segment.size_bytes;
        }
        UMS_ASSERT(false && "no such page or sector in the request");
    }

    void make_contents(ums::Prng& prng) {
        if (writes_stamped_) {
            const std::uint64_t utc_us = shared_.journal.clock().utc_us();
            for (std::size_t i = 0; i < unit_count(); ++i) {
                const std::uint64_t unit = first_unit() + i;
                file_.pages->make_image(unit, file_.pages->begin_write(unit), utc_us, unit_data(i));
            }
            return;
        }
        std::uint64_t offset_bytes = request_.offset_bytes;
        for (const ums::IoSegment& segment : segments_) {
            contents_.fill(segment.data, offset_bytes, segment.size_bytes, prng);
            offset_bytes += segment.size_bytes;
        }
    }

    MeasureShared& shared_;
    MeasureLane& lane_;
    const MeasureTarget& spec_;
    MeasureFile& file_;
    OffsetChooser own_chooser_;
    const BlockMemory read_memory_;
    const BlockMemory write_memory_;
    WriteContents contents_;
    const bool writes_stamped_;
    const std::uint32_t unit_bytes_;
    std::vector<ums::IoSegment> segments_;
    std::vector<PageBook::Mark> marks_;
    ums::IoRequest request_;
};

std::size_t lane_by_weight(const MeasureThread& thread, ums::Prng& prng) {
    if (thread.lanes.size() == 1) return 0;
    std::uint64_t dice = prng.below(thread.weights);
    std::size_t lane = 0;
    while (dice >= thread.lanes[lane]->weight) dice -= thread.lanes[lane++]->weight;
    return lane;
}

// Waits until exactly `time_ns`; false if the load ended first.
ums::Task<bool> wait_until(MeasureShared& shared, std::uint64_t time_ns) {
    ums::Scheduler& scheduler = ums::Scheduler::current();
    const bool is_real = scheduler.clock().is_real();
    const std::uint64_t early_ns = is_real ? std::min(time_ns, kTimerLateNs) : 0;
    if (scheduler.now_ns() + early_ns < time_ns) {
        const bool has_ended = co_await shared.stop.wait(ums::WaitType::sleep_task, time_ns - early_ns);
        if (has_ended) co_return false;
    }
    while (scheduler.now_ns() < time_ns) co_await scheduler.yield();
    co_return !shared.stop.is_set();
}

// When the lane's next request may start, given its pauses between bursts; 0: at once.
std::uint64_t end_of_pause(MeasureLane& lane, std::uint64_t now_ns) {
    const MeasureTarget& spec = lane.work.spec;
    if (spec.burst_requests == 0) return 0;
    if (now_ns < lane.pause_until_ns) return lane.pause_until_ns;
    if (lane.requests_of_burst < spec.burst_requests) return 0;
    lane.requests_of_burst = 0;
    // With a rate, other tasks have chosen the last requests of the burst, but not started them yet.
    lane.pause_until_ns = std::max(now_ns, lane.last_start_ns) + spec.think_time_ms * ums::kNsPerMs;
    return lane.pause_until_ns;
}

// When a request that takes up `interval_ns` of the lane's rate is to start. A pause that was asked for is no delay of the storage's, and
// what was due meanwhile is not made up for: the next burst would have no rate.
std::uint64_t take_start(MeasureLane& lane, double interval_ns) {
    lane.next_start_ns = std::max(lane.next_start_ns, static_cast<double>(lane.pause_until_ns));
    lane.last_start_ns = static_cast<std::uint64_t>(lane.next_start_ns);
    lane.next_start_ns += interval_ns;
    return lane.last_start_ns;
}

}  // namespace

std::size_t memory_bytes_of(const MeasureTimespan& spec, const MeasureThread& thread) {
    std::size_t bytes = 0;
    for (const auto& lane : thread.lanes) {
        const MeasureTarget& target = lane->work.spec;
        const bool is_mixed = target.write_percent > 0 && target.write_percent < 100;
        bytes += tasks_of(spec, target) * BlockMemory::needed_bytes(target) * (is_mixed ? 2 : 1);
    }
    return bytes;
}

ums::Task<void> run_measure_task(MeasureShared& shared, MeasureThread& thread, MeasureLane* lane, std::uint64_t seed) {
    ums::Scheduler& scheduler = ums::Scheduler::current();
    ums::LocalCounter& live_requests = shared.live_requests[scheduler.id() % kCpusMax];
    ums::Prng prng(seed);
    if (thread.memory.data() == nullptr) make_memory(shared.spec, thread);
    std::vector<std::unique_ptr<Step>> steps;
    for (const auto& each : thread.lanes) {
        if (lane == nullptr || lane == each.get()) steps.push_back(std::make_unique<Step>(shared, thread, *each));
    }
    shared.one_is_ready();
    co_await shared.start.wait(ums::WaitType::sleep_task);
    while (!shared.stop.is_set()) {
        Step& step = *steps[lane != nullptr ? 0 : lane_by_weight(thread, prng)];
        bool has_ended = false;
        for (;;) {
            const std::uint64_t pause_ns = step.lane().work.spec.burst_requests == 0 ? 0 : end_of_pause(step.lane(), scheduler.now_ns());
            if (pause_ns == 0) break;
            has_ended = !co_await wait_until(shared, pause_ns);
            if (has_ended) break;
        }
        if (has_ended) break;
        ++step.lane().requests_of_burst;
        step.choose(prng);
        std::uint64_t intended_ns = 0;
        if (const double interval_ns = step.interval_ns(); interval_ns > 0) {
            intended_ns = take_start(step.lane(), interval_ns);
            has_ended = !co_await wait_until(shared, intended_ns);
            if (has_ended) break;
        }
        if (step.is_write()) co_await scheduler.before_computing(step.has_device());
        step.prepare(prng);
        co_await scheduler.io(step.request(), ums::WaitType::io_completion);
        // A task that has made a copy may have let others run since: their copies take none of its time.
        const std::uint64_t handled_ns = step.request().was_immediate() ? step.request().completed_ns : scheduler.now_ns();
        live_requests.add(1);
        if (step.is_verified_read()) co_await scheduler.before_computing(step.has_device());
        co_await step.look_at_answer();
        step.count(intended_ns, handled_ns);
        if (step.must_flush()) co_await step.flush();
    }
}

}  // namespace sim
