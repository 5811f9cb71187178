# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What a driver does, and which one is to be used."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from .errors import ClusterError
from .record import Driver, Record
from .runner import Runner

Say = Callable[[str], None]
AUTO = "auto"


class ClusterDriver(Protocol):
    """Makes and removes one cluster. Only one process at a time calls `up` or `down`."""

    def up(self) -> None:
        """Make the cluster, or find it ready; returns when it is. Leftovers are cleared away before."""

    def down(self) -> bool:
        """Remove the cluster, whatever state it is in; return whether there was anything to remove."""

    def status(self, record: Record) -> Mapping[str, str]:
        """Return what is to be told of the cluster; `state` is `ready` or says what is wrong."""

    def load_images(self, archives: Sequence[Path]) -> None:
        """Make images available to the cluster's pods.

        Args:
            archives: docker-archive tars.
        """

    def logs(self) -> Mapping[str, Path]:
        """Return the log file of each component."""


def choose_driver(wanted: str, run: Runner, find: Callable[[str], str | None] = shutil.which) -> Driver:
    """Return the driver for a new cluster.

    Args:
        wanted: a driver's name, or `auto`: kind where it and a running Docker are there, else local.
        run: runs commands.
        find: returns where a command is, or None.
    """
    if wanted != AUTO:
        return Driver(wanted)
    if find("kind") is not None and find("docker") is not None and _docker_runs(run):
        return Driver.KIND
    return Driver.LOCAL


def _docker_runs(run: Runner) -> bool:
    try:
        run(["docker", "info"])
    except ClusterError:
        return False
    return True
