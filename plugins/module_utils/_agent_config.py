# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Agent configs: reading, merging and checking what a user wrote.

This file is private to the collection: not a public interface.

The settings are those of the Porter Operator's AgentConfig, in snake case or in
the resource's own spelling. Values that the operator replaces or passes on in
silence, to fail in a pod much later, are refused here.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Iterable, Mapping

from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._identity import redacted_plugins_document
from ansible_collections.getporter.porter.plugins.module_utils._input import (
    choice,
    describe,
    dns_label,
    dns_subdomain,
    is_blank,
    plain,
    text,
    unknown_key,
    whole_number,
)
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import PluginSet, parse_plugins
from ansible_collections.getporter.porter.plugins.module_utils._quantity import volume_size

# In the order of the AgentConfig resource; the second spelling follows from the first.
SPEC_KEYS = (
    "porter_repository",
    "porter_version",
    "service_account",
    "volume_size",
    "storage_class_name",
    "pull_policy",
    "installation_service_account",
    "retry_limit",
    "ttl_seconds_after_finished",
)
_KEYS = ("name", "namespace", "state", *SPEC_KEYS, "plugins")
# The plugins go by the name of the resource's field as well.
_PLUGINS_SPELLINGS = ("plugins", "plugin_config_file", "pluginConfigFile")
# One whole reference in place of the repository and version, for callers that know it.
_WHOLE_IMAGE = "agent_image"
_IMAGE_PARTS = {"porter_repository", "porter_version"}

STATES = ("present", "absent")
PULL_POLICIES = ("Always", "IfNotPresent", "Never")
# The operator's rule: these tags move, every other one stays.
_MOVING_TAGS = ("latest", "canary", "dev")

_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_HOST = r"(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[0-9a-fA-F:]+\])"
_REPOSITORY = re.compile(rf"(?:{_HOST}(?::[0-9]+)?/)?{_COMPONENT}(?:/{_COMPONENT})*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DIGEST = re.compile("sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128}")


@dataclass(frozen=True)
class AgentConfig:
    """A named set of agent settings and plugins in a namespace; None: not set."""

    name: str
    namespace: str
    state: str = "present"
    plugins: PluginSet = field(default_factory=PluginSet)
    porter_repository: str | None = None
    porter_version: str | None = None
    service_account: str | None = None
    volume_size: str | None = None
    storage_class_name: str | None = None
    pull_policy: str | None = None
    installation_service_account: str | None = None
    retry_limit: int | None = None
    ttl_seconds_after_finished: int | None = None
    # Settings that a caller knows beyond the resource's own, as they were given.
    extras: Mapping[str, Any] = field(default_factory=dict)

    @property
    def image(self) -> str:
        """The agent image: repository:tag, or repository@digest."""
        separator = "@" if _DIGEST.fullmatch(self.porter_version or "") else ":"
        return f"{self.porter_repository}{separator}{self.porter_version}"

    @property
    def image_pull_policy(self) -> str:
        """The pull policy that is set, or else the operator's choice for the version."""
        return self.pull_policy or ("Always" if self.porter_version in _MOVING_TAGS else "IfNotPresent")

    def spec(self) -> dict[str, Any]:
        """Return the settings as an AgentConfig resource has them, without secrets in URLs."""
        settings = {camel_case(key): getattr(self, key) for key in SPEC_KEYS}
        spec = {key: value for key, value in settings.items() if value is not None}
        spec["pluginConfigFile"] = redacted_plugins_document(self.plugins)
        return spec


def merge_agent_configs(*levels: Mapping[Any, Any] | None, extra_keys: Iterable[str] = ()) -> dict[str, Any]:
    """Merge levels as the operator does: later wins, blank is not set, plugins are replaced whole.

    Repository or version win over a whole image reference of an earlier level.
    """
    merged: dict[str, Any] = {}
    for level in levels:
        settings = normalize_agent_config(level or {}, extra_keys=extra_keys)
        if _IMAGE_PARTS & set(settings):
            merged.pop(_WHOLE_IMAGE, None)
        merged.update(settings)
    return merged


def normalize_agent_config(
    config: Mapping[Any, Any], *, extra_keys: Iterable[str] = (), where: str | None = None
) -> dict[str, Any]:
    """Return what is set in an agent config, under the snake case keys.

    Null and blank text are not set. An empty map of plugins is: it means no plugins.
    ``where`` names it in messages, in place of its name.
    """
    if not isinstance(config, Mapping):
        raise InputError(f"{where or 'An agent config'} must be a map, not {describe(config)}.")
    where = where or _where(config)
    known = _KEYS + tuple(extra_keys)
    spellings = _spellings(known)
    seen: dict[str, str] = {}
    normalized: dict[str, Any] = {}
    for written, value in config.items():
        key = spellings.get(plain(written)) if isinstance(written, str) else None
        if key is None:
            raise unknown_key(where, written, known)
        if key in seen:
            raise InputError(f"{where} has both {seen[key]} and {written}: write one of them.")
        seen[key] = plain(written)
        if not is_blank(plain(value)):
            normalized[key] = value
    return normalized


@lru_cache(maxsize=None)
def _spellings(known: tuple[str, ...]) -> dict[str, str]:
    """Each spelling of a key, with the key."""
    spellings = {spelling: key for key in known for spelling in (key, camel_case(key))}
    spellings.update((spelling, "plugins") for spelling in _PLUGINS_SPELLINGS)
    return spellings


def parse_agent_config(
    config: Mapping[Any, Any],
    *,
    default_namespace: str,
    defaults: Mapping[Any, Any] | None = None,
    extra_keys: Iterable[str] = (),
) -> AgentConfig:
    """Check an agent config and return it; what it leaves open is taken from ``defaults``.

    Of one that is absent nothing but name and namespace matters.
    """
    extra_keys = tuple(extra_keys)
    settings = merge_agent_configs(defaults, config, extra_keys=extra_keys)
    if "name" not in settings:
        raise InputError("An agent config has no name. Write one, as in 'name: default'.")
    name = dns_subdomain(text(settings["name"], "The name of an agent config"), "The agent config name")
    where = f'agent config "{name}"'
    state = choice(text(settings.get("state"), "state of " + where) or "present", "state of " + where, STATES)
    namespace = _namespace(settings.get("namespace"), default_namespace, where)
    if state == "absent":
        return AgentConfig(name=name, namespace=namespace, state=state)
    parsed = AgentConfig(
        name=name,
        namespace=namespace,
        plugins=_plugins(settings.get("plugins"), where),
        porter_repository=_repository(_text(settings, "porter_repository", where), where),
        porter_version=_version(_text(settings, "porter_version", where), where),
        service_account=_object_name(settings, "service_account", where),
        volume_size=_volume_size(settings, where),
        storage_class_name=_object_name(settings, "storage_class_name", where),
        pull_policy=_pull_policy(settings, where),
        installation_service_account=_object_name(settings, "installation_service_account", where),
        retry_limit=_number(settings, "retry_limit", where),
        ttl_seconds_after_finished=_number(settings, "ttl_seconds_after_finished", where),
        extras={key: settings[key] for key in extra_keys if key in settings},
    )
    return _require_complete(parsed, where)


def camel_case(key: str) -> str:
    """Spell a key as the AgentConfig resource does."""
    first, *others = key.split("_")
    return first + "".join(part.capitalize() for part in others)


def _where(config: Mapping[Any, Any]) -> str:
    name = plain(config.get("name"))
    return f'agent config "{name}"' if isinstance(name, str) and name.strip() else "The agent config"


def _namespace(value: Any, default: str, where: str) -> str:
    what = "The namespace of " + where
    namespace = text(value, what) or text(default, what)
    if not namespace:
        raise InputError(f"{what} is not set. Write one, as in 'namespace: porter'.")
    return dns_label(namespace, what)


def _plugins(value: Any, where: str) -> PluginSet:
    try:
        return parse_plugins(value)
    except InputError as error:
        raise InputError(f"{where}: {error.message}", **error.result) from error


def _text(settings: Mapping[str, Any], key: str, where: str) -> str | None:
    return text(settings.get(key), f"{key} of {where}") or None


def _number(settings: Mapping[str, Any], key: str, where: str) -> int | None:
    return whole_number(settings[key], f"{key} of {where}") if key in settings else None


def _object_name(settings: Mapping[str, Any], key: str, where: str) -> str | None:
    name = _text(settings, key, where)
    return dns_subdomain(name, f"{key} of {where}") if name else None


def _volume_size(settings: Mapping[str, Any], where: str) -> str | None:
    return volume_size(settings["volume_size"], "volume_size of " + where) if "volume_size" in settings else None


def _pull_policy(settings: Mapping[str, Any], where: str) -> str | None:
    policy = _text(settings, "pull_policy", where)
    return choice(policy, "pull_policy of " + where, PULL_POLICIES) if policy else None


def _repository(repository: str | None, where: str) -> str | None:
    """Check an image repository: the kubelet never fails a pod for a wrong one, it waits for ever."""
    if repository is None or _REPOSITORY.fullmatch(repository):
        return repository
    what = "porter_repository of " + where
    if "@" in repository or ":" in repository.rpartition("/")[2]:
        raise InputError(f"{what} must not have a tag or digest: write the part behind the name under porter_version.")
    raise InputError(
        f"{what} is not an image repository: {json.dumps(repository)}. Write it as in "
        "registry.example.com:5000/porter-agent, the path in lower case and without https://."
    )


def _version(version: str | None, where: str) -> str | None:
    if version is None or _TAG.fullmatch(version) or _DIGEST.fullmatch(version):
        return version
    raise InputError(
        f"porter_version of {where} is neither an image tag nor a digest: {json.dumps(version)}. "
        "Write it as in v1.6.1, or as sha256: and 64 hexadecimal digits."
    )


def _require_complete(config: AgentConfig, where: str) -> AgentConfig:
    for key in ("porter_repository", "porter_version", "volume_size"):
        if getattr(config, key) is None:
            raise InputError(f"{where} has no {key}, and there is no default for it.")
    return config
