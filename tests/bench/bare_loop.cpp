// The same requests without ioproof: a bare loop over io_uring, or over pread and pwrite, that examines no bytes, only reads them, or
// computes a checksum. `ioproof bench` is compared with it (docs/performance.md), so it shares no code with the product.
//
//   bare_loop FILE [op=read|write] [pattern=random|sequential] [block=8192] [depth=32] [seconds=5] [size=BYTES] [calls=uring|sync]
//             [scatter=0|1] [huge=0|1] [direct=0|1] [dsync=0|1] [look=0|1] [checksum=0|1]
//
// checksum=1: registers memory and file with io_uring, and does what no verification can do without: a block that was read gets its
// CRC-32C; a block to be written gets a new word in each sector, and then its CRC-32C. No program that reads all of each block can be much
// faster; one that puts checksums together from parts, as ioproof does for log blocks, can.
//
// look=1 (reads with io_uring): reads every word of a block, after the next request has been started into other memory. Its cost is the
// minimum for any verification; it also slows a device that copies into memory held by another CPU's cache.
//
// Prints one line of JSON. FILE must exist; op=write overwrites it.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <isa-l/crc.h>
#include <liburing.h>

namespace {

constexpr std::size_t kPageBytes = 8192, kSectorBytes = 512;
constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

[[noreturn]] void die(const std::string& text) {
    std::fprintf(stderr, "bare_loop: %s\n", text.c_str());
    std::exit(2);
}

void check(bool is_right, const char* what) {
    if (!is_right) die(std::string(what) + ": " + std::to_string(errno));
}

struct Arguments {
    std::string path;
    std::map<std::string, std::string> values;

    Arguments(int argc, char** argv) {
        if (argc < 2) die("name a file");
        path = argv[1];
        for (int i = 2; i < argc; ++i) {
            const std::string word = argv[i];
            const std::size_t equals = word.find('=');
            if (equals == std::string::npos) die(word + ": not of the form name=value");
            values[word.substr(0, equals)] = word.substr(equals + 1);
        }
    }
    std::string text(const std::string& name, const std::string& otherwise) const {
        const auto found = values.find(name);
        return found == values.end() ? otherwise : found->second;
    }
    std::uint64_t number(const std::string& name, std::uint64_t otherwise) const {
        const std::string word = text(name, std::to_string(otherwise));
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc{} || end != word.data() + word.size()) die(name + ": not a number");
        return value;
    }
};

// xorshift64* is good enough for random places.
struct Places {
    bool is_random;
    std::uint64_t blocks;
    std::uint64_t state = 0x9e3779b97f4a7c15ULL;
    std::uint64_t next_block = 0;

    std::uint64_t next() {
        if (!is_random) return next_block++ % blocks;
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(state * 0x2545f4914f6cdd1dULL) * blocks) >> 64);
    }
};

std::byte* map_memory(std::size_t size_bytes, bool is_huge) {
    const std::size_t rounded = (size_bytes + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
    void* mapped = mmap(nullptr, rounded + kHugePageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(mapped != MAP_FAILED, "mmap");
    const auto address = (reinterpret_cast<std::uintptr_t>(mapped) + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
    auto* memory = reinterpret_cast<std::byte*>(address);
    if (is_huge) madvise(memory, rounded, MADV_HUGEPAGE);
    // Noise, because a device that compresses takes much less time for anything else.
    std::uint64_t state = 1;
    for (std::size_t at = 0; at < rounded; at += sizeof state) {
        state = state * 0x5851f42d4c957f2dULL + 0x14057b7ef767814fULL;
        const std::uint64_t word = state ^ (state >> 29);
        std::memcpy(memory + at, &word, sizeof word);
    }
    return memory;
}

// The memory of one block, as one segment or as pages with gaps between them.
std::vector<iovec> segments_of(std::byte* memory, std::size_t block_bytes, bool is_scattered) {
    if (!is_scattered) return {{memory, block_bytes}};
    std::vector<iovec> segments;
    for (std::size_t i = 0; i < block_bytes / kPageBytes; ++i) segments.push_back({memory + 2 * i * kPageBytes, kPageBytes});
    return segments;
}

struct Load {
    int file = -1;
    bool is_read = true;
    std::uint64_t block_bytes = kPageBytes;
    unsigned depth = 32;
    bool looks = false;
    bool checks = false;
    Places places{};
    std::vector<std::vector<iovec>> blocks;  // one for each outstanding request, and as many again to inspect
    std::vector<std::size_t> free_blocks;
    std::uint64_t sum = 0;  // of all inspected words
    std::chrono::steady_clock::time_point deadline;
    std::uint64_t requests = 0;
    std::uint64_t next_look_at_clock = 0;

    std::size_t take_block() {
        const std::size_t index = free_blocks.back();
        free_blocks.pop_back();
        return index;
    }
    void inspect(std::size_t index) {
        for (const iovec& segment : blocks[index]) {
            const auto* words = static_cast<const std::uint64_t*>(segment.iov_base);
            for (std::size_t i = 0; i < segment.iov_len / sizeof *words; ++i) sum += words[i];
        }
    }
    void checksum(std::size_t index) {
        for (const iovec& segment : blocks[index]) {
            sum += crc32_iscsi(static_cast<unsigned char*>(segment.iov_base), static_cast<int>(segment.iov_len), 0);
        }
    }
    void make(std::size_t index) {
        for (const iovec& segment : blocks[index]) {
            for (std::size_t at = 0; at < segment.iov_len; at += kSectorBytes) {
                std::memcpy(static_cast<std::byte*>(segment.iov_base) + at, &(sum += 0x9e3779b97f4a7c15ULL), sizeof sum);
            }
        }
        checksum(index);
    }
    // Reading the clock for each request would distort the measurement.
    bool is_over() {
        if (requests < next_look_at_clock) return false;
        next_look_at_clock = requests + 16;
        return std::chrono::steady_clock::now() >= deadline;
    }
};

void prepare(io_uring& ring, Load& load, std::size_t index) {
    io_uring_sqe* submission = io_uring_get_sqe(&ring);
    const std::vector<iovec>& block = load.blocks[index];
    const std::uint64_t offset = load.places.next() * load.block_bytes;
    if (load.checks && !load.is_read) load.make(index);
    if (load.checks) {
        const auto size = static_cast<unsigned>(block[0].iov_len);
        load.is_read ? io_uring_prep_read_fixed(submission, 0, block[0].iov_base, size, offset, 0)
                     : io_uring_prep_write_fixed(submission, 0, block[0].iov_base, size, offset, 0);
        submission->flags |= IOSQE_FIXED_FILE;
    } else if (block.size() == 1 && load.is_read) {
        io_uring_prep_read(submission, load.file, block[0].iov_base, static_cast<unsigned>(block[0].iov_len), offset);
    } else if (block.size() == 1) {
        io_uring_prep_write(submission, load.file, block[0].iov_base, static_cast<unsigned>(block[0].iov_len), offset);
    } else if (load.is_read) {
        io_uring_prep_readv(submission, load.file, block.data(), static_cast<unsigned>(block.size()), offset);
    } else {
        io_uring_prep_writev(submission, load.file, block.data(), static_cast<unsigned>(block.size()), offset);
    }
    io_uring_sqe_set_data64(submission, index);
}

void take_completions(io_uring& ring, Load& load, std::vector<std::size_t>& done) {
    done.clear();
    unsigned head = 0;
    io_uring_cqe* completion = nullptr;
    io_uring_for_each_cqe(&ring, head, completion) {
        if (completion->res != static_cast<int>(load.block_bytes)) die("a request failed: " + std::to_string(completion->res));
        done.push_back(io_uring_cqe_get_data64(completion));
    }
    io_uring_cq_advance(&ring, static_cast<unsigned>(done.size()));
    load.requests += done.size();
    for (std::size_t i = 0; load.checks && load.is_read && i < done.size(); ++i) load.checksum(done[i]);
}

void register_with(io_uring& ring, const Load& load) {
    const iovec& first = load.blocks.front().front();
    const iovec memory{first.iov_base, load.block_bytes * load.blocks.size()};
    check(io_uring_register_buffers(&ring, &memory, 1) == 0 && io_uring_register_files(&ring, &load.file, 1) == 0, "registering");
}

void run_uring(Load& load) {
    io_uring ring{};
    check(io_uring_queue_init(load.depth, &ring, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN) == 0, "io_uring");
    if (load.checks) register_with(ring, load);
    for (unsigned i = 0; i < load.depth; ++i) prepare(ring, load, load.take_block());
    unsigned out = load.depth;
    bool is_over = false;
    std::vector<std::size_t> done;
    while (out > 0) {
        const int result = io_uring_submit_and_wait(&ring, 1);
        if (result < 0) die("io_uring_enter: " + std::to_string(-result));
        take_completions(ring, load, done);
        out -= static_cast<unsigned>(done.size());
        is_over = is_over || load.is_over();
        if (!load.looks) load.free_blocks.insert(load.free_blocks.end(), done.begin(), done.end());
        for (std::size_t i = 0; i < done.size() && !is_over; ++i, ++out) prepare(ring, load, load.take_block());
        if (!load.looks) continue;
        io_uring_submit(&ring);
        for (const std::size_t index : done) load.inspect(index);
        load.free_blocks.insert(load.free_blocks.end(), done.begin(), done.end());
    }
    io_uring_queue_exit(&ring);
}

void run_sync(Load& load) {
    for (std::size_t i = 0; !load.is_over(); i = (i + 1) % load.depth) {
        const std::vector<iovec>& block = load.blocks[i];
        const auto offset = static_cast<off_t>(load.places.next() * load.block_bytes);
        const auto count = static_cast<int>(block.size());
        if (load.checks && !load.is_read) load.make(i);
        const ssize_t result =
            load.is_read ? preadv(load.file, block.data(), count, offset) : pwritev(load.file, block.data(), count, offset);
        if (result != static_cast<ssize_t>(load.block_bytes)) die("a request failed");
        if (load.checks && load.is_read) load.checksum(i);
        ++load.requests;
    }
}

std::uint64_t cpu_us() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000 +
           static_cast<std::uint64_t>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

Load make_load(const Arguments& arguments) {
    Load load;
    load.is_read = arguments.text("op", "read") == "read";
    load.block_bytes = arguments.number("block", kPageBytes);
    load.depth = static_cast<unsigned>(arguments.number("depth", 32));
    const int flags = (load.is_read ? O_RDONLY : O_RDWR) | (arguments.number("direct", 1) != 0 ? O_DIRECT : 0) |
                      (arguments.number("dsync", 0) != 0 ? O_DSYNC : 0);
    load.file = open(arguments.path.c_str(), flags);
    check(load.file >= 0, "open");
    struct stat facts {};
    check(fstat(load.file, &facts) == 0, "fstat");
    const std::uint64_t size_bytes = arguments.number("size", static_cast<std::uint64_t>(facts.st_size));
    load.places.is_random = arguments.text("pattern", "random") == "random";
    load.places.blocks = size_bytes / load.block_bytes;
    if (load.places.blocks == 0) die("the file is smaller than a block");
    const bool is_scattered = arguments.number("scatter", 0) != 0;
    const std::size_t stride = load.block_bytes * (is_scattered ? 2 : 1);
    load.looks = arguments.number("look", 0) != 0;
    load.checks = arguments.number("checksum", 0) != 0;
    if (load.checks && (is_scattered || load.looks)) die("checksum=1 goes neither with scatter=1 nor with look=1");
    const unsigned blocks = load.depth * (load.looks ? 2 : 1);
    std::byte* const memory = map_memory(stride * blocks, arguments.number("huge", 1) != 0);
    for (unsigned i = 0; i < blocks; ++i) load.blocks.push_back(segments_of(memory + i * stride, load.block_bytes, is_scattered));
    for (unsigned i = blocks; i-- > 0;) load.free_blocks.push_back(i);
    return load;
}

}  // namespace

int main(int argc, char** argv) {
    const Arguments arguments(argc, argv);
    Load load = make_load(arguments);
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t cpu_begin_us = cpu_us();
    load.deadline = begin + std::chrono::seconds(arguments.number("seconds", 5));
    if (arguments.text("calls", "uring") == "uring") {
        run_uring(load);
    } else {
        run_sync(load);
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto requests = static_cast<double>(load.requests);
    std::printf("{\"requests_per_s\": %.1f, \"bytes_per_s\": %.1f, \"cpu_ns_per_request\": %.1f, \"sum\": %llu}\n", requests / seconds,
                requests * static_cast<double>(load.block_bytes) / seconds, static_cast<double>(cpu_us() - cpu_begin_us) * 1000 / requests,
                static_cast<unsigned long long>(load.sum));
    close(load.file);
    return 0;
}
