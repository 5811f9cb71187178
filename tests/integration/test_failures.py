# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Installs that fail: the reason in the words of Porter or the cluster, and nothing left behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kubernetes import client

from tests.support.cluster import Cluster, wait_for
from tests.support.playbook import JOB, Playbook, plugins_from


def test_a_version_that_the_feed_lacks(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """A11, B18: the message is the line that Porter ended with, and nothing is left, above all no plugin claim."""
    outcome = playbook.run(plugins=plugins_from(channel, kubernetes="v9.9.9"), retry_limit=0)
    assert outcome.status == "failed"
    assert "does not contain an entry for kubernetes @ v9.9.9" in outcome.message
    assert cluster.claims() == []
    cluster.wait_until_only_claims_are_left()
    wait_for(lambda: not cluster.volumes(), "the end of the staging volume")
    result = outcome.of(JOB)
    assert (result["phase"], result["reason"], result["exit_code"]) == ("failed", "BackoffLimitExceeded", 1)
    assert "failed" in outcome.table[1]


def test_a_failed_install_can_be_kept_and_is_done_afresh(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """E01: what is to be deleted is told in check mode, and stays."""
    token = f"{channel}/flaky/{cluster.namespace}"
    failed = playbook.run(plugins=plugins_from(token, kubernetes="v1.0.1"), retry_limit=0, keep_failed=True)
    assert "500" in failed.message
    assert len(cluster.jobs()) == 1
    before = cluster.versions()
    foreseen = playbook.run(arguments="--check", plugins=plugins_from(token, kubernetes="v1.0.1"))
    assert "remove what the failed install left" in foreseen.of(JOB)["volumes"][0]["steps"][:2]
    assert cluster.versions() == before
    outcome = playbook.run(plugins=plugins_from(token, kubernetes="v1.0.1"), retry_limit=0)
    assert outcome.status == "successful", outcome.output
    cluster.wait_until_only_claims_are_left()


def test_a_feed_that_fails_once_is_ridden_out(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """A16, D10: the Job's retry works on the same claim. Each try's own log is told, the last one's in the result."""
    plugins = plugins_from(f"{channel}/flaky/{cluster.namespace}", kubernetes="v1.0.1")
    outcome = playbook.run(plugins=plugins, retry_limit=2)
    assert outcome.status == "successful", outcome.output
    assert "/default: try 1 failed: bad status returned when downloading" in outcome.output
    job = outcome.of(JOB)["volumes"][0]["job"]
    assert job["pods"] == 2
    log = job["log"]
    assert log[-1].startswith("installed kubernetes plugin v1.0.1")
    assert len(cluster.volumes()) == 1
    cluster.wait_until_only_claims_are_left()


@pytest.mark.parametrize("arguments", ["", "--check"])
def test_a_missing_namespace_is_named(playbook: Playbook, channel: str, arguments: str) -> None:
    """E02: also where nothing would be written."""
    plugins = plugins_from(channel, kubernetes="v1.0.1")
    outcome = playbook.run(arguments=arguments, plugins=plugins, namespace="not-there")
    assert outcome.status == "failed"
    assert "There is no namespace not-there. Create it first" in outcome.message


def test_a_pod_that_is_not_admitted_is_reported_in_the_clusters_words(
    playbook: Playbook, cluster: Cluster, channel: str
) -> None:
    """D04: a Job whose pods are refused never fails by itself."""
    outcome = playbook.run(
        plugins=plugins_from(channel, kubernetes="v1.0.1"), container_security_context={}, progress_deadline=3
    )
    assert outcome.status == "failed"
    assert "makes no progress" in outcome.message
    assert 'violates PodSecurity "restricted' in outcome.message


def test_an_image_that_cannot_be_pulled_is_reported(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """D02."""
    outcome = playbook.run(
        plugins=plugins_from(channel, kubernetes="v1.0.1"),
        agent_image="getporter.local/no-such-image:v1",
        pull_policy="Never",
        progress_deadline=3,
    )
    assert outcome.status == "failed"
    assert "ErrImageNeverPull" in outcome.message


@pytest.fixture
def closed_class(api: client.ApiClient, cluster: Cluster) -> Iterator[str]:
    """A storage class with one volume, whose root only the node's root may write to: as NFS exports often are.

    The kubelet makes such a directory by itself. It makes it inside a provisioned volume, with which it goes.
    """
    storage, name = client.StorageV1Api(api), f"closed-{cluster.namespace}"
    room = {
        "metadata": {"name": "room"},
        "spec": {
            "storageClassName": "local-immediate",
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "64Mi"}},
        },
    }
    cluster.core.create_namespaced_persistent_volume_claim(cluster.namespace, room)
    wait_for(lambda: [each for each in cluster.volumes() if each.status.phase == "Bound"], "a provisioned volume")
    (provisioned,) = cluster.volumes()
    closed = {
        "metadata": {"name": name},
        "spec": {
            "storageClassName": name,
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "64Mi"},
            "persistentVolumeReclaimPolicy": "Retain",
            "hostPath": {"path": f"{provisioned.spec.host_path.path}/closed", "type": "DirectoryOrCreate"},
        },
    }
    storage.create_storage_class(
        {
            "metadata": {"name": name},
            "provisioner": "kubernetes.io/no-provisioner",
            "volumeBindingMode": "WaitForFirstConsumer",
        }
    )
    cluster.core.create_persistent_volume(closed)
    yield name
    cluster.core.delete_persistent_volume(name)
    storage.delete_storage_class(name)


def test_a_volume_that_the_agent_may_not_write_is_told_in_porters_words(
    playbook: Playbook, channel: str, closed_class: str
) -> None:
    """A13, B23."""
    plugins = plugins_from(channel, kubernetes="v1.0.1")
    outcome = playbook.run(plugins=plugins, storage_class=closed_class, retry_limit=0)
    assert outcome.status == "failed"
    assert "/app/.porter/plugins/kubernetes: permission denied" in outcome.message


def test_a_root_that_the_agent_may_not_write_is_told_in_its_own_words(playbook: Playbook, channel: str) -> None:
    """D11: the agent copies its configuration there when it starts."""
    context = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "readOnlyRootFilesystem": True}
    outcome = playbook.run(
        plugins=plugins_from(channel, kubernetes="v1.0.1"), container_security_context=context, retry_limit=0
    )
    assert outcome.status == "failed"
    assert "/app/.porter/plugins.json: read-only file system" in outcome.message
