#include "ums/io/container_place.hpp"

#include <algorithm>
#include <string_view>

namespace ums {

namespace {

bool is_mounted_by_kubelet(const Mount& mount) {
    return mount.point == "/dev/termination-log" || (mount.point == "/etc/hosts" && mount.root.find("/pods/") != std::string::npos);
}

bool is_mounted_by_an_engine(const Mount& mount) {
    return mount.point == "/etc/hosts" || mount.point == "/etc/hostname" || mount.point == "/run/.containerenv";
}

std::string up_to_slash(std::string_view text) { return std::string(text.substr(0, text.find('/'))); }

}  // namespace

ContainerKind container_kind_of(const std::vector<Mount>& mounts) {
    if (std::any_of(mounts.begin(), mounts.end(), is_mounted_by_kubelet)) return ContainerKind::pod;
    if (std::any_of(mounts.begin(), mounts.end(), is_mounted_by_an_engine)) return ContainerKind::container;
    return ContainerKind::none;
}

PodVolume pod_volume_of(const Mount& mount) {
    // …/pods/UID/volumes/kubernetes.io~csi/NAME/mount
    constexpr std::string_view kVolumes = "/volumes/kubernetes.io~";
    const std::size_t begin = mount.root.find(kVolumes);
    if (begin == std::string::npos) return {};
    const std::string_view rest = std::string_view(mount.root).substr(begin + kVolumes.size());
    PodVolume volume{.plugin = up_to_slash(rest), .name = {}};
    if (volume.plugin.size() < rest.size()) volume.name = up_to_slash(rest.substr(volume.plugin.size() + 1));
    return volume;
}

}  // namespace ums
