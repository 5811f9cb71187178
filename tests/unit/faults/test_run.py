# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""A killed run is dead altogether."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.faults.run import MARK, Run, processes_with

# The module sleeps in a process below a worker of ansible, which has a session of its own.
PLAYBOOK = """
- hosts: localhost
  connection: local
  gather_facts: false
  tasks:
    - ansible.builtin.command: sleep 86399
"""


def is_asleep(processes: list[int]) -> bool:
    return any(b"86399" in Path(f"/proc/{process}/cmdline").read_bytes() for process in processes)


def test_nothing_of_a_killed_run_survives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("K8S_AUTH_HOST", "https://elsewhere.example")
    (tmp_path / "playbook.yml").write_text(PLAYBOOK)
    run = Run(tmp_path, str(tmp_path / "playbook.yml"), {}, {})
    mark = f"{MARK}={run.mark}"
    try:
        assert processes_with("K8S_AUTH_HOST=https://elsewhere.example") == []
        deadline = time.monotonic() + 30
        while not is_asleep(processes_with(mark)):
            assert time.monotonic() < deadline, run.output
            time.sleep(0.1)
        assert len({Path(f"/proc/{process}/stat").read_text().split()[5] for process in processes_with(mark)}) > 1
    finally:
        run.kill()
    assert processes_with(mark) == []
    assert run.has_ended()
