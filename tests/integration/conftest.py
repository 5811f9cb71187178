# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Fixtures of the tests on a real cluster, which KUBECONFIG names. Without one they fail."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kubernetes import client, config

from tests.support import feed as plugin_feed
from tests.support.cluster import Cluster, awaited_removals
from tests.support.playbook import Playbook
from tools.local_cluster.paths import ClusterPaths


@pytest.fixture(scope="session")
def kubeconfig() -> str:
    path = os.environ.get("KUBECONFIG", "")
    if not Path(path).is_file():
        pytest.fail("KUBECONFIG names no cluster. Run `make integration`, which brings one up.")
    return path


@pytest.fixture(scope="session")
def audit_log(kubeconfig: str) -> Path:
    """Where the API server notes every request."""
    log = ClusterPaths(Path(kubeconfig).parent).audit_log
    if not log.is_file():
        pytest.skip("This cluster was not made here, so its audit log is out of reach.")
    return log


@pytest.fixture(scope="session", autouse=True)
def only_the_tests_own_connection() -> Iterator[None]:
    """What the caller's environment says about clusters must not reach the playbooks."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("K8S_AUTH_")]:
            patch.delenv(name)
        yield


@pytest.fixture(scope="session")
def api(kubeconfig: str) -> client.ApiClient:
    return config.new_client_from_config(kubeconfig)


@pytest.fixture(scope="session")
def feed(kubeconfig: str) -> str:
    """The base URL of the plugin feed."""
    return plugin_feed.deploy(kubeconfig)


@pytest.fixture(scope="session")
def removals() -> Iterator[list[Cluster]]:
    with awaited_removals() as begun:
        yield begun


@pytest.fixture
def cluster(api: client.ApiClient, removals: list[Cluster]) -> Iterator[Cluster]:
    """A namespace of its own with the strictest pod security; all that the test made goes afterwards."""
    with fresh_namespace(api, removals) as fresh:
        yield fresh


@contextmanager
def fresh_namespace(api: client.ApiClient, removals: list[Cluster]) -> Iterator[Cluster]:
    fresh = Cluster(api, f"it-{uuid.uuid4().hex[:8]}")
    removals.append(fresh)
    fresh.create_namespace()
    try:
        yield fresh
    finally:
        fresh.begin_removal()


@pytest.fixture
def channel(feed: str) -> str:
    """A feed of the test's own, so that no other test's requests are in its counts."""
    return fresh_channel(feed)


def fresh_channel(feed: str) -> str:
    return f"{feed}/channel/{uuid.uuid4().hex[:8]}"


@pytest.fixture
def playbook(kubeconfig: str, cluster: Cluster, tmp_path: Path) -> Playbook:
    return Playbook(kubeconfig, cluster.namespace, tmp_path)
