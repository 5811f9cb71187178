# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The driver `current`: a cluster that the user has already. It is used and never changed."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from .driver import Say
from .errors import ClusterError
from .kubeconfig import current_kubeconfig
from .paths import ClusterPaths
from .record import Driver, Record
from .tree import remove_tree


class CurrentCluster:
    """The user's own cluster; see `ClusterDriver` for the methods without a docstring of their own."""

    def __init__(self, name: str, paths: ClusterPaths, say: Say) -> None:
        """Take the name under which the cluster is on record, its files, and how to report."""
        self._name = name
        self._paths = paths
        self._say = say

    def up(self) -> None:
        kubeconfig = current_kubeconfig(os.environ, Path.home())
        version = _version(kubeconfig)
        Record(Driver.CURRENT, str(kubeconfig), ready=True).save(self._paths.record)
        self._say(f"cluster {self._name} is the one of {kubeconfig}, Kubernetes {version}")

    def down(self) -> bool:
        return remove_tree(self._paths.directory)

    def status(self, record: Record) -> Mapping[str, str]:
        try:
            _version(Path(record.kubeconfig))
        except ClusterError as error:
            return {"state": str(error)}
        return {"state": "ready"}

    def load_images(self, archives: Sequence[Path]) -> None:
        raise ClusterError(
            "images cannot be loaded into a cluster of the driver current: push them where it pulls from"
        )

    def logs(self) -> Mapping[str, Path]:
        raise ClusterError("the logs of a cluster of the driver current are not here")


def _version(kubeconfig: Path) -> str:
    # Imported here, as that takes longer than most commands do.
    from .api import Api

    return Api(kubeconfig, direct=False).version()
