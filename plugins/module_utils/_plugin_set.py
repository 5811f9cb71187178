# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plugin set: reading and checking what a user wrote about plugins.

This file is private to the collection: not a public interface.

The names that follow from a plugin set are computed for everything the Porter
Operator has names for; so only what cannot be a plugin set at all is refused
here. What can be named but not installed is kept as a ``problem``, and
``require_installable`` refuses it before anything is made in a cluster.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping

from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._go_url import parse_and_format
from ansible_collections.getporter.porter.plugins.module_utils._input import (
    describe,
    is_blank,
    mapping_from_text,
    plain,
    text,
    unknown_key,
    yaml_word,
)

SCHEMA_TYPE = "Plugins"
SCHEMA_VERSION = "1.0.0"

# Porter's documentation says feedURL, the operator's file has feedurl, its older
# manifests feedUrl, and Ansible users write snake case.
_FEED_SPELLINGS = ("feedURL", "feed_url", "feedUrl", "feedurl")
_PLUGIN_KEYS = {"version": "version", "url": "url", "mirror": "mirror"}
_PLUGIN_KEYS.update((spelling, "feed_url") for spelling in _FEED_SPELLINGS)
_SHOWN_PLUGIN_KEYS = ("version", "feedURL", "url", "mirror")
_DOCUMENT_KEYS = ("schemaType", "schemaVersion", "plugins")

_MAP_FORM = "Write a map from plugin name to its settings, as in 'plugins: {kubernetes: {version: v1.0.1}}'"

_USUAL_NAME = re.compile("[a-z0-9][a-z0-9._-]*")
_IMPOSSIBLE_IN_NAME = re.compile(r"[/\\\s\x00-\x1f\x7f]")
_USUAL_VERSION = re.compile("[A-Za-z0-9][A-Za-z0-9._+-]*")
_HTTP_URL = re.compile("https?://[^/?#]", re.IGNORECASE)
_MOVING_VERSIONS = ("", "latest", "canary")


@dataclass(frozen=True, order=True)
class Plugin:
    """One plugin: its name, and what is set of version and sources (empty: not set)."""

    name: str
    version: str = ""
    url: str = ""
    feed_url: str = ""
    mirror: str = ""

    @property
    def sources(self) -> tuple[tuple[str, str], ...]:
        """The sources that are set, the one that Porter uses first."""
        named = (("feedURL", self.feed_url), ("url", self.url), ("mirror", self.mirror))
        return tuple((key, value) for key, value in named if value)


@dataclass(frozen=True)
class PluginSet:
    """The plugins of one agent config, sorted by name as Porter installs them."""

    plugins: tuple[Plugin, ...] = ()
    warnings: tuple[str, ...] = field(default=(), compare=False)
    problems: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "plugins", tuple(sorted(self.plugins)))

    def __len__(self) -> int:
        return len(self.plugins)

    def __iter__(self) -> Iterator[Plugin]:
        return iter(self.plugins)


def parse_plugins(value: Any) -> PluginSet:
    """Read a plugin set from a map, a whole plugins document, or either as YAML or JSON text."""
    if isinstance(value, PluginSet):
        return value
    entries = _entries(value)
    plugins = tuple(sorted(_parse_plugin(_plugin_name(name), settings) for name, settings in entries.items()))
    _refuse_same_name(plugins)
    return PluginSet(plugins, tuple(_warnings(plugins)), tuple(_problems(plugins)))


def require_installable(plugin_set: PluginSet) -> PluginSet:
    """Return the plugin set, or refuse it when Porter cannot install it as written."""
    if plugin_set.problems:
        raise InputError(" ".join(plugin_set.problems))
    return plugin_set


def usual_names(items: Any) -> list[str]:
    """Return the plugin names of a list, as older forms have it; none when one of them is unusual."""
    names = [plain(item.get("name")) if isinstance(item, Mapping) else plain(item) for item in items]
    return names if all(isinstance(name, str) and _USUAL_NAME.fullmatch(name) for name in names) else []


def _entries(value: Any) -> Mapping[Any, Any]:
    """Give the map of plugins, taken out of a document or text where it is in one."""
    value = plain(value)
    if is_blank(value):
        return {}
    if isinstance(value, str):
        value = mapping_from_text(value, "plugins")
        if is_blank(value):
            return {}
    entries = _require_map(value, "plugins")
    keys = [plain(key) for key in entries]
    if "apiVersion" in keys:
        raise InputError("The plugins are a whole Kubernetes manifest. Give its spec.pluginConfigFile alone.")
    return _entries_of_document(entries) if any(key in keys for key in _DOCUMENT_KEYS) else entries


def _require_map(value: Any, what: str) -> Mapping[Any, Any]:
    if isinstance(value, Mapping):
        return value
    if isinstance(value, (list, tuple)):
        # The operator's first manifests had a list; nothing reads it any more.
        raise InputError(f"{what} must be a map, not a list. {_map_form_of(value)}.")
    raise InputError(f"{what} must be a map, not {describe(value)}. {_MAP_FORM}.")


def _map_form_of(items: Any) -> str:
    """Show the map form with the names of the user's own list, where it has names."""
    names = usual_names(items)
    if not names:
        return _MAP_FORM
    return "Write a map from plugin name to its settings, as in 'plugins: {{{}}}'".format(
        ", ".join(f"{name}: {{version: ...}}" for name in names)
    )


def _entries_of_document(document: Mapping[Any, Any]) -> Mapping[Any, Any]:
    content: dict[Any, Any] = {plain(key): value for key, value in document.items()}
    for key in content:
        if key == "configs":
            raise InputError("The plugins document has its plugins under 'configs'. Write 'plugins' in its place.")
        if key not in _DOCUMENT_KEYS:
            raise unknown_key("The plugins document", key, _DOCUMENT_KEYS)
    _check_schema("schemaType", content.get("schemaType"), SCHEMA_TYPE)
    _check_schema("schemaVersion", content.get("schemaVersion"), SCHEMA_VERSION)
    plugins = content.get("plugins")
    return {} if is_blank(plain(plugins)) else _require_map(plugins, "plugins")


def _check_schema(key: str, value: Any, wanted: str) -> None:
    value = plain(value)
    if not is_blank(value) and value != wanted:
        raise InputError(
            f"{key} {yaml_word(value)} of the plugins document cannot be used: Porter reads {wanted} only. "
            f'Write {key}: "{wanted}".'
        )


def _plugin_name(name: Any) -> str:
    name = plain(name)
    if not isinstance(name, (str, type(None))):
        raise InputError(f"The plugin name {yaml_word(name)} is {describe(name)} to YAML: quote it, as in '\"on\"'.")
    if is_blank(name):
        raise InputError(f"A plugin has no name. {_MAP_FORM}.")
    usable = text(name, "A plugin name")
    if _IMPOSSIBLE_IN_NAME.search(usable) or usable.startswith("."):
        # Porter makes a directory and a file name of it.
        raise InputError(
            f'The plugin name "{usable}" cannot be used: write the name alone, as in kubernetes, with no blank, '
            "slash or leading dot."
        )
    return usable


def _parse_plugin(name: str, settings: Any) -> Plugin:
    where = f'plugin "{name}"'
    settings = plain(settings)
    if is_blank(settings):
        return Plugin(name)
    if not isinstance(settings, Mapping):
        raise InputError(
            f"{where} must have a map of settings, not {describe(settings)}. Write '{name}: {{version: v1.0.1}}'."
        )
    values: dict[str, str] = {}
    seen: dict[str, str] = {}
    for key, value in settings.items():
        attribute = _PLUGIN_KEYS.get(plain(key)) if isinstance(key, str) else None
        if attribute is None:
            raise unknown_key(where, key, _SHOWN_PLUGIN_KEYS)
        if attribute in seen:
            raise InputError(f"{where} has both {seen[attribute]} and {key}: write one of them.")
        seen[attribute] = plain(key)
        values[attribute] = text(value, f"{plain(key)} of {where}")
    return Plugin(name, **values)


def _refuse_same_name(plugins: tuple[Plugin, ...]) -> None:
    """Refuse names that Porter, which lower-cases them, takes for the same plugin."""
    seen: dict[str, str] = {}
    for plugin in plugins:
        first = seen.setdefault(plugin.name.lower(), plugin.name)
        if first != plugin.name:
            raise InputError(
                f'The plugins "{first}" and "{plugin.name}" are the same plugin to Porter: write one of them.'
            )


def _warnings(plugins: tuple[Plugin, ...]) -> Iterator[str]:
    moving = [plugin.name for plugin in plugins if plugin.version in _MOVING_VERSIONS]
    if moving:
        yield (
            "No fixed version for {}: the version is chosen once, when the plugin volume is filled, and kept. "
            "Write one, as in 'version: v1.0.1'.".format(", ".join(moving))
        )
    for plugin in plugins:
        for problem in _plugin_warnings(plugin):
            yield f'plugin "{plugin.name}": {problem}'


def _plugin_warnings(plugin: Plugin) -> Iterator[str]:
    if not _USUAL_NAME.fullmatch(plugin.name):
        yield (
            "an unusual name; Porter lower-cases names and the plugins that exist have lower-case letters, digits "
            "and '-' in theirs."
        )
    if plugin.version and not _USUAL_VERSION.fullmatch(plugin.version):
        yield "an unusual version; versions look like v1.0.1."
    if len(plugin.sources) > 1:
        used = plugin.sources[0][0]
        unused = " and ".join(key for key, _value in plugin.sources[1:])
        yield f"Porter uses {used} and takes no notice of {unused}."
    if not plugin.feed_url and plugin.url.endswith("/atom.xml"):
        yield "its url names a feed; a feed is written under feedURL."


def _problems(plugins: tuple[Plugin, ...]) -> Iterator[str]:
    for plugin in plugins:
        for problem in _plugin_problems(plugin):
            yield f'plugin "{plugin.name}": {problem}'


def _plugin_problems(plugin: Plugin) -> list[str]:
    """Say what makes Porter fail for certain. A URL is not shown: it may hold a password."""
    problems = []
    for key, value in (("version", plugin.version), *plugin.sources):
        if value != value.strip():
            problems.append(f"{key} begins or ends with a blank: take it away.")
    unparsable = [key for key, value in plugin.sources if parse_and_format(value) is None]
    for key in unparsable:
        problems.append(f"{key} is not a URL that Porter can read: check its colons, brackets and '%'.")
    if plugin.sources:
        key, value = plugin.sources[0]
        if key not in unparsable and not _HTTP_URL.match(value):
            problems.append(f"Porter downloads over http and https only: write {key}: https://... in full.")
    return problems
