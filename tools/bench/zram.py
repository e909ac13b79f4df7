"""A block device in memory that answers immediately, with a file system on it: a fast device without a host's noise."""

import os
import shutil
import subprocess
import tempfile

from peers import MB, Failed


def must(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Failed(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")


def free_device(sys_block):
    """Returns the name of a zram device that is unused: its size is 0."""
    for name in sorted(os.listdir(sys_block)):
        if name.startswith("zram"):
            with open(os.path.join(sys_block, name, "disksize"), encoding="ascii") as file:
                if int(file.read()) == 0:
                    return name
    raise Failed("no zram device is free; load the module zram, or name a folder with --fast-folder")


class Zram:
    """Context manager: formats and mounts a free device. Gives the folder, and undoes everything at the end."""

    def __init__(self, size, sys_block="/sys/block", is_root=None):
        self.size, self.sys_block = size, sys_block
        self.is_root = os.geteuid() == 0 if is_root is None else is_root
        self.name = self.folder = None
        self.is_mounted = False

    def write(self, attribute, value):
        with open(os.path.join(self.sys_block, self.name, attribute), "w", encoding="ascii") as file:
            file.write(str(value))

    def __enter__(self):
        if not self.is_root:
            raise Failed("--zram needs root, to make a file system and to mount it; name a folder with --fast-folder")
        self.name = free_device(self.sys_block)
        self.write("disksize", self.size // MB * MB)
        try:
            self.folder = tempfile.mkdtemp(prefix="ioproof-zram-")
            device = "/dev/" + self.name
            must(["mkfs.xfs", "-q", "-f", device] if shutil.which("mkfs.xfs") else ["mkfs.ext4", "-q", "-F", device])
            must(["mount", device, self.folder])
            self.is_mounted = True
        except BaseException:
            self.__exit__()
            raise
        return self.folder

    def __exit__(self, *_):
        if self.is_mounted:
            must(["umount", self.folder])
        if self.folder:
            os.rmdir(self.folder)
        try:
            self.write("reset", 1)
        except OSError as error:
            # A container, or another process that was started meanwhile with its own mount namespace.
            raise Failed(f"/dev/{self.name}: cannot be given back ({error.strerror}): some other process has a copy of the mount; "
                         f"when it has ended: echo 1 > /sys/block/{self.name}/reset") from error
