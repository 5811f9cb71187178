# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The identity of a process: a process ID alone is reused."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from .errors import ClusterError

POLL_SECONDS = 0.02
# States of a process: zombie and dead.
ENDED = "ZX"


@dataclass(frozen=True)
class ProcessIdentity:
    """One process, told from any other one before and after it.

    `start` is in clock ticks since boot, `boot` the random identifier of that boot.
    """

    pid: int
    start: int
    boot: str

    @classmethod
    def of(cls, pid: int) -> ProcessIdentity:
        """Return the identity of a running process.

        Raises:
            ClusterError: there is none with that ID.
        """
        start = start_time(pid)
        if start is None:
            raise ClusterError(f"process {pid} is gone")
        return cls(pid, start, boot_identifier())

    def alive(self) -> bool:
        """Return whether this very process runs."""
        return self.boot == boot_identifier() and self.start == start_time(self.pid)

    def kill(self, timeout: float) -> None:
        """Kill the process and wait until it is gone.

        Args:
            timeout: seconds.

        Raises:
            ClusterError: it is still there after that time.
        """
        try:
            # A descriptor of the process cannot change its meaning between the check and the signal.
            descriptor = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return
        try:
            if self.alive():
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        except ProcessLookupError:
            return
        finally:
            os.close(descriptor)
        self._wait(timeout)

    def _wait(self, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while self.alive():
            if time.monotonic() > deadline:
                raise ClusterError(f"process {self.pid} is still there {timeout:.0f} s after SIGKILL")
            time.sleep(POLL_SECONDS)


def start_time(pid: int, proc: Path = Path("/proc")) -> int | None:
    """Return when a process started, in clock ticks since boot; None if there is no such process.

    One that has ended and whose parent has not asked for it counts as none: it may stay for ever,
    where the first process of a container never asks.
    """
    try:
        status = (proc / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The command's name, in parentheses, may hold spaces and parentheses itself. After it comes field 3.
    fields = status.rpartition(")")[2].split()
    return None if fields[0] in ENDED else int(fields[22 - 3])


def boot_identifier() -> str:
    """Return the random identifier of this boot of the machine."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
