#include "cli/run/output_writer.hpp"

#include <memory>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "ums/base/os_thread.hpp"
#include "ums/base/units.hpp"
#include "ums/io/file_extents.hpp"

namespace cli {
namespace {

// A finding with its images and its history takes some 100 KB.
constexpr std::size_t kEvidenceMax = 128;
constexpr std::size_t kItemsMax = 20'000;
constexpr std::chrono::milliseconds kWriterPatience{1000};

// Whether a finding concerns bytes of a file whose device answers; asking a device that does not answer would block, too.
bool has_place(const sim::Finding& finding) {
    return finding.request.of_file == sim::FileRequest::none && (finding.kind != sim::FindingKind::stalled_io || finding.is_warning);
}

}  // namespace

OutputWriter::OutputWriter(reports::XmlLog& log, reports::FindingsFile* findings, reports::ErrorDump& evidence)
    : log_(log), findings_file_(findings), evidence_(evidence), thread_(ums::start_thread([this] { work(); })) {}

OutputWriter::~OutputWriter() {
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void OutputWriter::on_begin() { enqueue({.payload = Begin{}}); }
void OutputWriter::on_event(const sim::Event& event) { enqueue({.payload = event}); }
void OutputWriter::on_finding(const sim::Finding& finding) { enqueue({.payload = finding, .has_evidence = true}); }

bool OutputWriter::is_stuck() const { return is_busy_ && clock_.now_ns() - busy_since_ns_ > kWriterPatience.count() * ums::kNsPerMs; }

bool OutputWriter::is_full() const { return queued_evidence_ >= kEvidenceMax || queue_.size() >= kItemsMax; }

void OutputWriter::enqueue(Item item) {
    std::unique_lock lock(mutex_);
    while (is_full() && !is_stuck()) changed_.wait_for(lock, kWriterPatience / 10);
    if (queue_.size() >= kItemsMax) {
        ++left_out_;
        return;
    }
    if (item.has_evidence && queued_evidence_ >= kEvidenceMax) {
        std::get<sim::Finding>(item.payload).evidence.drop();
        item.has_evidence = false;
        ++without_evidence_;
    }
    queued_evidence_ += item.has_evidence ? 1 : 0;
    queue_.push_back(std::move(item));
    changed_.notify_all();
}

void OutputWriter::work() {
    ums::name_this_thread("output");
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return !queue_.empty() || is_ending_; });
        if (queue_.empty()) return;
        Item item = std::move(queue_.front());
        queue_.pop_front();
        is_busy_ = true;
        busy_since_ns_ = clock_.now_ns();
        lock.unlock();
        bool is_lost = false;
        try {
            std::visit([this](auto& payload) { write(payload); }, item.payload);
        } catch (const std::bad_alloc&) {
            is_lost = true;
        }
        lock.lock();
        left_out_ += is_lost ? 1 : 0;
        queued_evidence_ -= item.has_evidence ? 1 : 0;
        is_busy_ = false;
        ++done_;
        changed_.notify_all();
    }
}

void OutputWriter::write(const Begin& /*begin*/) { log_.on_begin(); }
void OutputWriter::write(const sim::Event& event) { log_.on_event(event); }

// Saves the evidence first, because the other files name it.
void OutputWriter::write(sim::Finding& finding) {
    finding.place.device = place_of(finding);
    finding.evidence.dump_path = evidence_.save(finding);
    const bool is_kept = kept_.keeps(finding);
    if (is_kept && (finding.place.device || !finding.evidence.dump_path.empty())) {
        const std::lock_guard lock(mutex_);
        known_[finding.number] = {.dump_path = finding.evidence.dump_path, .device = finding.place.device};
    }
    if (findings_file_ != nullptr) findings_file_->on_finding(finding);
    log_.on_finding(finding);
}

// Asks on a separate thread: the tested file system may hang, while the files written here are on another one.
std::optional<sim::DevicePlace> OutputWriter::place_of(const sim::Finding& finding) {
    if (!has_place(finding)) return std::nullopt;
    const auto answer = std::make_shared<std::optional<ums::DeviceOffset>>();
    const auto ask = [answer, path = finding.place.path, offset = finding.place.offset_bytes] {
        *answer = ums::device_offset_of(path, offset);
    };
    if (!places_.call(ask, kWriterPatience) || !*answer) return std::nullopt;
    return sim::DevicePlace{(*answer)->device, (*answer)->offset_bytes};
}

bool OutputWriter::flush(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    while (is_busy_ || !queue_.empty()) {
        const std::uint64_t before = done_;
        if (!changed_.wait_for(lock, patience, [&] { return done_ != before; })) return false;
    }
    return true;
}

std::chrono::milliseconds OutputWriter::stuck() const {
    const std::lock_guard lock(mutex_);
    return is_busy_ ? std::chrono::milliseconds((clock_.now_ns() - busy_since_ns_) / ums::kNsPerMs) : std::chrono::milliseconds{};
}

void OutputWriter::complete(std::vector<sim::Finding>& findings) const {
    const std::lock_guard lock(mutex_);
    for (sim::Finding& finding : findings) {
        const auto found = known_.find(finding.number);
        if (found == known_.end()) continue;
        finding.evidence.dump_path = found->second.dump_path;
        finding.place.device = found->second.device;
    }
}

std::vector<std::string> OutputWriter::failures() const {
    std::vector<std::string> failures;
    const std::lock_guard lock(mutex_);
    const std::size_t unwritten = queue_.size() + left_out_ + (is_busy_ ? 1 : 0);
    if (unwritten > 0 && !is_busy_) {
        failures.push_back(
            fmt::format("log file '{}', findings file, dump files: {} messages and findings are missing there: the disk did not "
                        "answer for a while, or there was not enough memory.",
                        log_.path(), unwritten));
    } else if (unwritten > 0) {
        failures.push_back(
            fmt::format("log file '{}', findings file, dump files: the disk does not answer; {} messages and findings are missing there.",
                        log_.path(), unwritten));
    }
    if (without_evidence_ > 0) {
        failures.push_back(fmt::format("dump files: the disk did not answer for a while; {} findings are without images and history there.",
                                       without_evidence_));
    }
    if (is_busy_) return failures;  // the files are still in use
    for (const auto& failure :
         {log_.failure(), findings_file_ != nullptr ? findings_file_->failure() : std::nullopt, evidence_.failure()}) {
        if (failure) failures.push_back(*failure);
    }
    return failures;
}

}  // namespace cli
