# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""AgentConfig resources as they are listed."""

from __future__ import annotations

from typing import Any, cast

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._agent_config_list import (
    list_agent_configs,
    without_secrets,
)
from ansible_collections.getporter.porter.plugins.module_utils._api import AGENT_CONFIGS, KubeApi, Resource
from ansible_collections.getporter.porter.plugins.module_utils._errors import ApiError, InputError

WHAT = {"apiVersion": "getporter.org/v1", "kind": "AgentConfig"}


def resource(namespace: str, name: str, **fields: Any) -> dict[str, Any]:
    return {**WHAT, "metadata": {"name": name, "namespace": namespace, "uid": "u", "annotations": {"a": "b"}}, **fields}


class Cluster:
    """Answers lists as the API does, and notes what was asked."""

    def __init__(self, *resources: dict[str, Any], status: int = 200) -> None:
        self.resources, self.status = resources, status
        self.asked: list[str | None] = []

    def list_all(self, resource: Resource, namespace: str | None) -> list[dict[str, Any]]:
        assert resource is AGENT_CONFIGS
        self.asked.append(namespace)
        if self.status != 200:
            raise ApiError(self.status, "", f"GET: answer {self.status}")
        return [each for each in self.resources if namespace in (None, each["metadata"]["namespace"])]


def listed(cluster: Cluster, *namespaces: str) -> list[dict[str, Any]]:
    return list_agent_configs(cast(KubeApi, cluster), namespaces)


TWO = (resource("n", "a", spec={"serviceAccount": "sa"}, status={"ready": True}), resource("m", "b"))


def test_a_manifest_has_name_namespace_and_spec() -> None:
    assert listed(Cluster(*TWO), "n") == [
        {**WHAT, "metadata": {"name": "a", "namespace": "n"}, "spec": {"serviceAccount": "sa"}}
    ]


def test_each_namespace_is_asked_once() -> None:
    cluster = Cluster(*TWO)
    assert [each["metadata"]["name"] for each in listed(cluster, "n", "m", "n")] == ["b", "a"]
    assert cluster.asked == ["m", "n"]


def test_every_namespace_is_one_request() -> None:
    cluster = Cluster(*TWO)
    assert len(listed(cluster, "n", "*")) == 2
    assert cluster.asked == [None]
    assert listed(Cluster(), "*") == []


def test_e07_a_cluster_that_knows_no_agent_configs_is_told_from_one_that_has_none() -> None:
    with pytest.raises(InputError, match=r"knows no AgentConfig resources.*agentconfigs\.getporter\.org"):
        listed(Cluster(status=404), "*")


def test_a15_a_namespace_without_any_is_named() -> None:
    with pytest.raises(InputError, match="There is no AgentConfig in namespace nn"):
        listed(Cluster(*TWO), "n", "nn")


def test_a_refusal_is_told_in_the_clusters_words() -> None:
    with pytest.raises(ApiError, match="answer 403"):
        listed(Cluster(*TWO, status=403), "n")


def with_plugins(document: Any) -> dict[str, Any]:
    return {
        **WHAT,
        "metadata": {"name": "a", "namespace": "n"},
        "spec": {"pluginConfigFile": document, "retryLimit": 2},
    }


def test_urls_are_shown_without_secrets() -> None:
    manifest = with_plugins({"plugins": {"azure": {"feedURL": "https://u:geheim@h/x?token=geheim"}}})
    shown = without_secrets(manifest)
    assert shown["spec"]["pluginConfigFile"]["plugins"]["azure"]["feedURL"].startswith("https://***@h/x")
    assert "geheim" not in str(shown)
    assert "geheim" in str(manifest)
    assert shown["spec"]["retryLimit"] == 2


def test_what_is_no_plugin_set_is_not_shown_at_all() -> None:
    shown = without_secrets(with_plugins({"plugins": [{"feedURL": "https://u:geheim@h"}]}))
    assert shown["spec"]["pluginConfigFile"] == "(not shown: it is no valid plugin set)"


@pytest.mark.parametrize("document", [None, {}])
def test_without_plugins_there_is_nothing_to_hide(document: Any) -> None:
    assert without_secrets(with_plugins(document)) == with_plugins(document)
