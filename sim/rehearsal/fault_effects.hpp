// Alters requests that have completed: the bytes that a write leaves wrong, and those that a read returns. Not thread-safe: the injector
// guards it.
#pragma once

#include <cstdint>
#include <string>

#include "sim/rehearsal/fault_choice.hpp"
#include "sim/rehearsal/fault_record.hpp"
#include "sim/rehearsal/log_faults.hpp"
#include "ums/base/prng.hpp"

namespace sim {

class FaultEffects {
public:
    struct Parts {
        FaultyFiles& files;
        FaultChoice& choice;
        FaultRecord& record;
        ums::Prng& prng;
        bool has_log_backups = false;
    };

    // The parts must outlive this object.
    explicit FaultEffects(const Parts& parts) : parts_(parts), log_(parts.choice, parts.record, parts.prng, parts.has_log_backups) {}

    // For transfers that were completed in full.
    void finish_write(FaultyFile& file, const ums::IoRequest& request, const RequestFate& fate);
    void finish_read(FaultyFile& file, ums::IoRequest& request, const RequestFate& fate);

    [[nodiscard]] bool has_wrong_copy() const { return log_.has_wrong_copy(); }

private:
    // False if this kind of fault is impossible for this page.
    [[nodiscard]] bool spoil_written_page(FaultyFile& file, const ums::IoRequest& request, const RequestFate::Chosen& chosen);
    [[nodiscard]] bool spoil_with_older(FaultyFile& file, const RequestFate::Chosen& chosen, const ImageBytes& right);
    [[nodiscard]] bool misdirect_write(FaultyFile& file, std::uint32_t page, const ImageBytes& older, const ImageBytes& right);
    [[nodiscard]] bool spoil_read_page(FaultyFile& file, const ums::IoRequest& request, const RequestFate::Chosen& chosen);
    [[nodiscard]] bool misdirect_read(FaultyFile& file, const ums::IoRequest& request, std::uint32_t page);
    InjectedFault& put_wrong(FaultyFile& file, std::uint32_t page, FindingKind kind, const ImageBytes& image, std::string what);
    InjectedFault& arm(FaultyFile& file, std::uint32_t page, FindingKind kind, FaultyFile::Armed armed, std::string what);
    void serve_armed(FaultyFile& file, ums::IoRequest& request, const RequestFate& fate);
    void remember_image(FaultyFile& file, const ums::IoRequest& request);

    const Parts parts_;
    LogFaults log_;

    // A page as it was written a while ago, for misdirected reads.
    ImageBytes remembered_;
    FaultyFile* remembered_file_ = nullptr;
    std::uint32_t remembered_page_ = 0;
};

}  // namespace sim
