// Options under construction: the values together with their sources, so that a check that finds an error can say where to correct it.
// Lives for one load.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/parameter.hpp"
#include "config/problems.hpp"
#include "sim/options.hpp"

namespace config {

class Draft {
public:
    // `source` is the name of the configuration file; empty if there is none.
    Draft(std::string source, Dialect dialect) : source_(std::move(source)), dialect_(dialect) {}

    // Adds a file. `place` begins messages about what the file lacks: "x.ini:30: [File1]".
    std::size_t add_file(std::string place, std::size_t number);
    void remove_files();

    // From now on, everything read so far counts as a default, under this name: "profile sql2022-oltp".
    void take_as_defaults(std::string name);

    // Records that the parameter (of the file with this index, if it belongs to a file) was given. `place` is "x.ini:12" or "-size".
    void set_origin(const Parameter& parameter, std::size_t file_index, std::string place, std::string written);
    [[nodiscard]] bool is_specified(const Parameter& parameter, std::size_t file_index) const;
    [[nodiscard]] std::string place_of(const Parameter& parameter, std::size_t file_index) const;

    // These take the address of a field of `options`.
    void set_origin(const void* field, std::string place, std::string written);
    // "x.ini:12: [RandomUser] RollbackChance = 200", with "(default)" if it was not given: begins a message.
    [[nodiscard]] std::string describe(const void* field);
    // "MaxIOChainLength = 100 (default)": within a message.
    [[nodiscard]] std::string refer_to(const void* field);
    [[nodiscard]] bool is_specified(const void* field);
    // For a file without its own place: "x.ini: " or empty.
    [[nodiscard]] std::string prefix() const { return source_.empty() ? std::string{} : source_ + ": "; }
    [[nodiscard]] const std::string& file_place(std::size_t file_index) const { return files_.at(file_index).place; }

    [[nodiscard]] Dialect dialect() const { return dialect_; }

    sim::Options options;
    Problems problems;
    std::vector<std::string> missing_files;  // missing files are errors, unless the configuration is only to be saved

private:
    struct Origin {
        std::string place;
        std::string written;
    };
    struct File {
        std::string place;
        std::size_t number = 0;
    };
    struct Row {
        const Parameter* parameter = nullptr;
        std::size_t file_index = 0;
        Field field{};
    };
    using Key = std::pair<const Parameter*, std::size_t>;

    Row row_of(const void* field);

    std::string source_;
    std::string default_word_ = "default";
    Dialect dialect_;
    std::map<Key, Origin> origins_;
    std::vector<File> files_;
};

}  // namespace config
