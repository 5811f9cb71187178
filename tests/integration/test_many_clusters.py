# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Two clusters in one run of the role, each an inventory host with a connection of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes import config

from tests.support import feed as plugin_feed
from tests.support.cluster import Cluster, wait_for
from tests.support.cluster_tool import REPOSITORY, Tool
from tests.support.playbook import Playbook, plugins_from

# Not one of the names by which other tests look for what their clusters left.
SECOND = "many-b"


@pytest.fixture(scope="module")
def second_kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cluster beside the one that all tests use, with the same images."""
    tool = Tool(tmp_path_factory.mktemp("state"))
    try:
        tool.run("up", "--driver", "local", "--name", SECOND)
        tool.run("load-image", "--name", SECOND, *map(str, (REPOSITORY / ".build" / "images").glob("*.tar")))
        yield tool.kubeconfig(SECOND)
    finally:
        tool.run("down", "--name", SECOND)


@pytest.fixture
def second(second_kubeconfig: str, cluster: Cluster) -> Cluster:
    """A namespace of the same name there. It ends with its cluster."""
    there = Cluster(config.new_client_from_config(second_kubeconfig), cluster.namespace)
    there.create_namespace()
    return there


def host(kubeconfig: str, shared: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    return {
        "porter_kubernetes": {"kubeconfig": kubeconfig},
        "porter_plugins_agent_configs": [{"name": "shared", "plugins": shared}, {"name": "own", "plugins": own}],
    }


def test_two_clusters_in_one_run(
    playbook: Playbook, cluster: Cluster, second: Cluster, second_kubeconfig: str, feed: str, tmp_path: Path
) -> None:
    """Namespaces and agent configs have the same names in both; what is installed, and later removed, differs."""
    feeds = {"a": feed, "b": plugin_feed.deploy(second_kubeconfig)}
    inventory = tmp_path / "inventory.json"
    hosts = {
        "a": host(
            playbook.kubeconfig, plugins_from(feeds["a"], kubernetes="v1.0.1"), plugins_from(feeds["a"], azure="v1.2.0")
        ),
        "b": host(
            second_kubeconfig, plugins_from(feeds["b"], kubernetes="v1.0.1"), plugins_from(feeds["b"], azure="v1.0.1")
        ),
    }
    common = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}
    inventory.write_text(json.dumps({"clusters": {"vars": common, "hosts": hosts}}))
    arguments = f"-i {inventory} -e porter_hosts=clusters"

    outcome = playbook.run(arguments=arguments, environment={})

    assert outcome.status == "successful", outcome.output
    for there, versions in ((cluster, {"azure": "v1.2.0"}), (second, {"azure": "v1.0.1"})):
        records = there.records()
        assert {name: record["ready"] for name, record in records.items()} == {"shared": "true", "own": "true"}
        assert json.loads(records["shared"]["plugins"]) == {"kubernetes": "v1.0.1"}
        assert json.loads(records["own"]["plugins"]) == versions
        assert {claim.metadata.name for claim in there.claims()} == {each["claim"] for each in records.values()}
        assert {volume.metadata.name for volume in there.volumes()} == {each["volume"] for each in records.values()}

    left = playbook.run(
        arguments=f"{arguments} --limit b", environment={}, agent_configs=[{"name": "own", "state": "absent"}]
    )
    assert left.status == "successful", left.output
    assert set(second.records()) == {"shared"}
    assert set(cluster.records()) == {"shared", "own"}
    wait_for(lambda: len(second.claims()) == 1, "the end of the claim")
    assert len(cluster.claims()) == 2
