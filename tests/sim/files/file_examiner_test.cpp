#include "sim/files/file_examiner.hpp"

#include "tests/sim/support/creator_bench.hpp"
#include "tests/support/catch.hpp"
#include "ums/io/forwarding_storage.hpp"

using namespace sim::testing;

namespace {

// Every file is as large as this, whatever it holds.
struct LargeStorage final : ums::ForwardingStorage {
    using ums::ForwardingStorage::ForwardingStorage;
    std::error_code size(ums::FileHandle, std::uint64_t& size_bytes) override {
        size_bytes = told_bytes;
        return {};
    }
    std::error_code check_size(ums::FileHandle, std::uint64_t) override { return {}; }
    std::uint64_t told_bytes = 0;
};

}  // namespace

TEST_CASE("a file with more pages than 32 bits can number is refused, one with a few less is not") {
    constexpr std::uint64_t kAllPagesBytes = std::uint64_t{1} << 45;
    CreatorBench bench;
    bench.options.delete_files_at_startup = false;
    LargeStorage storage(bench.posix);
    const sim::FileOptions file = bench.file("a.mdx");
    make_our_file(file.path, kMb);

    storage.told_bytes = kAllPagesBytes - kMb;
    sim::FileExaminer fits(bench.options, storage);
    CHECK(fits.examine(1, file)->size_bytes == storage.told_bytes);

    // Sizes are rounded up to whole MB.
    for (const std::uint64_t size_bytes : {kAllPagesBytes - sim::kPageBytes, kAllPagesBytes, 2 * kAllPagesBytes}) {
        storage.told_bytes = size_bytes;
        sim::FileExaminer examiner(bench.options, storage);
        CHECK_THROWS_WITH(examiner.examine(1, file), ContainsSubstring("at most 33554431 MB"));
    }
    storage.told_bytes = kAllPagesBytes;
    sim::FileExaminer left(bench.options, storage);
    CHECK_THROWS_AS(left.examine_left(1, file, true), sim::EnvironmentError);
}
