// Every page that an owner of files has written, with its image and the time at which the write completed. The rehearsal chooses from these
// which writes land late or get lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/options.hpp"
#include "ums/io/volatile_storage.hpp"

namespace sim {

class OwnerWrites {
public:
    struct Image {
        std::uint64_t moment = 0;  // when the write completed; the moments of a run are numbered from 1
        std::string path;
        std::uint32_t file_id = 0;
        std::uint32_t page_id = 0;
        std::uint32_t version = 0;
        std::uint64_t lsn = 0;
        std::vector<std::byte> bytes;
    };

    // Of data files, without replicas.
    explicit OwnerWrites(const Options& options);

    // For VolatileStorage::set_observer.
    void observe(const ums::PowerMoment& moment);

    [[nodiscard]] const std::vector<Image>& images() const { return images_; }
    // Of the first log block that was requested; 0: none.
    [[nodiscard]] std::uint64_t first_lsn() const { return first_lsn_; }

private:
    struct File {
        std::uint32_t id = 0;
        bool is_log = false;
    };
    void take_pages(const ums::PowerMoment& moment, std::uint32_t file_id);

    std::map<std::string, File> files_;  // by path
    std::vector<Image> images_;
    std::uint64_t first_lsn_ = 0;
};

}  // namespace sim
