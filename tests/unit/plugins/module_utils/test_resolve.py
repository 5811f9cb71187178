# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""From agent configs and defaults to the plugin volumes they need."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._resolve import resolve_agent_configs

DEFAULTS: dict[str, Any] = {
    "name": "default",
    "namespace": "porter",
    "plugins": {"kubernetes": {"version": "v1.0.1"}},
    "porter_repository": "example/porter-agent",
    "porter_version": "v1.6.1",
    "volume_size": "64Mi",
}


def resolve(*configs: Any, **defaults: Any) -> list[dict[str, Any]]:
    return resolve_agent_configs(list(configs), {**DEFAULTS, **defaults})


def volume_of(*configs: Any, **defaults: Any) -> dict[str, Any]:
    (resolved,) = resolve(*configs, **defaults)
    volume: dict[str, Any] = resolved["volume"]
    return volume


@pytest.mark.parametrize("configs", [None, "", " ", [], ()], ids=["null", "F04-empty", "blank", "list", "tuple"])
def test_without_configs_there_is_the_default_one(configs: Any) -> None:
    (resolved,) = resolve_agent_configs(configs, DEFAULTS)
    assert (resolved["name"], resolved["namespace"], resolved["state"]) == ("default", "porter", "present")
    assert resolved["claim"].startswith("porter-")
    assert resolved["volume"] == {
        "agent_config": "default",
        "namespace": "porter",
        "plugins": resolved["volume"]["plugins"],
        "volume_size": "64Mi",
        "salted": False,
        "refresh": False,
        "record": {
            "porterRepository": "example/porter-agent",
            "porterVersion": "v1.6.1",
            "volumeSize": "64Mi",
            "pluginConfigFile": json.loads(resolved["volume"]["plugins"]),
        },
        "agent": {"image": "example/porter-agent:v1.6.1", "pull_policy": "IfNotPresent"},
    }
    assert json.loads(resolved["volume"]["plugins"])["plugins"] == DEFAULTS["plugins"]


@pytest.mark.parametrize(
    ("configs", "words"),
    [
        ({"name": "a"}, "must be a list, not a map"),
        ("- name: a", "must be a list, not text"),
        (7, "must be a list, not a number"),
        (["a"], "must be a map, not text"),
        ([{"plugins": {}}], "has no name"),
        ([{"name": "a"}, {"name": "a"}], "Agent config a is named twice in namespace porter"),
        ([{"name": "a"}, {"name": "a", "namespace": "porter"}], "named twice"),
        ([{"name": "a", "node_selectr": {}}], "Did you mean node_selector"),
    ],
    ids=["map", "text", "number", "entry", "no-name", "twins", "twins-by-default", "unknown-key"],
)
def test_what_cannot_be_used_is_refused(configs: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        resolve_agent_configs(configs, DEFAULTS)


def test_one_name_in_two_namespaces_is_two_configs_with_two_claims() -> None:
    first, second = resolve({"name": "a"}, {"name": "a", "namespace": "other"})
    assert first["claim"] != second["claim"]
    assert [first["namespace"], second["namespace"]] == ["porter", "other"]


def test_one_plugin_set_is_one_claim() -> None:
    first, second = resolve({"name": "a"}, {"name": "b"})
    assert first["claim"] == second["claim"]


@pytest.mark.parametrize(
    "config",
    [
        {"name": "a", "plugins": {}},
        {"name": "a", "state": "absent"},
        {"name": "a", "plugins": {"schemaVersion": "1.0.0"}},
    ],
    ids=["A07-no-plugins", "absent", "A07-empty-document"],
)
def test_no_volume_is_needed(config: dict[str, Any]) -> None:
    (resolved,) = resolve(config)
    assert resolved["volume"] is None
    assert resolved["name"] == "a"


def test_a10_plugins_are_replaced_whole() -> None:
    volume = volume_of({"name": "a", "plugins": {"azure": {}}})
    assert list(json.loads(volume["plugins"])["plugins"]) == ["azure"]


@pytest.mark.parametrize(
    ("config", "agent"),
    [
        ({"porterVersion": "latest"}, {"image": "example/porter-agent:latest", "pull_policy": "Always"}),
        ({"pull_policy": "Never"}, {"pull_policy": "Never"}),
        (
            {"agent_image": "other/agent@sha256:" + "0" * 64},
            {"image": "other/agent@sha256:" + "0" * 64, "pull_policy": None},
        ),
        ({"agent_image": "other/agent", "pull_policy": "Always"}, {"image": "other/agent", "pull_policy": "Always"}),
        (
            {"agent_image": "", "serviceAccount": "agent"},
            {"image": "example/porter-agent:v1.6.1", "service_account": "agent"},
        ),
        ({"retry_limit": "0", "ttl_seconds_after_finished": 5}, {"backoff_limit": 0, "ttl_seconds_after_finished": 5}),
        (
            {"node_selector": {"a": "b"}, "podSecurityContext": {}},
            {"node_selector": {"a": "b"}, "pod_security_context": {}},
        ),
        # The account of installations is none of the agent that installs plugins.
        ({"installation_service_account": "i"}, {"service_account": None, "installation_service_account": None}),
    ],
    ids=["moving-tag", "policy", "whole-image", "whole-image-policy", "blank", "F05-numbers", "pod", "installation"],
)
def test_settings_of_the_agent(config: dict[str, Any], agent: dict[str, Any]) -> None:
    given = volume_of({"name": "a", **config})["agent"]
    assert {key: given.get(key) for key in agent} == agent


def test_a_config_is_stronger_than_the_defaults_and_blank_is_not_set() -> None:
    config = {"name": "a", "volumeSize": "1Gi", "storageClassName": "fast", "node_selector": ""}
    volume = volume_of(config, node_selector={"a": "b"}, storage_class_name="slow")
    assert (volume["volume_size"], volume["storage_class"]) == ("1Gi", "fast")
    assert volume["agent"]["node_selector"] == {"a": "b"}


def test_credentials_reach_the_module_whole() -> None:
    url = "https://user:geheim@feed.example/atom.xml"
    assert url in volume_of({"name": "a", "plugins": {"azure": {"feedURL": url}}})["plugins"]
