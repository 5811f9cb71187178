# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Starting the supervisor of a cluster, from outside its namespaces."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import IO, cast

from .errors import ClusterError
from .plan import Plan
from .processes import ProcessIdentity

REPOSITORY = Path(__file__).resolve().parent.parent.parent
NAMESPACES = ("--mount", "--uts", "--ipc", "--net", "--pid")


class Launcher:
    """A supervisor that waits for its plan; without one it ends when this process does."""

    def __init__(self, log: Path, directory: Path) -> None:
        """Start the supervisor in new namespaces.

        Args:
            log: file for what the supervisor says.
            directory: the cluster's directory, for whoever reads the list of processes.

        Raises:
            ClusterError: the kernel does not allow new namespaces, or the like.
        """
        # What the host mounts and unmounts is followed, and nothing goes the other way. When
        # unshare ends, so does the supervisor.
        unshare = ["unshare", *NAMESPACES, "--propagation=slave", "--fork", "--kill-child"]
        with log.open("a", encoding="utf-8") as output:
            self._process = subprocess.Popen(
                [*unshare, sys.executable, "-m", f"{__package__}.supervisor", str(directory)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                text=True,
                cwd=REPOSITORY,
                start_new_session=True,
            )
        line = cast(IO[str], self._process.stdout).readline().strip()
        if not line.isdigit():
            self.kill()
            raise ClusterError(f"the supervisor does not start: {log.read_text(encoding='utf-8').strip()}")
        self.supervisor = ProcessIdentity.of(int(line))

    @property
    def pids(self) -> tuple[int, int]:
        """Process IDs of unshare and of the supervisor."""
        return self._process.pid, self.supervisor.pid

    def send(self, plan: Plan) -> None:
        """Let the supervisor begin."""
        with cast(IO[str], self._process.stdin) as stream:
            stream.write(plan.to_json())

    def kill(self) -> None:
        """End the supervisor, and with it all that it has started."""
        self._process.kill()
        self._process.wait()
