#include "cli/sqlio/sqlio_arguments.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "cli/measuring/measuring.hpp"
#include "cli/process/exit_codes.hpp"
#include "sim/limits.hpp"
#include "ums/base/os_thread.hpp"
#include "ums/base/printable.hpp"
#include "ums/base/whole_number.hpp"

namespace cli {
namespace {

constexpr std::uint32_t kSqlioThreadsMax = 256;
constexpr std::size_t kSqlioFilesMax = 256;
constexpr std::size_t kSqlioNameMax = 256;

std::optional<std::uint64_t> sqlio_mask(std::string_view text) {
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    if (is_hex) text.remove_prefix(2);
    return ums::whole_number<std::uint64_t>(text, is_hex ? 16 : 10);
}

class SqlioParser {
public:
    SqlioArguments parse(const std::vector<std::string>& words);

private:
    void option(std::string_view word);
    bool own_switch(const std::vector<std::string>& words, std::size_t& index);
    void set_drive(const std::string& value);
    void pattern(std::string_view value);
    void affinity(std::string_view value);
    void blocks(std::string_view value);
    void latency(std::string_view value);
    void buffering(std::string_view value);
    void raw_devices(std::string_view value);
    void add_files();

    [[noreturn]] void refuse(std::string_view allowed) const { throw UsageError(fmt::format("{}: {}", option_, allowed)); }
    [[nodiscard]] std::uint32_t number(std::string_view value, std::uint32_t minimum, std::uint32_t maximum) const {
        const auto result = ums::whole_number<std::uint32_t>(value);
        if (!result || *result < minimum || *result > maximum) {
            refuse(fmt::format("a whole number from {} to {} is needed", minimum, maximum));
        }
        return *result;
    }
    void note(std::string_view text) { arguments_.notices.push_back(fmt::format("{}: {}", option_, text)); }

    SqlioArguments arguments_;
    std::vector<std::string> names_;
    std::vector<std::string> devices_;
    std::string_view option_;
};

SqlioArguments SqlioParser::parse(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        option_ = words[i];
        if (words[i] == "-?") {
            arguments_.wants_usage = true;
            return std::move(arguments_);
        }
        if (!words[i].starts_with('-')) {
            names_.push_back(words[i]);
        } else if (!own_switch(words, i)) {
            option(words[i]);
        }
    }
    add_files();
    return std::move(arguments_);
}

bool SqlioParser::own_switch(const std::vector<std::string>& words, std::size_t& index) {
    const std::string& word = words[index];
    if (!word.starts_with("--")) return false;
    constexpr std::string_view kDrive = "--drive";
    if (word == "--overwrite-foreign-files") {
        arguments_.may_overwrite = true;
    } else if (word == kDrive) {
        set_drive(index + 1 < words.size() ? words[++index] : "");
    } else if (word.starts_with("--drive=")) {
        set_drive(word.substr(kDrive.size() + 1));
    } else {
        throw UsageError(fmt::format("{}: unknown; allowed are SQLIO's options, --drive and --overwrite-foreign-files", word));
    }
    return true;
}

void SqlioParser::set_drive(const std::string& value) {
    const bool is_right = value.size() > 2 && std::isalpha(static_cast<unsigned char>(value[0])) != 0 && value[1] == '=';
    if (!is_right) throw UsageError(fmt::format("--drive: '{}' is not allowed; a letter and what it stands for, as in L=/mnt/data", value));
    arguments_.drives[static_cast<char>(std::toupper(static_cast<unsigned char>(value[0])))] = value.substr(2);
}

void SqlioParser::option(std::string_view word) {
    std::string_view value = word.substr(std::min<std::size_t>(2, word.size()));
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));  // scripts write "-o 8" as one word
    switch (word.size() > 1 ? word[1] : '\0') {
        case 'k':
            if (value != "R" && value != "W") refuse("R or W is needed, as in -kR");
            arguments_.is_write = value == "W";
            break;
        case 't': arguments_.threads = number(value, 1, kSqlioThreadsMax); break;
        case 's': arguments_.seconds = number(value, 1, 86400 * 7); break;
        case 'd':
            if (value.empty()) refuse("letters of drives are needed, as in -dEF");
            for (const char letter : value) {
                if (std::isalpha(static_cast<unsigned char>(letter)) == 0) refuse("letters of drives are needed, as in -dEF");
                arguments_.drive_letters.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(letter))));
            }
            break;
        case 'R': raw_devices(value); break;
        case 'f': pattern(value); break;
        case 'p':
        case 'a': affinity(value); break;
        case 'o': arguments_.outstanding = number(value, 0, 4096); break;
        case 'b': arguments_.block_kb = number(value, 1, 1024 * 1024); break;
        case 'i': arguments_.run_requests = number(value, 1, std::numeric_limits<std::int32_t>::max()); break;
        case 'm': blocks(value); break;
        case 'L': latency(value); break;
        case 'B': buffering(value); break;
        case 'S': arguments_.start_blocks = number(value, 0, std::numeric_limits<std::int32_t>::max()); break;
        case 'v':
            if (value != "1.1.1") refuse("only -v1.1.1 is known");
            arguments_.repeats_runs = true;
            note("runs of requests use the same blocks here in any case");
            break;
        case 'F':
            if (value.empty()) refuse("name the parameter file, as in -Fparam.txt");
            arguments_.parameter_path = value;
            break;
        default: throw UsageError(fmt::format("'{}': no such option; -? lists the options", word));
    }
}

void SqlioParser::pattern(std::string_view value) {
    if (value == "random") {
        arguments_.pattern = SqlioPattern::random;
    } else if (value == "sequential") {
        arguments_.pattern = SqlioPattern::sequential;
    } else {
        if (value.empty() || value.front() < '0' || value.front() > '9') refuse("a number of blocks is needed, or random, or sequential");
        arguments_.pattern = SqlioPattern::stripes;
        arguments_.stripe_blocks = number(value, 1, std::numeric_limits<std::int32_t>::max());
    }
}

// -p[I]<cpu>, -a[R[I]]<mask>
void SqlioParser::affinity(std::string_view value) {
    if (option_[1] == 'p') {
        if (value.starts_with('I')) value.remove_prefix(1);
        arguments_.cpus.insert(number(value, 0, sim::kCpuNumbersMax - 1));
        return;
    }
    if (value.starts_with('R')) value.remove_prefix(1);
    if (value.starts_with('I')) value.remove_prefix(1);
    const auto mask = sqlio_mask(value);
    if (!mask || *mask == 0) refuse("a mask of the CPUs 0 to 63 is needed, a bit each, as in -a3 or -a0xF; -p names one above them");
    const std::vector<std::uint32_t> cpus = ums::cpus_of_mask(*mask);
    arguments_.cpus.insert(cpus.begin(), cpus.end());
}

// -m[C|S]<n>
void SqlioParser::blocks(std::string_view value) {
    const bool is_copy = value.starts_with('C');
    if (is_copy || value.starts_with('S')) value.remove_prefix(1);
    const std::uint32_t pieces = number(value, 1, 1024);
    if (is_copy) {
        note("the copy in memory is not made; a request is one piece");
    } else {
        arguments_.pieces = pieces;
    }
}

void SqlioParser::latency(std::string_view value) {
    if (value.ends_with('i')) value.remove_suffix(1);
    if (value != "S" && value != "P") refuse("S or P is needed, as in -LS");
    arguments_.measures_latency = true;
    arguments_.uses_processor_timer = value == "P";
}

void SqlioParser::buffering(std::string_view value) {
    if (value == "N") {
        arguments_.buffering = SqlioBuffering::none;
    } else if (value == "Y") {
        arguments_.buffering = SqlioBuffering::all;
    } else if (value == "H") {
        arguments_.buffering = SqlioBuffering::hardware;
    } else if (value == "S") {
        arguments_.buffering = SqlioBuffering::software;
    } else {
        refuse("allowed are -BN, -BY, -BH, -BS");
    }
}

// Devices by path, or by a letter that --drive explains.
void SqlioParser::raw_devices(std::string_view value) {
    if (value.empty()) refuse("name the devices, as in -R/dev/sdb,/dev/sdc");
    while (true) {
        const std::size_t comma = value.find(',');
        devices_.emplace_back(value.substr(0, comma));
        if (comma == std::string_view::npos) return;
        value.remove_prefix(comma + 1);
    }
}

const std::string& drive_of(const SqlioArguments& arguments, char letter) {
    const auto found = arguments.drives.find(letter);
    if (found == arguments.drives.end()) {
        throw UsageError(fmt::format("{0}: Linux has no drives; say what it stands for, as in --drive {0}=/mnt/data", letter));
    }
    return found->second;
}

// The path of a file on each drive of -d; without -d, its name alone.
std::vector<std::string> paths_of(const SqlioArguments& arguments, const std::string& name) {
    if (arguments.drive_letters.empty()) return {name};
    std::vector<std::string> paths;
    for (const char letter : arguments.drive_letters) paths.push_back(fmt::format("{}/{}", drive_of(arguments, letter), name));
    return paths;
}

// "c:\sql\test.dat" with --drive C=/mnt/data is that file below the folder. Any other name stays as it is.
std::string below_drive(const SqlioArguments& arguments, const std::string& name) {
    const bool has_drive = name.size() > 2 && std::isalpha(static_cast<unsigned char>(name[0])) != 0 && name[1] == ':';
    if (!has_drive || !arguments.drive_letters.empty()) return name;
    const auto drive = arguments.drives.find(static_cast<char>(std::toupper(static_cast<unsigned char>(name[0]))));
    if (drive == arguments.drives.end()) return name;
    std::string below = name.substr(2);
    std::replace(below.begin(), below.end(), '\\', '/');
    return fmt::format("{}/{}", drive->second, below.substr(std::min(below.find_first_not_of('/'), below.size())));
}

// Files and devices count together, as in SQLIO.
void add_within_limits(SqlioArguments& arguments, SqlioFile file) {
    if (file.path.size() > kSqlioNameMax) throw UsageError(fmt::format("{}: a name has at most {} characters", file.path, kSqlioNameMax));
    arguments.files.push_back(std::move(file));
    if (arguments.files.size() > kSqlioFilesMax)
        throw UsageError(fmt::format("at most {} files can be named; there are more", kSqlioFilesMax));
}

void add_sqlio_file(SqlioArguments& arguments, const SqlioFile& file) {
    const std::string name = below_drive(arguments, file.path);
    refuse_windows_path(name);
    for (const std::string& path : paths_of(arguments, name)) {
        refuse_windows_path(path);
        SqlioFile on_drive = file;
        on_drive.path = path;
        add_within_limits(arguments, std::move(on_drive));
    }
}

void SqlioParser::add_files() {
    for (const std::string& device : devices_) {
        const bool is_letter = device.size() == 1 && std::isalpha(static_cast<unsigned char>(device[0])) != 0;
        const std::string path =
            is_letter ? drive_of(arguments_, static_cast<char>(std::toupper(static_cast<unsigned char>(device[0])))) : device;
        if (!path.starts_with('/')) throw UsageError(fmt::format("-R: '{}' is not allowed; name block devices, as in -R/dev/sdb", device));
        add_within_limits(arguments_, {.path = path, .threads = arguments_.threads, .is_raw = true});
    }
    if (names_.empty() && arguments_.parameter_path.empty() && devices_.empty()) names_.emplace_back("testfile.dat");
    for (const std::string& name : names_) add_sqlio_file(arguments_, {.path = name, .threads = arguments_.threads});
    if (arguments_.pieces > 0 && arguments_.block_bytes() % (arguments_.pieces * 512) != 0) {
        throw UsageError(fmt::format("-m: a block of {} KB is not {} pieces of whole sectors", arguments_.block_kb, arguments_.pieces));
    }
}

// A '#' within a name is part of it: otherwise another file would be written.
std::vector<std::string_view> fields_of(std::string_view line) {
    constexpr std::string_view kBlanks = " \t\r";
    std::vector<std::string_view> fields;
    while (true) {
        line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
        if (line.empty() || line.front() == '#') return fields;
        const std::size_t size = std::min(line.find_first_of(kBlanks), line.size());
        fields.push_back(line.substr(0, size));
        line.remove_prefix(size);
    }
}

}  // namespace

SqlioArguments parse_sqlio(const std::vector<std::string>& words) { return SqlioParser().parse(words); }

void add_sqlio_parameters(SqlioArguments& arguments, std::string_view bytes, const std::string& name) {
    constexpr std::uint64_t kSizeMbMax = std::uint64_t{1} << 30;
    const std::string decoded = decoded_document(bytes, name);
    std::string_view text = decoded;
    std::uint32_t line_number = 0;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        ++line_number;
        const std::vector<std::string_view> fields = fields_of(line);
        if (fields.empty()) continue;
        const auto value_at = [&](std::size_t index, std::uint64_t otherwise, std::uint64_t maximum, std::string_view what) {
            if (fields.size() <= index) return otherwise;
            const auto value = sqlio_mask(fields[index]);
            if (!value || *value > maximum)
                throw UsageError(fmt::format("{}:{}: '{}' is not a {}", name, line_number, fields[index], what));
            return *value;
        };
        SqlioFile file;
        file.path = fields[0];
        file.threads = static_cast<std::uint32_t>(value_at(1, arguments.threads, kSqlioThreadsMax, "number of threads up to 256"));
        file.cpu_mask = value_at(2, 0, std::numeric_limits<std::uint64_t>::max(), "mask of CPUs");
        file.size_mb = value_at(3, 0, kSizeMbMax, "size in MB");
        if (file.threads == 0 || fields.size() > 4) {
            throw UsageError(
                fmt::format("{}:{}: path, threads, mask and megabytes are needed, as in 'testfile.dat 4 0x0 100'", name, line_number));
        }
        add_sqlio_file(arguments, file);
    }
    if (arguments.files.empty()) throw UsageError(fmt::format("{}: names no file", name));
}

std::vector<std::string> sqlio_warnings(const SqlioArguments& arguments) {
    std::vector<std::string> warnings;
    if (arguments.pattern == SqlioPattern::random) return warnings;
    if (arguments.pattern == SqlioPattern::stripes && !arguments.repeats_runs) {
        warnings.push_back(
            fmt::format("-f{}: all runs use the same blocks, at most {} of {} KB, as with -v1.1.1, so caches may answer all but the first "
                        "run; -frandom and -fsequential use the whole file",
                        arguments.stripe_blocks, arguments.run_requests, arguments.block_kb));
    }
    std::map<std::string, std::uint32_t> threads_of_paths;
    for (const SqlioFile& file : arguments.files) threads_of_paths[file.path] += file.threads;
    for (const auto& [path, threads] : threads_of_paths) {
        if (threads == 1) continue;
        warnings.push_back(
            fmt::format("{}: {} threads go through it side by side, each from the same beginning, so caches may answer all but the first; "
                        "take one thread with a larger -o instead",
                        ums::printable(path), threads));
    }
    return warnings;
}

}  // namespace cli
