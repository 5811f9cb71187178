# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""AgentConfig manifests, and the forms in which agent configs come."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
import yaml
from ansible_collections.getporter.porter.plugins.module_utils._agent_config_manifest import (
    agent_config_from_manifest,
    agent_configs_in,
    is_manifest,
    settings_of,
)
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError

DOCUMENT = {"schemaVersion": "1.0.0", "plugins": {"kubernetes": {"version": "v1.0.1"}}}
CONFIG = {"name": "a", "namespace": "n", "service_account": "sa", "plugins": DOCUMENT}


def manifest(**fields: Any) -> dict[str, Any]:
    return {
        "apiVersion": "getporter.org/v1",
        "kind": "AgentConfig",
        "metadata": {"name": "a", "namespace": "n"},
        "spec": {"serviceAccount": "sa", "pluginConfigFile": DOCUMENT},
        **fields,
    }


def refused(written: Any) -> str:
    with pytest.raises(InputError) as caught:
        agent_config_from_manifest(written)
    return caught.value.message


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(manifest(), id="map"),
        pytest.param(json.dumps(manifest()), id="JSON"),
        pytest.param(yaml.safe_dump(manifest()), id="YAML"),
        pytest.param("---\n" + yaml.safe_dump(manifest()) + "---\n", id="YAML-with-marks"),
        pytest.param(manifest(status={"phase": "Succeeded", "ready": True}), id="status"),
        pytest.param(
            manifest(
                metadata={
                    "name": "a",
                    "namespace": "n",
                    "finalizers": ["getporter.org/finalizer"],
                    "uid": "u",
                    "labels": {"x": "y"},
                    "managedFields": [{}],
                    "deletionTimestamp": "2023-05-09T00:00:00Z",
                }
            ),
            id="X16-metadata",
        ),
        pytest.param(
            manifest(spec={"serviceAccount": "sa", "pluginConfigFile": DOCUMENT, "pullPolicy": "", "retryLimit": None}),
            id="F04-blank",
        ),
    ],
)
def test_what_a_manifest_sets(written: Any) -> None:
    before = copy.deepcopy(written)
    assert agent_config_from_manifest(written) == CONFIG
    assert written == before


@pytest.mark.parametrize("spec", [None, {}, ""])
def test_x04_a_manifest_that_sets_nothing(spec: Any) -> None:
    assert agent_config_from_manifest(manifest(spec=spec)) == {"name": "a", "namespace": "n"}


def test_a_manifest_without_spec_and_namespace() -> None:
    written = manifest(metadata={"name": "a"})
    del written["spec"]
    assert agent_config_from_manifest(written) == {"name": "a"}


@pytest.mark.parametrize(("document", "is_set"), [({}, True), ({"schemaVersion": "1.0.0"}, True), (None, False)])
def test_a07_an_empty_plugins_document_is_set_and_a_null_one_is_not(document: Any, is_set: bool) -> None:
    config = agent_config_from_manifest(manifest(spec={"pluginConfigFile": document}))
    assert ("plugins" in config) is is_set


@pytest.mark.parametrize(
    ("written", "words"),
    [
        pytest.param(manifest(kind="Installation"), 'manifest "a" is of kind "Installation"', id="kind"),
        pytest.param(manifest(kind=None), "has no kind", id="no-kind"),
        pytest.param({"kind": "AgentConfig"}, "a manifest has no apiVersion", id="no-version"),
        pytest.param(
            manifest(apiVersion="getporter.org/v2"), '"getporter.org/v2", where getporter.org/v1', id="version"
        ),
        pytest.param(manifest(apiVersion="v1alpha1", rendezvousIP="192.0.2.1"), "OpenShift", id="OpenShift"),
        pytest.param(manifest(metadata={}), "has no metadata.name", id="no-name"),
        pytest.param(manifest(metadata=["a"]), "metadata of a manifest must be a map, not a list", id="metadata"),
        pytest.param(manifest(metadata={"name": 1}), "quote it", id="G04-name"),
        pytest.param(manifest(spec=[]), 'spec of manifest "a" must be a map, not a list', id="spec"),
        pytest.param(manifest(data={}), 'unknown key "data"', id="unknown-field"),
        pytest.param(manifest(spec={"storageClass": "x"}), "Did you mean storageClassName?", id="unknown-setting"),
        pytest.param(
            manifest(spec={"node_selector": {}}), 'unknown key "node_selector"', id="no-setting-of-the-resource"
        ),
        pytest.param(manifest(spec={"namespace": "x"}), 'unknown key "namespace"', id="namespace-in-spec"),
        pytest.param(manifest(spec={"plugins": {}}), "older form", id="X13-empty"),
        pytest.param(manifest(spec={"plugins": None}), "older form", id="X13-null"),
        pytest.param(manifest(spec={"plugins": [{"id": "a"}]}), "{kubernetes: {version: v1.0.1}}", id="X12-no-names"),
        pytest.param([manifest()], "must be a map, not a list", id="list"),
        pytest.param(None, "must be a map, not null", id="null"),
        pytest.param("a", "must be a map, not text", id="text"),
        pytest.param(yaml.safe_dump_all([manifest(), manifest()]), "2 YAML documents", id="two-documents"),
        pytest.param("kind: AgentConfig\nkind: x", 'names "kind" twice', id="twins"),
    ],
)
def test_what_is_refused(written: Any, words: str) -> None:
    assert words in refused(written)


def test_secrets_are_not_in_messages() -> None:
    plugins = {"kubernetes": {"feedURL": "https://user:geheim@h/atom.xml"}}
    assert "geheim" not in refused(manifest(spec={"plugins": plugins}))
    assert "geheim" not in refused(manifest(spec={"pluginConfigFile": plugins, "x": 1}))


OTHER = {"name": "b", "plugins": {}}
LIST = {"apiVersion": "v1", "kind": "List", "items": [manifest(), manifest(metadata={"name": "b"})]}
API_LIST = {
    "apiVersion": "getporter.org/v1",
    "kind": "AgentConfigList",
    "metadata": {"resourceVersion": "7"},
    "items": [{"metadata": {"name": "a"}, "spec": {"serviceAccount": "sa"}}],
}


@pytest.mark.parametrize(
    ("written", "configs"),
    [
        pytest.param(None, [], id="null"),
        pytest.param("", [], id="F04-empty"),
        pytest.param([], [], id="empty-list"),
        pytest.param("---\n---\n", [], id="empty-documents"),
        pytest.param(OTHER, [OTHER], id="map"),
        pytest.param(manifest(), [CONFIG], id="manifest"),
        pytest.param([OTHER, manifest()], [OTHER, CONFIG], id="list"),
        pytest.param(json.dumps([OTHER, manifest()]), [OTHER, CONFIG], id="F08-JSON-text"),
        pytest.param("- {name: b, plugins: {}}", [OTHER], id="F08-YAML-text"),
        pytest.param("name: b\nplugins: {}", [OTHER], id="F08-one-as-text"),
        pytest.param(yaml.safe_dump_all([manifest(), OTHER]), [CONFIG, OTHER], id="several-documents"),
        pytest.param([yaml.safe_dump(manifest()), OTHER], [CONFIG, OTHER], id="text-in-a-list"),
        pytest.param(LIST, [CONFIG, {**{k: v for k, v in CONFIG.items() if k != "namespace"}, "name": "b"}], id="List"),
        pytest.param(API_LIST, [{"name": "a", "service_account": "sa"}], id="AgentConfigList"),
        pytest.param({"apiVersion": "v1", "kind": "List", "items": None}, [], id="empty-List"),
    ],
)
def test_forms_in_which_agent_configs_come(written: Any, configs: Any) -> None:
    assert list(agent_configs_in(written)) == configs


@pytest.mark.parametrize(
    ("written", "words"),
    [
        pytest.param("default", "must be a map, not text", id="name-alone"),
        pytest.param("- default", "must be a map, not text", id="names"),
        pytest.param("- {name: a, name: b}", 'names "name" twice', id="twins-in-a-list"),
        pytest.param("a: b: c", "neither JSON nor YAML", id="broken"),
        pytest.param({**LIST, "items": ["a"]}, "must be a map, not text", id="List-of-text"),
        pytest.param({**LIST, "items": [{"metadata": {"name": "a"}}]}, "has no kind", id="List-of-anything"),
    ],
)
def test_forms_that_are_none(written: Any, words: str) -> None:
    with pytest.raises(InputError) as caught:
        list(agent_configs_in(written))
    assert words in caught.value.message


def test_settings_are_left_as_they_are() -> None:
    assert settings_of(OTHER) is OTHER
    assert not is_manifest(OTHER)
    assert is_manifest(manifest())
