// A folder for one test, on a file system that allows direct I/O if there is one, removed with its contents.
#pragma once

#include <filesystem>
#include <string>

namespace ums::testing {

class TempFolder {
public:
    TempFolder();
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    ~TempFolder();

    [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
    [[nodiscard]] std::string path() const { return path_.string(); }
    [[nodiscard]] bool has_direct_io() const { return has_direct_io_; }

private:
    std::filesystem::path path_;
    bool has_direct_io_ = false;
};

}  // namespace ums::testing
