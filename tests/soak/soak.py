# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""A soak: round after round in one namespace, whose objects are compared with the model after each."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import TimeoutExpired
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from kubernetes import config

from tests.faults.ending import ROLE_PATIENCE, killed_at_its_point, succeed
from tests.faults.kinds import KILLS
from tests.faults.proxy import Proxy
from tests.faults.run import Run
from tests.faults.scenarios import INSTALL_PLUGINS
from tests.faults.state import Manifest, difference
from tests.soak.model import ABSENT, PLUGIN_SETS, Round, Wishes, expected_state, observed_state, words
from tests.support import feed
from tests.support.cluster import PATIENCE, Cluster
from tests.support.playbook import AGENT_IMAGE, plugins_from
from tests.support.wanted import wanted_volume

# Seconds that a soak may take.
LONGEST = 24 * 3600


class RoundError(Exception):
    """A round did not end as the model says; the message is for people."""


@dataclass
class Figures:
    """What has happened so far."""

    rounds: int = 0
    held: int = 0
    runs: int = 0
    side_by_side: int = 0
    kills: int = 0
    errors: int = 0
    installs: int = 0

    def __str__(self) -> str:
        return (
            f"{self.held} of {self.rounds} rounds held: {self.runs} runs, {self.side_by_side} pairs side by side, "
            f"{self.kills} kills, {self.errors} errors from the API server, {self.installs} installs"
        )


class Soak:
    """One namespace, the runs in it, and what it is known to want."""

    def __init__(self, kubeconfig: str, cluster: Cluster, proxy: Proxy, folder: Path) -> None:
        self.figures = Figures()
        self._cluster, self._proxy, self._folder = cluster, proxy, folder
        self._wanted: Wishes = {}
        # Those of this round, by what they are for.
        self._runs: list[tuple[str, Run]] = []
        self._proxied = proxy.connection(cluster.admin_token(LONGEST))
        self._direct = {"K8S_AUTH_KUBECONFIG": kubeconfig}
        feed_url = feed.deploy(kubeconfig)
        self._plugins = {name: plugins_from(feed_url, **versions) for name, versions in PLUGIN_SETS.items()}
        self._claims = {
            name: wanted_volume(cluster.namespace, plugins).identity.claim for name, plugins in self._plugins.items()
        }

    def play(self, what: Round) -> None:
        """One round. Raises RoundError where a run fails, or the cluster does not come to what the model says."""
        self.figures.rounds += 1
        self._runs = []
        completed = self._cluster.completed_jobs()
        try:
            self._run(what)
        except (AssertionError, TimeoutExpired) as error:
            raise RoundError(self._told(f"A run did not end well ({type(error).__name__}).")) from error
        installs, self._wanted = what.installs(self._wanted), what.after(self._wanted)
        self._compare(installs, completed)
        self.figures.held += 1

    def _told(self, problem: str) -> str:
        """With all that the round's runs have printed."""
        return "\n".join([problem, *(f"== the run of {wishes}\n{run.output}" for wishes, run in self._runs)])

    def _run(self, what: Round) -> None:
        self._proxy.plan(fault=what.fault, turn=what.turn)
        with ExitStack() as running:
            run = self._start(what.wishes, self._proxied, running)
            beside = self._start(what.beside, self._direct, running) if what.beside else None
            if what.fault in KILLS:
                self.figures.kills += killed_at_its_point(run, self._proxy)
            else:
                succeed(run)
                self.figures.errors += self._proxy.met()
            if beside:
                succeed(beside)
                self.figures.side_by_side += 1
            if what.again:
                succeed(self._start(what.again, self._direct, running))

    def _start(self, wishes: Wishes, connection: Mapping[str, str], running: ExitStack) -> Run:
        variables = {
            "porter_plugins_agent_image": AGENT_IMAGE,
            "porter_plugins_namespace": self._cluster.namespace,
            "porter_plugins_timeout": ROLE_PATIENCE,
            "porter_plugins_agent_configs": [self._agent_config(name, wish) for name, wish in wishes.items()],
        }
        run = Run(self._folder, INSTALL_PLUGINS, variables, dict(connection))
        running.callback(run.kill)
        self._runs.append((words(wishes), run))
        self.figures.runs += 1
        return run

    def _agent_config(self, name: str, wish: str) -> dict[str, Any]:
        if wish == ABSENT:
            return {"name": name, "state": ABSENT}
        return {"name": name, "plugins": self._plugins.get(wish, {})}

    def _compare(self, installs: range, completed: set[str]) -> None:
        """Until the cluster is as the model says."""
        expected = {**expected_state(self._wanted, self._claims), "installs": _range(installs)}
        deadline = time.monotonic() + PATIENCE
        while True:
            count = len(self._cluster.completed_jobs() - completed)
            found = {**self._state(), "installs": _range(installs) if count in installs else str(count)}
            if found == expected:
                self.figures.installs += count
                return
            if time.monotonic() > deadline:
                raise RoundError(self._told(difference(expected, found, ("model", "cluster"))))
            time.sleep(0.3)

    def _state(self) -> Manifest:
        plain, here = self._cluster.core.api_client.sanitize_for_serialization, self._cluster
        return observed_state(plain(here.claims()), plain(here.volumes()), plain(here.record_maps()), here.leftovers())


def _range(installs: range) -> str:
    return " or ".join(map(str, installs))


@contextmanager
def new_soak(kubeconfig: str) -> Iterator[Soak]:
    """A soak, with a namespace of its own that goes in the end, come what may."""
    cluster = Cluster(config.new_client_from_config(kubeconfig), f"soak-{uuid4().hex[:8]}")
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, ExitStack() as cleanup:
        proxy = Proxy(kubeconfig, Path(folder))
        cleanup.callback(proxy.stop)
        cleanup.callback(cluster.finish_removal)
        cleanup.callback(cluster.begin_removal)
        cluster.create_namespace()
        yield Soak(kubeconfig, cluster, proxy, Path(folder))
