// A file name in a folder that stays open, so that an operation hits the same folder even if somebody renames or replaces it meanwhile. A
// symbolic link under the name is never followed.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace ums {

class HeldName {
public:
    // Opens the folder of `path`.
    static std::error_code hold(const std::string& path, std::unique_ptr<HeldName>& name);
    ~HeldName();
    HeldName(const HeldName&) = delete;
    HeldName& operator=(const HeldName&) = delete;

    // As open(2) does: a descriptor, or -1 and errno.
    [[nodiscard]] int open(int flags, mode_t mode = 0) const;
    // Opens the file of `fd` once more: by its descriptor, which the system shows as `shown`, or, if it shows none, by the name. ENOENT if
    // the name refers to another file.
    [[nodiscard]] int open_again(int fd, const std::string& shown, int flags) const;
    // A new file in the name's folder that has no name yet; fails where the file system has no such files.
    [[nodiscard]] int open_unnamed(int flags, mode_t mode) const;
    // Gives the name to such a file; `shown`: where the system shows its descriptor. EEXIST if another file has the name.
    [[nodiscard]] std::error_code give_to(const std::string& shown) const;
    // `fd`: the file that the name should refer to. ENOENT if it refers to another one, which is left alone, or to none.
    [[nodiscard]] std::error_code remove(int fd) const;
    [[nodiscard]] std::error_code check_removal(int fd) const;
    // Makes the folder's names durable. No error where the system cannot do that.
    [[nodiscard]] std::error_code sync() const;

private:
    HeldName(int folder, std::string name) : folder_(folder), name_(std::move(name)) {}
    [[nodiscard]] bool is_name_of(const std::string& name, int fd) const;
    [[nodiscard]] std::error_code rename(const std::string& from, const std::string& to) const;

    const int folder_;
    const std::string name_;
};

// See Storage::resolve().
[[nodiscard]] std::error_code resolve_name(const std::string& path, std::string& resolved);

}  // namespace ums
