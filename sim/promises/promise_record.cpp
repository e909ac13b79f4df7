#include "sim/promises/promise_record.hpp"

#include <cstring>

#include "sim/limits.hpp"
#include "sim/page/checksum.hpp"
#include "sim/page/log_layout.hpp"
#include "ums/base/assert.hpp"

namespace sim {

namespace {

struct SectionBody {
    std::uint64_t keeps_section;
    std::uint64_t keeps_number;
    std::uint32_t incarnation;
    std::uint32_t host_bytes;
    std::uint32_t file_count;
    std::uint32_t reserved;
};
struct FileBody {
    std::uint32_t id;
    std::uint32_t is_log;
    std::uint32_t page_count;
    std::uint32_t path_bytes;
};
struct BatchBody {
    std::uint64_t hardened_sequence;
    std::uint64_t hardened_lsn;
    std::uint64_t checkpoint_lsn;
    std::uint32_t control_count;
    std::uint32_t page_count;
};
static_assert(sizeof(SectionBody) == 32 && sizeof(FileBody) == 16 && sizeof(BatchBody) == 32);

class Encoder {
public:
    Encoder() : bytes_(sizeof(PromiseHeader)) {}

    void put(const void* data, std::size_t size_bytes) {
        const auto* const begin = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), begin, begin + size_bytes);
    }
    void put_text(const std::string& text) {
        put(text.data(), text.size());
        bytes_.resize((bytes_.size() + 7) / 8 * 8);
    }
    std::vector<std::byte> finish(PromiseHeader header) {
        bytes_.resize((bytes_.size() + 7) / 8 * 8);
        UMS_ASSERT(bytes_.size() <= kPromiseRecordBytesMax);
        header.size_bytes = static_cast<std::uint32_t>(bytes_.size());
        std::memcpy(bytes_.data(), &header, sizeof header);
        header.checksum = crc32c(bytes_.data() + sizeof header.checksum, bytes_.size() - sizeof header.checksum);
        std::memcpy(bytes_.data(), &header, sizeof header);
        return std::move(bytes_);
    }

private:
    std::vector<std::byte> bytes_;
};

// Returns nothing more after a request for too much.
class Decoder {
public:
    explicit Decoder(std::span<const std::byte> rest) : rest_(rest) {}

    bool get(void* data, std::size_t size_bytes) {
        if (size_bytes > rest_.size()) return is_good_ = false;
        if (size_bytes > 0) std::memcpy(data, rest_.data(), size_bytes);
        rest_ = rest_.subspan(size_bytes);
        return is_good_;
    }
    bool get_text(std::string& text, std::uint32_t size_bytes) {
        const std::size_t padded_bytes = (std::size_t{size_bytes} + 7) / 8 * 8;
        if (size_bytes > kPromiseTextMax || padded_bytes > rest_.size()) return is_good_ = false;
        text.assign(reinterpret_cast<const char*>(rest_.data()), size_bytes);
        rest_ = rest_.subspan(padded_bytes);
        return is_good_;
    }
    [[nodiscard]] bool is_at_end() const { return is_good_ && rest_.size() < 8; }
    [[nodiscard]] std::size_t left_bytes() const { return rest_.size(); }

private:
    std::span<const std::byte> rest_;
    bool is_good_ = true;
};

PromiseHeader header_of(PromiseRecordKind kind, std::uint64_t run_id, std::uint64_t section_id, std::uint64_t number,
                        std::uint64_t utc_us) {
    return {0, kPromiseMagic, kPromiseFormat, static_cast<std::uint16_t>(kind), 0, run_id, section_id, number, utc_us};
}

bool is_record_of(std::span<const std::byte> record, PromiseRecordKind kind, PromiseHeader& header) {
    const std::optional<PromiseHeader> found = read_promise_header(record);
    if (!found || found->kind != static_cast<std::uint16_t>(kind) || found->size_bytes != record.size()) return false;
    header = *found;
    return header.checksum == crc32c(record.data() + sizeof header.checksum, record.size() - sizeof header.checksum);
}

// Page numbers have 32 bits.
bool is_control(const PromiseControl& control) {
    const bool is_kind = control.kind >= PromiseControlKind::cut && control.kind <= PromiseControlKind::void_file;
    const bool is_cut_of_nothing = control.kind == PromiseControlKind::cut && control.pages == kAllPages;
    return is_kind && (control.pages <= kFilePagesMax || is_cut_of_nothing);
}

}  // namespace

std::vector<std::byte> encode(const PromiseSection& section) {
    UMS_ASSERT(section.files.size() <= kPromiseFilesMax && section.host.size() <= kPromiseTextMax);
    Encoder encoder;
    const SectionBody body{section.keeps_section,
                           section.keeps_number,
                           section.incarnation,
                           static_cast<std::uint32_t>(section.host.size()),
                           static_cast<std::uint32_t>(section.files.size()),
                           0};
    encoder.put(&body, sizeof body);
    encoder.put_text(section.host);
    for (const PromisedFile& file : section.files) {
        UMS_ASSERT(file.path.size() <= kPromiseTextMax);
        const FileBody file_body{file.id, file.is_log ? 1U : 0U, file.page_count, static_cast<std::uint32_t>(file.path.size())};
        encoder.put(&file_body, sizeof file_body);
        encoder.put_text(file.path);
    }
    return encoder.finish(header_of(PromiseRecordKind::section, section.run_id, section.section_id, 0, section.utc_us));
}

std::vector<std::byte> encode(const PromiseBatch& batch) {
    UMS_ASSERT(batch.pages.size() <= kPromisePagesMax && batch.controls.size() <= kPromiseControlsMax && batch.number > 0);
    Encoder encoder;
    const BatchBody body{batch.hardened_sequence, batch.hardened_lsn, batch.checkpoint_lsn,
                         static_cast<std::uint32_t>(batch.controls.size()), static_cast<std::uint32_t>(batch.pages.size())};
    encoder.put(&body, sizeof body);
    encoder.put(batch.controls.data(), batch.controls.size() * sizeof(PromiseControl));
    encoder.put(batch.pages.data(), batch.pages.size() * sizeof(PromisedPage));
    return encoder.finish(header_of(PromiseRecordKind::batch, batch.run_id, batch.section_id, batch.number, batch.utc_us));
}

std::optional<PromiseHeader> read_promise_header(std::span<const std::byte> bytes) {
    PromiseHeader header;
    if (bytes.size() < sizeof header) return std::nullopt;
    std::memcpy(&header, bytes.data(), sizeof header);
    const bool is_kind = header.kind == static_cast<std::uint16_t>(PromiseRecordKind::section) ||
                         header.kind == static_cast<std::uint16_t>(PromiseRecordKind::batch);
    const bool is_size = header.size_bytes >= sizeof header && header.size_bytes <= kPromiseRecordBytesMax && header.size_bytes % 8 == 0;
    if (header.magic != kPromiseMagic || header.format != kPromiseFormat || !is_kind || !is_size) return std::nullopt;
    return header;
}

std::optional<PromiseSection> decode_section(std::span<const std::byte> record) {
    PromiseHeader header;
    if (!is_record_of(record, PromiseRecordKind::section, header)) return std::nullopt;
    Decoder decoder(record.subspan(sizeof header));
    SectionBody body;
    if (!decoder.get(&body, sizeof body) || body.file_count > kPromiseFilesMax) return std::nullopt;
    PromiseSection section;
    section.run_id = header.run_id;
    section.section_id = header.section_id;
    section.utc_us = header.utc_us;
    section.incarnation = body.incarnation;
    section.keeps_section = body.keeps_section;
    section.keeps_number = body.keeps_number;
    if (!decoder.get_text(section.host, body.host_bytes)) return std::nullopt;
    for (std::uint32_t i = 0; i < body.file_count; ++i) {
        FileBody file;
        PromisedFile& promised = section.files.emplace_back();
        if (!decoder.get(&file, sizeof file) || !decoder.get_text(promised.path, file.path_bytes)) return std::nullopt;
        promised.id = file.id;
        promised.is_log = file.is_log != 0;
        promised.page_count = file.page_count;
    }
    if (!decoder.is_at_end()) return std::nullopt;
    return section;
}

std::optional<PromiseBatch> decode_batch(std::span<const std::byte> record) {
    PromiseHeader header;
    if (!is_record_of(record, PromiseRecordKind::batch, header) || header.number == 0) return std::nullopt;
    Decoder decoder(record.subspan(sizeof header));
    BatchBody body;
    if (!decoder.get(&body, sizeof body)) return std::nullopt;
    if (body.control_count > kPromiseControlsMax || body.page_count > kPromisePagesMax) return std::nullopt;
    if (body.hardened_sequence > kLogBlocksMax) return std::nullopt;
    PromiseBatch batch{header.run_id,
                       header.section_id,
                       header.number,
                       header.utc_us,
                       body.hardened_sequence,
                       body.hardened_lsn,
                       body.checkpoint_lsn,
                       std::vector<PromiseControl>(body.control_count),
                       std::vector<PromisedPage>(body.page_count)};
    const bool is_whole = decoder.get(batch.controls.data(), batch.controls.size() * sizeof(PromiseControl)) &&
                          decoder.get(batch.pages.data(), batch.pages.size() * sizeof(PromisedPage)) && decoder.is_at_end();
    if (!is_whole) return std::nullopt;
    for (const PromiseControl& control : batch.controls) {
        if (!is_control(control)) return std::nullopt;
    }
    return batch;
}

}  // namespace sim
