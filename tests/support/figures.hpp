// Figures that differ from each other, to see that a document has each of them under its own name.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace test {

class Figures {
public:
    // Gives the figure a value that no other one has, not even in another object. It must appear under this name.
    template <typename Number>
    void set(Number& figure, const char* name) {
        figure = static_cast<Number>(++last_);
        expected_[name] = figure;
    }
    void set(std::string& text, const char* name) {
        text = name + std::string(" ") + std::to_string(++last_);
        expected_[name] = text;
    }
    // The names of the figures that have another value in the JSON, or none.
    [[nodiscard]] std::string wrong_in(const nlohmann::ordered_json& json) const {
        std::string wrong;
        for (const auto& [name, value] : expected_.items()) {
            if (!json.contains(name) || json[name] != value) wrong += name + " ";
        }
        return wrong;
    }

private:
    inline static std::uint32_t last_ = 1000;
    nlohmann::ordered_json expected_ = nlohmann::ordered_json::object();
};

}  // namespace test
