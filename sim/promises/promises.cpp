#include "sim/promises/promises.hpp"

#include <algorithm>

namespace sim {

void Promises::begin(const PromiseSection& section) {
    // A sender that did not get the answer repeats the section: what it keeps was kept the first time.
    const bool is_repeated =
        section.run_id == section_.run_id && section.section_id == section_.section_id && section.incarnation == section_.incarnation;
    if (is_repeated) return;
    const bool keeps = section.keeps_section != 0 && section.run_id == section_.run_id && section.keeps_section == section_.section_id &&
                       section.keeps_number == last_number_;
    if (!keeps) *this = Promises{};
    section_ = section;
    last_number_ = 0;
    last_utc_us_ = section.utc_us;
    for (const PromisedFile& file : section.files) files_[file.id].page_count = file.page_count;
}

bool Promises::add(const PromiseBatch& batch) {
    if (batch.run_id != section_.run_id || batch.section_id != section_.section_id) return false;
    // A store that was rewritten holds several batches with the last number.
    if (batch.number < last_number_) return true;
    last_number_ = batch.number;
    last_utc_us_ = std::max(last_utc_us_, batch.utc_us);
    hardened_sequence_ = std::max(hardened_sequence_, batch.hardened_sequence);
    hardened_lsn_ = std::max(hardened_lsn_, batch.hardened_lsn);
    checkpoint_lsn_ = std::max(checkpoint_lsn_, batch.checkpoint_lsn);
    for (const PromiseControl& control : batch.controls) apply(control);
    for (const PromisedPage& page : batch.pages) {
        std::unique_ptr<Piece>& piece = files_[page.file_id].pieces[page.page_id / kPiecePages];
        if (!piece) piece = std::make_unique<Piece>();
        (*piece)[page.page_id % kPiecePages] = {page.version, page.checksum};
    }
    return true;
}

void Promises::apply(const PromiseControl& control) {
    File& file = files_[control.file_id];
    switch (control.kind) {
        case PromiseControlKind::cut:
            void_from(file, control.pages);
            file.page_count = static_cast<std::uint32_t>(std::min<std::uint64_t>(file.page_count, control.pages));
            file.cut_lsn = std::max(file.cut_lsn, control.lsn);
            return;
        case PromiseControlKind::size: file.page_count = static_cast<std::uint32_t>(control.pages); return;
        case PromiseControlKind::void_page:
            if (const auto found = file.pieces.find(static_cast<std::uint32_t>(control.pages / kPiecePages)); found != file.pieces.end()) {
                (*found->second)[control.pages % kPiecePages] = {};
            }
            return;
        case PromiseControlKind::void_file: void_from(file, 0); return;
    }
}

void Promises::void_from(File& file, std::uint64_t first_page) {
    const auto first_piece = static_cast<std::uint32_t>(first_page / kPiecePages);
    const auto found = file.pieces.find(first_piece);
    if (found != file.pieces.end()) {
        std::fill(found->second->begin() + static_cast<std::ptrdiff_t>(first_page % kPiecePages), found->second->end(), Page{});
    }
    file.pieces.erase(file.pieces.upper_bound(first_piece), file.pieces.end());
}

Promises::Page Promises::page(std::uint32_t file_id, std::uint32_t page) const {
    const auto file = files_.find(file_id);
    if (file == files_.end()) return {};
    const auto piece = file->second.pieces.find(page / kPiecePages);
    return piece == file->second.pieces.end() ? Page{} : (*piece->second)[page % kPiecePages];
}

std::uint32_t Promises::page_count(std::uint32_t file_id) const {
    const auto file = files_.find(file_id);
    return file == files_.end() ? 0 : file->second.page_count;
}

std::uint64_t Promises::cut_lsn(std::uint32_t file_id) const {
    const auto file = files_.find(file_id);
    return file == files_.end() ? 0 : file->second.cut_lsn;
}

std::uint64_t Promises::promised_pages() const {
    std::uint64_t count = 0;
    for (const auto& [id, file] : files_) {
        for (const auto& [number, piece] : file.pieces) {
            count +=
                static_cast<std::uint64_t>(std::count_if(piece->begin(), piece->end(), [](const Page& page) { return page.version != 0; }));
        }
    }
    return count;
}

PromiseBatch Promises::empty_batch() const {
    PromiseBatch batch;
    batch.run_id = section_.run_id;
    batch.section_id = section_.section_id;
    batch.number = last_number_;
    batch.utc_us = last_utc_us_;
    batch.hardened_sequence = hardened_sequence_;
    batch.hardened_lsn = hardened_lsn_;
    batch.checkpoint_lsn = checkpoint_lsn_;
    return batch;
}

void Promises::for_each_record(const std::function<void(std::span<const std::byte>)>& take) const {
    PromiseSection section = section_;
    section.keeps_section = section.keeps_number = 0;
    take(encode(section));
    // Without a batch of its own, a section may still keep what earlier ones have promised.
    const bool has_more =
        std::any_of(files_.begin(), files_.end(), [](const auto& each) { return !each.second.pieces.empty() || each.second.cut_lsn > 0; });
    if (last_number_ == 0 && hardened_sequence_ == 0 && !has_more) return;
    PromiseBatch batch = empty_batch();
    if (batch.number == 0) batch.number = 1;
    const auto hand_over = [&](bool is_last) {
        const bool is_full = batch.pages.size() == kPromisePagesMax || batch.controls.size() + 2 > kPromiseControlsMax;
        if (!is_full && !is_last) return;
        take(encode(batch));
        batch.controls.clear();
        batch.pages.clear();
    };
    for (const auto& [id, file] : files_) {
        // `cut` only lowers the size.
        batch.controls.push_back({PromiseControlKind::cut, id, kAllPages, file.cut_lsn});
        batch.controls.push_back({PromiseControlKind::size, id, file.page_count, 0});
        hand_over(false);
    }
    for (const auto& [id, file] : files_) {
        for (const auto& [number, piece] : file.pieces) {
            for (std::uint32_t i = 0; i < kPiecePages; ++i) {
                const Page& page = (*piece)[i];
                if (page.version == 0) continue;
                batch.pages.push_back({id, number * kPiecePages + i, page.version, page.checksum});
                hand_over(false);
            }
        }
    }
    hand_over(true);
}

}  // namespace sim
