#include "config/draft.hpp"

#include <fmt/format.h>

#include "config/parameter_table.hpp"
#include "config/value_text.hpp"
#include "ums/base/assert.hpp"

namespace config {

namespace {

const void* address_of(Field field) {
    return std::visit([](auto* target) { return static_cast<const void*>(target); }, field);
}

}  // namespace

std::size_t Draft::add_file(std::string place, std::size_t number) {
    options.files.emplace_back();
    files_.push_back({std::move(place), number});
    return files_.size() - 1;
}

void Draft::remove_files() {
    options.files.clear();
    files_.clear();
    std::erase_if(origins_, [](const auto& item) { return item.first.first->section == Section::file; });
}

void Draft::take_as_defaults(std::string name) {
    origins_.clear();
    default_word_ = std::move(name);
}

void Draft::set_origin(const Parameter& parameter, std::size_t file_index, std::string place, std::string written) {
    origins_[{&parameter, file_index}] = {std::move(place), std::move(written)};
}

bool Draft::is_specified(const Parameter& parameter, std::size_t file_index) const { return origins_.count({&parameter, file_index}) != 0; }

std::string Draft::place_of(const Parameter& parameter, std::size_t file_index) const {
    const auto found = origins_.find({&parameter, file_index});
    return found == origins_.end() ? std::string{} : found->second.place;
}

Draft::Row Draft::row_of(const void* field) {
    for (const Parameter& parameter : parameter_table()) {
        const std::size_t copies = parameter.section == Section::file ? options.files.size() : 1;
        for (std::size_t i = 0; i < copies; ++i) {
            const Field candidate = field_of(parameter, options, i);
            if (address_of(candidate) == field) return {&parameter, i, candidate};
        }
    }
    UMS_ASSERT(false);
}

void Draft::set_origin(const void* field, std::string place, std::string written) {
    const Row row = row_of(field);
    set_origin(*row.parameter, row.file_index, std::move(place), std::move(written));
}

std::string Draft::describe(const void* field) {
    const Row row = row_of(field);
    const std::string_view key = name_of(*row.parameter, dialect_);
    const bool of_file = row.parameter->section == Section::file;
    const std::string name = qualified_name(*row.parameter, dialect_, of_file ? files_[row.file_index].number : 0);
    const auto origin = origins_.find({row.parameter, row.file_index});
    if (origin != origins_.end()) return fmt::format("{}: {} = {}", origin->second.place, name, origin->second.written);
    const std::string value = value_text(*row.parameter, dialect_, row.field);
    if (of_file) return fmt::format("{} {} = {} ({})", files_[row.file_index].place, key, value, default_word_);
    return fmt::format("{}{} = {} ({})", prefix(), name, value, default_word_);
}

std::string Draft::refer_to(const void* field) {
    const Row row = row_of(field);
    const bool given = is_specified(*row.parameter, row.file_index);
    return fmt::format("{} = {}{}", name_of(*row.parameter, dialect_), value_text(*row.parameter, dialect_, row.field),
                       given ? "" : " (" + default_word_ + ")");
}

bool Draft::is_specified(const void* field) {
    const Row row = row_of(field);
    return is_specified(*row.parameter, row.file_index);
}

}  // namespace config
