# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Agent configs and their records: sharing a plugin volume, changing plugins, and removal."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from kubernetes import client

from tests.images.build import FEED_IMAGE
from tests.support.cluster import Cluster, mounting_pod, wait_for
from tests.support.feed_control import downloads
from tests.support.playbook import JOB, RELEASE, Outcome, Playbook, plugins_from


def configs(*names: str, **settings: Any) -> list[dict[str, Any]]:
    return [{"name": name, **settings} for name in names]


def record_names(*names: str) -> list[str]:
    return sorted(f"porter-agent-config-{name}" for name in names)


def succeed(outcome: Outcome) -> Outcome:
    assert outcome.status == "successful", outcome.output
    return outcome


def test_a_record_tells_what_is_wanted_and_what_there_is(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    plugins = plugins_from(channel, kubernetes="v1.0.1")
    plugins["kubernetes"]["feedURL"] = plugins["kubernetes"]["feedURL"].replace("http://", "http://me:geheim@")
    succeed(playbook.run(plugins=plugins, name="default"))
    (claim,) = cluster.claims()
    record = cluster.records()["default"]
    assert (record["ready"], record["phase"], record["reason"], record["message"]) == ("true", "Ready", "Bound", "")
    assert (record["claim"], record["volume"]) == (claim.metadata.name, claim.spec.volume_name)
    assert json.loads(record["plugins"]) == {"kubernetes": "v1.0.1"}
    assert json.loads(record["spec"])["volumeSize"] == "64Mi"
    assert "geheim" not in json.dumps(record)
    assert record["lastChange"].endswith("Z")
    assert cluster.owners() == {claim.metadata.name: record_names("default")}


def test_c05_a_second_config_joins_and_the_last_one_takes_the_claim_along(
    playbook: Playbook, cluster: Cluster, channel: str, api: client.ApiClient
) -> None:
    """C05, C03: owners of others stay; A04: back again makes no Job while the volume is there."""
    plugins = plugins_from(channel, kubernetes="v1.0.1")
    succeed(playbook.run(plugins=plugins, agent_configs=configs("a")))
    joined = succeed(playbook.run(plugins=plugins, agent_configs=configs("b")))
    assert not joined.used(JOB)
    (claim,) = cluster.claims()
    assert cluster.owners() == {claim.metadata.name: record_names("a", "b")}
    assert cluster.records()["b"]["ready"] == "true"
    assert not succeed(playbook.run(plugins=plugins, agent_configs=configs("a", "b"))).changed

    other = plugins_from(channel, azure="v1.2.0")
    succeed(playbook.run(plugins=other, agent_configs=configs("b")))
    assert sorted(map(tuple, cluster.owners().values())) == [tuple(record_names("a")), tuple(record_names("b"))]
    back = succeed(playbook.run(plugins=plugins, agent_configs=configs("b")))
    assert not back.used(JOB)
    assert cluster.owners() == {claim.metadata.name: record_names("a", "b")}
    assert downloads(api, channel.rsplit("/", 1)[1]) == 4

    succeed(playbook.run(plugins=plugins, agent_configs=configs("a", state="absent")))
    assert cluster.owners() == {claim.metadata.name: record_names("b")}
    gone = succeed(playbook.run(plugins=plugins, agent_configs=configs("b", state="absent")))
    assert "absent" in gone.table[1]
    cluster.wait_until_empty()
    assert not succeed(playbook.run(plugins=plugins, agent_configs=configs("a", "b", state="absent"))).changed


def test_twenty_configs_share_one_volume_and_leave_from_eight_processes(
    playbook: Playbook, cluster: Cluster, channel: str, api: client.ApiClient
) -> None:
    """C04, G01: the same removal from several processes at once ends with nothing."""
    plugins = plugins_from(channel, kubernetes="v1.0.1")
    names = [f"config-{number}" for number in range(19)] + ["long-" * 48 + "name"]
    succeed(playbook.run(plugins=plugins, agent_configs=configs(*names)))
    (claim,) = cluster.claims()
    assert len(cluster.owners()[claim.metadata.name]) == 20
    assert {record["ready"] for record in cluster.records().values()} == {"true"}
    assert downloads(api, channel.rsplit("/", 1)[1]) == 2

    def leave(number: int) -> Outcome:
        return playbook.run_apart(plugins=plugins, agent_configs=configs(*names[number::8], state="absent"))

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(leave, range(8)))
    assert [outcome.status for outcome in outcomes] == ["successful"] * 8, [each.message for each in outcomes]
    cluster.wait_until_empty()


def test_records_deleted_by_hand_are_collected_like_a_removal(
    playbook: Playbook, cluster: Cluster, channel: str
) -> None:
    """C09: the garbage collector drops the owner, and with the last one the claim and its volume."""
    succeed(playbook.run(plugins=plugins_from(channel, kubernetes="v1.0.1"), agent_configs=configs("a", "b")))
    (claim,) = cluster.claims()
    cluster.core.delete_namespaced_config_map("porter-agent-config-a", cluster.namespace)
    wait_for(
        lambda: cluster.owners() == {claim.metadata.name: record_names("b")}, "the end of the dangling owner reference"
    )
    cluster.core.delete_namespaced_config_map("porter-agent-config-b", cluster.namespace)
    cluster.wait_until_empty()


def test_c09_a_claim_with_an_owner_of_its_own_outlives_its_agent_configs(
    playbook: Playbook, cluster: Cluster, channel: str
) -> None:
    """C09: a volume that is to stay is kept by an object of the user's own, whose removal is explicit."""
    cluster.core.create_namespaced_config_map(cluster.namespace, {"metadata": {"name": "keep"}})
    plugins = plugins_from(channel, kubernetes="v1.0.1")
    succeed(playbook.run(plugins=plugins, agent_configs=configs("a", "b", owners=[{"name": "keep"}])))
    (claim,) = cluster.claims()
    assert cluster.owners() == {claim.metadata.name: sorted(["keep", *record_names("a", "b")])}
    cluster.core.delete_namespaced_config_map("porter-agent-config-a", cluster.namespace)
    succeed(playbook.run(plugins=plugins, agent_configs=configs("b", state="absent")))
    wait_for(lambda: cluster.owners() == {claim.metadata.name: ["keep"]}, "a claim that is only kept")
    joined = succeed(playbook.run(plugins=plugins, agent_configs=configs("c")))
    assert not joined.used(JOB)
    succeed(playbook.run(plugins=plugins, agent_configs=configs("c", state="absent")))
    assert [(each.metadata.uid, each.status.phase) for each in cluster.claims()] == [(claim.metadata.uid, "Bound")]
    cluster.core.delete_namespaced_config_map("keep", cluster.namespace)
    cluster.wait_until_empty()


def test_a_failed_install_is_on_record_and_can_be_removed(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """A15: why it failed is to be read in the cluster too."""
    plugins = plugins_from(channel, kubernetes="v9.9.9")
    assert playbook.run(plugins=plugins, retry_limit=0, agent_configs=configs("a")).status == "failed"
    record = cluster.records()["a"]
    assert (record["ready"], record["phase"], record["reason"]) == ("false", "Failed", "BackoffLimitExceeded")
    assert "does not contain an entry for kubernetes @ v9.9.9" in record["message"]
    succeed(playbook.run(plugins=plugins, agent_configs=configs("a", state="absent")))
    cluster.wait_until_empty()


def test_a_change_that_fails_keeps_the_old_claim(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    succeed(playbook.run(plugins=plugins_from(channel, kubernetes="v1.0.1"), agent_configs=configs("a")))
    before = cluster.owners()
    wrong = plugins_from(channel, kubernetes="v9.9.9")
    assert playbook.run(plugins=wrong, retry_limit=0, agent_configs=configs("a")).status == "failed"
    assert cluster.owners() == before
    assert cluster.records()["a"]["ready"] == "false"
    right = plugins_from(channel, azure="v1.2.0")
    changed = succeed(playbook.run(plugins=right, agent_configs=configs("a")))
    assert changed.used(RELEASE)
    wait_for(lambda: len(cluster.volumes()) == 1, "the end of the old volume")
    assert list(cluster.owners()) == [cluster.records()["a"]["claim"]]
    assert list(cluster.owners()) != list(before)


def test_an_install_that_is_under_way_is_removed_with_its_config(
    playbook: Playbook, cluster: Cluster, channel: str
) -> None:
    plugins = plugins_from(f"{channel}/slow/60", kubernetes="v1.0.1")
    # A Job that outlives the run which waits for it.
    under_way = configs("default", active_deadline_seconds=120)
    assert playbook.run(plugins=plugins, agent_configs=under_way, timeout=5).status == "failed"
    assert len(cluster.jobs()) == 1
    assert cluster.records()["default"]["phase"] == "Installing"
    succeed(playbook.run(plugins=plugins, agent_configs=configs("default", state="absent")))
    cluster.wait_until_empty()


def test_pods_that_mount_the_claim_finish_first(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    plugins = plugins_from(channel, kubernetes="v1.0.1")
    succeed(playbook.run(plugins=plugins, agent_configs=configs("a")))
    (claim,) = cluster.claims()
    cluster.core.create_namespaced_pod(cluster.namespace, mounting_pod("user", claim.metadata.name, image=FEED_IMAGE))
    wait_for(lambda: cluster.phase_of("user") == "Running", "the pod that mounts the claim")
    held = playbook.run(plugins=plugins, agent_configs=configs("a", state="absent"), timeout=3)
    assert held.status == "failed"
    assert "these pods mount it and finish first: user" in held.message
    cluster.core.delete_namespaced_pod("user", cluster.namespace, grace_period_seconds=0)
    succeed(playbook.run(plugins=plugins, agent_configs=configs("a", state="absent")))
    cluster.wait_until_empty()


@pytest.mark.parametrize("arguments", ["--check", "--check --diff"])
def test_check_mode_tells_the_removal_and_changes_nothing(
    playbook: Playbook, cluster: Cluster, channel: str, arguments: str
) -> None:
    """E01, E02."""
    plugins = plugins_from(channel, kubernetes="v1.0.1")
    succeed(playbook.run(plugins=plugins, agent_configs=configs("a")))
    cluster.wait_until_only_claims_are_left()
    before = cluster.versions()
    told = succeed(playbook.run(plugins=plugins, agent_configs=configs("a", state="absent"), arguments=arguments))
    assert told.changed
    assert told.of(RELEASE)["agent_configs"][0]["steps"] == ["delete the plugin claim that nobody needs any more"]
    assert cluster.versions() == before
