# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""A run of ansible-playbook that can be killed, with everything that it started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# Every process of a run inherits this variable. Ansible's workers are in sessions, and so in process groups, of their
# own: a signal to the group of ansible-playbook does not reach the modules.
MARK = "GETPORTER_FAULTS_RUN"
# Seconds for killed processes to vanish.
PATIENCE = 60


class Run:
    """One process of ansible-playbook and its descendants. All that they write is in ``folder``."""

    def __init__(self, folder: Path, playbook: str, variables: dict[str, Any], connection: dict[str, str]) -> None:
        self.mark = uuid.uuid4().hex
        here = folder / self.mark
        scratch = here / "tmp"
        scratch.mkdir(parents=True)
        (here / "variables.json").write_text(json.dumps(variables))
        self._output = here / "output"
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                [str(Path(sys.executable).with_name("ansible-playbook")), playbook, "-e", f"@{here}/variables.json"],
                env={**_environment(here, scratch), **connection, MARK: self.mark},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        return self._output.read_text(errors="replace")

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def result(self, timeout: float) -> int:
        """The exit code."""
        return self._process.wait(timeout)

    def kill(self) -> None:
        """End every process of the run at once, with SIGKILL, and make sure of it."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        deadline = time.monotonic() + PATIENCE
        while left := processes_with(f"{MARK}={self.mark}"):
            assert time.monotonic() < deadline, f"processes {left} outlive SIGKILL"
            for process in left:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
        self._process.wait(PATIENCE)


def processes_with(variable: str) -> list[int]:
    """The ids of the processes whose environment held ``NAME=value`` when they started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            # It may end while we look, or be someone else's.
            with suppress(OSError):
                if variable.encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found


def _environment(here: Path, scratch: Path) -> dict[str, str]:
    """The caller's, without its connection to any cluster, and with every temporary file below ``here``."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("K8S_AUTH_")}
    own.pop("KUBECONFIG", None)
    return {
        **own,
        "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
        "ANSIBLE_HOME": str(here / "ansible"),
        "ANSIBLE_REMOTE_TEMP": str(scratch),
        "ANSIBLE_NOCOLOR": "1",
        "TMPDIR": str(scratch),
    }
