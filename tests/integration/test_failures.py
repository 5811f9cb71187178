# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Installs that fail: the reason in the words of Porter or the cluster, and nothing left behind."""

from __future__ import annotations

import pytest

from tests.support.cluster import Cluster, wait_for
from tests.support.playbook import JOB, Playbook, plugins_from


def test_a_version_that_the_feed_lacks(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """A11: the message is the line that Porter ended with, and nothing is left."""
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
    token = f"{channel}/flaky/{cluster.namespace}"
    failed = playbook.run(plugins=plugins_from(token, kubernetes="v1.0.1"), retry_limit=0, keep_failed=True)
    assert "500" in failed.message
    assert len(cluster.jobs()) == 1
    outcome = playbook.run(plugins=plugins_from(token, kubernetes="v1.0.1"), retry_limit=0)
    assert outcome.status == "successful", outcome.output
    cluster.wait_until_only_claims_are_left()


def test_a_feed_that_fails_once_is_ridden_out(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """A16: the Job's retry works on the same claim."""
    plugins = plugins_from(f"{channel}/flaky/{cluster.namespace}", kubernetes="v1.0.1")
    outcome = playbook.run(plugins=plugins, retry_limit=2)
    assert outcome.status == "successful", outcome.output
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
