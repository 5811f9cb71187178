# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Runs agent actions in a test's namespace, and looks at what they leave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.support.cluster import Cluster, wait_for
from tests.support.playbook import Outcome, Playbook

ACTION = "getporter.porter.porter_agent_action"
PLAYBOOK = "getporter.porter.run_action"
SELECTOR = "app.kubernetes.io/component=agent-action"


@dataclass
class Actions:
    """Of one namespace."""

    cluster: Cluster
    playbook: Playbook

    def variables(self, **variables: Any) -> dict[str, Any]:
        """The arguments of the playbook's run."""
        return {"playbook": PLAYBOOK, "prefix": "porter_action", **variables}

    def run(self, **variables: Any) -> Outcome:
        """Run an action; ``task`` is one of the role's task files."""
        return self.playbook.run(**self.variables(**variables))

    @staticmethod
    def of(outcome: Outcome) -> dict[str, Any]:
        """The module's result."""
        return outcome.of(ACTION)

    def running_pod(self) -> str:
        """The name of the action's pod, once it runs."""
        wait_for(self._running_pods, "a running pod")
        return self._running_pods()[0]

    def pods(self) -> list[Any]:
        """Those of actions."""
        return list(self.cluster.core.list_namespaced_pod(self.cluster.namespace, label_selector=SELECTOR).items)

    def _running_pods(self) -> list[str]:
        running = [pod for pod in self.pods() if pod.status.phase == "Running"]
        return [pod.metadata.name for pod in running if not pod.metadata.deletion_timestamp]

    def record_of(self, name: str) -> dict[str, str] | None:
        """The data of a named action's record."""
        records = self.cluster.core.list_namespaced_config_map(self.cluster.namespace, label_selector=SELECTOR).items
        return next((each.data for each in records if each.data["name"] == name), None)

    def jobs_ever(self) -> list[str]:
        """The last part of the names of all Jobs that ever had a pod, as their events tell."""
        events = self.cluster.core.list_namespaced_event(
            self.cluster.namespace, field_selector="involvedObject.kind=Job,reason=SuccessfulCreate"
        )
        return sorted({event.involved_object.name.rpartition("-")[2] for event in events.items})

    def assert_nothing_is_left(self) -> None:
        """Of Jobs, pods and Secrets; what belongs to a Job goes a moment after it."""
        wait_for(lambda: not self._left(), f"the end of {self._left()}")

    def _left(self) -> list[str]:
        namespace, core = self.cluster.namespace, self.cluster.core
        found = [
            *self.cluster.batch.list_namespaced_job(namespace, label_selector=SELECTOR).items,
            *core.list_namespaced_pod(namespace, label_selector=SELECTOR).items,
            *core.list_namespaced_secret(namespace, label_selector=SELECTOR).items,
        ]
        return [f"{type(item).__name__} {item.metadata.name}" for item in found]
