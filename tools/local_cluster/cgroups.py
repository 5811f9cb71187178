# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The control group of a cluster: made by `up`, removed with all below it by `down`."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

from .errors import ClusterError

MOUNT = Path("/sys/fs/cgroup")
# Where the cluster's own processes go. Version 2 wants processes in leaves only, and the
# group above has the kubelet's groups beside this one.
SYSTEM = "system"


def hierarchies(mount: Path = MOUNT) -> list[Path]:
    """Return the roots of the machine's control groups: one in version 2, one a controller in version 1."""
    if (mount / "cgroup.procs").exists():
        return [mount]
    # Some are symbolic links to another one, such as cpu to cpu,cpuacct.
    return sorted(each for each in mount.iterdir() if not each.is_symlink() and (each / "cgroup.procs").exists())


def create(name: str, mount: Path = MOUNT) -> None:
    """Make the control group of a cluster in every hierarchy, with the group for its own processes."""
    for root in hierarchies(mount):
        (root / name).mkdir(exist_ok=True)
        _inherit_cpuset(root / name)
        (root / name / SYSTEM).mkdir(exist_ok=True)
        _inherit_cpuset(root / name / SYSTEM)


def enter(name: str, pids: Iterable[int], mount: Path = MOUNT) -> None:
    """Move processes to the group for the cluster's own; those that they start will be there too."""
    for root in hierarchies(mount):
        for pid in pids:
            (root / name / SYSTEM / "cgroup.procs").write_text(str(pid), encoding="ascii")


def remove(name: str, timeout: float, mount: Path = MOUNT) -> None:
    """Remove the control group of a cluster whose processes have ended.

    Args:
        name: name of the group; it need not exist.
        timeout: seconds to wait for the kernel to be done with the processes.
        mount: where the control groups are.

    Raises:
        ClusterError: a group still has processes.
    """
    deadline = time.monotonic() + timeout
    for root in hierarchies(mount):
        # Bottom up: a group with groups below it cannot be removed.
        for directory, _below, _files in os.walk(root / name, topdown=False):
            _remove_one(Path(directory), deadline)


def _remove_one(group: Path, deadline: float) -> None:
    while True:
        try:
            group.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError as error:
            if time.monotonic() > deadline:
                raise ClusterError(f"cannot remove the control group {group}: {error.strerror}") from error
            time.sleep(0.02)


def _inherit_cpuset(group: Path) -> None:
    """Let processes in: in version 1 a new group of the cpuset controller has no CPU and no memory node."""
    for file in ("cpuset.cpus", "cpuset.mems"):
        if (group / file).exists() and (group.parent / file).exists() and not (group / file).read_text().strip():
            inherited = (group.parent / file).read_text(encoding="ascii").strip()
            if inherited:
                (group / file).write_text(inherited, encoding="ascii")
