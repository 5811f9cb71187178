# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""From a list of plugins to a plugin claim that pods mount, on a real cluster."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.cluster import Cluster, wait_for
from tests.support.playbook import Playbook

INFO = "getporter.porter.porter_plugin_volume_info"
JOB = "getporter.porter.porter_agent_job"
HAND_OVER = "getporter.porter.porter_plugin_volume"
MANAGED = "getporter.org/managed"
HASH = "getporter.org/plugins-hash"


def plugins_from(feed: str, **versions: str) -> dict[str, Any]:
    return {name: {"version": version, "feedURL": f"{feed}/plugins/atom.xml"} for name, version in versions.items()}


def assert_nothing_left(cluster: Cluster) -> None:
    """The Secret is collected with its owner, a moment after it."""
    wait_for(lambda: not cluster.leftovers(), f"the end of {cluster.leftovers()}")


def test_two_plugins_end_on_a_claim_that_a_pod_lists(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    plugins = plugins_from(channel, kubernetes="v1.0.1", azure="v1.2.0")
    outcome = playbook.run(plugins=plugins)
    assert outcome.status == "successful", outcome.output
    assert outcome.changed

    (claim,), (volume,) = cluster.claims(), cluster.volumes()
    assert claim.status.phase == volume.status.phase == "Bound"
    assert volume.spec.claim_ref.uid == claim.metadata.uid
    assert claim.spec.volume_name == volume.metadata.name
    assert volume.spec.persistent_volume_reclaim_policy == "Delete"
    assert claim.spec.access_modes == volume.spec.access_modes == ["ReadWriteOnce"]
    for item in (claim, volume):
        assert item.metadata.labels[MANAGED] == "true"
        assert item.metadata.labels["getporter.org/resourceName"] == "default"
        assert json.loads(item.metadata.annotations["getporter.org/plugins-document"])["plugins"] == plugins
    assert volume.metadata.annotations["getporter.org/architecture"] == "amd64"
    assert cluster.plugins_on(claim.metadata.name) == {"azure": "v1.2.0", "kubernetes": "v1.0.1"}
    assert_nothing_left(cluster)

    (row,) = outcome.of(HAND_OVER)["volumes"]
    assert row["state"] == "ready"
    assert row["claim"] == claim.metadata.name
    assert row["installed"] == {"azure": "v1.2.0", "kubernetes": "v1.0.1"}
    header, line = outcome.table
    assert header.split() == ["CONFIG", "CLAIM", "VOLUME", "PLUGINS", "STATE", "SECONDS"]
    assert line.startswith(f"{cluster.namespace}/default  {claim.metadata.name}  {volume.metadata.name}")
    assert "azure v1.2.0, kubernetes v1.0.1  ready" in line


def test_a_rerun_changes_nothing_and_starts_no_job(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    plugins = plugins_from(channel, kubernetes="v1.0.1")
    playbook.run(plugins=plugins)
    assert_nothing_left(cluster)
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
    outcome = playbook.run(arguments="--check", plugins=plugins)
    assert outcome.status == "successful", outcome.output
    assert outcome.of(JOB)["volumes"][0]["steps"][0] == "create the staging claim"
    assert "create the plugin claim" in outcome.of(HAND_OVER)["volumes"][0]["steps"]
    assert outcome.changed
    assert cluster.versions() == {}

    playbook.run(plugins=plugins)
    assert_nothing_left(cluster)
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


def test_several_agent_configs_in_one_run(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """X09: two configs share a set, one has another, one has none."""
    one, other = plugins_from(channel, kubernetes="v1.0.0"), plugins_from(channel, hashicorp="v1.0.0")
    configs = [
        {"name": "first", "plugins": one},
        {"name": "second", "pluginConfigFile": {"schemaVersion": "1.0.0", "plugins": one}},
        {"name": "third", "plugins": other, "volumeSize": "8Mi", "retryLimit": "2"},
        {"name": "bare", "plugins": {}},
    ]
    outcome = playbook.run(agent_configs=configs)
    assert outcome.status == "successful", outcome.output
    assert sorted(volume.spec.capacity["storage"] for volume in cluster.volumes()) == ["64Mi", "8Mi"]
    rows = {line.split()[0].split("/")[1]: line.split() for line in outcome.table[1:]}
    assert list(rows) == ["first", "second", "third", "bare"]
    assert rows["first"][1:] == rows["second"][1:]
    assert rows["third"][1] != rows["first"][1]
    assert rows["bare"][1:] == ["-", "-", "none", "ready", "0.0"]
    assert not playbook.run(agent_configs=configs).changed


def test_no_plugins_needs_no_cluster(playbook: Playbook) -> None:
    """A07: an explicit empty map is no claim and no Job."""
    nowhere = {"K8S_AUTH_HOST": "https://127.0.0.1:1", "K8S_AUTH_API_KEY": "none"}
    outcome = playbook.run(plugins={}, environment=nowhere)
    assert outcome.status == "successful", outcome.output
    assert not outcome.changed


def test_a_version_that_the_feed_lacks(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """A11: the message is the line that Porter ended with, and nothing is left."""
    outcome = playbook.run(plugins=plugins_from(channel, kubernetes="v9.9.9"), retry_limit=0)
    assert outcome.status == "failed"
    assert "does not contain an entry for kubernetes @ v9.9.9" in outcome.message
    assert cluster.claims() == []
    assert_nothing_left(cluster)
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
    assert_nothing_left(cluster)


def test_a_feed_that_fails_once_is_ridden_out(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """A16: the Job's retry works on the same claim."""
    plugins = plugins_from(f"{channel}/flaky/{cluster.namespace}", kubernetes="v1.0.1")
    outcome = playbook.run(plugins=plugins, retry_limit=2)
    assert outcome.status == "successful", outcome.output
    assert len(cluster.volumes()) == 1
    assert_nothing_left(cluster)


def test_mirror_and_url_are_read_by_porter(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """A01, A02: what YAML would have lost on the way."""
    plugins = {
        "azure": {"version": "v1.2.0", "mirror": channel},
        "kubernetes": {"version": "v1.0.1", "url": f"{channel}/kubernetes"},
    }
    outcome = playbook.run(plugins=plugins)
    assert outcome.status == "successful", outcome.output
    assert cluster.plugins_on(cluster.claims()[0].metadata.name) == {"azure": "v1.2.0", "kubernetes": "v1.0.1"}


def test_credentials_in_a_feed_url_appear_nowhere(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    password = "s3cr3t-w0rd"
    feed = f"{channel}/secret/porter/{password.encode().hex()}/plugins/atom.xml"
    address = feed.replace("http://", f"http://porter:{password}@")
    good = playbook.run(arguments="-vvv", plugins={"kubernetes": {"version": "v1.0.1", "feedURL": address}})
    assert good.status == "successful"
    bad = playbook.run(
        arguments="-vvv", plugins={"kubernetes": {"version": "v9.9.9", "feedURL": address}}, retry_limit=0
    )
    assert "does not contain an entry" in bad.message
    for outcome in (good, bad):
        assert password not in outcome.output
    for item in [*cluster.claims(), *cluster.volumes()]:
        assert password not in str(item)


def test_a_collision_is_refused_and_nothing_is_shared(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """A03: the operator's hash cannot tell these two sets apart."""
    url = f"{channel}/kubernetes"
    playbook.run(plugins={"kubernetes": {"version": "v1.0.1", "url": url}})
    assert_nothing_left(cluster)
    before = cluster.versions()
    outcome = playbook.run(plugins={"kubernetes": {"version": "v1.0.1", "mirror": url}})
    assert outcome.status == "failed"
    assert "holds another plugin set" in outcome.message
    assert cluster.versions() == before


def test_a_missing_namespace_is_named(playbook: Playbook, channel: str) -> None:
    outcome = playbook.run(plugins=plugins_from(channel, kubernetes="v1.0.1"), namespace="not-there")
    assert outcome.status == "failed"
    assert 'namespaces "not-there" not found' in outcome.message


@pytest.mark.parametrize(
    "variables, words",
    [
        pytest.param({"plugins": {"kubernetes": {"version": 1.1}}}, "quote it", id="G04-version-no-string"),
        pytest.param({"plugins": {"kubernetes": {"verion": "v1"}}}, "Did you mean version?", id="unknown-key"),
        pytest.param({"plugins": {"": {}}}, "name", id="empty-name"),
        pytest.param({"plugins": [{"name": "kubernetes"}]}, "must be a map, not a list", id="X12-list"),
        pytest.param({"agent_configs": [{"name": "customAgent"}]}, "customagent", id="G05-capital"),
        pytest.param({"volume_size": "64MB"}, "Write 64M or 64Mi", id="B17-size"),
        pytest.param({"namespace": "Porter"}, "For example: porter", id="namespace"),
    ],
)
def test_bad_input_is_refused_before_anything_is_sent(playbook: Playbook, variables: Any, words: str) -> None:
    nowhere = {"K8S_AUTH_HOST": "https://127.0.0.1:1", "K8S_AUTH_API_KEY": "none"}
    outcome = playbook.run(environment=nowhere, **variables)
    assert outcome.status == "failed"
    assert words in outcome.message
    assert not outcome.used(INFO)


def test_host_and_token_are_enough(playbook: Playbook, cluster: Cluster, channel: str, api: Any) -> None:
    """F01, F02: what the AWX credential for Kubernetes sets, and nothing else; the token with its newline."""
    connection = {
        "K8S_AUTH_HOST": api.configuration.host,
        "K8S_AUTH_API_KEY": cluster.admin_token() + "\n",
        "K8S_AUTH_SSL_CA_CERT": api.configuration.ssl_ca_cert,
        "K8S_AUTH_VERIFY_SSL": "True",
        "KUBECONFIG": "/nonexistent",
    }
    outcome = playbook.run(environment=connection, plugins=plugins_from(channel, kubernetes="v1.0.1"))
    assert outcome.status == "successful", outcome.output
    assert cluster.claims()[0].status.phase == "Bound"


def test_a_token_is_never_shown(playbook: Playbook, api: Any) -> None:
    """F02: neither one that the API refuses nor one that is no header."""
    for token in ("t0ken-of-nobody", "t0ken\n-of-nobody"):
        connection = {
            "K8S_AUTH_HOST": api.configuration.host,
            "K8S_AUTH_API_KEY": token,
            "K8S_AUTH_VERIFY_SSL": "False",
        }
        outcome = playbook.run(arguments="-vvv", environment=connection, plugins={"azure": {"version": "v1.2.0"}})
        assert outcome.status == "failed"
        assert "t0ken" not in outcome.output
        assert "Unauthorized" in outcome.message or "Give it as one line" in outcome.message


def test_without_any_connection_the_message_lists_the_ways(playbook: Playbook) -> None:
    """F01."""
    outcome = playbook.run(environment={"HOME": "/nonexistent", "KUBECONFIG": ""}, plugins={"azure": {"version": "v1"}})
    assert outcome.status == "failed"
    for way in ("K8S_AUTH_KUBECONFIG", "K8S_AUTH_HOST and K8S_AUTH_API_KEY", "service account"):
        assert way in outcome.message


def test_security_contexts_can_be_removed(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """D06: with no user or group in the pod, the image's own user installs, and the pod is still `restricted`."""
    outcome = playbook.run(
        plugins=plugins_from(channel, kubernetes="v1.0.1"),
        pod_security_context={"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
    )
    assert outcome.status == "successful", outcome.output


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
