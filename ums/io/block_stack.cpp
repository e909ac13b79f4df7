#include "ums/io/block_stack.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "ums/base/sysfs_value.hpp"
#include "ums/base/units.hpp"

namespace ums {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLayersMax = 64;  // more are a made-up tree that goes round in circles

// "none [mq-deadline] kyber" -> "mq-deadline".
std::string chosen_scheduler(const std::string& line) {
    const std::size_t open = line.find('[');
    const std::size_t close = line.find(']');
    if (open == std::string::npos || close == std::string::npos || close < open) return line;
    return line.substr(open + 1, close - open - 1);
}

void read_queue(BlockLayer& layer, const fs::path& device) {
    std::error_code error;
    layer.has_queue = fs::exists(device / "mq", error);
    const fs::path queue = device / "queue";
    layer.logical_sector_bytes = read_number<std::uint32_t>(queue / "logical_block_size", 512);
    layer.physical_sector_bytes = read_number<std::uint32_t>(queue / "physical_block_size", layer.logical_sector_bytes);
    layer.minimum_io_bytes = read_number<std::uint64_t>(queue / "minimum_io_size", 0);
    layer.optimal_io_bytes = read_number<std::uint64_t>(queue / "optimal_io_size", 0);
    layer.read_ahead_kb = read_number<std::uint64_t>(queue / "read_ahead_kb", 0);
    layer.scheduler = chosen_scheduler(read_line(queue / "scheduler"));
    layer.is_rotational = read_number(queue / "rotational", 0) != 0;
    layer.has_write_cache = read_line(queue / "write_cache") == "write back";
    layer.has_fua = read_number(queue / "fua", 0) != 0;
}

void name_kind(BlockLayer& layer, const fs::path& device) {
    std::error_code error;
    if (fs::exists(device / "dm", error)) {
        layer.kind = BlockLayerKind::mapped;
        const std::string uuid = read_line(device / "dm/uuid");
        layer.detail = uuid.substr(0, uuid.find('-'));
    } else if (fs::exists(device / "md", error)) {
        layer.kind = BlockLayerKind::raid;
        layer.detail = read_line(device / "md/level");
    } else if (layer.name.starts_with("bcache")) {
        layer.kind = BlockLayerKind::cached;
    } else if (layer.name.starts_with("loop")) {
        layer.kind = BlockLayerKind::loop;
        layer.detail = read_line(device / "loop/backing_file");
    } else if (layer.name.starts_with("ram") || layer.name.starts_with("zram")) {
        layer.kind = BlockLayerKind::memory;
    }
}

void add_layers(std::vector<BlockLayer>& layers, const fs::path& device) {
    if (layers.size() >= kLayersMax) return;
    std::error_code error;
    BlockLayer layer;
    layer.name = device.filename().string();
    layer.number = read_device_number(device / "dev");
    layer.alignment_offset_bytes = read_number<std::uint32_t>(device / "alignment_offset", 0);
    if (fs::exists(device / "partition", error)) {
        layer.kind = BlockLayerKind::partition;
        layer.start_bytes = read_number<std::uint64_t>(device / "start", 0) * kStatBlockBytes;
        read_queue(layer, device.parent_path());
        layers.push_back(layer);
        return add_layers(layers, device.parent_path());
    }
    read_queue(layer, device);
    name_kind(layer, device);
    layers.push_back(layer);
    std::vector<fs::path> below;
    for (const auto& entry : fs::directory_iterator(device / "slaves", error)) below.push_back(entry.path());
    std::sort(below.begin(), below.end());
    for (const fs::path& link : below) {
        const fs::path target = fs::canonical(link, error);
        if (!error) add_layers(layers, target);
    }
}

// All but the partitions, each once: two partitions of a disk lead to the same disk.
std::vector<const BlockLayer*> whole_layers(const std::vector<BlockLayer>& layers) {
    std::vector<const BlockLayer*> whole;
    for (const BlockLayer& layer : layers) {
        const auto is_same = [&layer](const BlockLayer* other) { return other->name == layer.name; };
        const bool is_whole = layer.kind != BlockLayerKind::partition && layer.number;
        if (is_whole && std::none_of(whole.begin(), whole.end(), is_same)) whole.push_back(&layer);
    }
    return whole;
}

}  // namespace

std::vector<BlockLayer> read_block_stack(DeviceNumber number, const BlockDeviceRoots& roots) {
    std::error_code error;
    const fs::path device = fs::canonical(fs::path(roots.sys) / fmt::format("dev/block/{}:{}", number.major, number.minor), error);
    std::vector<BlockLayer> layers;
    if (!error) add_layers(layers, device);
    return layers;
}

std::vector<std::string> whole_devices(const std::vector<BlockLayer>& layers) {
    std::vector<std::string> numbers;
    for (const BlockLayer* layer : whole_layers(layers))
        numbers.push_back(fmt::format("{}:{}", layer->number->major, layer->number->minor));
    return numbers;
}

std::optional<std::uint64_t> count_flushes(const std::vector<BlockLayer>& layers, const BlockDeviceRoots& roots) {
    std::optional<std::uint64_t> flushes;
    for (const BlockLayer* layer : whole_layers(layers)) {
        if (!layer->has_queue) continue;
        flushes = flushes.value_or(0) + read_block_device(layer->number->major, layer->number->minor, roots).counters.flushes;
    }
    return flushes;
}

std::uint64_t requests_within(const std::vector<BlockLayer>& layers, std::uint64_t watch_ms, const BlockDeviceRoots& roots) {
    const std::vector<const BlockLayer*> whole = whole_layers(layers);
    const auto requests = [&whole, &roots] {
        std::vector<std::uint64_t> counts;
        for (const BlockLayer* layer : whole) {
            const BlockDeviceCounters counters = read_block_device(layer->number->major, layer->number->minor, roots).counters;
            counts.push_back(counters.reads + counters.writes);
        }
        return counts;
    };
    const std::vector<std::uint64_t> before = requests();
    std::this_thread::sleep_for(std::chrono::milliseconds(watch_ms));
    const std::vector<std::uint64_t> after = requests();
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) most = std::max(most, count_between(before[i], after[i]));
    return most;
}

}  // namespace ums
