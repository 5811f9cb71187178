# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading, merging and checking agent configs."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._agent_config import (
    AgentConfig,
    merge_agent_configs,
    normalize_agent_config,
    parse_agent_config,
)
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._names import record_name, short_resource_label
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import Plugin, PluginSet
from hypothesis import assume, given
from hypothesis import strategies as st

DEFAULTS = {"porter_repository": "ghcr.io/getporter/porter-agent", "porter_version": "v1.6.1", "volume_size": "64Mi"}
DIGEST = "sha256:ea7d328dc6b65e4b62a971ba8436f89d5857c2878c211312aaa5e2db2e47a2da"
CONFIG_NAMES = st.from_regex("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?", fullmatch=True)


def parse(**settings: Any) -> AgentConfig:
    return parse_agent_config({"name": "x", **settings}, default_namespace="porter", defaults=DEFAULTS)


def refused(**settings: Any) -> str:
    with pytest.raises(InputError) as caught:
        parse(**settings)
    return caught.value.message


def test_a_name_is_enough() -> None:
    assert parse() == AgentConfig(
        name="x",
        namespace="porter",
        state="present",
        plugins=PluginSet(),
        porter_repository="ghcr.io/getporter/porter-agent",
        porter_version="v1.6.1",
        volume_size="64Mi",
    )


EVERYTHING = {
    "name": "agentconfig-sample",
    "namespace": "ns",
    "state": "present",
    "porter_repository": "localhost:5000/porter-agent",
    "porter_version": "canary",
    "service_account": "porter-agent",
    "volume_size": "128Mi",
    "storage_class_name": "azureblob-nfs-premium",
    "pull_policy": "Never",
    "installation_service_account": "installation-agent",
    "retry_limit": 2,
    "ttl_seconds_after_finished": 600,
    "plugin_config_file": {"schemaVersion": "1.0.0", "plugins": {"kubernetes": {"version": "v1.0.1"}}},
}
CAMEL = {re.sub("_([a-z])", lambda match: match.group(1).upper(), key): value for key, value in EVERYTHING.items()}


@pytest.mark.parametrize("settings", [EVERYTHING, CAMEL], ids=["snake_case", "X01-camelCase"])
def test_every_setting_in_both_spellings(settings: Any) -> None:
    assert parse(**settings) == AgentConfig(
        name="agentconfig-sample",
        namespace="ns",
        state="present",
        plugins=PluginSet((Plugin("kubernetes", "v1.0.1"),)),
        porter_repository="localhost:5000/porter-agent",
        porter_version="canary",
        service_account="porter-agent",
        volume_size="128Mi",
        storage_class_name="azureblob-nfs-premium",
        pull_policy="Never",
        installation_service_account="installation-agent",
        retry_limit=2,
        ttl_seconds_after_finished=600,
    )


def test_both_spellings_are_of_every_setting() -> None:
    assert set(CAMEL) - set(EVERYTHING) == {
        "porterRepository",
        "porterVersion",
        "serviceAccount",
        "volumeSize",
        "storageClassName",
        "pullPolicy",
        "installationServiceAccount",
        "retryLimit",
        "ttlSecondsAfterFinished",
        "pluginConfigFile",
    }


def test_spec_is_that_of_the_resource_without_secrets() -> None:
    config = parse(retryLimit=0, plugins={"a": {"version": "v1", "url": "https://u:p@h"}}, serviceAccount="sa")
    assert config.spec() == {
        "porterRepository": "ghcr.io/getporter/porter-agent",
        "porterVersion": "v1.6.1",
        "serviceAccount": "sa",
        "volumeSize": "64Mi",
        "retryLimit": 0,
        "pluginConfigFile": {
            "schemaType": "Plugins",
            "schemaVersion": "1.0.0",
            "plugins": {"a": {"version": "v1", "url": "https://***@h"}},
        },
    }


@pytest.mark.parametrize("blank", ["", " ", None])
def test_f04_blank_is_not_set(blank: Any) -> None:
    settings = dict.fromkeys(EVERYTHING, blank)
    assert parse(**{**settings, "name": "x"}) == parse()


@pytest.mark.parametrize(("value", "number"), [(0, 0), ("0", 0), ("2", 2), (6, 6), ("", None), (None, None)])
@pytest.mark.parametrize("key", ["retry_limit", "ttlSecondsAfterFinished"])
def test_a11_f05_numbers(key: str, value: Any, number: int | None) -> None:
    config = parse(**{key: value})
    assert (config.retry_limit if key == "retry_limit" else config.ttl_seconds_after_finished) == number


@pytest.mark.parametrize("value", [-1, "-1", "two", 1.5, True])
@pytest.mark.parametrize("key", ["retry_limit", "ttl_seconds_after_finished"])
def test_wrong_numbers_are_refused(key: str, value: Any) -> None:
    assert f'{key} of agent config "x" must be a whole number' in refused(**{key: value})


@pytest.mark.parametrize(
    ("settings", "image"),
    [
        pytest.param({}, "ghcr.io/getporter/porter-agent:v1.6.1", id="X09-defaults"),
        pytest.param({"porterVersion": "canary"}, "ghcr.io/getporter/porter-agent:canary", id="X09-version"),
        pytest.param({"porterRepository": "localhost:5000/myporter"}, "localhost:5000/myporter:v1.6.1", id="X09-repo"),
        pytest.param(
            {"porterRepository": "localhost:5000/porter-agent", "porterVersion": "canary-dev"},
            "localhost:5000/porter-agent:canary-dev",
            id="X11",
        ),
        pytest.param({"porterVersion": DIGEST}, f"ghcr.io/getporter/porter-agent@{DIGEST}", id="X09-digest"),
    ],
)
def test_images(settings: Any, image: str) -> None:
    assert parse(**settings).image == image


@pytest.mark.parametrize(
    ("settings", "policy"),
    [
        ({}, "IfNotPresent"),
        ({"porterVersion": "latest"}, "Always"),
        ({"porterVersion": "canary"}, "Always"),
        ({"porterVersion": "dev"}, "Always"),
        ({"porterVersion": "canary-dev"}, "IfNotPresent"),
        ({"porterVersion": "latest", "pullPolicy": "Never"}, "Never"),
        ({"pullPolicy": "Always"}, "Always"),
    ],
)
def test_x09_x11_pull_policies(settings: Any, policy: str) -> None:
    assert parse(**settings).image_pull_policy == policy


@pytest.mark.parametrize(
    "repository",
    [
        "porter-agent",
        "a/b/c",
        "localhost/x",
        "h.example:5000/a_b/c--d.e",
        "[::1]:5000/x",
        "10.0.0.1:5000/x",
        "Host:80/x",
    ],
)
def test_repositories(repository: str) -> None:
    assert parse(porter_repository=repository).porter_repository == repository


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param({"porter_repository": "https://h/x"}, "without https://", id="url"),
        pytest.param({"porter_repository": "h/Agent"}, "lower case", id="upper-case"),
        pytest.param({"porter_repository": "h/x y"}, "not an image repository", id="blank-inside"),
        pytest.param({"porter_repository": "h:5000/x:v1"}, "under porter_version", id="tag"),
        pytest.param({"porter_repository": "x:v1"}, "under porter_version", id="tag-without-host"),
        pytest.param({"porter_repository": f"h/x@{DIGEST}"}, "under porter_version", id="digest"),
        pytest.param({"porter_version": "sha256:abc"}, "64 hexadecimal digits", id="short-digest"),
        pytest.param({"porter_version": "v1.0.0+build"}, "neither an image tag nor a digest", id="G03-not-a-tag"),
        pytest.param({"porter_version": "v" * 129}, "neither an image tag nor a digest", id="long-tag"),
        pytest.param({"porter_version": 1.1}, "quote it", id="G04-number"),
        pytest.param({"pull_policy": "always"}, "Did you mean Always?", id="pull-policy"),
        pytest.param({"pull_policy": "Sometimes"}, "Always, IfNotPresent, Never", id="pull-policy-unknown"),
        pytest.param({"state": "gone"}, "present, absent", id="state"),
        pytest.param({"volume_size": "64MB"}, "Write 64M or 64Mi", id="B17-MB"),
        pytest.param({"volumeSize": "0"}, "more than 0", id="B17-zero"),
        pytest.param({"volumeSize": "64 Mi"}, "Write 64Mi", id="B17-blank"),
        pytest.param({"service_account": "Porter"}, "For example: porter", id="service-account"),
        pytest.param({"installation_service_account": "a/b"}, "For example: a-b", id="installation-account"),
        pytest.param({"storage_class_name": "customStorageClassName"}, "customstorageclassname", id="X04-class"),
        pytest.param({"namespace": "a.b"}, "For example: a-b", id="namespace"),
        pytest.param({"namespace": "a" * 64}, "at most 63", id="long-namespace"),
        pytest.param({"name": "customAgent"}, "For example: customagent", id="G05"),
        pytest.param({"name": "a" * 254}, "at most 253", id="G01-long-name"),
        pytest.param({"name": ""}, "has no name", id="no-name"),
        pytest.param({"name": 1}, "quote it", id="number-for-name"),
        pytest.param({"storageClass": "x"}, "Did you mean storage_class_name?", id="unknown-key"),
        pytest.param({"rendezvousIP": "10.0.0.1"}, 'unknown key "rendezvousIP"', id="another-AgentConfig"),
        pytest.param({"retryLimit": 1, "retry_limit": 1}, "both retryLimit and retry_limit", id="two-spellings"),
        pytest.param({"plugins": {}, "pluginConfigFile": {}}, "both plugins and pluginConfigFile", id="plugins-twice"),
        pytest.param({"plugins": [{"name": "a"}]}, 'agent config "x": plugins must be a map', id="X12-list"),
        pytest.param({"pluginConfigFile": {"schemaVersion": "1.0"}}, 'schemaVersion: "1.0.0"', id="G04-schema"),
        pytest.param({True: 1}, "unknown key true", id="G04-key"),
    ],
)
def test_what_is_refused_and_what_to_write(settings: Any, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_agent_config({"name": "x", **settings}, default_namespace="porter", defaults=DEFAULTS)
    assert words in caught.value.message


def test_x02_quoted_values_of_the_bundle() -> None:
    config = parse(
        volumeSize="64Mi",
        pullPolicy="",
        serviceAccount="porter-agent",
        installationServiceAccount="",
        pluginConfigFile={"schemaVersion": "1.0.0", "plugins": {"kubernetes": {}}},
    )
    assert config.plugins == PluginSet((Plugin("kubernetes"),))
    assert config.installation_service_account is None


@pytest.mark.parametrize("key", ["porter_repository", "porter_version", "volume_size"])
def test_what_has_no_default_is_asked_for(key: str) -> None:
    defaults = {name: value for name, value in DEFAULTS.items() if name != key}
    with pytest.raises(InputError, match=f"has no {key}"):
        parse_agent_config({"name": "x"}, default_namespace="n", defaults=defaults)
    assert parse_agent_config({"name": "x", "state": "absent"}, default_namespace="n", defaults=defaults)


def test_no_namespace_at_all_is_refused() -> None:
    with pytest.raises(InputError, match=r"namespace of agent config.*not set"):
        parse_agent_config({"name": "x"}, default_namespace="", defaults=DEFAULTS)


def test_what_is_not_a_map_is_refused() -> None:
    with pytest.raises(InputError, match="must be a map, not a list"):
        normalize_agent_config([])  # type: ignore[arg-type]


def test_extra_keys_are_passed_on() -> None:
    selector = {"kubernetes.io/arch": "amd64"}
    config = parse_agent_config(
        {"name": "x", "nodeSelector": selector},
        default_namespace="n",
        defaults={**DEFAULTS, "tolerations": []},
        extra_keys=("node_selector", "tolerations", "affinity"),
    )
    assert config.extras == {"node_selector": selector, "tolerations": []}
    assert "unknown key" in refused(nodeSelector=selector)


@pytest.mark.parametrize(
    ("levels", "merged"),
    [
        ([{"agent_image": "x"}, {"service_account": "s"}], {"agent_image": "x", "service_account": "s"}),
        ([{"agent_image": "x"}, {"porterVersion": "v1"}], {"porter_version": "v1"}),
        ([{"agent_image": "x"}, {"porter_repository": "r"}], {"porter_repository": "r"}),
        ([{"porter_version": "v1"}, {"agentImage": "x"}], {"porter_version": "v1", "agent_image": "x"}),
        (
            [{"porter_version": "v1", "agent_image": "x"}, {"porter_version": ""}],
            {"porter_version": "v1", "agent_image": "x"},
        ),
    ],
    ids=["kept", "version", "repository", "whole-wins-later", "blank"],
)
def test_later_parts_of_an_image_replace_a_whole_one(levels: Any, merged: Any) -> None:
    assert merge_agent_configs(*levels, extra_keys=("agent_image",)) == merged


def test_input_is_not_changed() -> None:
    config, defaults = copy.deepcopy(CAMEL), copy.deepcopy(DEFAULTS)
    parse_agent_config(config, default_namespace="n", defaults=defaults)
    assert (config, defaults) == (CAMEL, DEFAULTS)


PLUGINS_A = {"schemaVersion": "1.0.0", "plugins": {"a": {"version": "v1"}}}


@pytest.mark.parametrize(
    ("levels", "merged"),
    [
        pytest.param([{"service_account": "a"}, {"serviceAccount": "b"}], {"service_account": "b"}, id="later-wins"),
        pytest.param([{"serviceAccount": "a"}, {"service_account": ""}], {"service_account": "a"}, id="A10-blank"),
        pytest.param([{"retryLimit": 2}, {"retry_limit": 0}], {"retry_limit": 0}, id="A11-zero-is-set"),
        pytest.param(
            [{"plugins": {"b": {}, "c": {}}}, {"pluginConfigFile": PLUGINS_A}],
            {"plugins": PLUGINS_A},
            id="A10-replaced",
        ),
        pytest.param([{"pluginConfigFile": PLUGINS_A}, {"name": "x"}], {"plugins": PLUGINS_A, "name": "x"}, id="X09"),
        pytest.param([{"plugins": PLUGINS_A}, {"plugins": None}], {"plugins": PLUGINS_A}, id="null-is-not-set"),
        pytest.param([{"plugins": PLUGINS_A}, {"plugins": {}}], {"plugins": {}}, id="explicitly-none"),
        pytest.param([None, {}, {"name": "x"}], {"name": "x"}, id="empty-levels"),
    ],
)
def test_merging(levels: Any, merged: Any) -> None:
    assert merge_agent_configs(*levels) == merged


@pytest.mark.parametrize("name", ["default", "a" * 63, "a.b-c", "1"])
def test_g02_names_that_fit_are_kept(name: str) -> None:
    assert short_resource_label(name) == name
    assert record_name(name) == "porter-agent-config-" + name


@pytest.mark.parametrize("name", ["a" * 64, "a" * 253, "a" * 45 + "." + "b" * 50, "a" * 46 + "-b" * 20, "a.b" * 80])
def test_g01_g02_long_names_are_cut(name: str) -> None:
    label = short_resource_label(name)
    assert re.fullmatch("[a-z0-9][a-z0-9.-]{60}[a-f0-9]{2}", label)
    assert name.startswith(label.rpartition("-")[0])


@pytest.mark.parametrize("length", [40, 57, 58, 63, 64, 232, 233, 234, 253])
def test_g01_record_names_are_valid(length: int) -> None:
    record = record_name("a" * length)
    assert len(record) == min(length + 20, 253)
    assert re.fullmatch("[a-z0-9]([a-z0-9.-]*[a-z0-9])?", record)


@given(CONFIG_NAMES, CONFIG_NAMES)
def test_different_names_stay_different(first: str, second: str) -> None:
    assume(first != second)
    assert short_resource_label(first) != short_resource_label(second)
    assert record_name(first) != record_name(second)


@pytest.mark.parametrize(
    "shorten", [short_resource_label, lambda name: record_name(name)[20:]], ids=["label", "record"]
)
def test_a_cut_name_is_nobody_elses(shorten: Any) -> None:
    cut = shorten("a" * 253)
    assert shorten(cut) != cut
