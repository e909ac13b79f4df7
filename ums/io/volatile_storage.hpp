// A simulated storage that can lose power: a device with a volatile write cache. cut() returns what would be left if the power failed now,
// and leaves the running storage as it is, so one run can be cut many times.
//
// What is durable:
// - A completed durable write (IoRequest::durable, OpenOptions::durable_writes), and with it the changes of the file's size without which
//   it could not be found.
// - After a completed sync of the file: the writes and changes of the size that had completed before the sync was submitted, and the file's
//   name.
// - Any other completed change after a while: the cache writes it to the medium by itself, in an order drawn from the seed.
// Everything else may or may not be there after a cut (VolatileFile, CutChoice), and requests in flight may be there in part. A file
// without a durable name may be missing, whatever was written to it; a removal may be undone.
//
// Lies (PowerLie) change what reaches the medium, not what the device acknowledges. PowerCut::lost is what they cost; it is asserted to be
// empty without lies. For virtual time, like SimulatedStorage: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "ums/base/clock.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/forwarding_storage.hpp"
#include "ums/io/power_cut.hpp"
#include "ums/io/power_lies.hpp"
#include "ums/io/simulated_storage.hpp"
#include "ums/io/volatile_file.hpp"

namespace ums {

struct VolatileOptions {
    std::uint64_t seed = 0;
    std::uint32_t atomic_unit_bytes = 512;  // what the device writes atomically; file sizes are multiples of it
    // How long after its completion a write leaves the cache by itself, chosen at random for each write. kNever: never.
    std::uint64_t destage_min_ns = 50 * kNsPerMs;
    std::uint64_t destage_max_ns = kNsPerSecond;

    // What new space of the file with this name holds on the medium; empty: zeros.
    std::function<SimulatedFile::NewSpace(const std::string& path)> new_space{};

    PowerLies lies;
    std::string lying_path;                           // one_file_ignored, write_hole: which file
    std::uint64_t hole_begin_bytes = 0;               // write_hole: from there to its end
    std::uint64_t overtaking_ns = 20 * kNsPerMs;      // overtaking: everything is on the medium this long after completion, or earlier
    std::uint64_t rolled_back_ns = 1 * kNsPerSecond;  // rolled_back: how old the volume is after the cut
};

// The device is about to accept a request, complete one, or carry out a blocking call. The power may fail just before.
struct PowerMoment {
    enum class Kind : std::uint8_t { submission, completion, blocking_call };

    std::uint64_t number = 0;  // 1, 2, ...
    Kind kind{};
    IoOperation operation{};
    const std::string* path = nullptr;  // valid during the call
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    const IoRequest* request = nullptr;  // null for blocking calls; valid during the call, its memory is in place
};

class VolatileStorage final : public ForwardingStorage {
public:
    // Files that `inner` already has are durable as they are. `inner` and `clock` must outlive the storage; nobody else changes `inner`.
    VolatileStorage(SimulatedStorage& inner, const Clock& clock, const VolatileOptions& options);

    // Called at every moment; may call cut(), nothing else.
    void set_observer(std::function<void(const PowerMoment&)> observer) { observer_ = std::move(observer); }
    [[nodiscard]] std::uint64_t moment() const { return moment_; }

    // What is left if the power fails now. The same moment and seed give the same result.
    [[nodiscard]] PowerCut cut(std::uint64_t seed);

    // What the cache holds and the medium does not.
    [[nodiscard]] std::uint64_t cached_bytes() const;

    std::error_code open(const std::string& path, const OpenOptions& options, FileHandle& file) override;
    std::error_code reopen(FileHandle file, const OpenOptions& options, FileHandle& again) override;
    void close(FileHandle file) override;
    std::error_code remove(FileHandle file) override;
    std::error_code allocate(FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) override;
    std::error_code truncate(FileHandle file, std::uint64_t size_bytes) override;
    std::error_code sync(FileHandle file) override;
    std::error_code read(FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                         std::size_t& transferred_bytes) override;
    std::unique_ptr<IoEngine> make_engine(const EngineOptions& options, std::string& reason) override;

private:
    class Engine;
    using FilePointer = std::shared_ptr<VolatileFile>;

    struct OpenFile {
        FilePointer file;
        bool durable_writes = false;
    };
    struct Binding {
        std::uint64_t change;
        FilePointer file;  // null: removed
    };
    // Which file has a name. As with sizes: if a change is lost, so are those after it.
    struct Name {
        FilePointer durable;
        std::vector<Binding> changes;  // not on the medium yet
        std::uint64_t promised = 0;
    };
    struct InFlight {
        IoRequest* request;
        FilePointer file;
        std::uint64_t covered;  // the newest change when it was submitted
    };
    enum class DestagedPart : std::uint8_t { contents, size, name };
    struct Destaging {
        FilePointer file;  // names: any of this name
        DestagedPart part;
        std::uint64_t change;
        std::uint64_t offset_bytes;
        std::uint64_t size_bytes;
    };

    void submitted(IoRequest& request);
    void completed(IoRequest& request);
    void note_request(PowerMoment::Kind kind, const VolatileFile& file, const IoRequest& request);
    void note_call(IoOperation operation, FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes);
    void note_moment(PowerMoment moment);
    FilePointer new_file(const std::string& path, std::unique_ptr<SimulatedFile> medium);
    void wrote(const FilePointer& file, const IoRequest& request);
    void resized(const FilePointer& file, std::uint64_t size_bytes);
    void renamed(const FilePointer& file, FilePointer bound);
    void synced(const FilePointer& file, std::uint64_t covered);
    void harden_name(const FilePointer& file, std::uint64_t covered);
    static void harden_name(Name& name, std::uint64_t change);
    void destage_later(Destaging destaging);
    void destage_due();
    [[nodiscard]] std::vector<InFlightChange> in_flight_on(const VolatileFile& file) const;
    [[nodiscard]] const FilePointer& file_of(FileHandle handle) const { return open_.at(handle.value).file; }
    [[nodiscard]] bool is_flush_ignored(const VolatileFile& file) const;
    [[nodiscard]] bool is_fua_ignored(const VolatileFile& file) const;

    SimulatedStorage& disk_;
    const Clock& clock_;
    const VolatileOptions options_;
    Prng prng_;
    std::function<void(const PowerMoment&)> observer_;
    std::map<std::string, Name> names_;
    std::map<std::int32_t, OpenFile> open_;
    std::vector<InFlight> in_flight_;                    // in the order of submission
    std::multimap<std::uint64_t, Destaging> destaging_;  // by time in ns
    std::uint64_t moment_ = 0;
    std::uint64_t change_ = 0;
    std::vector<std::byte> gathered_;  // of one write
};

}  // namespace ums
