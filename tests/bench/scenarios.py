# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What is measured: rounds in which every command runs once, so that all meet the same moods of the machine."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.getporter.porter.plugins.module_utils._identity import canonical_document, plugin_identity
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import parse_plugins
from kubernetes import client

from tests.bench.runs import FLOOR, PLAIN, ROLE, Run, Runner
from tests.support.cluster import Cluster
from tests.support.playbook import AGENT_IMAGE, plugins_from

# How many agent configs a rerun has, and how many an install.
RERUNS = (1, 10, 100)
INSTALLS = (1, 10)
# Agent configs of one preparing run: a node runs 110 pods, and this many at once are quicker than all.
BATCH = 20

Say = Callable[[str], None]


@dataclass
class Measured:
    """The runs of each command, in the order of the rounds."""

    runs: dict[str, list[Run]] = field(default_factory=lambda: defaultdict(list))

    def add(self, name: str, run: Run) -> None:
        self.runs[name].append(run)


@dataclass(frozen=True)
class Bench:
    """Measures on one cluster with its plugin feed."""

    api: client.ApiClient
    runner: Runner
    feed: str
    say: Say

    def reruns(self, rounds: int) -> Measured:
        """The floor, and the role with nothing to do."""
        measured = Measured()
        with self._namespaces(len(RERUNS)) as clusters:
            prepared = {count: self._role(each, count) for count, each in zip(RERUNS, clusters, strict=True)}
            for variables in prepared.values():
                self._install_in_batches(variables)
            self.runner.run(FLOOR)
            for number in range(rounds):
                self.say(f"reruns, round {number + 1} of {rounds}")
                measured.add("floor", self.runner.run(FLOOR))
                for count, variables in prepared.items():
                    measured.add(f"rerun {count}", self.runner.run(ROLE, variables))
        return measured

    def installs(self, rounds: int) -> Measured:
        """The floor, the role from nothing to ready, and the same steps with kubernetes.core alone."""
        measured = Measured()
        for number in range(rounds):
            self.say(f"installs, round {number + 1} of {rounds}")
            with self._namespaces(len(INSTALLS) + 1) as (beside, *clusters):
                measured.add("floor", self.runner.run(FLOOR))
                for count, cluster in zip(INSTALLS, clusters, strict=True):
                    measured.add(f"install {count}", self.runner.run(ROLE, self._role(cluster, count)))
                measured.add("plain 1", self.runner.run(PLAIN, self._plain(beside)))
        return measured

    @contextmanager
    def _namespaces(self, count: int) -> Iterator[Sequence[Cluster]]:
        """Fresh ones. Their removal is over before the next command runs, so that it disturbs none."""
        clusters = [Cluster(self.api, f"bench-{uuid.uuid4().hex[:8]}") for _number in range(count)]
        try:
            for each in clusters:
                each.create_namespace()
            yield clusters
        finally:
            for each in clusters:
                each.begin_removal()
            for each in clusters:
                each.finish_removal()

    def _role(self, cluster: Cluster, count: int) -> dict[str, Any]:
        """Variables of the role: so many agent configs, each with plugins of its own."""
        configs = [{"name": f"config-{number}", "plugins": self._plugins()} for number in range(count)]
        return {
            "porter_plugins_namespace": cluster.namespace,
            "porter_plugins_agent_image": AGENT_IMAGE,
            "porter_plugins_agent_configs": configs,
        }

    def _install_in_batches(self, variables: dict[str, Any]) -> None:
        configs = variables["porter_plugins_agent_configs"]
        for first in range(0, len(configs), BATCH):
            self.say(f"preparing agent config {first + 1} of {len(configs)} and those behind it")
            batch = configs[first : first + BATCH]
            self.runner.run(ROLE, {**variables, "porter_plugins_agent_configs": batch})

    def _plain(self, cluster: Cluster) -> dict[str, Any]:
        """Variables of the playbook without this collection: the names and labels that the role gives."""
        plugins = parse_plugins(self._plugins())
        identity = plugin_identity(plugins, cluster.namespace)
        return {
            "bench_namespace": cluster.namespace,
            "bench_claim": identity.claim,
            "bench_document": canonical_document(plugins),
            "bench_image": AGENT_IMAGE,
            "bench_labels": {
                "getporter.org/managed": "true",
                "getporter.org/plugins-hash": identity.plugins_hash,
                "getporter.org/resourceName": "config-0",
                "getporter.org/plugins": identity.label,
            },
        }

    def _plugins(self) -> dict[str, Any]:
        """A plugin set that no other config has: the same plugin, from an address of its own."""
        return plugins_from(f"{self.feed}/channel/{uuid.uuid4().hex[:8]}", kubernetes="v1.0.1")
