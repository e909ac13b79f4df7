#include "ums/io/container_place.hpp"

#include <sstream>
#include <string>

#include "tests/support/catch.hpp"

using namespace ums;

namespace {

const std::string kRoot = "500 400 0:60 / / ro,relatime - overlay overlay rw,lowerdir=/a\n";
const std::string kKubelet = "/var/lib/kubelet/pods/6f1c2a1e-0b7e-4a5e-9d1e-3f1f6f0a7b11";

std::vector<Mount> mounts_of(const std::string& lines) {
    std::istringstream table(kRoot + lines);
    return read_mounts(table);
}

PodVolume volume_at(const std::string& root) {
    return pod_volume_of(mounts_of("501 500 8:1 " + root + " /data rw,relatime - ext4 /dev/sda1 rw\n").back());
}

}  // namespace

TEST_CASE("a pod is recognized by what the kubelet mounts into it, a container by what its engine mounts") {
    CHECK(container_kind_of(mounts_of("")) == ContainerKind::none);
    CHECK(container_kind_of(mounts_of("501 500 8:1 / /etc rw - ext4 /dev/sda1 rw\n")) == ContainerKind::none);
    CHECK(container_kind_of(mounts_of("501 500 8:1 /var/lib/docker/containers/1/hosts /etc/hosts rw - ext4 /dev/sda1 rw\n")) ==
          ContainerKind::container);
    CHECK(container_kind_of(mounts_of("501 500 0:70 / /run/.containerenv rw - tmpfs tmpfs rw\n")) == ContainerKind::container);
    CHECK(container_kind_of(mounts_of("501 500 8:1 " + kKubelet + "/etc-hosts /etc/hosts rw - ext4 /dev/sda1 rw\n")) == ContainerKind::pod);
    // /var/lib/kubelet is a file system of its own.
    CHECK(container_kind_of(mounts_of("501 500 8:2 /pods/6f1c2a1e/etc-hosts /etc/hosts rw - xfs /dev/sdb rw\n")) == ContainerKind::pod);
    CHECK(container_kind_of(mounts_of("501 500 8:1 " + kKubelet + "/containers/ioproof/1 /dev/termination-log rw - ext4 /dev/sda1 rw\n")) ==
          ContainerKind::pod);
}

TEST_CASE("the volume behind a mount in a pod is recognized by the kubelet's folders") {
    CHECK(volume_at("/") == PodVolume{});
    CHECK(volume_at("/srv/data") == PodVolume{});
    CHECK(volume_at(kKubelet + "/volumes/kubernetes.io~csi/pvc-7/mount") == PodVolume{.plugin = "csi", .name = "pvc-7"});
    CHECK(volume_at(kKubelet + "/volumes/kubernetes.io~empty-dir/scratch") == PodVolume{.plugin = "empty-dir", .name = "scratch"});
    CHECK(volume_at("/pods/6f1c2a1e/volumes/kubernetes.io~nfs") == PodVolume{.plugin = "nfs", .name = ""});
}
