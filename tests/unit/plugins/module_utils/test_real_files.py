# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Files as people have them, reduced to what matters: what becomes of each, or what its owner is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import (
    Plugin,
    PluginSet,
    parse_plugins,
    require_installable,
)
from ansible_collections.getporter.porter.plugins.module_utils._resolve import resolve_agent_configs

FILES = Path(__file__).resolve().parents[2] / "data" / "real_files"
DEFAULTS: dict[str, Any] = {
    "name": "default",
    "namespace": "porter",
    "plugins": {"kubernetes": {}},
    "porter_repository": "example/porter-agent",
    "porter_version": "v1.6.1",
    "volume_size": "64Mi",
}
AGENT = "ghcr.io/getporter/porter-agent"


def content(name: str) -> str:
    # No .yaml: linters would have them better than they are.
    return (FILES / f"{name}.txt").read_text()


def resolve(text: str, **settings: Any) -> list[dict[str, Any]]:
    return resolve_agent_configs(text, {**DEFAULTS, **settings})


def agent_of(resolved: dict[str, Any]) -> Any:
    return json.loads(resolved["volume"]["agent"])


def plugins_of(resolved: dict[str, Any]) -> Any:
    return json.loads(resolved["volume"]["plugins"])["plugins"]


@pytest.mark.parametrize(
    ("name", "config", "plugins", "volume", "agent"),
    [
        pytest.param(
            "x01",
            "porter/agentconfig-sample",
            {"kubernetes": {"version": "v1.0.1"}},
            {"volume_size": "64Mi"},
            {"image": f"{AGENT}:canary", "pull_policy": "Always", "service_account": "porter-agent"},
            id="X01",
        ),
        pytest.param(
            "x02",
            "porter/default",
            {"kubernetes": {}},
            {"volume_size": "64Mi"},
            {"image": f"{AGENT}:v1.0.6", "pull_policy": "IfNotPresent", "service_account": "porter-agent"},
            id="X02",
        ),
        pytest.param(
            "x05",
            "porter/aks",
            {"kubernetes": {}},
            {"storage_class": "azureblob-nfs-premium", "volume_size": "64Mi"},
            {"image": "example/porter-agent:v1.6.1", "pull_policy": "IfNotPresent"},
            id="X05",
        ),
        pytest.param(
            "x11",
            "porter/dev",
            {"kubernetes": {}},
            {},
            {"image": "localhost:5000/porter-agent:canary-dev", "pull_policy": "Always"},
            id="X11",
        ),
        pytest.param(
            "x16",
            "vulcan/default",
            {"kubernetes": {"version": "v1.0.0"}},
            {"volume_size": "64Mi"},
            {"image": f"{AGENT}:v1.0.9", "pull_policy": "Always", "service_account": "porter-agent"},
            id="X16",
        ),
    ],
)
def test_a_manifest_is_taken_as_it_is(name: str, config: str, plugins: Any, volume: Any, agent: Any) -> None:
    (resolved,) = resolve(content(name))
    assert f"{resolved['namespace']}/{resolved['name']}" == config
    assert plugins_of(resolved) == plugins
    assert {key: resolved["volume"].get(key) for key in volume} == volume
    assert {key: agent_of(resolved).get(key) for key in agent} == agent


@pytest.mark.parametrize(
    ("written", "number"), [('"2"', 2), ("2", 2), ('"0"', 0), ('""', 6)], ids=["quoted", "plain", "zero", "empty"]
)
def test_x02_f05_numbers_may_be_quoted(written: str, number: int) -> None:
    (resolved,) = resolve(content("x02") + f"  retryLimit: {written}\n", retry_limit=6)
    assert agent_of(resolved)["backoff_limit"] == number


def test_g05_the_documentations_own_name_is_refused_with_one_that_can_be_had() -> None:
    with pytest.raises(InputError, match=r'cannot be "customAgent".*For example: customagent'):
        resolve(content("x04"))


def test_x04_each_of_the_documentations_manifests_with_a_name_that_can_be_had() -> None:
    documents = content("x04").replace("customAgent", "customagent").split("---\n")
    documents[4] = documents[4].replace("customStorageClassName", "custom")
    nothing, image, accounts, plugins, storage = (resolve(document)[0] for document in documents)
    (usual,) = resolve("name: customagent")
    assert nothing == usual
    assert agent_of(image)["image"] == "getporter.example/porter-agent:v1.2.3"
    assert agent_of(accounts)["service_account"] == "my-agent"
    assert plugins_of(plugins) == {
        "azure": {"version": "v1.0.1"},
        "kubernetes": {"version": "v1.0.1"},
    }
    assert (storage["volume"]["storage_class"], storage["volume"]["volume_size"]) == ("custom", "128Mi")


def test_x08_the_operators_own_sequence() -> None:
    first = content("x08").replace("generateName: porter-test-me-", "name: porter-test-me")
    azure = first.replace("kubernetes: {}", "azure: {}")
    larger = azure.replace("retryLimit: 2", "retryLimit: 2\n  volumeSize: 50M")
    resolved = [resolve(text)[0] for text in (first, azure, larger, first)]
    claims = [each["claim"] for each in resolved]
    assert claims[0] == claims[3] != claims[1] == claims[2]
    assert [list(plugins_of(each)) for each in resolved] == [["kubernetes"], ["azure"], ["azure"], ["kubernetes"]]
    assert resolved[2]["volume"]["volume_size"] == "50M"


def test_x17_several_manifests_in_one_file() -> None:
    default, copy = resolve(content("x17"))
    assert (default["namespace"], default["name"]) == ("unifieddeployment", "default")
    assert (default["volume"]["storage_class"], copy["volume"]["storage_class"]) == ("managed", "azurefile-csi")
    assert agent_of(copy)["service_account"] == "porter-agent"
    assert default["claim"] == copy["claim"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param("x08", ["generateName is of no use here"], id="X08-generated-name"),
        pytest.param(
            "x12", ["porter.sh/v1", "plugins: {kubernetes: {version: ...}, azure: {version: ...}}"], id="X12-list"
        ),
        pytest.param("x13", ["spec.plugins", "plugins: {kubernetes: {version: ...}}"], id="X13-map-below-spec"),
        pytest.param("x14", ["spec.plugins", "plugins: {kubernetes: {version: ...}}"], id="X14-configs"),
        pytest.param("x15", ["spec.plugins", "plugins: {kubernetes: {version: ...}}"], id="X15-list-with-settings"),
        pytest.param("x18", ["porter.sh/v1", "plugins: {kubernetes: {version: v1.0.1}}"], id="X18-first-group"),
        pytest.param("openshift", ["v1beta1", "OpenShift's installer"], id="another-AgentConfig"),
    ],
)
def test_what_cannot_be_taken_is_answered_with_the_current_form(name: str, words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        resolve(content(name))
    current = ["apiVersion: getporter.org/v1, kind: AgentConfig", "pluginConfigFile: {schemaVersion: 1.0.0"]
    assert [word for word in [*words, *current] if word not in caught.value.message] == []


@pytest.mark.parametrize(
    ("name", "plugin", "warnings"),
    [
        pytest.param(
            "x10",
            Plugin("plugin2", "v2.0.0", "test", "http://example.com", "http://example.com"),
            ["Porter uses feedURL", "Porter uses feedURL"],
            id="X10",
        ),
        pytest.param(
            "x19",
            Plugin(
                "azure", "v1.0.0", "https://example.com", "https://cdn.example/plugins/atom.xml", "https://example.com"
            ),
            ["Porter uses feedURL"],
            id="X19",
        ),
        pytest.param("x20", Plugin("azure"), ["No fixed version for azure"], id="X20"),
        pytest.param(
            "x22",
            Plugin("hashicorp", "v1.0.0", "https://releases.example/hashicorp-plugins/releases/download"),
            [],
            id="X22",
        ),
    ],
)
def test_plugins_documents(name: str, plugin: Plugin, warnings: list[str]) -> None:
    plugin_set: PluginSet = require_installable(parse_plugins(content(name)))
    assert list(plugin_set)[-1] == plugin
    assert all(words in warning for words, warning in zip(warnings, plugin_set.warnings, strict=True))


def test_x21_the_plugins_of_an_early_porter_are_refused() -> None:
    with pytest.raises(InputError, match=r'plugin "kubernetes": unknown key "URL".*Did you mean url'):
        parse_plugins(content("x21"))


@pytest.mark.parametrize("version", ["v1.6.1-plugins", "sha256:" + "0" * 64])
def test_x23_an_agent_image_that_brings_its_plugins_along_needs_no_volume(version: str) -> None:
    config = {"name": "a", "porter_repository": "registry.example/agent", "porter_version": version, "plugins": {}}
    (resolved,) = resolve_agent_configs([config], DEFAULTS)
    assert (resolved["claim"], resolved["volume"]) == ("", None)


def test_x23_a_version_that_a_dockerfile_would_fill_in_is_refused() -> None:
    with pytest.raises(InputError, match="neither an image tag nor a digest"):
        resolve(content("x01").replace("canary", "$PORTER_VERSION"))
