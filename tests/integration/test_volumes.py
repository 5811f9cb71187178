# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Volumes beyond the first install: side by side, refreshed, in other access modes, taken up by hand."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._manifests import mark_installed
from kubernetes import client

from tests.support.cluster import Cluster, wait_for
from tests.support.feed_control import downloads, publish
from tests.support.playbook import JOB, Outcome, Playbook, plugins_from
from tests.support.wanted import wanted_volume


def test_eight_runs_at_once_end_in_one_volume_and_one_job(
    playbook: Playbook, cluster: Cluster, channel: str, api: client.ApiClient
) -> None:
    """A05: who loses a race joins."""
    plugins = plugins_from(channel, kubernetes="v1.0.1")

    def run(_number: int) -> Outcome:
        return playbook.run_apart(plugins=plugins)

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(run, range(8)))
    assert [outcome.status for outcome in outcomes] == ["successful"] * 8, [each.message for each in outcomes]
    cluster.wait_until_only_claims_are_left()
    assert len(cluster.claims()) == len(cluster.volumes()) == 1
    # Porter downloads each plugin twice, for client and runtime: one Job's worth.
    assert downloads(api, channel.rsplit("/", 1)[1]) == 2


def test_a_refresh_swaps_in_a_newer_version(
    playbook: Playbook, cluster: Cluster, channel: str, api: client.ApiClient
) -> None:
    """A08, B19: an unpinned plugin stays as it was until it is refreshed. The old volume goes with its claim."""
    word = channel.rsplit("/", 1)[1]
    publish(api, word, "kubernetes", "v1.0.0")
    plugins = {"kubernetes": {"feedURL": f"{channel}/plugins/atom.xml"}}
    first = playbook.run(plugins=plugins)
    assert first.status == "successful", first.output
    assert "version" in first.output
    (claim,), (volume,) = cluster.claims(), cluster.volumes()
    publish(api, word, "kubernetes", "v1.0.1")
    assert not playbook.run(plugins=plugins).changed
    assert cluster.plugins_on(claim.metadata.name) == {"kubernetes": "v1.0.0"}

    refreshed = playbook.run(plugins=plugins, refresh=True)
    assert refreshed.status == "successful", refreshed.output
    assert refreshed.changed
    assert cluster.plugins_on(claim.metadata.name) == {"kubernetes": "v1.0.1"}
    cluster.wait_until_only_claims_are_left()
    wait_for(lambda: len(cluster.volumes()) == 1, "the end of the old volume")
    assert cluster.volumes()[0].metadata.name != volume.metadata.name
    assert not playbook.run(plugins=plugins).changed


def test_a_shared_mode_is_had_where_nothing_speaks_against_it(
    playbook: Playbook, cluster: Cluster, channel: str
) -> None:
    plugins = plugins_from(channel, azure="v1.2.0")
    outcome = playbook.run(plugins=plugins, access_mode="ReadOnlyMany")
    assert outcome.status == "successful", outcome.output
    (claim,) = cluster.claims()
    assert claim.spec.access_modes == ["ReadOnlyMany"]
    assert cluster.plugins_on(claim.metadata.name) == {"azure": "v1.2.0"}


@pytest.fixture
def disk_class(api: client.ApiClient, cluster: Cluster) -> Any:
    """A storage class of disks that one node attaches at a time."""
    storage, name = client.StorageV1Api(api), f"disk-{cluster.namespace}"
    storage.create_storage_class({"metadata": {"name": name}, "provisioner": "ebs.csi.aws.com"})
    yield name
    storage.delete_storage_class(name)


@pytest.mark.parametrize("arguments", ["", "--check"])
def test_a_mode_that_the_class_cannot_do_is_refused_early(
    playbook: Playbook, cluster: Cluster, channel: str, disk_class: str, arguments: str
) -> None:
    """A06, B05."""
    outcome = playbook.run(
        arguments=arguments,
        plugins=plugins_from(channel, azure="v1.2.0"),
        storage_class=disk_class,
        access_mode="ReadOnlyMany",
    )
    assert outcome.status == "failed"
    assert "one node at a time (provisioner ebs.csi.aws.com)" in outcome.message
    assert cluster.versions() == {}


def test_a_class_that_is_not_there_is_answered_with_those_that_are(
    playbook: Playbook, cluster: Cluster, channel: str
) -> None:
    """B13."""
    outcome = playbook.run(plugins=plugins_from(channel, azure="v1.2.0"), storage_class="locla")
    assert "There are: " in outcome.message
    assert "local-retain" in outcome.message
    assert cluster.versions() == {}


def test_a_salted_name_keeps_two_sets_of_one_hash_apart(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """A03."""
    url = f"{channel}/kubernetes"
    outcome = playbook.run(
        agent_configs=[
            {"name": "by-url", "plugins": {"kubernetes": {"version": "v1.0.1", "url": url}}},
            {"name": "by-mirror", "salted": True, "plugins": {"kubernetes": {"version": "v1.0.1", "mirror": channel}}},
        ]
    )
    assert outcome.status == "successful", outcome.output
    assert len(cluster.claims()) == 2


def test_a_retained_volume_is_taken_up_again_without_a_job(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """B04: Released with Retain binds again only because claimRef loses its uid."""
    plugins = plugins_from(channel, azure="v1.2.0")
    playbook.run(plugins=plugins, storage_class="local-retain")
    (claim,), (volume,) = cluster.claims(), cluster.volumes()
    cluster.core.delete_namespaced_persistent_volume_claim(claim.metadata.name, cluster.namespace)
    wait_for(lambda: not cluster.claims(), "the end of the claim")
    outcome = playbook.run(plugins=plugins, storage_class="local-retain")
    assert outcome.status == "successful", outcome.output
    assert not outcome.used(JOB)
    assert cluster.claims()[0].spec.volume_name == volume.metadata.name
    assert cluster.plugins_on(claim.metadata.name) == {"azure": "v1.2.0"}


def test_labels_of_others_stay(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """B20."""
    plugins = plugins_from(channel, azure="v1.2.0")
    playbook.run(plugins=plugins, storage_class="local-retain")
    (claim,), (volume,) = cluster.claims(), cluster.volumes()
    label = {"metadata": {"labels": {"topology.kubernetes.io/zone": "a"}}}
    cluster.core.patch_persistent_volume(volume.metadata.name, label)
    cluster.core.delete_namespaced_persistent_volume_claim(claim.metadata.name, cluster.namespace)
    wait_for(lambda: not cluster.claims(), "the end of the claim")
    playbook.run(plugins=plugins, storage_class="local-retain")
    (volume,) = cluster.volumes()
    assert volume.metadata.labels["topology.kubernetes.io/zone"] == "a"
    assert volume.status.phase == "Bound"


@pytest.fixture
def foreign_volume(api: client.ApiClient, cluster: Cluster, channel: str) -> Iterator[Any]:
    """A volume of another driver, with a VolumeAttributesClass, as a killed run left it once its plugins were on it.

    No such driver is here. Binding does not need it.
    """
    volume = wanted_volume(cluster.namespace, plugins_from(channel, azure="v1.2.0"))
    body = {
        "metadata": {"name": f"foreign-{cluster.namespace}", "resourceVersion": ""},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "1Gi"},
            "claimRef": {
                "namespace": cluster.namespace,
                "name": volume.identity.staging_claim,
                "uid": str(uuid.uuid4()),
            },
            "csi": {"driver": "csi.example.com", "volumeHandle": cluster.namespace},
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "elsewhere",
            "volumeAttributesClassName": "gold",
        },
    }
    body["metadata"] |= mark_installed(volume, body, {"azure": "v1.2.0"}, "amd64")["metadata"]
    made = cluster.core.create_persistent_volume(body)
    yield made
    cluster.core.delete_persistent_volume(made.metadata.name)


def test_a_claim_has_the_class_and_the_attributes_of_its_volume(
    playbook: Playbook, cluster: Cluster, channel: str, foreign_volume: Any
) -> None:
    """B22, B08: or else it would wait for ever, or for another volume."""
    outcome = playbook.run(plugins=plugins_from(channel, azure="v1.2.0"))
    assert outcome.status == "successful", outcome.output
    assert not outcome.used(JOB)
    (claim,) = cluster.claims()
    assert claim.status.phase == "Bound"
    assert claim.spec.volume_name == foreign_volume.metadata.name
    assert claim.spec.volume_attributes_class_name == "gold"
    assert claim.spec.storage_class_name == "elsewhere"
