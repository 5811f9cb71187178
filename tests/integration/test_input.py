# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What users write, from several agent configs to mistakes, on a real cluster."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.cluster import Cluster
from tests.support.playbook import JOB, Playbook, plugins_from


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


def test_no_plugins_is_a_record_alone(playbook: Playbook, cluster: Cluster) -> None:
    """A07: an explicit empty map is no claim and no Job, and ready."""
    outcome = playbook.run(plugins={})
    assert outcome.status == "successful", outcome.output
    assert not outcome.used(JOB)
    assert (cluster.claims(), cluster.jobs()) == ([], [])
    (record,) = cluster.records().values()
    assert (record["ready"], record["claim"]) == ("true", "")
    assert not playbook.run(plugins={}).changed


def test_mirror_and_url_are_read_by_porter(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """A01, A02: what YAML would have lost on the way."""
    plugins = {
        "azure": {"version": "v1.2.0", "mirror": channel},
        "kubernetes": {"version": "v1.0.1", "url": f"{channel}/kubernetes"},
    }
    outcome = playbook.run(plugins=plugins)
    assert outcome.status == "successful", outcome.output
    assert cluster.plugins_on(cluster.claims()[0].metadata.name) == {"azure": "v1.2.0", "kubernetes": "v1.0.1"}


def test_a_collision_is_refused_and_nothing_is_shared(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """A03: the operator's hash cannot tell these two sets apart."""
    url = f"{channel}/kubernetes"
    playbook.run(plugins={"kubernetes": {"version": "v1.0.1", "url": url}})
    cluster.wait_until_only_claims_are_left()
    before = cluster.versions()
    outcome = playbook.run(plugins={"kubernetes": {"version": "v1.0.1", "mirror": url}})
    assert outcome.status == "failed"
    assert "holds another plugin set" in outcome.message
    assert cluster.versions() == before


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
    """There is no cluster: had anything been sent, the message would be another one."""
    nowhere = {"K8S_AUTH_HOST": "https://127.0.0.1:1", "K8S_AUTH_API_KEY": "none"}
    outcome = playbook.run(environment=nowhere, **variables)
    assert outcome.status == "failed"
    assert words in outcome.message


@pytest.mark.parametrize("options", [{"plugin": {}}, {"agent": {"image": "agent:1", "env": "geheim"}}])
def test_a_task_that_is_refused_shows_no_secret(playbook: Playbook, options: Any) -> None:
    url = "https://user:geheim@feed.example/atom.xml?token=geheim"
    agent = {"image": "agent:1", "env": [{"name": "TOKEN", "value": "geheim"}]}
    volume = {"agent_config": "a", "namespace": "n", "plugins": {"azure": {"url": url}}, "agent": agent}
    outcome = playbook.run_task(JOB, volumes=[{**volume, **options}], arguments="-vvv")
    assert outcome.status == "failed"
    assert "volumes" in outcome.message
    assert "geheim" not in outcome.output
