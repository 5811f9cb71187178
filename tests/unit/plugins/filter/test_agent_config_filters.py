# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The filters of agent configs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.getporter.porter.plugins.filter import (
    agent_config_from_manifest,
    merge_agent_configs,
    resolve_agent_configs,
)

MANIFEST = {
    "apiVersion": "getporter.org/v1",
    "kind": "AgentConfig",
    "metadata": {"name": "a", "namespace": "n"},
    "spec": {"serviceAccount": "sa", "pluginConfigFile": {"plugins": {"azure": {"feedURL": "https://u:p@h"}}}},
}
CONFIG = {
    "name": "a",
    "namespace": "n",
    "service_account": "sa",
    "plugins": {"plugins": {"azure": {"feedURL": "https://u:p@h"}}},
}
DEFAULTS = {
    "name": "default",
    "namespace": "n",
    "porter_repository": "r",
    "porter_version": "v1",
    "volume_size": "1Mi",
    "plugins": {"kubernetes": {"version": "v1.0.1"}},
}


def apply(module: Any, *arguments: Any, **keywords: Any) -> Any:
    """Apply the filter that a file registers, which has the file's name."""
    ((name, function),) = module.FilterModule().filters().items()
    assert module.__name__.endswith("." + name)
    return function(*arguments, **keywords)


def test_a_manifest_becomes_an_agent_config() -> None:
    assert apply(agent_config_from_manifest, MANIFEST) == CONFIG


def test_a_manifest_of_another_form_is_a_filter_error() -> None:
    with pytest.raises(AnsibleFilterError, match=r"agent_config_from_manifest: .* of kind .ConfigMap."):
        apply(agent_config_from_manifest, {**MANIFEST, "kind": "ConfigMap"})


@pytest.mark.parametrize(
    ("levels", "merged"),
    [
        ([], {}),
        ([None, {}], {}),
        ([{"serviceAccount": "x", "nodeSelector": {"a": "b"}}, MANIFEST], {**CONFIG, "node_selector": {"a": "b"}}),
        ([MANIFEST, {"plugins": {}, "service_account": ""}], {**CONFIG, "plugins": {}}),
    ],
    ids=["nothing", "null", "A10-manifest-over-settings", "A10-settings-over-manifest"],
)
def test_merging(levels: Any, merged: Any) -> None:
    assert apply(merge_agent_configs, levels) == merged


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ({"name": "a"}, "merge_agent_configs: The levels must be a list, not a map"),
        (["a"], "must be a map, not text"),
        ([{"serviceAcount": "a"}], "Did you mean service_account"),
    ],
)
def test_levels_that_cannot_be_merged_are_a_filter_error(levels: Any, words: str) -> None:
    with pytest.raises(AnsibleFilterError, match=words):
        apply(merge_agent_configs, levels)


def agent_of(resolved: dict[str, Any]) -> Any:
    return json.loads(resolved["volume"]["agent"])


def test_resolving_takes_every_source_and_level() -> None:
    resolved = apply(
        resolve_agent_configs,
        [{"name": "b"}],
        [DEFAULTS, {"volume_size": ""}],
        system={"porterVersion": "v2"},
        namespaces={"n": {"serviceAccount": "level"}},
        files={"c.yaml": "name: c"},
        found=[MANIFEST],
    )
    assert [each["name"] for each in resolved] == ["b", "c", "a"]
    assert {agent_of(each)["image"] for each in resolved} == {"r:v2"}
    assert [agent_of(each)["service_account"] for each in resolved] == ["level", "level", "sa"]


def test_what_cannot_be_resolved_is_a_filter_error() -> None:
    with pytest.raises(AnsibleFilterError, match="unknown key"):
        apply(resolve_agent_configs, [{"nam": "b"}], DEFAULTS)
