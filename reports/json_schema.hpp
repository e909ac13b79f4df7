// Checks JSON documents against a schema, so that code that uses a document afterwards need not check whether a value exists and has the
// right type.
//
// Of JSON Schema (https://json-schema.org/draft/2020-12/schema) it supports: type, const, enum, minimum, maximum, minItems, maxItems,
// items, properties, required, additionalProperties (a schema). An integer is a number written without fraction or exponent. Numbers are
// compared as floating point, exact to 53 bits.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace reports {

class JsonSchema {
public:
    // `text` must be one of our own schemas: an unsupported keyword fails an assertion.
    explicit JsonSchema(std::string_view text);
    ~JsonSchema();
    JsonSchema(const JsonSchema&) = delete;
    JsonSchema& operator=(const JsonSchema&) = delete;

    // Nothing if the document conforms; otherwise the first violation, with its place and what is allowed: "findings[3].class is an array;
    // allowed: a string". Any thread.
    [[nodiscard]] std::optional<std::string> problem_of(const nlohmann::ordered_json& document) const;

private:
    struct Rule;
    std::unique_ptr<const Rule> root_;
};

}  // namespace reports
