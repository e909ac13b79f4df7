#include "sim/bench/offset_chooser.hpp"

#include <map>
#include <set>
#include <vector>

#include "sim/errors.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seed.hpp"

using namespace sim;

namespace {

constexpr std::uint32_t kBlock = 8192;

MeasureTarget target_of(MeasureAccess access) {
    MeasureTarget target;
    target.path = "t";
    target.block_bytes = kBlock;
    target.access = access;
    return target;
}

std::uint64_t next_offset(OffsetChooser& chooser, std::uint32_t size_bytes, ums::Prng& prng) {
    const bool is_new_run = chooser.begins_run(prng);
    return chooser.next(size_bytes, is_new_run, prng);
}

std::vector<std::uint64_t> chosen_blocks(OffsetChooser& chooser, int count, std::uint32_t size_bytes = kBlock) {
    ums::Prng prng(1);
    std::vector<std::uint64_t> list;
    for (int i = 0; i < count; ++i) list.push_back(next_offset(chooser, size_bytes, prng) / kBlock);
    return list;
}

}  // namespace

TEST_CASE("sequential requests go to the end of the target and start again at its beginning") {
    MeasureTarget target = target_of(MeasureAccess::sequential);
    target.thread_stride_bytes = 2 * kBlock;
    TargetRange range(target, 5 * kBlock + 100);
    OffsetChooser first(target, range, 0);
    OffsetChooser second(target, range, 1);
    CHECK(chosen_blocks(first, 6) == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 0});
    CHECK(chosen_blocks(second, 5) == std::vector<std::uint64_t>{2, 3, 4, 0, 1});
}

TEST_CASE("a thread that starts again keeps to the places that its stride reaches from its own start") {
    MeasureTarget target = target_of(MeasureAccess::sequential);
    target.alignment_bytes = 4 * kBlock;
    target.thread_stride_bytes = kBlock;
    TargetRange range(target, 8 * kBlock);
    OffsetChooser second(target, range, 1);
    CHECK(chosen_blocks(second, 3) == std::vector<std::uint64_t>{1, 5, 1});
    OffsetChooser sixth(target, range, 5);
    CHECK(chosen_blocks(sixth, 3) == std::vector<std::uint64_t>{5, 1, 5});
}

TEST_CASE("a stride or an alignment beyond all files leaves only the first place of the target") {
    constexpr std::uint64_t kHuge = ~std::uint64_t{0} - kBlock + 1;
    for (const MeasureAccess access : {MeasureAccess::sequential, MeasureAccess::interlocked, MeasureAccess::random}) {
        MeasureTarget target = target_of(access);
        target.alignment_bytes = kHuge;
        TargetRange range(target, 4 * kBlock);
        OffsetChooser chooser(target, range, 0);
        CHECK(chosen_blocks(chooser, 3) == std::vector<std::uint64_t>{0, 0, 0});
    }
}

TEST_CASE("a thread that would begin where no block fits before the end of the target is refused") {
    MeasureTarget target = target_of(MeasureAccess::sequential);
    target.base_offset_bytes = kBlock;
    target.max_offset_bytes = 6 * kBlock + 100;
    target.thread_stride_bytes = 2 * kBlock;
    TargetRange range(target, 100 * kBlock);
    OffsetChooser last(target, range, 2);
    CHECK(chosen_blocks(last, 2) == std::vector<std::uint64_t>{5, 1});
    CHECK_THROWS_AS(OffsetChooser(target, range, 3), RefusedError);
    target.thread_stride_bytes = 2 * kBlock + 51;  // the block of the third thread would end just behind the end
    CHECK_NOTHROW(OffsetChooser(target, range, 1));
    CHECK_THROWS_AS(OffsetChooser(target, range, 2), RefusedError);
    target.thread_stride_bytes = ~std::uint64_t{0} / 2 + 1;  // twice this is 0 in 64 bits
    CHECK_THROWS_AS(OffsetChooser(target, range, 2), RefusedError);
}

TEST_CASE("a stride, a base and an end determine where sequential requests go") {
    MeasureTarget target = target_of(MeasureAccess::sequential);
    target.alignment_bytes = 3 * kBlock;
    target.base_offset_bytes = kBlock;
    target.max_offset_bytes = 9 * kBlock;
    TargetRange range(target, 100 * kBlock);
    OffsetChooser chooser(target, range, 0);
    CHECK(chosen_blocks(chooser, 5) == std::vector<std::uint64_t>{1, 4, 7, 1, 4});
    target.is_stride_zero = true;
    TargetRange same(target, 100 * kBlock);
    OffsetChooser still(target, same, 0);
    CHECK(chosen_blocks(still, 3) == std::vector<std::uint64_t>{1, 1, 1});
}

TEST_CASE("the threads of an interlocked target share one position") {
    const MeasureTarget target = target_of(MeasureAccess::interlocked);
    TargetRange range(target, 4 * kBlock);
    OffsetChooser a(target, range, 0);
    OffsetChooser b(target, range, 1);
    CHECK(chosen_blocks(a, 2) == std::vector<std::uint64_t>{0, 1});
    CHECK(chosen_blocks(b, 2) == std::vector<std::uint64_t>{2, 3});
    CHECK(chosen_blocks(a, 1) == std::vector<std::uint64_t>{0});
}

TEST_CASE("interlocked blocks of different sizes adjoin") {
    MeasureTarget target = target_of(MeasureAccess::interlocked);
    target.block_bytes_min = 512;
    TargetRange range(target, 2 * kBlock);
    CHECK(range.next_shared_offset(512) == 0);
    CHECK(range.next_shared_offset(8192) == 512);
    CHECK(range.next_shared_offset(8192) == 0);
    CHECK(range.next_shared_offset(1024) == 8192);
}

TEST_CASE("random requests reach every aligned place, and no other") {
    MeasureTarget target = target_of(MeasureAccess::random);
    target.alignment_bytes = 4096;
    target.base_offset_bytes = 512;
    TargetRange range(target, 4 * kBlock);
    ums::Prng prng(ums::testing::test_seed(__FILE__));
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 2000; ++i) seen.insert(range.random_offset(prng));
    // 4 * 8192 - 512 bytes hold six places where a block fits.
    CHECK(seen == std::set<std::uint64_t>{512, 512 + 4096, 512 + 2 * 4096, 512 + 3 * 4096, 512 + 4 * 4096, 512 + 5 * 4096});
}

TEST_CASE("of mixed requests the requested share jumps, and the others continue after the previous one") {
    MeasureTarget target = target_of(MeasureAccess::mixed);
    target.random_percent = 20;
    TargetRange range(target, std::uint64_t{100'000} * kBlock);
    OffsetChooser chooser(target, range, 0);
    const std::vector<std::uint64_t> list = chosen_blocks(chooser, 20'000);
    int jumps = 0;
    for (std::size_t i = 1; i < list.size(); ++i) jumps += list[i] != list[i - 1] + 1 ? 1 : 0;
    CHECK(jumps > 3700);
    CHECK(jumps < 4300);
}

TEST_CASE("mixed requests that continue keep the stride, and the first one goes anywhere") {
    MeasureTarget target = target_of(MeasureAccess::mixed);
    target.random_percent = 1;
    target.alignment_bytes = 4 * kBlock;
    TargetRange range(target, std::uint64_t{1'000'000} * kBlock);
    OffsetChooser chooser(target, range, 0);
    const std::vector<std::uint64_t> list = chosen_blocks(chooser, 1000);
    CHECK(list[0] != 0);
    int strides = 0;
    for (std::size_t i = 1; i < list.size(); ++i) strides += list[i] == list[i - 1] + 4 ? 1 : 0;
    CHECK(strides > 950);
}

TEST_CASE("a distribution by shares gives each part its requests, leaves holes alone, and the remainder to the rest") {
    MeasureTarget target = target_of(MeasureAccess::random);
    target.spans = {{50, 10, 0}, {0, 20, 0}, {30, 20, 0}};
    TargetRange range(target, std::uint64_t{1000} * kBlock);
    ums::Prng prng(ums::testing::test_seed(__FILE__));
    std::map<int, int> parts;
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t block = range.random_offset(prng) / kBlock;
        ++parts[block < 100 ? 0 : block < 300 ? 1 : block < 500 ? 2 : 3];
    }
    CHECK(parts[1] == 0);
    CHECK(parts[0] > 9500);
    CHECK(parts[0] < 10'500);
    CHECK(parts[2] > 5600);
    CHECK(parts[2] < 6400);
    CHECK(parts[3] > 3600);
    CHECK(parts[3] < 4400);
}

TEST_CASE("a distribution by sizes that assigns all requests leaves none for the rest") {
    MeasureTarget target = target_of(MeasureAccess::random);
    target.spans = {{90, 0, 10 * kBlock}, {10, 0, 5 * kBlock}};
    TargetRange range(target, std::uint64_t{1000} * kBlock);
    ums::Prng prng(3);
    for (int i = 0; i < 1000; ++i) REQUIRE(range.random_offset(prng) / kBlock < 15);
}

TEST_CASE("parts by size beyond the end of the target leave their requests to the others, in proportion") {
    MeasureTarget target = target_of(MeasureAccess::random);
    target.spans = {{10, 0, 10 * kBlock}, {30, 0, 20 * kBlock}, {60, 0, 10 * kBlock}};
    // The second part ends with the target; of the third not even a block is left.
    TargetRange range(target, 25 * kBlock - 1);
    ums::Prng prng(ums::testing::test_seed(__FILE__));
    int first = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t block = range.random_offset(prng) / kBlock;
        REQUIRE(block < 24);
        first += block < 10 ? 1 : 0;
    }
    CHECK(first > 4600);
    CHECK(first < 5400);
    target.spans = {{90, 0, 40 * kBlock}};
    TargetRange whole(target, 25 * kBlock);
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 2000; ++i) seen.insert(whole.random_offset(prng) / kBlock);
    CHECK(seen.size() == 25);
}

TEST_CASE("a hole alone sends all requests to the rest of the target") {
    MeasureTarget target = target_of(MeasureAccess::random);
    target.spans = {{0, 0, 10 * kBlock}};
    TargetRange range(target, 12 * kBlock);
    ums::Prng prng(ums::testing::test_seed(__FILE__));
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 200; ++i) seen.insert(range.random_offset(prng) / kBlock);
    CHECK(seen == std::set<std::uint64_t>{10, 11});
}

TEST_CASE("a target, or a part of it, that is too small for a block is refused") {
    CHECK_THROWS_AS(TargetRange(target_of(MeasureAccess::random), kBlock - 1), RefusedError);
    MeasureTarget target = target_of(MeasureAccess::random);
    target.spans = {{50, 1, 0}, {30, 1, 0}};
    CHECK_THROWS_AS(TargetRange(target, 10 * kBlock), RefusedError);
    target.spans = {{0, 0, 99 * kBlock}, {100, 0, 100 * kBlock}};
    CHECK_THROWS_AS(TargetRange(target, 99 * kBlock), RefusedError);
}
