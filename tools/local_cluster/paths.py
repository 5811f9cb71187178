# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Where the state of a cluster is kept."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


def clusters_directory() -> Path:
    """Return the absolute directory that holds the clusters of this user (XDG), existing or not."""
    configured = os.environ.get("XDG_STATE_HOME", "")
    # The XDG specification has relative paths ignored.
    base = Path(configured) if Path(configured).is_absolute() else Path.home() / ".local" / "state"
    return base.resolve() / "getporter-porter" / "clusters"


@dataclass(frozen=True)
class ClusterPaths:
    """The files and directories of one cluster, all below `directory`."""

    directory: Path

    @classmethod
    def of(cls, name: str) -> ClusterPaths:
        """Return the paths of the cluster of that name."""
        return cls(clusters_directory() / name)

    @property
    def lock(self) -> Path:
        """Beside the directory, so that it can be held while the directory is removed."""
        return self.directory.with_name(f".{self.directory.name}.lock")

    @property
    def inotify_note(self) -> Path:
        """What a kernel setting was before the first cluster, see `inotify.py`."""
        return self.directory.with_name(".inotify")

    def others(self) -> list[Path]:
        """Return the directories of all other clusters."""
        beside = self.directory.parent
        entries = beside.iterdir() if beside.exists() else ()
        return [each for each in entries if each.is_dir() and each != self.directory]

    @property
    def record(self) -> Path:
        """What is known of the cluster, see `record.py`."""
        return self.directory / "cluster.json"

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig."""
        return self.directory / "kubeconfig"

    @property
    def logs(self) -> Path:
        """One file COMPONENT.log a component."""
        return self.directory / "logs"

    @property
    def audit_log(self) -> Path:
        """One line of JSON a stage of a request to the API server.

        In a directory of its own, which kind mounts into its node.
        """
        return self.directory / "audit" / "audit.log"

    @property
    def config(self) -> Path:
        """Configuration files of the components."""
        return self.directory / "config"

    @property
    def pki(self) -> Path:
        """Keys and certificates."""
        return self.directory / "pki"

    @property
    def data(self) -> Path:
        """What components keep: a subdirectory each."""
        return self.directory / "data"

    @property
    def failure(self) -> Path:
        """Why the supervisor gave up, in one line; absent unless it did."""
        return self.directory / "failure"
