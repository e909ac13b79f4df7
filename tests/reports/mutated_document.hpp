// Randomly changed documents, for tests of their readers.
#pragma once

#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ums/base/prng.hpp"

namespace test {

inline nlohmann::ordered_json random_value(ums::Prng& prng) {
    using Json = nlohmann::ordered_json;
    static const std::vector<Json> kValues{nullptr,
                                           true,
                                           0,
                                           -1,
                                           1,
                                           99,
                                           31,
                                           32,
                                           1.5,
                                           -0.0,
                                           1e300,
                                           -1e300,
                                           18446744073709551615ULL,
                                           -9223372036854775807LL,
                                           "",
                                           "a",
                                           "\x1b[31m\n</script>",
                                           Json::array(),
                                           Json::object(),
                                           Json::array({Json::array()}),
                                           Json::array({1, 2}),
                                           Json::array({nullptr, "x"}),
                                           {{"x", 1}}};
    return kValues[prng.below(kValues.size())];
}

// A random place in the document, reached by descending step by step.
inline nlohmann::ordered_json& random_place(nlohmann::ordered_json& document, ums::Prng& prng) {
    nlohmann::ordered_json* place = &document;
    while (place->is_structured() && !place->empty() && !prng.chance(1000)) {
        auto child = place->begin();
        std::advance(child, static_cast<std::ptrdiff_t>(prng.below(place->size())));
        place = &*child;
    }
    return *place;
}

inline void mutate(nlohmann::ordered_json& document, ums::Prng& prng) {
    using Json = nlohmann::ordered_json;
    Json& place = random_place(document, prng);
    const bool has_children = place.is_structured() && !place.empty();
    switch (prng.below(5)) {
        case 0: {
            const Json value = random_value(prng);
            place = value;
            break;
        }
        case 1:
            if (has_children) place.erase(std::next(place.begin(), static_cast<std::ptrdiff_t>(prng.below(place.size()))));
            break;
        case 2:
            if (place.is_array()) place.push_back(has_children && prng.chance(5000) ? Json(place[0]) : random_value(prng));
            if (place.is_object()) place[prng.chance(5000) ? "added" : "path"] = random_value(prng);
            break;
        case 3: {
            const Json other = random_place(document, prng);
            place = other;
            break;
        }
        default:
            if (place.is_array()) place = Json::array();
            if (place.is_object()) place = Json::object();
            break;
    }
}

inline void mutate_bytes(std::string& text, ums::Prng& prng) {
    static const std::string kSpecial = "{}[]\",:0-9eE.\\u\x00\x1b\xff\xef\xbb\xbf tfn";
    for (std::uint64_t i = prng.between(1, 6); i > 0 && !text.empty(); --i) {
        const std::size_t at = prng.below(text.size());
        switch (prng.below(4)) {
            case 0: text.erase(at, prng.below(30)); break;
            case 1: text.insert(at, text.substr(prng.below(text.size()), prng.below(30))); break;
            case 2: text[at] = static_cast<char>(prng.below(256)); break;
            default: text[at] = kSpecial[prng.below(kSpecial.size())]; break;
        }
    }
}

}  // namespace test
