# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Running commands."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import IO, Protocol

from .errors import ClusterError


class Runner(Protocol):
    """Runs a command to its end."""

    def __call__(self, command: Sequence[str], *, stdin: IO[bytes] | None = None) -> str:
        """Return what the command prints.

        Args:
            command: program and arguments.
            stdin: what it reads; nothing by default.

        Raises:
            ClusterError: it cannot be started or fails; the message has what it said.
        """


def run(command: Sequence[str], *, stdin: IO[bytes] | None = None) -> str:
    """Run a command; see `Runner`."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise ClusterError(f"cannot run {command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip())[-2000:]
        raise ClusterError(f"{' '.join(command)} failed with exit code {done.returncode}: {said}")
    return done.stdout
