#include "reports/json_schema.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ums/base/assert.hpp"

namespace reports {

namespace {

using Json = nlohmann::ordered_json;

// Where and what. The place is completed from right to left, as the recursion returns.
struct Problem {
    std::string place;
    std::string text;
};
using Finding = std::optional<Problem>;

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

std::string_view type_of(const Json& value) {
    switch (value.type()) {
        case Json::value_t::object: return "object";
        case Json::value_t::array: return "array";
        case Json::value_t::string: return "string";
        case Json::value_t::boolean: return "boolean";
        case Json::value_t::number_integer:
        case Json::value_t::number_unsigned: return "integer";
        case Json::value_t::number_float: return "number";
        default: return "null";
    }
}

bool is_of(const Json& value, std::string_view type) {
    const std::string_view own = type_of(value);
    return own == type || (own == "integer" && type == "number");
}

std::string with_article(std::string_view type) {
    if (type == "null") return "null";
    return fmt::format("{} {}", type == "integer" || type == "object" || type == "array" ? "an" : "a", type);
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " or ")); }

// A value as messages quote it.
std::string quoted(const Json& value) {
    constexpr std::size_t kShownMax = 40;
    if (value.is_structured()) return with_article(type_of(value));
    std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (text.size() > kShownMax) text = text.substr(0, kShownMax) + "...";
    return text;
}

Finding within(const std::string& step, Finding inner) {
    if (inner) inner->place.insert(0, step);
    return inner;
}

}  // namespace

struct JsonSchema::Rule {
    explicit Rule(const Json& schema);

    [[nodiscard]] Finding check(const Json& value) const;

    std::vector<std::string> types;
    std::vector<Json> values;  // allowed by const or enum; empty: any
    double minimum = -std::numeric_limits<double>::infinity();
    double maximum = std::numeric_limits<double>::infinity();
    std::size_t items_min = 0;
    std::size_t items_max = kUnlimited;
    std::unique_ptr<const Rule> items;
    std::vector<std::pair<std::string, Rule>> properties;
    std::vector<std::string> required;
    std::unique_ptr<const Rule> additional;

private:
    void take(const std::string& keyword, const Json& value);
    [[nodiscard]] Finding check_number(const Json& value) const;
    [[nodiscard]] Finding check_array(const Json& value) const;
    [[nodiscard]] Finding check_object(const Json& value) const;
};

JsonSchema::Rule::Rule(const Json& schema) {
    for (const auto& [keyword, value] : schema.items()) take(keyword, value);
}

void JsonSchema::Rule::take(const std::string& keyword, const Json& value) {
    if (keyword == "type") {
        if (value.is_string()) types.push_back(value.get<std::string>());
        if (value.is_array()) types = value.get<std::vector<std::string>>();
    } else if (keyword == "const") {
        values.push_back(value);
    } else if (keyword == "enum") {
        values = value.get<std::vector<Json>>();
    } else if (keyword == "minimum") {
        minimum = value.get<double>();
    } else if (keyword == "maximum") {
        maximum = value.get<double>();
    } else if (keyword == "minItems") {
        items_min = value.get<std::size_t>();
    } else if (keyword == "maxItems") {
        items_max = value.get<std::size_t>();
    } else if (keyword == "items") {
        items = std::make_unique<const Rule>(value);
    } else if (keyword == "properties") {
        for (const auto& [name, schema] : value.items()) properties.emplace_back(name, Rule(schema));
    } else if (keyword == "required") {
        required = value.get<std::vector<std::string>>();
    } else if (keyword == "additionalProperties") {
        additional = std::make_unique<const Rule>(value);
    } else {
        UMS_ASSERT(keyword == "$schema" || keyword == "title" || keyword == "description");
    }
}

Finding JsonSchema::Rule::check(const Json& value) const {
    const auto fits = [&](const std::string& type) { return is_of(value, type); };
    if (!types.empty() && std::none_of(types.begin(), types.end(), fits)) {
        std::vector<std::string> allowed;
        for (const std::string& type : types) allowed.push_back(with_article(type));
        return Problem{{}, fmt::format("is {}; allowed: {}", with_article(type_of(value)), joined(allowed))};
    }
    if (!values.empty() && std::find(values.begin(), values.end(), value) == values.end()) {
        std::vector<std::string> allowed;
        for (const Json& one : values) allowed.push_back(quoted(one));
        return Problem{{}, fmt::format("is {}; allowed: {}", quoted(value), joined(allowed))};
    }
    if (value.is_number()) return check_number(value);
    if (value.is_array()) return check_array(value);
    if (value.is_object()) return check_object(value);
    return std::nullopt;
}

Finding JsonSchema::Rule::check_number(const Json& value) const {
    const auto number = value.get<double>();
    if (number < minimum) return Problem{{}, fmt::format("is {}; allowed: {} or more", quoted(value), minimum)};
    if (number > maximum) return Problem{{}, fmt::format("is {}; allowed: {} or less", quoted(value), maximum)};
    return std::nullopt;
}

Finding JsonSchema::Rule::check_array(const Json& value) const {
    if (value.size() < items_min) return Problem{{}, fmt::format("has {} values; allowed: {} or more", value.size(), items_min)};
    if (value.size() > items_max) return Problem{{}, fmt::format("has {} values; allowed: {} or less", value.size(), items_max)};
    for (std::size_t i = 0; items && i < value.size(); ++i) {
        if (Finding inner = items->check(value[i])) return within(fmt::format("[{}]", i), std::move(inner));
    }
    return std::nullopt;
}

Finding JsonSchema::Rule::check_object(const Json& value) const {
    for (const std::string& name : required) {
        if (!value.contains(name)) return Problem{"." + name, "is missing"};
    }
    for (const auto& [name, inner] : value.items()) {
        const auto own = std::find_if(properties.begin(), properties.end(), [&](const auto& property) { return property.first == name; });
        const Rule* rule = own != properties.end() ? &own->second : additional.get();
        if (rule == nullptr) continue;
        if (Finding problem = rule->check(inner)) return within("." + name, std::move(problem));
    }
    return std::nullopt;
}

JsonSchema::JsonSchema(std::string_view text) : root_(std::make_unique<const Rule>(Json::parse(text))) {}

JsonSchema::~JsonSchema() = default;

std::optional<std::string> JsonSchema::problem_of(const Json& document) const {
    const Finding problem = root_->check(document);
    if (!problem) return std::nullopt;
    const std::string_view place = problem->place;
    return fmt::format("{} {}", place.empty() ? "it" : place.starts_with('.') ? place.substr(1) : place, problem->text);
}

}  // namespace reports
