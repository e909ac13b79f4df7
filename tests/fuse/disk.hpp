// The storage below the file system: a folder with the files as the faulty device holds them, and in memory what an honest device would
// hold. Every read is compared with the latter, so the truth log knows each wrong answer, whatever caused it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tests/fuse/fault_image.hpp"
#include "tests/fuse/fault_spec.hpp"
#include "tests/fuse/power_cache.hpp"
#include "tests/fuse/truth_log.hpp"

namespace faultfs {

class DiskFile;

struct Place {
    DiskFile* file = nullptr;
    std::uint64_t page = 0;
};

// What is the matter with a page, and what it has gone through.
struct PageState {
    std::uint64_t writes = 0;  // acknowledged ones with something else than zeros, since the page came into being
    bool read_back = false;    // the newest contents have been returned
    double read_back_s = 0;    // when first
    bool unknown = false;      // its last write failed: nothing is expected of it
    Bytes older;               // what the last write replaced; empty = nothing

    std::uint64_t injection = 0;  // why the device does not hold what it ought to; 0 = it does, as far as we know
    FaultSpec* spec = nullptr;    // that caused it
    Place partner;                // the other end of a misdirected write
    bool is_target = false;       // of it: the page that was overwritten
    FaultSpec* revert = nullptr;  // reverted_page: the old contents come back after the next right read

    std::uint64_t read_injection = 0;  // reads come out wrong
    std::uint64_t reads_left = 0;
    bool read_persistent = false;
    Effect read_effect{};
    bool spoilt = false;  // by the read under way
    Bytes read_image;
    int read_error = 0;
    std::uint64_t read_bytes = 0;  // short_transfer
};

// Of a log file or a chain of backups, whose blocks are written once.
struct BlockWrite {
    std::uint64_t offset = 0;
    Bytes before;
    Bytes written;
    std::uint64_t injection = 0;
    std::uint64_t reads_left = 0;  // until it is right again
    Effect effect{};
};

class DiskFile {
public:
    DiskFile(std::string file_name, int fd);
    ~DiskFile();
    DiskFile(const DiskFile&) = delete;
    DiskFile& operator=(const DiskFile&) = delete;

    [[nodiscard]] std::uint64_t size() const { return right.size(); }
    [[nodiscard]] std::uint64_t page_count() const { return right.size() / kPageBytes; }
    [[nodiscard]] Bytes right_page(std::uint64_t page) const;
    [[nodiscard]] Bytes device_bytes(std::uint64_t offset, std::uint64_t size_bytes) const;
    void put_on_device(std::uint64_t offset, std::span<const std::uint8_t> bytes) const;

    std::string name;
    const int fd;
    const bool is_log;
    Bytes right;  // what an honest device would hold
    std::vector<PageState> pages;
    std::deque<BlockWrite> blocks;  // the last ones
};

// What the file system is to answer: bytes or a negative errno, after so many seconds.
struct Answer {
    std::int64_t result = 0;
    double delay_s = 0;
};

class Disk {
public:
    explicit Disk(TruthLog& truth) : truth_(truth) {}

    // Any thread.
    void add_fault(FaultSpec spec);
    void clear_faults();
    // Other hosts write to the folder, too: what they write is no fault, and files have the size that they have there.
    void share() { is_shared_ = true; }
    // The file of this name, opened already if it is; throws nothing, null with errno set on failure.
    std::shared_ptr<DiskFile> open(const std::string& name, const std::string& path, int flags, unsigned mode);
    void forget(const std::string& name);
    void rename(const std::string& from, const std::string& to);

    Answer read(DiskFile& file, std::span<std::uint8_t> out, std::uint64_t offset);
    // `durable`: the file is open with O_DSYNC, or the request says so.
    Answer write(DiskFile& file, std::span<const std::uint8_t> data, std::uint64_t offset, bool durable);
    // From now on the disk has a cache that forgets.
    void set_power(const PowerSpec& spec);
    // Power goes, and comes back: what stands in the files now is what is left.
    void cut_power(const CutSpec& spec);

    int sync(DiskFile& file);
    int resize(DiskFile& file, std::uint64_t size_bytes);
    int allocate(DiskFile& file, int mode, std::uint64_t offset, std::uint64_t size_bytes);

private:
    struct Request {
        DiskFile& file;
        std::uint64_t offset = 0;
        std::uint64_t size = 0;
        [[nodiscard]] std::uint64_t first() const { return (offset + kPageBytes - 1) / kPageBytes; }
        [[nodiscard]] std::uint64_t end() const { return (offset + size) / kPageBytes; }  // whole pages only
    };

    bool is_eligible(const FaultSpec& spec, const Request& request, std::uint64_t page, std::uint64_t writes) const;
    std::uint64_t inject(const FaultSpec& spec, const DiskFile& file, std::uint64_t page, const Place& other = {});
    bool choose_other(FaultSpec& spec, const Place& place, Place& other);
    void expose(const Request& request, const Place& place, std::uint64_t injection, Effect effect, bool persistent);
    void expose_request(const Request& request, std::uint64_t injection, Effect effect, bool persistent, bool is_write);

    // Reads.
    void arm_reads(const Request& request);
    void arm_page(FaultSpec& spec, const Request& request, std::uint64_t page);
    std::int64_t apply_reads(const Request& request, std::span<std::uint8_t> out, Answer& answer);
    void compare(const Request& request, std::span<const std::uint8_t> got);
    void revert(DiskFile& file, std::uint64_t page);
    void damage_log(const Request& request);
    bool damage_block(FaultSpec& spec, DiskFile& file, std::size_t index);
    void compare_log(const Request& request, std::span<const std::uint8_t> got);

    // Writes.
    bool fail_write(const Request& request, std::span<const std::uint8_t> data, Answer& answer);
    void accept_write(const Request& request, std::span<const std::uint8_t> data);
    void write_faults(const Request& request);
    void hit_page(FaultSpec& spec, DiskFile& file, std::uint64_t page);
    void misdirect(FaultSpec& spec, DiskFile& file, std::uint64_t page);
    void cut(DiskFile& file, std::uint64_t size_bytes);
    void follow_size(DiskFile& file) const;

    TruthLog& truth_;
    std::mutex mutex_;             // guards everything here, also the files' contents
    std::deque<FaultSpec> specs_;  // never removed: pages point to them
    std::map<std::string, std::shared_ptr<DiskFile>> files_;
    std::vector<std::shared_ptr<DiskFile>> forgotten_;  // kept: pages of other files may name them
    std::map<std::uint64_t, bool> target_seen_;         // misdirected writes whose overwritten page has been read
    std::uint64_t last_injection_ = 0;
    PowerCache power_;
    bool is_shared_ = false;
};

}  // namespace faultfs
