# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""A namespace, a channel of the feed and the proxy: all that one case needs."""

from __future__ import annotations

import json
import time
import uuid
from pathlib import Path

from kubernetes import client

from tests.faults.cases import Case
from tests.faults.ending import ROLE_PATIENCE, killed_at_its_point, succeed
from tests.faults.proxy import Proxy
from tests.faults.run import Run
from tests.faults.scenarios import CHANNEL, ROLES, NewVersion, Play, Scenario
from tests.faults.state import Manifest, end_state
from tests.support import feed_control as feed
from tests.support.cluster import Cluster
from tests.support.playbook import AGENT_IMAGE

# Seconds for the garbage collector and the controllers to come to the end.
PATIENCE = 60


class Bench:
    """One case's part of the cluster."""

    def __init__(self, api: client.ApiClient, feed_url: str, proxy: Proxy, folder: Path) -> None:
        name = uuid.uuid4().hex[:8]
        self.cluster = Cluster(api, f"faults-{name}")
        self._api = api
        self._proxy = proxy
        self._folder = folder
        self._channel = f"case-{name}"
        self._feed = f"{feed_url}/channel/{self._channel}"
        self._connection: dict[str, str] = {}

    def set_up(self) -> None:
        self.cluster.create_namespace()
        self._connection = self._proxy.connection(self.cluster.admin_token())

    def prepare(self, scenario: Scenario) -> None:
        """What comes before the disturbed run."""
        for step in scenario.before:
            if isinstance(step, NewVersion):
                feed.publish(self._api, self._channel, step.plugin, step.version)
            else:
                self.play(step)
                self.cluster.wait_until_only_claims_are_left()

    def record(self, scenario: Scenario) -> tuple[list[str], Manifest, Manifest]:
        """Play it undisturbed; return its points, the state before its disturbed run, and the one in the end."""
        self.prepare(scenario)
        before = self.state()
        self.play(scenario.disturbed)
        points = self._proxy.points()
        deadline = time.monotonic() + PATIENCE
        while not _has_come_to_rest(state := self.state(), scenario) and time.monotonic() < deadline:
            time.sleep(0.3)
        return points, before, state

    def play(self, play: Play) -> None:
        """A run without a fault, to its good end."""
        self._proxy.plan()
        succeed(self._start(play))

    def play_with_error(self, play: Play, case: Case) -> bool:
        """A run that meets an error and gets over it. False: it did not come to that point."""
        self._proxy.plan(case.point, case.fault)
        succeed(self._start(play))
        return self._proxy.met()

    def play_and_kill(self, play: Play, case: Case) -> bool:
        """A run that is killed. False: it came to its good end before it came to that point."""
        self._proxy.plan(case.point, case.fault)
        return killed_at_its_point(self._start(play), self._proxy)

    def wrote(self) -> bool:
        """Whether the last run changed anything."""
        return self._proxy.wrote()

    def wait_for(self, expected: Manifest) -> Manifest:
        """The state in the end: the expected one, or what there is after long enough."""
        deadline = time.monotonic() + PATIENCE
        while (state := self.state()) != expected and time.monotonic() < deadline:
            time.sleep(0.3)
        return state

    def state(self) -> Manifest:
        """All that the scenario's end is judged by."""
        plain = self._api.sanitize_for_serialization
        claims, volumes = self.cluster.claims(), self.cluster.volumes()
        records = self.cluster.record_maps() + self.cluster.record_maps("agent-action")
        names = {self.cluster.namespace: "NAMESPACE", self._channel: "CHANNEL"}
        return {
            **end_state(plain(claims), plain(volumes), plain(records), self.cluster.leftovers(), names),
            "completed Jobs": len(self.cluster.completed_jobs()),
            "downloads": feed.downloads(self._api, self._channel),
        }

    def _start(self, play: Play) -> Run:
        variables = {
            "agent_image": AGENT_IMAGE,
            "namespace": self.cluster.namespace,
            "plugins": {"kubernetes": {"feedURL": f"{CHANNEL}/plugins/atom.xml"}},
            "timeout": ROLE_PATIENCE,
            **play.variables,
        }
        variables = json.loads(json.dumps(variables).replace(CHANNEL, self._feed))
        prefixed = {f"{ROLES[play.playbook]}_{name}": value for name, value in variables.items()}
        return Run(self._folder, play.playbook, prefixed, self._connection)


def _has_come_to_rest(state: Manifest, scenario: Scenario) -> bool:
    return (
        not state["leftovers"]
        and len(state["claims"]) == len(state["volumes"]) == scenario.claims
        and state["completed Jobs"] == scenario.jobs
    )
