// The built program in a new folder, for tests that run it from end to end.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/process.hpp"
#include "tests/support/xml_checker.hpp"

namespace test {

class IoproofFolder {
public:
    // Below the current folder, which for tests is in the build tree, because the folder for temporary files may refuse O_DIRECT.
    IoproofFolder() : folder_(std::filesystem::current_path()) { std::filesystem::create_directory(data()); }

    [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
    [[nodiscard]] std::filesystem::path data() const { return path() / "data"; }
    [[nodiscard]] std::filesystem::path data_file() const { return data() / "sqliosim.mdx"; }
    [[nodiscard]] std::filesystem::path log_file() const { return data() / "sqliosim.ldx"; }
    [[nodiscard]] std::string read(const std::string& name) const { return read_text(path() / name); }
    void write(const std::string& name, const std::string& text) const { std::ofstream(path() / name, std::ios::binary) << text; }
    [[nodiscard]] bool has(const std::string& name) const { return std::filesystem::exists(path() / name); }
    // The error in the log of a run; empty if it is well-formed XML.
    [[nodiscard]] std::string log_error(const std::string& name = "sqliosim.log.xml") const { return test::xml_error(read(name)); }

    // Starts ioproof with these arguments, in this folder.
    [[nodiscard]] std::unique_ptr<Process> start(std::vector<std::string> words) const {
        words.insert(words.begin(), IOPROOF_PROGRAM);
        return std::make_unique<Process>(std::move(words), path());
    }
    // Starts a run on small files in data(), with further switches.
    [[nodiscard]] std::unique_ptr<Process> start_run(const std::string& seconds, const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words{"run", "-dir", "data", "-size", "4", "-d", seconds};
        words.insert(words.end(), more.begin(), more.end());
        return start(words);
    }

private:
    TempFolder folder_;
};

// The names of all files in the folder.
inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename().string());
    return names;
}

}  // namespace test
