# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The playbook that removes agent configs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cluster import Cluster
from tests.support.playbook import RELEASE, Playbook, plugins_from

REMOVE = "getporter.porter.remove_plugins"


def test_it_takes_what_was_installed_from_and_removes_that(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """C05: what another agent config needs stays; a state of their own is no matter, and a manifest has none."""
    plugins = plugins_from(channel, kubernetes="v1.0.1")
    manifest = {
        "apiVersion": "getporter.org/v1",
        "kind": "AgentConfig",
        "metadata": {"name": "from-a-manifest"},
        "spec": {"pluginConfigFile": {"schemaVersion": "1.0.0", "plugins": plugins}},
    }
    both: list[Any] = [{"name": "own", "state": "present", "plugins": plugins}, manifest]
    installed = playbook.run(agent_configs=both)
    assert installed.status == "successful", installed.output

    told = playbook.run(REMOVE, agent_configs=both, arguments="--check")
    assert told.changed, told.output
    assert set(cluster.records()) == {"own", "from-a-manifest"}

    first = playbook.run(REMOVE, agent_configs=both[:1])
    assert first.status == "successful", first.output
    assert set(cluster.records()) == {"from-a-manifest"}
    assert list(cluster.owners().values()) == [["porter-agent-config-from-a-manifest"]]

    second = playbook.run(REMOVE, agent_configs=both)
    assert second.status == "successful", second.output
    cluster.wait_until_empty()


def test_b19_a_volume_of_a_class_that_retains_is_said_to_stay(
    playbook: Playbook, cluster: Cluster, channel: str
) -> None:
    """B19, C09: the claim goes with its last agent config, the volume stays and is named."""
    config = {"name": "a", "plugins": plugins_from(channel, kubernetes="v1.0.1"), "storage_class_name": "local-retain"}
    installed = playbook.run(agent_configs=config)
    assert installed.status == "successful", installed.output
    (volume,) = cluster.volumes()

    removed = playbook.run(REMOVE, agent_configs=config)

    assert removed.status == "successful", removed.output
    assert removed.of(RELEASE)["agent_configs"][0]["kept_volumes"] == [volume.metadata.name]
    assert f"PersistentVolume {volume.metadata.name} stays" in " ".join(removed.output.split())
    assert f"{volume.metadata.name} (kept)" in removed.table[1]
    assert cluster.claims() == []
    assert [each.metadata.name for each in cluster.volumes()] == [volume.metadata.name]
    assert not playbook.run(REMOVE, agent_configs=config).changed


@pytest.mark.parametrize("agent_configs", [[], "", "[]"], ids=["none", "empty-survey", "empty-text"])
def test_without_a_name_nothing_is_removed(playbook: Playbook, agent_configs: Any) -> None:
    """Installing without agent configs means the one called default; removing does not."""
    nowhere = {"K8S_AUTH_HOST": "https://127.0.0.1:1", "K8S_AUTH_API_KEY": "none"}
    outcome = playbook.run(REMOVE, agent_configs=agent_configs, environment=nowhere)
    assert outcome.status == "failed"
    assert "No agent config is named that is to be removed" in outcome.message
