#include "tests/ums/io/temp_folder.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <stdexcept>

namespace ums::testing {

namespace {

std::filesystem::path make_folder(const std::filesystem::path& parent) {
    std::string pattern = (parent / "ioproof_test_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder for tests can be made in " + parent.string());
    return pattern;
}

bool takes_direct_io(const std::filesystem::path& folder) {
    const std::string name = (folder / "direct").string();
    const int fd = open(name.c_str(), O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
    if (fd >= 0) close(fd);
    unlink(name.c_str());
    return fd >= 0;
}

}  // namespace

TempFolder::TempFolder() {
    for (const std::filesystem::path& parent : {std::filesystem::temp_directory_path(), std::filesystem::current_path()}) {
        if (!path_.empty()) std::filesystem::remove_all(path_);
        path_ = make_folder(parent);
        has_direct_io_ = takes_direct_io(path_);
        if (has_direct_io_) return;
    }
}

TempFolder::~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace ums::testing
