# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Install Jobs that something happens to: evicted, suspended, refused by quota, unschedulable, removed."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from kubernetes import client

from tests.support.admission import SIDECAR, sidecars
from tests.support.cluster import Cluster, wait_for
from tests.support.playbook import Outcome, Playbook, plugins_from


def while_running(playbook: Playbook, act: Callable[[], None], **variables: Any) -> Outcome:
    """Run the playbook apart, do something meanwhile, and wait for its end."""
    with ThreadPoolExecutor(1) as pool:
        future: Future[Outcome] = pool.submit(playbook.run_apart, **variables)
        act()
        return future.result()


def the_pod_runs(cluster: Cluster) -> bool:
    pods = cluster.core.list_namespaced_pod(cluster.namespace).items
    return any(pod.status.phase == "Running" for pod in pods)


def test_a_pod_that_is_deleted_in_the_middle_is_made_again(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """D05: an install may be repeated, so a disruption costs time and nothing else."""

    def disturb() -> None:
        wait_for(lambda: the_pod_runs(cluster), "a running pod")
        (pod,) = cluster.core.list_namespaced_pod(cluster.namespace).items
        cluster.core.delete_namespaced_pod(pod.metadata.name, cluster.namespace, grace_period_seconds=0)

    plugins = plugins_from(f"{channel}/slow/2", kubernetes="v1.0.1")
    outcome = while_running(playbook, disturb, plugins=plugins)
    assert outcome.status == "successful", outcome.output
    assert cluster.plugins_on(cluster.claims()[0].metadata.name) == {"kubernetes": "v1.0.1"}


def test_a_suspended_job_is_reported_as_such(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """D08: a queue controller suspends Jobs; they neither run nor fail, and the suspension is left alone."""

    def suspend() -> None:
        wait_for(cluster.jobs, "the install Job")
        cluster.batch.patch_namespaced_job(
            cluster.jobs()[0].metadata.name, cluster.namespace, {"spec": {"suspend": True}}
        )

    plugins = plugins_from(f"{channel}/slow/30", kubernetes="v1.0.1")
    outcome = while_running(playbook, suspend, plugins=plugins, progress_deadline=3)
    assert outcome.status == "failed"
    assert "the Job is suspended" in outcome.message
    assert cluster.jobs()[0].spec.suspend


def test_a_quota_is_reported_in_its_own_words(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    quota = {"metadata": {"name": "none"}, "spec": {"hard": {"pods": "0"}}}
    cluster.core.create_namespaced_resource_quota(cluster.namespace, quota)
    outcome = playbook.run(plugins=plugins_from(channel, kubernetes="v1.0.1"), progress_deadline=3)
    assert outcome.status == "failed"
    assert "exceeded quota: none" in outcome.message


def test_a_pod_without_a_node_is_reported_and_goes_on_later(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """B07, A17: the scheduler's own words, not a bare timeout. The node selector reaches the pod."""
    plugins = plugins_from(channel, kubernetes="v1.0.1")
    selector = {"getporter.local/disk": "fast"}
    outcome = playbook.run(plugins=plugins, node_selector=selector, progress_deadline=3)
    assert outcome.status == "failed"
    assert "didn't match Pod's node affinity/selector" in outcome.message
    node = cluster.core.list_node().items[0].metadata.name
    cluster.core.patch_node(node, {"metadata": {"labels": selector}})
    try:
        assert playbook.run(plugins=plugins, node_selector=selector).status == "successful"
    finally:
        cluster.core.patch_node(node, {"metadata": {"labels": dict.fromkeys(selector)}})


def test_a_job_that_is_deleted_by_hand_is_made_again(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    def delete() -> None:
        wait_for(lambda: the_pod_runs(cluster), "a running pod")
        cluster.batch.delete_namespaced_job(
            cluster.jobs()[0].metadata.name, cluster.namespace, propagation_policy="Background"
        )

    plugins = plugins_from(f"{channel}/slow/2", kubernetes="v1.0.1")
    outcome = while_running(playbook, delete, plugins=plugins)
    assert outcome.status == "successful", outcome.output
    cluster.wait_until_only_claims_are_left()
    assert len(cluster.volumes()) == 1


def test_a_ttl_of_nothing_does_not_run_a_job_again(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """D09: the TTL never wins against the run that waits."""
    outcome = playbook.run(plugins=plugins_from(channel, kubernetes="v1.0.1"), ttl_seconds_after_finished=0)
    assert outcome.status == "successful", outcome.output
    assert len(cluster.volumes()) == 1


def test_a_sidecar_that_outlives_the_agent_is_named(
    playbook: Playbook, cluster: Cluster, channel: str, api: client.ApiClient
) -> None:
    """D07: such a Job never ends, and no limit of its own ends it."""
    with sidecars(api, cluster):
        outcome = playbook.run(plugins=plugins_from(channel, kubernetes="v1.0.1"), progress_deadline=6)
    assert outcome.status == "failed"
    assert f"exit code 0, but the Job goes on while {SIDECAR} runs in its pod" in outcome.message
