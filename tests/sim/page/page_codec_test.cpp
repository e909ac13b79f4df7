#include "sim/page/page_codec.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "tests/sim/support/page_buffer.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"

using sim::testing::PageBuffer;

namespace {

// How many of the 4-byte sequences occurred before: what compression and deduplication exploit.
std::uint64_t repeated_sequences(const std::byte* data, std::size_t size_bytes) {
    std::vector<std::uint32_t> sequences(size_bytes - 3);
    for (std::size_t i = 0; i < sequences.size(); ++i) std::memcpy(&sequences[i], data + i, 4);
    std::sort(sequences.begin(), sequences.end());
    const auto distinct = std::unique(sequences.begin(), sequences.end()) - sequences.begin();
    return sequences.size() - static_cast<std::uint64_t>(distinct);
}

double entropy_bits(const std::byte* data, std::size_t size_bytes) {
    std::array<double, 256> counts{};
    for (std::size_t i = 0; i < size_bytes; ++i) counts[static_cast<std::size_t>(data[i])] += 1;
    double bits = 0;
    for (const double count : counts) {
        const double share = count / static_cast<double>(size_bytes);
        if (count > 0) bits -= share * std::log2(share);
    }
    return bits;
}

sim::PageIdentity page_of(std::uint32_t page_id, std::uint32_t version) {
    return {.run_id = 77, .file_id = 1, .page_id = page_id, .version = version, .lsn = 9, .write_utc_us = 1'700'000'000'000'000};
}

}  // namespace

TEST_CASE("the same seed gives the same bytes, a different seed different ones") {
    const PageBuffer first;
    const PageBuffer second;
    sim::fill_from_seed(42, first.data(), sim::kPageBytes);
    sim::fill_from_seed(42, second.data(), sim::kPageBytes);
    CHECK(std::memcmp(first.data(), second.data(), sim::kPageBytes) == 0);
    for (std::uint64_t seed = 43; seed < 300; ++seed) {
        sim::fill_from_seed(seed, second.data(), sim::kPageBytes);
        std::size_t equal_words = 0;
        for (std::size_t i = 0; i < sim::kPageBytes / 8; ++i) equal_words += first.word(i) == second.word(i) ? 1 : 0;
        REQUIRE(equal_words == 0);
    }
}

TEST_CASE("a fill of any multiple of 8 bytes ends where it should") {
    for (const std::size_t size_bytes : {8U, 64U, 8184U, 8200U, 61376U}) {
        const PageBuffer buffer(8);
        buffer[size_bytes] = std::byte{0xab};
        sim::fill_from_seed(7, buffer.data(), size_bytes);
        CHECK(buffer[size_bytes] == std::byte{0xab});
        CHECK(buffer.word(size_bytes / 8 - 1) != 0);
    }
}

TEST_CASE("the seed depends on every part of a page's identity except the LSN and the time") {
    const sim::PageIdentity base = page_of(5, 6);
    std::set<std::uint64_t> seeds{sim::page_seed(base)};
    sim::PageIdentity other = base;
    other.run_id = ums::mix64(base.run_id);
    seeds.insert(sim::page_seed(other));
    other = base;
    other.file_id += 1;
    seeds.insert(sim::page_seed(other));
    other = base;
    other.page_id += 1;
    seeds.insert(sim::page_seed(other));
    other = base;
    other.version += 1;
    seeds.insert(sim::page_seed(other));
    CHECK(seeds.size() == 5);
    other = base;
    other.lsn += 1;
    other.write_utc_us += 1;
    CHECK(seeds.count(sim::page_seed(other)) == 1);
}

TEST_CASE("bodies are incompressible and do not repeat, neither within a page nor between pages") {
    constexpr std::uint32_t kPages = 64;
    const PageBuffer pages(kPages);
    for (std::uint32_t page = 0; page < kPages; ++page) {
        // Adjacent pages, and versions of one page.
        const sim::PageIdentity identity = page < kPages / 2 ? page_of(page + 1, 1) : page_of(7, page);
        std::byte* const data = pages.data() + std::size_t{page} * sim::kPageBytes;
        sim::make_page(identity, data);
        // This many random bytes give 7.978 bits; headers and stamps (4 % of the page) lower it a little.
        CHECK(entropy_bits(data + sizeof(sim::PageHeader), sim::kPageBytes - sizeof(sim::PageHeader)) > 7.93);
        sim::fill_from_seed(sim::page_seed(identity), data, sim::kPageBytes);
        CHECK(entropy_bits(data, sim::kPageBytes) > 7.96);
    }
    // By chance alone there are 2^38 / 2^33 = 32 of them.
    CHECK(repeated_sequences(pages.data(), kPages * sim::kPageBytes) < 100);
}

TEST_CASE("a page of any identity is sound until one of its bytes changes") {
    const PageBuffer page(page_of(5, 6));
    CHECK(sim::is_sound_page(page.data()));
    for (const std::size_t offset : {0U, 4U, 100U, 8191U}) {
        page[offset] ^= std::byte{1};
        CHECK_FALSE(sim::is_sound_page(page.data()));
        page[offset] ^= std::byte{1};
    }
    CHECK(sim::is_sound_page(page.data()));
    const PageBuffer zeros;
    CHECK_FALSE(sim::is_sound_page(zeros.data()));
}

TEST_CASE("a signature page is recognized, whatever run and version of the program wrote it") {
    PageBuffer page({.run_id = 1, .file_id = 2, .page_id = 0, .version = 1});
    CHECK(sim::has_signature(page.data()));
    // The checksum does not matter: the file is ours even if its first page is damaged elsewhere.
    page[5000] ^= std::byte{1};
    CHECK(sim::has_signature(page.data()));
    page[8] = std::byte{2};  // a later format
    CHECK(sim::has_signature(page.data()));
}

TEST_CASE("foreign bytes are not a signature") {
    const std::uint64_t seed = ums::testing::test_seed("foreign bytes are no signature");
    const PageBuffer zeros;
    CHECK_FALSE(sim::has_signature(zeros.data()));
    ums::Prng prng(seed);
    for (int i = 0; i < 100; ++i) {
        const PageBuffer noise;
        sim::fill_from_seed(prng.next(), noise.data(), sim::kPageBytes);
        REQUIRE_FALSE(sim::has_signature(noise.data()));
    }
    const PageBuffer data_page(page_of(1, 1));
    CHECK_FALSE(sim::has_signature(data_page.data()));
    for (const std::size_t offset : {4U, 7U, 10U, 96U, 150U, 200U}) {
        PageBuffer almost({.run_id = 1, .file_id = 2, .page_id = 0, .version = 1});
        almost[offset] ^= std::byte{4};
        CHECK_FALSE(sim::has_signature(almost.data()));
    }
}

TEST_CASE("a buffer that was stamped before a read shows what was not read") {
    const PageBuffer buffer(2);
    sim::stamp_not_read(buffer.data(), 2 * sim::kPageBytes - 8);
    CHECK(buffer.word(0) == sim::kNotReadPattern);
    CHECK(buffer.word(2 * sim::kPageBytes / 8 - 2) == sim::kNotReadPattern);
    CHECK(buffer.word(2 * sim::kPageBytes / 8 - 1) == 0);
}
