# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Private directories: mounts that exist in this process's mount namespace alone."""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Mapping
from pathlib import Path

# From the kernel's <linux/mount.h>.
MS_NOSUID = 1 << 1
MS_NODEV = 1 << 2
MS_NOEXEC = 1 << 3
MS_BIND = 1 << 12
MS_REC = 1 << 14
MS_SHARED = 1 << 20

# What the kubelet wants of the kernel, and would otherwise write to the whole machine's settings.
KUBELET_SYSCTLS = {
    "vm/overcommit_memory": "1",
    "vm/panic_on_oom": "0",
    "kernel/panic": "10",
    "kernel/panic_on_oops": "1",
    "kernel/keys/root_maxkeys": "1000000",
    "kernel/keys/root_maxbytes": "25000000",
}

_libc = ctypes.CDLL(None, use_errno=True)


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Call mount(2).

    Raises:
        OSError: the kernel refuses.
    """
    arguments = (source.encode(), target.encode(), kind.encode() or None)
    if _libc.mount(*arguments, ctypes.c_ulong(flags), options.encode() or None) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"mounting {source} on {target}: {os.strerror(number)}")


def share_below_root() -> None:
    """Let containers see what is mounted after their start, as the kubelet's volumes need."""
    mount("", "/", flags=MS_REC | MS_SHARED)


def mount_proc() -> None:
    """Show the processes of this process namespace at /proc."""
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)


def make_private(private: Mapping[str, str]) -> None:
    """Put a directory of the cluster's own in the place of each given path.

    The paths need not exist: the directories above them become private too, with everything else
    in them as it is, so that nothing is made in the machine's own file system.

    Args:
        private: absolute paths of directories, each with the directory to be there instead, or
            with nothing for an empty one in memory.

    Raises:
        OSError: the kernel refuses.
    """
    for parent in sorted({Path(path).parent for path in private}):
        inside = {Path(path).name: source for path, source in private.items() if Path(path).parent == parent}
        _shadow(parent, inside)


def override_sysctls(directory: Path, values: Mapping[str, str]) -> None:
    """Have kernel settings read, and written, as files of this cluster.

    Args:
        directory: where to keep the files.
        values: settings by their path below /proc/sys.
    """
    for setting, value in values.items():
        file = directory / setting.replace("/", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(value + "\n", encoding="ascii")
        mount(str(file), f"/proc/sys/{setting}", flags=MS_BIND)


def _shadow(parent: Path, private: Mapping[str, str]) -> None:
    """Mount memory over a directory, with all its entries bound into it but for the private ones."""
    original = os.open(parent, os.O_PATH | os.O_DIRECTORY)
    # Opened before they can be hidden by the mount.
    sources = {name: os.open(source, os.O_PATH | os.O_DIRECTORY) for name, source in private.items() if source}
    try:
        entries = sorted(each.name for each in parent.iterdir() if each.name not in private)
        mode = stat.S_IMODE(parent.stat().st_mode)
        mount("tmpfs", str(parent), "tmpfs", MS_NOSUID | MS_NODEV, f"mode={mode:o}")
        for entry in entries:
            _bind_entry(_opened(original) / entry, parent / entry)
        for name in private:
            (parent / name).mkdir(mode=0o755)
            if name in sources:
                mount(str(_opened(sources[name])), str(parent / name), flags=MS_BIND | MS_REC)
    finally:
        for descriptor in (original, *sources.values()):
            os.close(descriptor)


def _opened(descriptor: int) -> Path:
    """Return a path to an open directory, whatever is mounted over its own path."""
    return Path(f"/proc/self/fd/{descriptor}")


def _bind_entry(source: Path, target: Path) -> None:
    try:
        mode = source.lstat().st_mode
    except FileNotFoundError:
        return  # removed meanwhile
    if stat.S_ISLNK(mode):
        target.symlink_to(source.readlink())
        return
    if stat.S_ISDIR(mode):
        target.mkdir()
    else:
        target.touch()
    mount(str(source), str(target), flags=MS_BIND | MS_REC)
