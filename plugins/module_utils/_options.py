# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options that the modules share, and their reading.

Private to the collection: not a public interface.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Iterable, Mapping

from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    InputError,
)
from ansible_collections.getporter.porter.plugins.module_utils._identity import (
    PluginIdentity,
    canonical_document,
    plugin_identity,
    redacted_document,
    url_secrets,
)
from ansible_collections.getporter.porter.plugins.module_utils._input import dns_label, dns_subdomain
from ansible_collections.getporter.porter.plugins.module_utils._names import short_resource_label
from ansible_collections.getporter.porter.plugins.module_utils._owner_references import read_owner
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import parse_plugins, require_installable
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import AgentSettings, PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._pod_settings import POD_LISTS, POD_MAPS
from ansible_collections.getporter.porter.plugins.module_utils._quantity import volume_size
from ansible_collections.getporter.porter.plugins.module_utils._record import AgentConfigRecord, settings_to_keep
from ansible_collections.getporter.porter.plugins.module_utils._release import ReleasingConfig

_AGENT_OPTIONS: dict[str, Any] = {
    "image": {"type": "str", "required": True},
    "pull_policy": {"type": "str", "choices": ["Always", "IfNotPresent", "Never"]},
    "service_account": {"type": "str"},
    "image_pull_secrets": {"type": "list", "elements": "str", "no_log": False},
    "node_selector": {"type": "dict"},
    "tolerations": {"type": "list", "elements": "dict"},
    "affinity": {"type": "dict"},
    "resources": {"type": "dict"},
    "env": {"type": "list", "elements": "dict"},
    "env_from": {"type": "list", "elements": "dict"},
    "pod_labels": {"type": "dict"},
    "pod_annotations": {"type": "dict"},
    "pod_security_context": {"type": "dict"},
    "container_security_context": {"type": "dict"},
    "backoff_limit": {"type": "int", "default": 6},
    "active_deadline_seconds": {"type": "int"},
    "ttl_seconds_after_finished": {"type": "int"},
}

# Those of an agent action: none is filled in, since what is not given is the agent config's. Maps and lists can be
# text.
AGENT_OVERRIDES: dict[str, Any] = {
    key: {
        **{each: value for each, value in option.items() if each not in ("required", "default", "elements")},
        **({"type": "raw"} if key in (*POD_LISTS, *POD_MAPS) else {}),
    }
    for key, option in _AGENT_OPTIONS.items()
}

OWNER_OPTIONS: dict[str, Any] = {
    "api_version": {"type": "str", "default": "v1"},
    "kind": {"type": "str", "default": "ConfigMap"},
    "name": {"type": "str", "required": True},
    "uid": {"type": "str"},
    "namespace": {"type": "str"},
}

_VOLUME_OPTIONS: dict[str, Any] = {
    "agent_config": {"type": "str", "required": True},
    "namespace": {"type": "str", "required": True},
    "plugins": {"type": "raw", "required": True},
    "volume_size": {"type": "str", "default": "64Mi"},
    "storage_class": {"type": "str"},
    "access_mode": {"type": "str", "choices": ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"]},
    "salted": {"type": "bool", "default": False},
    "refresh": {"type": "bool", "default": False},
    "spec": {"type": "dict"},
    "owners": {"type": "list", "elements": "dict", "default": [], "options": OWNER_OPTIONS},
    "agent": {"type": "dict", "required": True, "options": _AGENT_OPTIONS},
}

VOLUMES_OPTION: dict[str, Any] = {"type": "list", "elements": "dict", "required": True, "options": _VOLUME_OPTIONS}
# Of a module that also does something without any.
OPTIONAL_VOLUMES_OPTION: dict[str, Any] = {**VOLUMES_OPTION, "required": False, "default": []}

AGENT_CONFIGS_OPTION: dict[str, Any] = {
    "type": "list",
    "elements": "dict",
    "default": [],
    "options": {
        "name": {"type": "str", "required": True},
        "namespace": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "spec": {"type": "dict", "default": {}},
        "agent": {"type": "dict", "default": {}},
    },
}

WAIT_OPTIONS: dict[str, Any] = {
    "timeout": {"type": "int", "default": 600},
    "progress_file": {"type": "path"},
}


def wanted_volumes(module: Any) -> list[PluginVolume]:
    """The volumes of the option ``volumes``, one for each claim."""
    volumes = []
    for given in module.params["volumes"]:
        volume, warnings = read_volume(given)
        module.no_log_values.update(volume.secrets)
        for warning in warnings:
            module.warn(warning)
        volumes.append(volume)
    return share_volumes(volumes)


def share_volumes(wanted: Iterable[PluginVolume]) -> list[PluginVolume]:
    """One volume for each claim: agent configs with one plugin set in a namespace share theirs."""
    volumes: dict[str, PluginVolume] = {}
    for volume in wanted:
        other = volumes.get(volume.key)
        if not other:
            volumes[volume.key] = volume
            continue
        volumes[volume.key] = replace(
            other, records=other.records + volume.records, owners=other.owners + volume.owners
        )
        if other.identity.document_digest != volume.identity.document_digest:
            raise InputError(
                "The plugin sets of %s and %s in namespace %s are different, but the Porter Operator's hash gives both "
                "the claim name %s. Write one of them differently, for example with an explicit version."
                % (other.agent_config, volume.agent_config, volume.namespace, volume.identity.claim)
            )
    return list(volumes.values())


def read_volume(given: Mapping[str, Any]) -> tuple[PluginVolume, tuple[str, ...]]:
    """One volume out of the option, and what the user should be warned of."""
    plugin_set = require_installable(parse_plugins(given["plugins"]))
    if not plugin_set:
        raise InputError("Agent config %s has no plugins, so it needs no plugin volume." % given["agent_config"])
    namespace = dns_label(given["namespace"], "The namespace of agent config %s" % given["agent_config"])
    identity = plugin_identity(plugin_set, namespace, salted=bool(given.get("salted")))
    secrets = [secret for plugin in plugin_set for _key, url in plugin.sources for secret in url_secrets(url)]
    volume = PluginVolume(
        identity=identity,
        namespace=namespace,
        agent_config=given["agent_config"],
        resource_label=short_resource_label(given["agent_config"]),
        document=canonical_document(plugin_set),
        redacted_document=redacted_document(plugin_set),
        plugin_names=tuple(plugin.name for plugin in plugin_set),
        size=volume_size(given["volume_size"]),
        storage_class=(given.get("storage_class") or "").strip() or None,
        access_mode=given.get("access_mode"),
        refresh=bool(given.get("refresh")),
        agent=AgentSettings(**{key: value for key, value in given["agent"].items() if value is not None}),
        records=_records(given, namespace, identity),
        owners=tuple(read_owner(each, namespace) for each in given.get("owners") or []),
        secrets=tuple(secrets),
    )
    return volume, plugin_set.warnings


def wanted_configs(module: Any, volumes: Iterable[PluginVolume]) -> list[ReleasingConfig]:
    """The agent configs of the volumes, and those of the option ``agent_configs``, which need none, as they come."""
    order = {(given["namespace"], given["agent_config"]): at for at, given in enumerate(module.params["volumes"])}
    with_volume = [record for volume in volumes for record in volume.records]
    with_volume.sort(key=lambda record: order[record.namespace, record.name])
    configs = [ReleasingConfig(record, present=True) for record in with_volume]
    for given in module.params["agent_configs"]:
        record = AgentConfigRecord(
            name=dns_subdomain(given["name"], "The agent config name"),
            namespace=dns_label(given["namespace"], "The namespace of agent config %s" % given["name"]),
            **_contents(given),
        )
        configs.append(ReleasingConfig(record, present=given["state"] == "present"))
    _refuse_twins(config.wanted for config in configs)
    return configs


def _refuse_twins(records: Iterable[AgentConfigRecord]) -> None:
    seen = set()
    for record in records:
        if record.key in seen:
            raise InputError(
                "Agent config %s in namespace %s is named twice. Name it once: in volumes where it has plugins, or "
                "else in agent_configs." % (record.name, record.namespace)
            )
        seen.add(record.key)


def _records(given: Mapping[str, Any], namespace: str, identity: PluginIdentity) -> tuple[AgentConfigRecord, ...]:
    """The record that the volume's agent config is to have; none where nothing is said of it."""
    if given.get("spec") is None:
        return ()
    return (
        AgentConfigRecord(
            name=given["agent_config"],
            namespace=namespace,
            claim=identity.claim,
            plugins_hash=identity.plugins_hash,
            **_contents(given),
        ),
    )


def _contents(given: Mapping[str, Any]) -> dict[str, str]:
    """The options ``spec`` and ``agent`` as a record holds them."""
    return {
        "spec": json.dumps(given["spec"], sort_keys=True),
        "agent": json.dumps(settings_to_keep(given["agent"]), sort_keys=True),
    }
