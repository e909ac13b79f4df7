// Text for manual pages (man(7), roff). Pure.
#pragma once

#include <string>
#include <string_view>

namespace config {

// The text as it should appear: escapes everything that would act as a request or an escape. Hyphens remain hyphens, so that switches can
// be copied.
[[nodiscard]] std::string roff_text(std::string_view text);

// A word in bold, or in italics as a placeholder for a value.
[[nodiscard]] std::string roff_bold(std::string_view text);
[[nodiscard]] std::string roff_place(std::string_view text);

// ".SH NAME" and the like.
[[nodiscard]] std::string roff_section(std::string_view title);

// The lines unchanged, in a block that is not filled.
[[nodiscard]] std::string roff_example(std::string_view lines);

}  // namespace config
