// Makes the images that broken storage returns instead of a page. Pure functions of their arguments and of the random numbers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/finding.hpp"
#include "sim/page/page_codec.hpp"
#include "ums/base/prng.hpp"

namespace sim {

using ImageBytes = std::vector<std::byte>;  // kPageBytes, aligned as operator new aligns

// `right` is the page as it must be. `what` receives half a sentence for people.
[[nodiscard]] ImageBytes corrupt_image(const ImageBytes& right, ums::Prng& prng, std::string& what);
// Sectors of both, cut at 512 or 4096 bytes.
[[nodiscard]] ImageBytes torn_image(const ImageBytes& older, const ImageBytes& right, ums::Prng& prng, std::string& what);
// Random bytes, or a sound page of a run that never existed.
[[nodiscard]] ImageBytes foreign_image(const ImageBytes& right, ums::Prng& prng, std::string& what);
// A sound image of the same page with a future version.
[[nodiscard]] ImageBytes future_image(const ImageBytes& right, ums::Prng& prng, std::string& what);

// A log block, or a chunk of a backup chain, with some wrong bytes.
void damage_block(std::byte* block, std::size_t size_bytes, ums::Prng& prng, std::string& what);
// Turns a sound block into one of an earlier round of the log, or of another run at the same place; its checksum stays right.
void age_block(std::byte* block, std::size_t size_bytes, ums::Prng& prng, std::string& what);
// Turns a sound chunk into one of an earlier chain, or of another run at the same place; its checksum stays right.
void age_chunk(std::byte* chunk, ums::Prng& prng, std::string& what);

}  // namespace sim
