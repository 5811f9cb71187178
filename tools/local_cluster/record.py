# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What is known of a cluster between two commands: a small JSON file in its directory."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from .errors import ClusterError
from .files import write_file
from .processes import ProcessIdentity


class Driver(StrEnum):
    """What makes a cluster."""

    LOCAL = "local"
    KIND = "kind"
    CURRENT = "current"


@dataclass(frozen=True)
class Record:
    """One cluster.

    Attributes:
        driver: what made it.
        kubeconfig: absolute path of the administrator's kubeconfig.
        ready: whether `up` came to its end.
        supervisor: the process whose end is the cluster's end (driver `local` only).
        address: IP address of the node (driver `local` only).
    """

    driver: Driver
    kubeconfig: str
    ready: bool = False
    supervisor: ProcessIdentity | None = None
    address: str = ""

    def save(self, path: Path) -> None:
        """Write the record, as a whole or not at all: after a reboot it is to tell what was there."""
        write_file(path, json.dumps(dataclasses.asdict(self), indent=2) + "\n", durable=True)


def load(path: Path) -> Record | None:
    """Return the record in a file, or None if there is no such file.

    Raises:
        ClusterError: the file is there and is not a record.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        supervisor = data["supervisor"]
        return Record(
            driver=Driver(data["driver"]),
            kubeconfig=data["kubeconfig"],
            ready=data["ready"],
            supervisor=None if supervisor is None else ProcessIdentity(**supervisor),
            address=data["address"],
        )
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise ClusterError(f"{path} is not the record of a cluster: {error!r}") from error
