# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The command that makes local clusters, with a state directory of a test's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
# Enough for a first build; everything else takes seconds.
UP_SECONDS = 1200


class Tool:
    """The command; its clusters are not those of the caller."""

    def __init__(self, state: Path) -> None:
        self.clusters = state / "getporter-porter" / "clusters"
        self._environment = {**os.environ, "XDG_STATE_HOME": str(state)}

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tools.local_cluster", *arguments],
            cwd=REPOSITORY,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *arguments: str, code: int = 0) -> str:
        return finish(self.start(*arguments), code)

    def kubeconfig(self, name: str) -> str:
        return self.run("kubeconfig", "--name", name).strip()

    def record(self, name: str) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads((self.clusters / name / "cluster.json").read_text(encoding="utf-8"))
        return loaded


def finish(process: subprocess.Popen[str], code: int = 0) -> str:
    said, _errors = process.communicate(timeout=UP_SECONDS)
    assert process.returncode == code, said
    return said
