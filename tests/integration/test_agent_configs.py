# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Agent configs as manifests, from files and from the cluster, and the levels below them, on a real cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import client

from tests.support import agent_config_definition as definition
from tests.support.cluster import Cluster
from tests.support.playbook import AGENT_IMAGE, INFO, Outcome, Playbook, plugins_from

ROOT = Path(__file__).resolve().parents[2]
LIST = "getporter.porter.porter_agent_config_info"
# Variables that say how a run goes, and nothing about agent configs.
OF_THE_RUN = ("timeout", "progress_deadline", "keep_failed", "show_summary", "secure_logging")


def manifest(name: str, namespace: str | None = None, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "getporter.org/v1",
        "kind": "AgentConfig",
        "metadata": {"name": name, **({"namespace": namespace} if namespace else {})},
        # Empty, as manifests that set nothing have it.
        "spec": spec or None,
    }


def document(plugins: dict[str, Any]) -> dict[str, Any]:
    return {"schemaVersion": "1.0.0", "plugins": plugins}


def rows(outcome: Outcome) -> dict[str, list[str]]:
    return {line.split()[0].split("/")[1]: line.split() for line in outcome.table[1:]}


def test_a10_manifests_of_a_file_over_their_levels(
    playbook: Playbook, cluster: Cluster, channel: str, tmp_path: Path
) -> None:
    """A10, X04: one sets nothing and has what its namespace has; one has its own plugins; both become volumes."""
    repository, _colon, version = AGENT_IMAGE.rpartition(":")
    file = tmp_path / "agent_configs.yaml"
    own = document(plugins_from(channel, azure="v1.2.0"))
    file.write_text(
        yaml.safe_dump_all(
            [
                manifest("inherits", cluster.namespace),
                manifest("own", porterRepository=repository, porterVersion=version, pluginConfigFile=own),
                manifest("none", pluginConfigFile={}),
            ]
        )
    )
    variables: dict[str, Any] = {
        "agent_config_files": [str(file)],
        "agent_configs": {"name": "third", "state": "absent"},
        "system_agent_config": {"plugins": {"hashicorp": {"version": "v1.0.0"}}, "volumeSize": "16Mi"},
        "namespace_agent_configs": {
            cluster.namespace: manifest(
                "default", pluginConfigFile=document(plugins_from(channel, kubernetes="v1.0.1"))
            )
        },
    }
    outcome = playbook.run(**variables)
    assert outcome.status == "successful", outcome.output
    table = rows(outcome)
    assert set(table) == {"third", "inherits", "own", "none"}
    assert cluster.plugins_on(table["inherits"][1]) == {"kubernetes": "v1.0.1"}
    assert cluster.plugins_on(table["own"][1]) == {"azure": "v1.2.0"}
    assert table["none"][1:4] == ["-", "-", "none"]
    assert {volume.spec.capacity["storage"] for volume in cluster.volumes()} == {"16Mi"}
    assert not playbook.run(**variables).changed


def test_the_agent_configs_of_a_cluster(
    playbook: Playbook, cluster: Cluster, api: client.ApiClient, channel: str
) -> None:
    """E07: without the operator's definition they are not known; with it they are read in one task, secrets unseen."""
    with definition.reserved():
        if not definition.exists(api):
            outcome = playbook.run(agent_configs_from_namespaces=[cluster.namespace])
            assert outcome.status == "failed"
            assert "knows no AgentConfig resources" in outcome.message
            assert not outcome.used(INFO)
    with definition.defined(api):
        _install_what_the_cluster_has(playbook, cluster, api, channel)


def _install_what_the_cluster_has(playbook: Playbook, cluster: Cluster, api: client.ApiClient, channel: str) -> None:
    outcome = playbook.run(agent_configs_from_namespaces=cluster.namespace)
    assert f"There is no AgentConfig in namespace {cluster.namespace}" in outcome.message

    with_secret = channel.replace("http://", "http://user:geheim@")
    plugins = document(plugins_from(with_secret, kubernetes="v1.0.1"))
    definition.create_agent_config(api, cluster.namespace, "default", {"pluginConfigFile": plugins})
    definition.create_agent_config(api, cluster.namespace, "bare", {"pluginConfigFile": {"schemaVersion": "1.0.0"}})
    outcome = playbook.run(agent_configs_from_namespaces=[cluster.namespace], arguments="-vvv")
    assert outcome.status == "successful", outcome.output
    assert "geheim" not in outcome.output
    table = rows(outcome)
    assert set(table) == {"default", "bare"}
    assert cluster.plugins_on(table["default"][1]) == {"kubernetes": "v1.0.1"}

    again = playbook.run(agent_configs_from_namespaces=[cluster.namespace])
    assert [task for task, _result in again.results].count(LIST) == 1
    assert not again.changed


def test_f04_empty_answers_of_a_survey_are_not_set(playbook: Playbook, cluster: Cluster, channel: str) -> None:
    """F04: every variable about agent configs that can be left open is an empty string."""
    defaults = yaml.safe_load((ROOT / "roles" / "porter_plugins" / "defaults" / "main.yml").read_text())
    names = [name.removeprefix("porter_plugins_") for name in defaults]
    given = {"namespace", "agent_image", "system_agent_config", *OF_THE_RUN}
    blank: dict[str, Any] = {name: "" for name in names if name not in given}
    outcome = playbook.run(
        **blank, system_agent_config=yaml.safe_dump({"plugins": plugins_from(channel, azure="v1.2.0")})
    )
    assert outcome.status == "successful", outcome.output
    assert rows(outcome)["default"][3:5] == ["azure", "v1.2.0"]
    (volume,) = cluster.volumes()
    assert volume.spec.capacity["storage"] == defaults["porter_plugins_volume_size"]


def test_f08_agent_configs_as_the_one_text_that_a_survey_can_hold(playbook: Playbook, cluster: Cluster) -> None:
    """F08, A07: text with a list."""
    text = "- name: one\n  plugins: {}\n- name: two\n  state: absent\n"
    outcome = playbook.run(agent_configs=text)
    assert outcome.status == "successful", outcome.output
    assert list(rows(outcome)) == ["one", "two"]
    assert list(cluster.records()) == ["one"]


@pytest.mark.parametrize(
    "content, words",
    [
        pytest.param("{apiVersion: porter.sh/v1, kind: AgentConfig}", "apiVersion: getporter.org/v1", id="X18-group"),
        pytest.param("{apiVersion: v1beta1, kind: AgentConfig}", "OpenShift", id="another-AgentConfig"),
        pytest.param(None, "agent_configs.yaml", id="no-file"),
    ],
)
def test_files_that_cannot_be_used(playbook: Playbook, tmp_path: Path, content: str | None, words: str) -> None:
    file = tmp_path / "agent_configs.yaml"
    if content:
        file.write_text(content)
    nowhere = {"K8S_AUTH_HOST": "https://127.0.0.1:1", "K8S_AUTH_API_KEY": "none"}
    outcome = playbook.run(agent_config_files=str(file), environment=nowhere)
    assert outcome.status == "failed"
    assert words in outcome.message
