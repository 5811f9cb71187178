# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Plays that are cancelled while an agent action runs: by a key, by a job scheduler, by being killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.actions import Actions
from tests.support.cluster import Cluster, wait_for
from tests.support.playbook import AGENT_IMAGE, ROOT, Playbook

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def actions(cluster: Cluster, playbook: Playbook) -> Actions:
    """With an agent config without plugins, which takes no install."""
    assert playbook.run(plugins={}).status == "successful"
    return Actions(cluster, playbook)


@pytest.fixture
def start(actions: Actions, kubeconfig: str, tmp_path: Path) -> Iterator[Start]:
    """Begins an action that would run for minutes, as a process group of its own, and waits until its pod runs."""
    processes = []

    def begin(**variables: Any) -> subprocess.Popen[bytes]:
        extra = {
            "porter_action_namespace": actions.cluster.namespace,
            "porter_action_image": AGENT_IMAGE,
            "porter_action_args": ["standin-sleep", "300"],
            **{f"porter_action_{key}": value for key, value in variables.items()},
        }
        command = [str(Path(sys.executable).parent / "ansible-playbook"), "getporter.porter.run_action"]
        environment = {**os.environ, "K8S_AUTH_KUBECONFIG": kubeconfig, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")}
        with (tmp_path / "output").open("wb") as output:
            process = subprocess.Popen(
                [*command, "-e", json.dumps(extra)],
                stdout=output,
                stderr=output,
                env=environment,
                start_new_session=True,
            )
        processes.append(process)
        actions.running_pod()
        return process

    yield begin
    for process in processes:
        process.kill()
        process.wait()


def end(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """One signal is enough: the play ends long before the action would."""
    os.killpg(process.pid, number)
    process.wait(120)
    assert process.returncode != 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_f06_a_cancelled_play_leaves_no_job(start: Start, actions: Actions, number: signal.Signals) -> None:
    """F06: SIGKILL is what ansible-runner, and so AWX, sends to the process group of ansible-playbook."""
    process = start(name="cancelled")
    end(process, number)
    actions.assert_nothing_is_left()
    wait_for(
        lambda: (actions.record_of("cancelled") or {}).get("phase") == "Stopped",
        f"a note in {actions.record_of('cancelled')}",
    )
    again = actions.run(args=["standin-sleep", "300"], name="cancelled", timeout=3)
    assert actions.of(again)["job"] == "cancelled-2"


def test_a_job_that_is_to_be_left_goes_on_and_is_joined(start: Start, actions: Actions) -> None:
    process = start(name="left", args=["standin-log", "3", "--seconds", "20"], on_cancel="leave")
    end(process, signal.SIGINT)
    (job,) = actions.cluster.jobs()
    assert job.metadata.deletion_timestamp is None
    joined = actions.run(name="left", args=["standin-log", "3", "--seconds", "20"], image=AGENT_IMAGE)
    assert joined.status == "successful", joined.output
    assert (actions.of(joined)["job"], actions.of(joined)["log"][-1]) == ("left-1", "line 3")
    actions.assert_nothing_is_left()
