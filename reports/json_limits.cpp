#include "reports/json_limits.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include <fmt/format.h>

namespace reports {

namespace {

using Json = nlohmann::ordered_json;

// Line and column of a byte, both from 1.
std::string place_text(std::string_view text, std::size_t position) {
    const std::string_view before = text.substr(0, position);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t line_begin = before.rfind('\n');
    const std::size_t column = before.size() - (line_begin == std::string_view::npos ? 0 : line_begin + 1);
    return fmt::format("line {}, column {}", line, std::max<std::size_t>(column, 1));
}

// Checks each value when the parser reaches it, and keeps none.
class Observer final : public nlohmann::json_sax<Json> {
public:
    Observer(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {}

    [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }

    bool null() override { return count_value(); }
    bool boolean(bool /*value*/) override { return count_value(); }
    bool number_integer(number_integer_t /*value*/) override { return count_value(); }
    bool number_unsigned(number_unsigned_t /*value*/) override { return count_value(); }
    bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return count_value(); }
    bool string(string_t& /*value*/) override { return count_value(); }
    bool binary(binary_t& /*value*/) override { return count_value(); }
    bool start_object(std::size_t /*size*/) override { return enter(); }
    bool start_array(std::size_t /*size*/) override { return enter(); }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }
    bool key(string_t& /*name*/) override {
        if (++keys_.back() <= limits_.object_keys) return true;
        return refuse(fmt::format("has an object of more than {} keys", limits_.object_keys));
    }
    bool parse_error(std::size_t position, const std::string& /*token*/, const nlohmann::detail::exception& /*error*/) override {
        return refuse(fmt::format("is not JSON, or was cut off: {}", place_text(text_, std::min(position, text_.size()))));
    }

private:
    bool refuse(std::string what) {
        problem_ = std::move(what);
        return false;
    }

    bool count_value() { return ++values_ <= limits_.values || refuse(fmt::format("has more than {} values", limits_.values)); }

    bool enter() {
        keys_.push_back(0);
        if (keys_.size() > limits_.depth) return refuse(fmt::format("is nested more than {} levels deep", limits_.depth));
        return count_value();
    }

    bool leave() {
        keys_.pop_back();
        return true;
    }

    const std::string_view text_;
    const JsonLimits limits_;
    std::vector<std::size_t> keys_;  // of each open object; arrays have none
    std::size_t values_ = 0;
    std::optional<std::string> problem_;
};

}  // namespace

std::optional<std::string> json_problem(std::string_view text, const JsonLimits& limits) {
    // The parser would take a zero byte for the end.
    if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
        return fmt::format("is not JSON: a zero byte, {}", place_text(text, zero + 1));
    }
    Observer observer(text, limits);
    Json::sax_parse(text, &observer);
    return observer.problem();
}

}  // namespace reports
