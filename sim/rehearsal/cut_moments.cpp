#include "sim/rehearsal/cut_moments.hpp"

#include <algorithm>
#include <cstring>

#include "sim/log/log_block_check.hpp"
#include "ums/base/assert.hpp"
#include "ums/io/request_bytes.hpp"

namespace sim {

namespace {

bool holds_record(const std::vector<std::byte>& block, LogRecordKind kind) {
    const LogBlockHeader header = read_block_header(block.data());
    std::size_t offset = sizeof header;
    while (offset + sizeof(LogRecordHeader) <= header.used_bytes) {
        LogRecordHeader record;
        std::memcpy(&record, block.data() + offset, sizeof record);
        if (record.kind == static_cast<std::uint16_t>(kind)) return true;
        offset += record.size_bytes;
    }
    return false;
}

}  // namespace

std::string_view name_of(CutReason reason) {
    static constexpr std::array<std::string_view, kCutReasonCount> kNames = {"any_moment", "creation",   "resize",        "sync",
                                                                             "log_flush",  "checkpoint", "checkpoint_end"};
    return kNames.at(static_cast<std::size_t>(reason));
}

void CutMoments::add(CutReason reason, std::uint64_t moment) {
    std::vector<std::uint64_t>& moments = moments_.at(static_cast<std::size_t>(reason));
    if (moments.empty() || moments.back() != moment) moments.push_back(moment);
}

void CutMoments::observe(const ums::PowerMoment& moment) {
    UMS_ASSERT(moment.number > count_);
    count_ = moment.number;
    if (phase_() == Phase::create) return add(CutReason::creation, moment.number);
    if (is_after_log_flush_) add(CutReason::log_flush, moment.number);
    is_after_log_flush_ = false;
    if (is_in_checkpoint_) add(CutReason::checkpoint, moment.number);
    switch (moment.operation) {
        case ums::IoOperation::read: return;
        case ums::IoOperation::write: return observe_log_block(moment);
        case ums::IoOperation::sync: add(CutReason::sync, moment.number); return add(CutReason::sync, moment.number + 1);
        case ums::IoOperation::allocate:
        case ums::IoOperation::truncate: add(CutReason::resize, moment.number); return add(CutReason::resize, moment.number + 1);
    }
}

void CutMoments::observe_log_block(const ums::PowerMoment& moment) {
    const bool is_log = std::any_of(options_.files.begin(), options_.files.end(),
                                    [&](const FileOptions& file) { return file.is_log && file.path == *moment.path; });
    if (!is_log || moment.request == nullptr) return;
    is_after_log_flush_ = moment.kind == ums::PowerMoment::Kind::completion;
    std::vector<std::byte> block(moment.size_bytes);
    ums::copy_from_request(*moment.request, moment.offset_bytes, block.data(), block.size());
    if (!is_sound_block(block.data(), block.size())) return;  // zeros that fill new space
    if (holds_record(block, LogRecordKind::checkpoint_begin)) is_in_checkpoint_ = true;
    if (!holds_record(block, LogRecordKind::checkpoint_end)) return;
    add(CutReason::checkpoint_end, moment.number);
    add(CutReason::checkpoint_end, moment.number + 1);
    if (is_after_log_flush_) is_in_checkpoint_ = false;
}

CutMoments::Choice CutMoments::draw(ums::Prng& prng) const {
    UMS_ASSERT(count_ > 0);
    const Choice any{prng.between(1, count_), CutReason::any_moment};
    if (prng.below(2) == 0) return any;
    const std::size_t reason = prng.between(1, kCutReasonCount - 1);
    const std::vector<std::uint64_t>& moments = moments_.at(reason);
    if (moments.empty()) return any;
    return {std::min(moments[prng.below(moments.size())], count_), static_cast<CutReason>(reason)};
}

}  // namespace sim
