// A storage that goes wrong on purpose, around one that does not: for rehearsals. The files below keep what was written; wrong bytes
// exist in memory only, and reads return them in their place, through any handle, until the place is written again. So the files below
// are the truth, and what the program under test was given can be compared with them without asking the program.
//
// Each page gets one fault at most. Requests without an owner (the making of the files, a search for evidence) are never chosen and expose
// nothing, but they see what is wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/rehearsal/fault_plan.hpp"
#include "sim/rehearsal/faulty_file.hpp"
#include "sim/rehearsal/injected_fault.hpp"
#include "ums/base/clock.hpp"
#include "ums/base/prng.hpp"
#include "ums/io/storage.hpp"

namespace sim {

// What shall become of one request; decided when it is posted, carried out when it comes back.
struct RequestFate {
    struct Chosen {
        std::size_t plan = 0;
        std::uint32_t page = 0;
        PageImage older{};  // writes: what stood there before
    };
    struct Buffer {  // what stood in the buffer before the read
        std::uint32_t page = 0;
        std::vector<std::byte> bytes;
    };

    int error_code = 0;                       // does not reach the storage
    std::uint64_t transferred_bytes = ~0ULL;  // says that it was so many
    std::uint64_t short_bytes = 0;            // the engine was told so many first, and went on
    std::uint64_t delay_ns = 0;
    std::vector<Chosen> chosen;
    std::vector<Buffer> buffers;

    [[nodiscard]] bool is_good() const {
        return error_code == 0 && transferred_bytes == ~0ULL && short_bytes == 0 && delay_ns == 0 && chosen.empty() && buffers.empty();
    }
};

class FaultInjector final : public ums::Storage {
public:
    struct Setup {
        std::vector<FaultPlan> plans;
        std::uint64_t seed = 0;
        std::vector<std::string> log_paths;
    };

    // `inner` and `clock` must outlive the injector.
    FaultInjector(ums::Storage& inner, const ums::Clock& clock, Setup setup);

    // Where plans for one phase ask. Before the run begins; called from the schedulers' threads.
    void set_phase_source(std::function<Phase()> source) { phase_source_ = std::move(source); }
    // The program has reported something. What fails until then is healed, as by a person with a spare part. Any thread.
    void on_finding(const Finding& finding);
    // All that was injected. Any thread.
    [[nodiscard]] std::vector<InjectedFault> faults() const;

    // Of the requests that came: what, where, when. The same run in virtual time gives the same.
    [[nodiscard]] std::uint64_t trace_hash() const;
    [[nodiscard]] std::uint64_t request_count() const;

    std::error_code status(const std::string& path, ums::FileStatus& status) override { return inner_.status(path, status); }
    std::error_code open(const std::string& path, const ums::OpenOptions& options, ums::FileHandle& file) override;
    void close(ums::FileHandle file) override;
    std::error_code remove(const std::string& path) override;
    std::error_code lock(ums::FileHandle file) override { return inner_.lock(file); }
    std::error_code size(ums::FileHandle file, std::uint64_t& size_bytes) override { return inner_.size(file, size_bytes); }
    std::error_code allocate(ums::FileHandle file, std::uint64_t offset_bytes, std::uint64_t size_bytes) override {
        return inner_.allocate(file, offset_bytes, size_bytes);
    }
    std::error_code truncate(ums::FileHandle file, std::uint64_t size_bytes) override;
    std::error_code sync(ums::FileHandle file) override { return inner_.sync(file); }
    std::error_code read(ums::FileHandle file, std::uint64_t offset_bytes, std::byte* data, std::size_t size_bytes,
                         std::size_t& transferred_bytes) override;
    std::error_code next_data(ums::FileHandle file, std::uint64_t offset_bytes, std::uint64_t& begin_bytes,
                              std::uint64_t& end_bytes) override {
        return inner_.next_data(file, offset_bytes, begin_bytes, end_bytes);
    }
    std::error_code free_space(const std::string& path, std::uint64_t& free_bytes) override { return inner_.free_space(path, free_bytes); }
    void drop_cache(ums::FileHandle file) override { inner_.drop_cache(file); }
    std::unique_ptr<ums::IoEngine> make_engine(const ums::EngineOptions& options, std::string& reason) override;

    // For the engines: what happens to a request that is posted, and the alterations when it has come back. Any thread.
    [[nodiscard]] RequestFate fate_of(const ums::IoRequest& request);
    void carry_out(ums::IoRequest& request, RequestFate& fate);
    [[nodiscard]] const ums::Clock& clock() const { return clock_; }

private:
    struct Place {
        const FaultyFile* file;
        std::uint64_t offset_bytes;
        std::uint64_t size_bytes;
    };

    // Faults are made of, and exposed by, what the program works with: not by the making of files, and not by a diagnosis that looks
    // through whole ranges for an image.
    [[nodiscard]] bool is_work(const FaultyFile& file, const ums::IoRequest& request) const {
        // Once a block of the log was wrong, others read it to see where the log goes on.
        const bool is_log_search = file.is_log() && is_log_exposed_ && request.operation == ums::IoOperation::read;
        return request.owner != nullptr && !request.is_search && !is_log_search;
    }
    [[nodiscard]] FaultyFile* file_of(ums::FileHandle handle);
    [[nodiscard]] FaultyFile* file_of(const std::string& path);
    [[nodiscard]] bool draws(FaultPlan& plan);
    [[nodiscard]] bool fits(const FaultPlan& plan, const FaultyFile& file, const ums::IoRequest& request, std::uint32_t page);
    InjectedFault& add(FindingKind kind, const Place& place, bool transient, std::string what);
    InjectedFault& add_page(FindingKind kind, const FaultyFile& file, std::uint32_t page, bool transient, std::string what);
    void expose(std::uint64_t number);
    void trace(const ums::IoRequest& request);
    // The image of a page that was written elsewhere can still be found there, or has been seen there.
    [[nodiscard]] bool is_other_end_known(const InjectedFault& fault);

    // At posting.
    void choose_pages(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);
    void choose_page(FaultyFile& file, const ums::IoRequest& request, std::uint32_t page, RequestFate& fate);
    void make_sick(FaultyFile& file, const ums::IoRequest& request);
    void make_sick(FaultyFile& file, const ums::IoRequest& request, FindingKind kind, std::uint64_t offset_bytes);
    void suffer(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);
    void stall(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);
    void save_buffers(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);
    void read_older(const ums::IoRequest& request, RequestFate& fate);

    // At coming back.
    void finish_write(FaultyFile& file, const ums::IoRequest& request, RequestFate& fate);
    // False if this kind of fault cannot be made of this page.
    [[nodiscard]] bool spoil_written_page(FaultyFile& file, const ums::IoRequest& request, RequestFate::Chosen& chosen);
    [[nodiscard]] bool spoil_with_older(FaultyFile& file, RequestFate::Chosen& chosen, const PageImage& right);
    void put_wrong(FaultyFile& file, std::uint32_t page, FindingKind kind, const PageImage& image, std::string what);
    [[nodiscard]] bool misdirect_write(FaultyFile& file, std::uint32_t page, const PageImage& older, const PageImage& right);
    void finish_read(FaultyFile& file, ums::IoRequest& request, RequestFate& fate);
    void serve_armed(FaultyFile& file, ums::IoRequest& request, const RequestFate& fate);
    [[nodiscard]] bool spoil_read_page(FaultyFile& file, const ums::IoRequest& request, const RequestFate::Chosen& chosen);
    [[nodiscard]] bool misdirect_read(FaultyFile& file, const ums::IoRequest& request, std::uint32_t page);
    void arm(FaultyFile& file, std::uint32_t page, FindingKind kind, FaultyFile::Armed armed, std::string what);
    void remember_image(FaultyFile& file, const ums::IoRequest& request);

    // Log files.
    void finish_log_write(FaultyFile& file, const ums::IoRequest& request);
    void spoil_log_block(FaultyFile& file, const ums::IoRequest& request, FindingKind kind);
    void note_missed_blocks(const FaultyFile& file, const ums::IoRequest& request);
    void name_log_fault(InjectedFault& fault);

    ums::Storage& inner_;
    const ums::Clock& clock_;
    const std::vector<std::string> log_paths_;
    std::function<Phase()> phase_source_;

    mutable std::mutex mutex_;  // guards the rest
    std::vector<FaultPlan> plans_;
    ums::Prng prng_;
    std::map<std::string, std::unique_ptr<FaultyFile>> files_;
    std::map<std::int32_t, FaultyFile*> open_;
    std::vector<InjectedFault> faults_;  // number - 1 is the index
    std::uint64_t trace_hash_ = 0;
    std::uint64_t request_count_ = 0;

    // A page as it was written a while ago, for misdirected reads.
    PageImage remembered_;
    FaultyFile* remembered_file_ = nullptr;
    std::uint32_t remembered_page_ = 0;

    struct LostBlock {
        std::uint64_t fault = 0;
        std::uint64_t sequence = 0;
        bool has_updates = false;
        FaultRange range;
        bool is_missed = false;  // the program has read where it should stand; else it may have been freed
    };
    std::vector<LostBlock> lost_blocks_;
    std::uint64_t log_tail_fault_ = 0;  // from this fault on everything that is written to the log is lost
    std::uint64_t newest_block_ = 0;
    bool is_log_exposed_ = false;
};

}  // namespace sim
