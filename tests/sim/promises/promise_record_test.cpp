// Records of promises: the bytes documented in docs/ledger_format.md, and no others.
#include "sim/promises/promise_record.hpp"

#include <cstring>

#include <fmt/format.h>

#include "sim/page/log_layout.hpp"
#include "tests/support/catch.hpp"

namespace {

sim::PromiseSection small_section() {
    sim::PromiseSection section;
    section.run_id = 0x1122334455667788;
    section.section_id = 0x0102030405060708;
    section.utc_us = 1'700'000'000'000'000;
    section.incarnation = 2;
    section.host = "host";
    section.files = {{1, false, 4096, "/d/a.mdx"}, {2, true, 0, "/d/a.ldx"}};
    return section;
}

sim::PromiseBatch small_batch() {
    sim::PromiseBatch batch;
    batch.run_id = 0x1122334455667788;
    batch.section_id = 0x0102030405060708;
    batch.number = 7;
    batch.utc_us = 1'700'000'000'000'001;
    batch.hardened_sequence = 30;
    batch.hardened_lsn = 0x500001000;
    batch.checkpoint_lsn = 0x400000000;
    batch.controls = {{sim::PromiseControlKind::cut, 1, 100, 0x500000000}, {sim::PromiseControlKind::size, 1, 200, 0}};
    batch.pages = {{1, 42, 3, 0xdeadbeef}};
    return batch;
}

std::string hex(std::span<const std::byte> bytes) {
    std::string text;
    for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
    return text;
}

}  // namespace

TEST_CASE("the records of promises have the documented bytes") {
    CHECK(hex(encode(small_section())) ==
          "424ce5c3494f5050010001008800000088776655443322110807060504030201000000000000000000401e18240a0600"
          "0000000000000000000000000000000002000000040000000200000000000000686f7374000000000100000000000000"
          "00100000080000002f642f612e6d6478020000000100000000000000080000002f642f612e6c6478");
    CHECK(hex(encode(small_batch())) ==
          "373f8176494f5050010002009000000088776655443322110807060504030201070000000000000001401e18240a0600"
          "1e0000000000000000100000050000000000000004000000020000000100000001000000010000006400000000000000"
          "00000000050000000200000001000000c8000000000000000000000000000000010000002a00000003000000efbeadde");
}

TEST_CASE("a record of promises reads back as it was written") {
    CHECK(sim::decode_section(encode(small_section())) == small_section());
    CHECK(sim::decode_batch(encode(small_batch())) == small_batch());
    CHECK_FALSE(sim::decode_batch(encode(small_section())));
    CHECK_FALSE(sim::decode_section(encode(small_batch())));
}

TEST_CASE("a record of promises that is truncated or has a wrong bit is rejected") {
    for (const std::vector<std::byte>& record : {encode(small_section()), encode(small_batch())}) {
        for (std::size_t size = 0; size < record.size(); ++size) {
            const std::span<const std::byte> part(record.data(), size);
            CHECK_FALSE((sim::decode_section(part) || sim::decode_batch(part)));
        }
        for (std::size_t bit = 0; bit < record.size() * 8; ++bit) {
            std::vector<std::byte> wrong = record;
            wrong[bit / 8] ^= std::byte{1} << (bit % 8);
            CHECK_FALSE((sim::decode_section(wrong) || sim::decode_batch(wrong)));
        }
    }
}

TEST_CASE("a header that announces more promises than a record can hold is rejected") {
    std::vector<std::byte> record = encode(small_batch());
    const std::uint32_t too_many = sim::kPromiseRecordBytesMax + 8;
    std::memcpy(record.data() + offsetof(sim::PromiseHeader, size_bytes), &too_many, sizeof too_many);
    CHECK_FALSE(sim::read_promise_header(record));
    CHECK(sim::read_promise_header(encode(small_batch()))->number == 7);
}

TEST_CASE("a promise of more log blocks than there can be, or of a page without a number, is rejected") {
    sim::PromiseBatch batch = small_batch();
    batch.hardened_sequence = sim::kLogBlocksMax;
    CHECK(sim::decode_batch(encode(batch)));
    for (const std::uint64_t sequence : {sim::kLogBlocksMax + 1, ~std::uint64_t{0}}) {
        batch.hardened_sequence = sequence;
        CHECK_FALSE(sim::decode_batch(encode(batch)));
    }
    constexpr std::uint64_t kBeyondPages = std::uint64_t{1} << 32;
    for (const auto kind : {sim::PromiseControlKind::cut, sim::PromiseControlKind::size, sim::PromiseControlKind::void_page}) {
        batch = small_batch();
        batch.controls = {{kind, 1, kBeyondPages - 1, 0}};
        CHECK(sim::decode_batch(encode(batch)));
        batch.controls[0].pages = kBeyondPages;
        CHECK_FALSE(sim::decode_batch(encode(batch)));
        batch.controls[0].pages = sim::kAllPages;
        CHECK((sim::decode_batch(encode(batch)).has_value() == (kind == sim::PromiseControlKind::cut)));
    }
}
