#include "ums/base/error_text.hpp"

#include <cerrno>

#include <fmt/format.h>

#include "ums/base/os_thread.hpp"

namespace ums {

std::error_code quota_exceeded() { return {EDQUOT, std::generic_category()}; }

std::string error_text(const std::error_code& error) {
    switch (error.value()) {
        case ECANCELED: return no_thread_text();  // the kernel had no thread for the request
        case EFBIG:
            return fmt::format("{}: the file system, or a limit of the process (ulimit -f), does not allow such files", error.message());
        case EMFILE: return fmt::format("{}: the limit of open files (ulimit -n) is reached", error.message());
        case ENFILE: return fmt::format("{}: the limit of all open files (fs.file-max) is reached", error.message());
        case ENOMEM: return "out of memory";
        default: return error.message();
    }
}

std::string error_text(const std::system_error& failure) {
    std::string text = failure.what();
    const std::string words = failure.code().message();
    if (text.ends_with(words)) text.replace(text.size() - words.size(), words.size(), error_text(failure.code()));
    return text;
}

}  // namespace ums
