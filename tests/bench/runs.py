# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Runs ansible-playbook as a user does, and takes the time."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ROLE = "getporter.porter.install_plugins"
FLOOR = str(ROOT / "tests" / "bench" / "floor.yml")
PLAIN = str(ROOT / "tests" / "bench" / "plain_kubernetes_core.yml")


@dataclass(frozen=True)
class Run:
    """One run of a playbook: when it was, in seconds since 1970, and how long it took."""

    begin: float
    end: float
    seconds: float


class Runner:
    """Runs playbooks against one cluster."""

    def __init__(self, kubeconfig: str) -> None:
        self._environment = _environment(kubeconfig)

    def run(self, playbook: str, variables: Mapping[str, Any] | None = None) -> Run:
        """Run it to its end. One that fails ends the benchmark: its time says nothing."""
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(variables or {}, file)
            file.flush()
            command = ["ansible-playbook", playbook, "-e", f"@{file.name}"]
            begin, start = time.time(), time.perf_counter()
            done = subprocess.run(command, env=self._environment, cwd=ROOT, capture_output=True, text=True, check=False)
            seconds, end = time.perf_counter() - start, time.time()
        if done.returncode:
            raise SystemExit(f"{playbook} failed, so there is nothing to compare:\n{done.stdout}\n{done.stderr}")
        return Run(begin, end, seconds)


def _environment(kubeconfig: str) -> dict[str, str]:
    """The caller's, without what could change what is measured."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("K8S_AUTH_", "ANSIBLE_"))}
    # Users' Python keeps what it compiled.
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    kept["PYTHONPYCACHEPREFIX"] = str(ROOT / ".build" / "pycache")
    kept["ANSIBLE_CONFIG"] = str(ROOT / "ansible.cfg")
    kept["K8S_AUTH_KUBECONFIG"] = kubeconfig
    return kept
