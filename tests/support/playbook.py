# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Run the collection's playbooks as a user does, through ansible-runner, and read what came of it."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import ansible_runner

AGENT_IMAGE = os.environ.get("AGENT_IMAGE", "getporter.local/porter-agent:v1.6.1")
INFO = "getporter.porter.porter_plugin_volume_info"
JOB = "getporter.porter.porter_agent_job"
HAND_OVER = "getporter.porter.porter_plugin_volume"
RELEASE = "getporter.porter.porter_agent_config"
OWNER = "getporter.porter.porter_pvc_owner"
REPORT = "getporter.porter.porter_report_info"
PRUNE = "getporter.porter.porter_prune"
ROOT = Path(__file__).resolve().parents[2]


def plugins_from(feed: str, **versions: str) -> dict[str, Any]:
    """A plugin set: name to version, from the feed below this address."""
    return {name: {"version": version, "feedURL": f"{feed}/plugins/atom.xml"} for name, version in versions.items()}


@dataclass(frozen=True)
class Outcome:
    """A finished run: its tasks' results in their order, and all that it printed."""

    status: str
    results: list[tuple[str, dict[str, Any]]]
    output: str

    @property
    def changed(self) -> bool:
        return any(result.get("changed") for _task, result in self.results)

    @property
    def message(self) -> str:
        """Why it failed."""
        return str(next((result["msg"] for _task, result in reversed(self.results) if result.get("failed")), ""))

    def of(self, module: str) -> dict[str, Any]:
        """The result of the last task that used the module."""
        return next(result for used, result in reversed(self.results) if used == module)

    def used(self, module: str) -> bool:
        return any(used == module for used, _result in self.results)

    @property
    def table(self) -> list[str]:
        """The closing summary."""
        return list(self.of("ansible.builtin.debug")["msg"])


@dataclass
class Playbook:
    """Runs playbooks against one namespace of one cluster."""

    kubeconfig: str
    namespace: str
    folder: Path
    settings: dict[str, Any] = field(default_factory=dict)

    def run(
        self,
        playbook: str = "getporter.porter.install_plugins",
        *,
        arguments: str = "",
        environment: dict[str, str] | None = None,
        prefix: str = "porter_plugins",
        **variables: Any,
    ) -> Outcome:
        """Run a playbook; ``variables`` go without their prefix, ``plugins`` for porter_plugins_plugins."""
        extra = {
            "agent_image": AGENT_IMAGE,
            "namespace": self.namespace,
            "timeout": 90,
            **self.settings,
            **variables,
        }
        connection = {"K8S_AUTH_KUBECONFIG": self.kubeconfig} if environment is None else environment
        folder = self.folder / uuid.uuid4().hex
        folder.mkdir()
        run = ansible_runner.run(
            private_data_dir=str(folder),
            playbook=playbook,
            cmdline=arguments or None,
            extravars={f"{prefix}_{key}": value for key, value in extra.items()},
            envvars={"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "ANSIBLE_NOCOLOR": "1", **connection},
            quiet=True,
        )
        outcome = Outcome(run.status, list(_results(run)), run.stdout.read())
        shutil.rmtree(folder)
        return outcome

    def run_task(self, module: str, *, arguments: str = "", environment: Any = None, **options: Any) -> Outcome:
        """Run a play of one task: the module, with these options."""
        play = {"hosts": "localhost", "gather_facts": False, "tasks": [{module: options}]}
        path = self.folder / f"{uuid.uuid4().hex}.yml"
        path.write_text(json.dumps([play]))
        return self.run(str(path), arguments=arguments, environment=environment)

    def run_apart(self, **how: Any) -> Outcome:
        """Like ``run``, in a process of its own: several threads may call it at once."""
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            return pool.submit(self.run, **how).result()


def _results(run: Any) -> Any:
    for event in run.events:
        if event["event"] in ("runner_on_ok", "runner_on_failed"):
            data = event["event_data"]
            yield data["resolved_action"], {**data["res"], "failed": event["event"] == "runner_on_failed"}
