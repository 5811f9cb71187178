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
    return opened(resolved["volume"])


def opened(volume: dict[str, Any]) -> dict[str, Any]:
    """The module's option with its maps, which are JSON text on the way to the module."""
    return {**volume, **{key: json.loads(volume[key]) for key in ("spec", "agent")}}


def agent_of(resolved: dict[str, Any]) -> Any:
    return json.loads(resolved["volume"]["agent"])


@pytest.mark.parametrize("configs", [None, "", " ", [], ()], ids=["null", "F04-empty", "blank", "list", "tuple"])
def test_without_configs_there_is_the_default_one(configs: Any) -> None:
    (resolved,) = resolve_agent_configs(configs, DEFAULTS)
    assert (resolved["name"], resolved["namespace"], resolved["state"]) == ("default", "porter", "present")
    assert resolved["claim"].startswith("porter-")
    assert opened(resolved["volume"]) == {
        "agent_config": "default",
        "namespace": "porter",
        "plugins": resolved["volume"]["plugins"],
        "volume_size": "64Mi",
        "salted": False,
        "refresh": False,
        "spec": {
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
        ({"default": {"plugins": {}}}, 'unknown key "default"'),
        ("default", "must be a map, not text"),
        (7, "must be a map, not a number"),
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


@pytest.mark.parametrize(
    ("owners", "words"),
    [
        ({"name": "app"}, "must be a list of maps"),
        (["app"], "must be a list of maps"),
        ([{"nam": "app"}], "Did you mean name"),
        ([{"kind": "ConfigMap"}], "has no name"),
        ([{"name": "app", "namespace": "other"}], "cannot own claims of namespace porter"),
        ([{"name": "app", "apiVersion": "a/b/c"}], "must be VERSION or GROUP/VERSION"),
    ],
    ids=["map", "text", "unknown-key", "no-name", "C01-elsewhere", "version"],
)
def test_owners_that_cannot_be_are_refused(owners: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        resolve({"name": "a", "owners": owners})


@pytest.mark.parametrize("key", ["apiVersion", "api_version"])
def test_owners_are_taken_in_both_spellings(key: str) -> None:
    owner = {key: "getporter.org/v1", "kind": "AgentConfig", "name": "a"}
    assert volume_of({"name": "a", "owners": [owner]})["owners"] == [
        {"api_version": "getporter.org/v1", "kind": "AgentConfig", "name": "a"}
    ]
    assert "owners" not in volume_of({"name": "a", "owners": ""})


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
        {"name": "a", "plugins": "{}"},
        {"name": "a", "pluginConfigFile": {}},
        {"name": "a", "pluginConfigFile": {"schemaVersion": "1.0.0"}},
        {"name": "a", "pluginConfigFile": {"schemaVersion": "1.0.0", "plugins": {}}},
        {"name": "a", "pluginConfigFile": {"schemaVersion": "1.0.0", "plugins": None}},
        {"name": "a", "state": "absent"},
    ],
    ids=["map", "text", "no-document", "document-of-nothing", "document-of-none", "document-of-null", "absent"],
)
def test_a07_no_volume_is_needed(config: dict[str, Any]) -> None:
    (resolved,) = resolve(config)
    assert (resolved["name"], resolved["claim"], resolved["volume"]) == ("a", "", None)


@pytest.mark.parametrize(
    "settings",
    [
        {"plugins": {"kubernetes": {"url": "ftp://h"}}},
        {"plugins": {"kubernetes": {"version": 1.1}}},
        {"plugins": ["kubernetes"]},
        {"volume_size": "64MB"},
        {"porter_repository": ""},
        {"node_selector": "a=b"},
    ],
    ids=["not-installable", "no-version", "list", "size", "no-repository", "pod"],
)
def test_of_an_absent_config_only_the_name_matters(settings: dict[str, Any]) -> None:
    defaults = {"porter_repository": "", **({"plugins": None} if "plugins" in settings else {})}
    with pytest.raises(InputError):
        resolve({"name": "a", **settings}, **defaults)
    (resolved,) = resolve({"name": "a", "namespace": "n", "state": "absent", **settings}, **defaults)
    assert {key: resolved[key] for key in ("name", "namespace", "state", "claim", "volume")} == {
        "name": "a",
        "namespace": "n",
        "state": "absent",
        "claim": "",
        "volume": None,
    }


def test_keys_of_an_absent_config_are_checked() -> None:
    with pytest.raises(InputError, match='unknown key "plugin"'):
        resolve({"name": "a", "state": "absent", "plugin": {}})


MANIFEST = {"apiVersion": "getporter.org/v1", "kind": "AgentConfig", "metadata": {"name": "m", "namespace": "porter"}}


def with_levels(*configs: Any, **levels: Any) -> list[dict[str, Any]]:
    return resolve_agent_configs(list(configs), DEFAULTS, **levels)


def account_of(resolved: dict[str, Any]) -> Any:
    return agent_of(resolved).get("service_account")


def test_a10_later_levels_win() -> None:
    configs = [{"name": "a"}, {"name": "b", "serviceAccount": "config"}, {"name": "c", "namespace": "other"}]
    levels = {"system": {"serviceAccount": "system"}, "namespaces": {"porter": {"service_account": "namespace"}}}
    assert [account_of(each) for each in with_levels(*configs, **levels)] == ["namespace", "config", "system"]


def test_a10_blank_is_not_set_at_any_level() -> None:
    levels = {"system": {"serviceAccount": "system", "plugins": None}, "namespaces": {"porter": {"serviceAccount": ""}}}
    (resolved,) = with_levels({"name": "a", "serviceAccount": " ", "plugins": ""}, **levels)
    assert account_of(resolved) == "system"
    assert list(json.loads(resolved["volume"]["plugins"])["plugins"]) == ["kubernetes"]


def test_a10_an_inherited_plugin_set_is_claimed_in_the_configs_own_namespace() -> None:
    """A config with nothing but an account needs a volume for the merged set, named in its own namespace."""
    named = {"name": "a", "namespace": "team", "plugins": {"azure": {"version": "v1.2.0"}}}
    levels = {"system": {"plugins": named["plugins"]}, "namespaces": {"team": {"porterVersion": "v1.6.0"}}}
    inherited, elsewhere, whole = with_levels(
        {"name": "i", "namespace": "team", "serviceAccount": "sa"}, {"name": "e", "namespace": "other"}, named, **levels
    )
    assert inherited["claim"] == whole["claim"] != elsewhere["claim"]
    assert agent_of(inherited)["image"] == "example/porter-agent:v1.6.0"


@pytest.mark.parametrize(
    ("system", "namespace", "config", "plugins"),
    [
        ({}, {}, {}, ["kubernetes"]),
        ({"plugins": {"a": {}, "b": {}}}, {}, {}, ["a", "b"]),
        ({"plugins": {"a": {}, "b": {}}}, {"plugins": {"c": {}}}, {}, ["c"]),
        ({"plugins": {"a": {}}}, {"plugins": {"c": {}}}, {"plugins": {"d": {}}}, ["d"]),
        ({"plugins": {"a": {}}}, {"plugins": {}}, {}, []),
        ({"plugins": {"a": {}}}, {"plugins": {}}, {"plugins": {"d": {}}}, ["d"]),
        ({"plugins": {}}, {}, {}, []),
    ],
    ids=["default", "system", "namespace", "config", "namespace-has-none", "none-and-some", "system-has-none"],
)
def test_a10_plugins_of_levels_are_replaced_whole(system: Any, namespace: Any, config: Any, plugins: list[str]) -> None:
    (resolved,) = with_levels({"name": "a", **config}, system=system, namespaces={"porter": namespace})
    found = list(json.loads(resolved["volume"]["plugins"])["plugins"]) if resolved["volume"] else []
    assert found == plugins


def test_the_only_config_has_the_levels_below_it_too() -> None:
    (resolved,) = with_levels(namespaces={"porter": {"serviceAccount": "namespace"}})
    assert (resolved["name"], account_of(resolved)) == ("default", "namespace")


@pytest.mark.parametrize(
    "levels",
    [
        {"system": {**MANIFEST, "spec": {"serviceAccount": "sa"}}},
        {"namespaces": {"porter": {**MANIFEST, "spec": {"serviceAccount": "sa"}}}},
        {"namespaces": {"porter": {**MANIFEST, "metadata": {"name": "default"}, "spec": {"serviceAccount": "sa"}}}},
        {"system": "serviceAccount: sa"},
        {"namespaces": '{"porter": {"serviceAccount": "sa"}}'},
        {"system": json.dumps({**MANIFEST, "spec": {"serviceAccount": "sa"}}), "namespaces": ""},
    ],
    ids=["manifest", "namespace-manifest", "manifest-of-no-namespace", "F08-text", "F08-map-text", "manifest-text"],
)
def test_forms_of_levels(levels: dict[str, Any]) -> None:
    (resolved,) = with_levels({"name": "a"}, **levels)
    assert (resolved["name"], account_of(resolved)) == ("a", "sa")


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ({"system": {"name": "x"}}, "The system level is for many agent configs: take name out of it"),
        ({"namespaces": {"porter": {"namespace": "porter"}}}, "level of namespace porter.*take namespace out"),
        (
            {"namespaces": {"other": {**MANIFEST}}},
            "level of namespace other is given as a manifest of namespace porter",
        ),
        ({"namespaces": {"Porter": {}}}, "For example: porter"),
        ({"namespaces": {"porter": {"plugin": {}}}}, 'level of namespace porter: unknown key "plugin"'),
        ({"namespaces": ["porter"]}, "must be a map from namespace to settings, not a list"),
        ({"system": ["x"]}, "The system level must be a map, not a list"),
        ({"system": {**MANIFEST, "apiVersion": "porter.sh/v1"}}, "apiVersion: getporter.org/v1"),
        ({"system": {"volume_size": "64MB"}}, "Write 64M or 64Mi"),
    ],
)
def test_levels_that_cannot_be_used(levels: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        with_levels({"name": "a"}, **levels)


@pytest.mark.parametrize(
    ("defaults", "message"), [({"name": "a"}, "have no namespace"), ({"namespace": "a"}, "have no name")]
)
def test_defaults_must_name_something(defaults: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        resolve_agent_configs([], defaults)


def test_f04_a_blank_variable_leaves_the_default() -> None:
    blank = dict.fromkeys(DEFAULTS, "")
    assert resolve_agent_configs([], [DEFAULTS, blank]) == resolve_agent_configs([], DEFAULTS)


def test_a_later_version_wins_over_an_earlier_whole_image() -> None:
    images = [
        agent_of(each)["image"]
        for each in resolve(
            {"name": "a"},
            {"name": "b", "porterVersion": "v1.0.9"},
            {"name": "c", "porterVersion": "v1.0.9", "agent_image": "third/agent"},
            agent_image="other/agent",
        )
    ]
    assert images == ["other/agent", "example/porter-agent:v1.0.9", "third/agent"]


def test_configs_of_variable_files_and_cluster_come_together() -> None:
    files = {"one.yaml": json.dumps({"name": "b"}), "two.yaml": "- name: c\n- name: d"}
    found = [{**MANIFEST, "spec": None}]
    resolved = resolve_agent_configs([{"name": "a"}], DEFAULTS, files=files, found=found)
    assert [each["name"] for each in resolved] == ["a", "b", "c", "d", "m"]


def test_where_the_cluster_has_no_config_there_is_none() -> None:
    assert resolve_agent_configs([], DEFAULTS, found=[]) == []


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"a.yaml": ""}, "a.yaml holds no agent config"),
        ({"a.yaml": "x"}, "a.yaml: An agent config must be a map"),
        ({"a.yaml": "kind: AgentConfig"}, "a.yaml: a manifest has no apiVersion"),
        ({"a.yaml": "name: a", "b.yaml": "name: a"}, "Agent config a is named twice"),
    ],
    ids=["nothing", "text", "manifest", "twins"],
)
def test_files_that_cannot_be_used(files: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        resolve_agent_configs([], DEFAULTS, files=files)


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
        ({"active_deadline_seconds": "90"}, {"active_deadline_seconds": 90}),
        (
            {"node_selector": "a: b", "tolerations": '[{"key": "c"}]', "env": "- {name: d}"},
            {"node_selector": {"a": "b"}, "tolerations": [{"key": "c"}], "env": [{"name": "d"}]},
        ),
        ({"image_pull_secrets": "one, two"}, {"image_pull_secrets": ["one", "two"]}),
        ({"image_pull_secrets": ["one"]}, {"image_pull_secrets": ["one"]}),
        (
            {"node_selector": {"a": "b"}, "podSecurityContext": {}},
            {"node_selector": {"a": "b"}, "pod_security_context": None},
        ),
        # The account of installations is none of the agent that installs plugins.
        ({"installation_service_account": "i"}, {"service_account": None, "installation_service_account": None}),
    ],
    ids=[
        "moving-tag",
        "policy",
        "whole-image",
        "whole-image-policy",
        "blank",
        "F05-numbers",
        "F05-deadline",
        "F08-text",
        "F08-names",
        "names",
        "pod",
        "installation",
    ],
)
def test_settings_of_the_agent(config: dict[str, Any], agent: dict[str, Any]) -> None:
    given = volume_of({"name": "a", **config})["agent"]
    assert {key: given.get(key) for key in agent} == agent


def test_a_config_is_stronger_than_the_defaults_and_blank_is_not_set() -> None:
    config = {"name": "a", "volumeSize": "1Gi", "storageClassName": "fast", "node_selector": ""}
    volume = volume_of(config, node_selector={"a": "b"}, storage_class_name="slow")
    assert (volume["volume_size"], volume["storage_class"]) == ("1Gi", "fast")
    assert volume["agent"]["node_selector"] == {"a": "b"}


def test_an_empty_setting_undoes_that_of_a_level_below() -> None:
    assert "node_selector" not in volume_of({"name": "a", "node_selector": {}}, node_selector={"a": "b"})["agent"]


def test_a_config_without_a_volume_has_an_option_of_its_own() -> None:
    without, absent, with_volume = resolve(
        {"name": "a", "plugins": {}}, {"name": "b", "state": "absent"}, {"name": "c"}
    )
    option = without["agent_config"]
    assert (option["name"], option["namespace"], option["state"]) == ("a", "porter", "present")
    assert json.loads(option["spec"])["pluginConfigFile"]["plugins"] == {}
    assert json.loads(option["agent"])["image"] == "example/porter-agent:v1.6.1"
    assert absent["agent_config"] == {"name": "b", "namespace": "porter", "state": "absent"}
    assert [each["volume"] is None for each in (without, absent, with_volume)] == [True, True, False]
    assert with_volume["agent_config"] is None


@pytest.mark.parametrize(
    ("written", "value"), [("2026-11-30", "2026-11-30"), ("2026-11-30 12:00:00", "2026-11-30T12:00:00")]
)
def test_f05_dates_that_yaml_made_are_text_again(written: str, value: str) -> None:
    """F05"""
    config = f"name: a\npod_annotations: {{since: {written}}}\nenv: [{{name: A, value: {written}}}]"
    (resolved,) = resolve_agent_configs(config, DEFAULTS)
    agent = agent_of(resolved)
    assert (agent["pod_annotations"], agent["env"]) == ({"since": value}, [{"name": "A", "value": value}])


def test_a_set_of_yaml_is_a_list_again() -> None:
    (resolved,) = resolve_agent_configs("name: a\nimage_pull_secrets: !!set {b, a}", DEFAULTS)
    assert agent_of(resolved)["image_pull_secrets"] == ["a", "b"]


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(InputError, match="agent config a hold a value of type bytes"):
        resolve_agent_configs("name: a\npod_annotations: {a: !!binary YQ==}", DEFAULTS)


def test_credentials_reach_the_module_whole() -> None:
    url = "https://user:geheim@feed.example/atom.xml"
    assert url in volume_of({"name": "a", "plugins": {"azure": {"feedURL": url}}})["plugins"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"node_selector": "a"}, "node_selector of agent config a must be a map, not text"),
        ({"node_selector": ["a"]}, "must be a map, not a list"),
        ({"tolerations": {"key": "a"}}, "tolerations of agent config a must be a list, not a map"),
        ({"image_pull_secrets": {"name": "a"}}, "must be a list, not a map"),
        ({"env": "a: b: c"}, "env of agent config a is given as text that is neither JSON nor YAML"),
        ({"active_deadline_seconds": "soon"}, "active_deadline_seconds of agent config a must be a whole number"),
        ({"agent_image": 1.1}, "agent_image of agent config a must be text"),
    ],
)
def test_settings_of_the_agent_that_cannot_be_used(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        resolve({"name": "a", **settings})


def test_a_state_for_all_wins_over_their_own() -> None:
    configs = [{"name": "a", "state": "present"}, {"name": "b", "plugins": {}}, {"name": "c", "state": "absent"}]
    assert [each["state"] for each in resolve_agent_configs(configs, DEFAULTS, state="absent")] == ["absent"] * 3
    assert [each["state"] for each in resolve_agent_configs(configs, DEFAULTS, state=" ")] == [
        "present",
        "present",
        "absent",
    ]


@pytest.mark.parametrize("configs", [[], "", "[]", None])
def test_what_is_to_be_removed_must_be_named(configs: Any) -> None:
    with pytest.raises(InputError) as caught:
        resolve_agent_configs(configs, DEFAULTS, state="absent")
    assert "porter_plugins_agent_configs: [{name: default}]" in caught.value.message


def test_a_state_that_there_is_not_is_refused() -> None:
    with pytest.raises(InputError):
        resolve_agent_configs([{"name": "a"}], DEFAULTS, state="gone")
