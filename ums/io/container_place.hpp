// Whether this process is in a container or in a Kubernetes pod, and what a mount is there. No interface says so, so it is judged by what
// engines mount into every container (/etc/hosts, /etc/hostname, /run/.containerenv), by what the kubelet mounts into every pod
// (/dev/termination-log; /etc/hosts from its folder for the pod), and by the names of its volume folders. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ums/io/mount_table.hpp"

namespace ums {

enum class ContainerKind : std::uint8_t { none, container, pod };

[[nodiscard]] ContainerKind container_kind_of(const std::vector<Mount>& mounts);

// What is behind a mount in a pod. A volume with a device of its own does not show the kubelet's folders.
struct PodVolume {
    std::string plugin;  // "csi", "empty-dir", "host-path"…; empty: not known
    std::string name;    // of the volume in the pod's specification, or of the persistent volume; empty: not known

    friend bool operator==(const PodVolume&, const PodVolume&) = default;
};

[[nodiscard]] PodVolume pod_volume_of(const Mount& mount);

}  // namespace ums
