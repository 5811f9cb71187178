# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading plugin sets: every form people have, and what is refused with which words."""

from __future__ import annotations

import copy
import datetime
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import (
    Plugin,
    PluginSet,
    parse_plugins,
    require_installable,
)

KUBERNETES = PluginSet((Plugin("kubernetes", version="v1.0.1"),))
DOCUMENT = {"schemaType": "Plugins", "schemaVersion": "1.0.0", "plugins": {"kubernetes": {"version": "v1.0.1"}}}


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"kubernetes": {"version": "v1.0.1"}}, id="map"),
        pytest.param(DOCUMENT, id="document"),
        pytest.param({"plugins": {"kubernetes": {"version": "v1.0.1"}}}, id="document-without-schema"),
        pytest.param({"schemaVersion": "1.0.0", "plugins": {"kubernetes": {"version": "v1.0.1"}}}, id="X08-manifest"),
        pytest.param("kubernetes: {version: v1.0.1}", id="F08-yaml-text"),
        pytest.param('{"kubernetes": {"version": "v1.0.1"}}', id="json-text"),
        pytest.param(
            "schemaType: Plugins\nschemaVersion: 1.0.0\nplugins:\n  kubernetes: {version: v1.0.1}", id="X20-file"
        ),
        pytest.param(KUBERNETES, id="parsed"),
    ],
)
def test_forms_of_one_set(value: Any) -> None:
    assert parse_plugins(value) == KUBERNETES


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        "",
        " \n",
        "{}",
        "null",
        {"schemaVersion": "1.0.0"},
        {"plugins": {}},
        {"plugins": None},
        {"plugins": ""},
    ],
)
def test_a07_no_plugins(value: Any) -> None:
    parsed = parse_plugins(value)
    assert len(parsed) == 0
    assert not parsed
    assert parsed.warnings == parsed.problems == ()


@pytest.mark.parametrize("settings", [None, {}, "", {"version": ""}, {"version": None, "url": " "}])
def test_e08_f04_blank_settings_are_not_set(settings: Any) -> None:
    assert parse_plugins({"kubernetes": settings}) == PluginSet((Plugin("kubernetes"),))


@pytest.mark.parametrize("spelling", ["feedURL", "feed_url", "feedUrl", "feedurl"])
def test_a01_feed_spellings(spelling: str) -> None:
    feed = "https://mirror.example/atom.xml"
    parsed = parse_plugins({"azure": {spelling: feed, "version": "v1.2.0"}})
    assert parsed == PluginSet((Plugin("azure", version="v1.2.0", feed_url=feed),))


def test_all_settings_are_read_and_sorted() -> None:
    parsed = parse_plugins(
        {
            "b": {"mirror": "https://m"},
            "B.": None,
            "a": {"version": "v1", "url": "https://u", "feedURL": "https://f", "mirror": "https://m"},
        }
    )
    assert [plugin.name for plugin in parsed] == ["B.", "a", "b"]
    assert parsed.plugins[1] == Plugin("a", "v1", "https://u", "https://f", "https://m")
    assert parsed.plugins[2] == Plugin("b", mirror="https://m")


def test_input_is_not_changed() -> None:
    value = {"schemaVersion": "1.0.0", "plugins": {"b": {"feed_url": "https://f", "version": ""}, "a": None}}
    before = copy.deepcopy(value)
    parse_plugins(value)
    assert value == before


def test_set_is_sorted_however_it_was_made() -> None:
    assert [plugin.name for plugin in PluginSet((Plugin("b"), Plugin("a")))] == ["a", "b"]


def test_set_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        KUBERNETES.plugins = ()  # type: ignore[misc]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        pytest.param([{"name": "kubernetes"}], "{kubernetes: {version: ...}}", id="X12-list-of-names"),
        pytest.param(
            [{"name": "a", "feedUrl": "https://f", "version": "v1.2.3"}, {"name": "b"}],
            "{a: {version: ...}, b: {version: ...}}",
            id="X15-list-with-settings",
        ),
        pytest.param(["kubernetes"], "{kubernetes: {version: ...}}", id="list-of-text"),
        pytest.param([], "plugins: {kubernetes: {version: v1.0.1}}", id="empty-list"),
        pytest.param([1, {}], "plugins: {kubernetes: {version: v1.0.1}}", id="list-of-anything"),
        pytest.param("- kubernetes", "{kubernetes: {version: ...}}", id="list-as-text"),
        pytest.param({"plugins": [{"name": "a"}]}, "{a: {version: ...}}", id="list-in-document"),
        pytest.param(
            {"schemaVersion": "1.0.0", "configs": {"a": {}}}, "Write 'plugins' in its place", id="X14-configs"
        ),
        pytest.param({"plugins": {}, "kubernetes": {}}, 'unknown key "kubernetes"', id="document-and-map-mixed"),
        pytest.param({"apiVersion": "v1beta1", "kind": "AgentConfig"}, "spec.pluginConfigFile", id="manifest"),
        pytest.param("kubernetes", "not text", id="name-alone"),
        pytest.param(True, "not a boolean", id="boolean"),
        pytest.param(3, "not a number", id="number"),
        pytest.param({"kubernetes": "v1.0.1"}, "kubernetes: {version: v1.0.1}", id="version-in-place-of-settings"),
        pytest.param({"kubernetes": ["v1"]}, "not a list", id="list-in-place-of-settings"),
        pytest.param({"kubernetes": {"URL": "https://h/atom.xml"}}, "Did you mean url?", id="X21-upper-case-URL"),
        pytest.param({"kubernetes": {"feed": "https://h"}}, "version, feedURL, url, mirror", id="unknown-setting"),
        pytest.param({"kubernetes": {1: "https://h"}}, "unknown key 1", id="setting-that-is-a-number"),
        pytest.param(
            {"a": {"feedURL": "https://h", "feed_url": ""}}, "both feedURL and feed_url: write one", id="two-spellings"
        ),
        pytest.param({"a": {"url": {"x": 1}}}, 'url of plugin "a" must be text, not a map', id="map-for-url"),
        pytest.param({"a": {"url": 8080}}, 'url of plugin "a" must be text', id="number-for-url"),
    ],
)
def test_wrong_forms_are_refused(value: Any, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_plugins(value)
    assert words in caught.value.message


@pytest.mark.parametrize(
    "version",
    [
        pytest.param(1.1, id="G04-1.10-is-1.1"),
        pytest.param(8, id="G04-010-is-8"),
        pytest.param(True, id="G04-on-is-true"),
        pytest.param(datetime.date(2023, 1, 24), id="G04-date"),
    ],
)
def test_versions_that_yaml_changed_are_refused(version: Any) -> None:
    with pytest.raises(InputError, match=r'version of plugin "kubernetes" must be text.*quote it'):
        parse_plugins({"kubernetes": {"version": version}})


@pytest.mark.parametrize("content", ["{kubernetes: {version: 1.10}}", "kubernetes: {version: 2023-01-24}"])
def test_g04_versions_in_text_are_refused_too(content: str) -> None:
    with pytest.raises(InputError, match="quote it"):
        parse_plugins(content)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param(True, "plugin name true is a boolean to YAML: quote it", id="G04-on"),
        pytest.param(1, "plugin name 1 is a number to YAML: quote it", id="number"),
        pytest.param(None, "has no name", id="null"),
        pytest.param("", "has no name", id="empty"),
        pytest.param(" ", "has no name", id="blank"),
        pytest.param("a b", "no blank", id="blank-inside"),
        pytest.param("a\n", "no blank", id="newline"),
        pytest.param("../a", "slash", id="path"),
        pytest.param("a/b", "slash", id="slash"),
        pytest.param("a\\b", "slash", id="backslash"),
        pytest.param("..", "leading dot", id="parent"),
        pytest.param(".hidden", "leading dot", id="hidden"),
        pytest.param("a\x00", "cannot be used", id="control"),
    ],
)
def test_impossible_names_are_refused(name: Any, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_plugins({name: {}})
    assert words in caught.value.message


def test_names_that_are_one_plugin_to_porter() -> None:
    with pytest.raises(InputError, match='"Kubernetes" and "kubernetes" are the same plugin'):
        parse_plugins({"kubernetes": {}, "Kubernetes": {}})


@pytest.mark.parametrize("version", ["1.0", "1.0.1", "2.0.0", 1.0, True])
def test_g04_other_schema_versions_are_refused(version: Any) -> None:
    with pytest.raises(InputError, match=r'Write schemaVersion: "1.0.0"'):
        parse_plugins({**DOCUMENT, "schemaVersion": version})


def test_other_schema_types_are_refused() -> None:
    with pytest.raises(InputError, match='Write schemaType: "Plugins"'):
        parse_plugins({**DOCUMENT, "schemaType": "CredentialSet"})


@pytest.mark.parametrize("key", ["schemaType", "schemaVersion"])
@pytest.mark.parametrize("value", [None, ""])
def test_blank_schema_is_not_set(key: str, value: Any) -> None:
    assert parse_plugins({**DOCUMENT, key: value}) == KUBERNETES


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param({}, "No fixed version for x", id="A08-no-version"),
        pytest.param({"version": "latest"}, "No fixed version for x", id="A08-latest"),
        pytest.param({"version": "canary"}, "No fixed version for x", id="X22-canary"),
        pytest.param({"version": "weird version"}, "unusual version", id="unusual-version"),
        pytest.param(
            {"version": "v1", "feedURL": "https://f", "url": "https://u", "mirror": "https://m"},
            "Porter uses feedURL and takes no notice of url and mirror",
            id="X19-all-sources",
        ),
        pytest.param(
            {"version": "v1", "url": "https://u", "mirror": "https://m"},
            "Porter uses url and takes no notice of mirror",
            id="url-and-mirror",
        ),
        pytest.param({"version": "v1", "url": "https://cdn.example/atom.xml"}, "under feedURL", id="X21-url-of-a-feed"),
    ],
)
def test_warnings(settings: Any, words: str) -> None:
    parsed = parse_plugins({"x": settings})
    assert len(parsed.warnings) == 1
    assert words in parsed.warnings[0]
    assert parsed.problems == ()


def test_unpinned_plugins_are_warned_of_together() -> None:
    assert "for a, b:" in parse_plugins({"b": {}, "a": {"version": "latest"}, "c": {"version": "v1"}}).warnings[0]


@pytest.mark.parametrize("name", ["My-Plugin", "-a", "plugin+x", "ü"])
def test_unusual_names_are_warned_of(name: str) -> None:
    assert "unusual name" in parse_plugins({name: {"version": "v1"}}).warnings[0]


@pytest.mark.parametrize(
    "settings",
    [
        {"version": "v1.0.1"},
        {"version": "v1.0.0+build.5"},
        {"version": "v1.0.0-rc.1", "url": "https://github.com/getporter/hashicorp-plugins/releases/download"},
        {"version": "v1", "mirror": "HTTP://m.example:8080/x?y=%20"},
        {"version": "v1", "feedURL": "https://f", "url": "test"},
    ],
)
def test_what_porter_can_install(settings: Any) -> None:
    parsed = parse_plugins({"x-1.y_z": settings})
    assert require_installable(parsed) is parsed
    assert not [warning for warning in parsed.warnings if "unusual" in warning]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param({"version": "v1\n"}, "version begins or ends with a blank", id="newline-from-a-survey"),
        pytest.param({"version": "v1", "url": "https://h/ "}, "url begins or ends with a blank", id="blank-at-the-end"),
        pytest.param({"version": "v1", "url": "https://h/%zz"}, "url is not a URL that Porter can read", id="escape"),
        pytest.param({"version": "v1", "feedURL": "https://[h"}, "feedURL is not a URL", id="bracket"),
        pytest.param({"version": "v1", "mirror": "https://h:port"}, "mirror is not a URL", id="port"),
        pytest.param({"version": "v1", "url": "h.example/x"}, "write url: https://", id="no-scheme"),
        pytest.param(
            {"version": "v1", "feedURL": "localhost:5000/feed"}, "write feedURL: https://", id="host-and-port"
        ),
        pytest.param({"version": "v1", "mirror": "ftp://h"}, "write mirror: https://", id="other-scheme"),
        pytest.param({"version": "v1", "url": "http://"}, "write url: https://", id="no-host"),
    ],
)
def test_what_porter_cannot_install(settings: Any, words: str) -> None:
    parsed = parse_plugins({"x": settings})
    assert len(parsed.problems) == 1
    assert parsed.problems[0].startswith('plugin "x": ')
    with pytest.raises(InputError) as caught:
        require_installable(parsed)
    assert words in caught.value.message


def test_messages_show_no_url() -> None:
    parsed = parse_plugins({"x": {"url": "https://user:hunter2@h:port"}, "y": {"url": "user:hunter2@h"}})
    assert len(parsed.problems) == 2
    assert "hunter2" not in "".join(parsed.problems + parsed.warnings)
