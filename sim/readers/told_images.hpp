// What a reader has reported about pages that stay wrong: the next pass finds the same again, and must not report it twice. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace sim {

class ToldImages {
public:
    // The page stays wrong with this image (kPageBytes), which has been reported.
    void add(std::uint32_t file_id, std::uint32_t page_id, const std::byte* image);
    // The page was reported with exactly this image, and has not been right since.
    [[nodiscard]] bool has(std::uint32_t file_id, std::uint32_t page_id, const std::byte* image) const;
    // The page is right.
    void forget(std::uint32_t file_id, std::uint32_t page_id);

    // Likewise for a file that is shorter than promised.
    void add_size(std::uint32_t file_id, std::uint32_t pages);
    [[nodiscard]] bool has_size(std::uint32_t file_id, std::uint32_t pages) const;

private:
    using Place = std::pair<std::uint32_t, std::uint32_t>;  // file and page

    mutable std::mutex mutex_;              // guards what follows
    std::map<Place, std::uint64_t> pages_;  // checksums of the image: the calculated and the stored one
    std::map<std::uint32_t, std::uint32_t> sizes_;
    std::atomic<bool> has_any_{false};
};

}  // namespace sim
