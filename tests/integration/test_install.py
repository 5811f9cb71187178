# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""From a list of plugins to a plugin claim that pods mount, on a real cluster."""

from __future__ import annotations

import json

import pytest
from kubernetes import client

from tests.support.cluster import Cluster
from tests.support.playbook import HAND_OVER, JOB, Playbook, plugins_from

MANAGED = "getporter.org/managed"


def test_two_plugins_end_on_a_claim_that_a_pod_lists(
    playbook: Playbook, cluster: Cluster, channel: str, api: client.ApiClient
) -> None:
    """B01, B08, B10, B11: in a class that waits for pods, neither the install nor the hand-over waits in vain.

    A17: the installing architecture is noted on claim and volume.
    """
    plugins = plugins_from(channel, kubernetes="v1.0.1", azure="v1.2.0")
    outcome = playbook.run(plugins=plugins)
    assert outcome.status == "successful", outcome.output
    assert outcome.changed

    (claim,), (volume,) = cluster.claims(), cluster.volumes()
    assert claim.status.phase == volume.status.phase == "Bound"
    assert volume.spec.claim_ref.uid == claim.metadata.uid
    assert claim.spec.volume_name == volume.metadata.name
    assert claim.spec.selector is None
    storage_class = client.StorageV1Api(api).read_storage_class(claim.spec.storage_class_name)
    assert storage_class.volume_binding_mode == "WaitForFirstConsumer"
    assert volume.spec.persistent_volume_reclaim_policy == "Delete"
    assert claim.spec.access_modes == volume.spec.access_modes == ["ReadWriteOnce"]
    for item in (claim, volume):
        assert item.metadata.labels[MANAGED] == "true"
        assert item.metadata.labels["getporter.org/resourceName"] == "default"
        assert json.loads(item.metadata.annotations["getporter.org/plugins-document"])["plugins"] == plugins
        assert item.metadata.annotations["getporter.org/architecture"] == "amd64"
    assert cluster.plugins_on(claim.metadata.name) == {"azure": "v1.2.0", "kubernetes": "v1.0.1"}
    cluster.wait_until_only_claims_are_left()

    (row,) = outcome.of(JOB)["volumes"]
    assert row["state"] == "ready"
    assert row["claim"] == claim.metadata.name
    assert row["installed"] == {"azure": "v1.2.0", "kubernetes": "v1.0.1"}
    header, line = outcome.table
    assert header.split() == ["CONFIG", "CLAIM", "VOLUME", "PLUGINS", "STATE", "SECONDS"]
    assert line.startswith(f"{cluster.namespace}/default  {claim.metadata.name}  {volume.metadata.name}")
    assert "azure v1.2.0, kubernetes v1.0.1  ready" in line


def test_b18_what_porter_does_not_list_is_told_and_left_out(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """B18: the record names what Porter finds on the volume, not what was asked for."""
    plugins = plugins_from(channel, kubernetes="v1.0.1", azure="v1.2.0")
    outcome = playbook.run(plugins=plugins, env=[{"name": "STANDIN_SILENT", "value": "azure"}])
    assert outcome.status == "successful", outcome.output
    assert "Porter installed azure, but lists only kubernetes on the volume" in " ".join(outcome.output.split())
    assert json.loads(cluster.records()["default"]["plugins"]) == {"kubernetes": "v1.0.1"}
    (claim,) = cluster.claims()
    assert cluster.plugins_on(claim.metadata.name) == {"azure": "v1.2.0", "kubernetes": "v1.0.1"}


def test_a_waiting_task_says_what_happens(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    plugins = plugins_from(f"{channel}/slow/1", kubernetes="v1.0.1", azure="v1.2.0")
    output = playbook.run(plugins=plugins).output
    (claim,), (volume,) = cluster.claims(), cluster.volumes()
    said = [
        line.partition(": ")[2] for line in output.splitlines() if line.startswith(f"{cluster.namespace}/default: ")
    ]
    order = ["installing azure", "installing kubernetes", f"installed on {volume.metadata.name}"]
    assert [line for line in said if line in order] == order
    assert said[-1] == f"bound: {claim.metadata.name} is ready"
    assert len(said) == len(set(said))


def test_a_rerun_changes_nothing_and_starts_no_job(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """E03, E08: all names follow from what is wanted."""
    plugins = plugins_from(channel, kubernetes="v1.0.1")
    playbook.run(plugins=plugins)
    cluster.wait_until_only_claims_are_left()
    before = cluster.versions()
    outcome = playbook.run(plugins=plugins)
    assert outcome.status == "successful", outcome.output
    assert not outcome.changed
    assert not outcome.used(JOB)
    assert not outcome.used(HAND_OVER)
    assert cluster.versions() == before
    assert "ready" in outcome.table[1]


def test_check_mode_tells_the_steps_and_writes_nothing(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    plugins = plugins_from(channel, kubernetes="v1.0.1")
    outcome = playbook.run(arguments="--check --diff", plugins=plugins)
    assert outcome.status == "successful", outcome.output
    assert '"kind": "Job"' in outcome.output
    assert f"{cluster.namespace}/default: " not in outcome.output
    assert '"kind": "ConfigMap"' in outcome.output
    steps = outcome.of(JOB)["volumes"][0]["steps"]
    assert steps[:2] == ["write the records of the agent configs", "create the staging claim"]
    assert "create the plugin claim" in steps
    assert steps[-1] == "note in the records that the agent configs are ready"
    assert outcome.changed
    assert cluster.versions() == {}

    playbook.run(plugins=plugins)
    cluster.wait_until_only_claims_are_left()
    before = cluster.versions()
    assert not playbook.run(arguments="--check", plugins=plugins).changed
    assert cluster.versions() == before


@pytest.mark.parametrize("storage_class, policy", [("local-immediate", "Delete"), ("local-retain", "Retain")])
def test_other_storage_classes(
    playbook: Playbook, cluster: Cluster, channel: str, storage_class: str, policy: str
) -> None:
    plugins = plugins_from(channel, azure="v1.2.0")
    outcome = playbook.run(plugins=plugins, storage_class=storage_class, volume_size="16Mi")
    assert outcome.status == "successful", outcome.output
    (claim,), (volume,) = cluster.claims(), cluster.volumes()
    assert claim.spec.storage_class_name == storage_class
    assert volume.spec.persistent_volume_reclaim_policy == policy
    assert claim.spec.resources.requests["storage"] == "16Mi"
    assert cluster.plugins_on(claim.metadata.name) == {"azure": "v1.2.0"}


def test_security_contexts_can_be_removed(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """D06: with no user or group in the pod, the image's own user installs, and the pod is still `restricted`."""
    outcome = playbook.run(
        plugins=plugins_from(channel, kubernetes="v1.0.1"),
        pod_security_context={"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
    )
    assert outcome.status == "successful", outcome.output
