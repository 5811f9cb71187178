# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From agent configs and defaults to the plugin volumes they need. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

import json
from datetime import date
from typing import Any, Iterable, Mapping

from ansible_collections.getporter.porter.plugins.module_utils._agent_config import (
    AgentConfig,
    merge_agent_configs,
    normalize_agent_config,
    parse_agent_config,
)
from ansible_collections.getporter.porter.plugins.module_utils._agent_config_manifest import (
    agent_configs_in,
    is_manifest,
    settings_of,
)
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._identity import canonical_document, plugin_identity
from ansible_collections.getporter.porter.plugins.module_utils._input import (
    choice,
    describe,
    dns_label,
    native,
    plain,
    structure,
    text,
    truth,
    unknown_key,
)
from ansible_collections.getporter.porter.plugins.module_utils._owner_references import read_owner
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import require_installable
from ansible_collections.getporter.porter.plugins.module_utils._pod_settings import POD_KEYS, pod_setting

ACCESS_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany")
EXTRA_KEYS = ("agent_image", "access_mode", "salted", "refresh", "owners", *POD_KEYS)
# What names an owner, in the modules' spelling and in that of owner references.
_OWNER_KEYS = {
    "api_version": "api_version",
    "apiVersion": "api_version",
    "kind": "kind",
    "name": "name",
    "uid": "uid",
    "namespace": "namespace",
}


def resolve_agent_configs(
    configs: Any,
    defaults: Any,
    *,
    system: Any = None,
    namespaces: Any = None,
    files: Mapping[str, Any] | None = None,
    found: Any = None,
    state: Any = None,
) -> list[dict[str, Any]]:
    """Check every agent config and name what it needs; without any, the one that the defaults name.

    ``state`` is that of all of them, whatever they say themselves. What is to be absent must be named.

    ``defaults`` (one map, or several of which later ones win), ``system`` and the entry of ``namespaces`` are the
    levels below each config. Configs come from ``configs``, from ``files`` (path to content) and from the cluster
    (``found``; None where it was not asked).

    ``volume`` is the module option for the config's plugin volume, and ``agent_config`` the one for a config that
    needs none; the other of the two is None. They hold the plugins' sources in full: for modules, not for showing.
    """
    configs, defaults, system, namespaces = map(native, (configs, defaults, system, namespaces))
    lowest = merge_agent_configs(*_several(defaults), extra_keys=EXTRA_KEYS)
    name, namespace = _taken(lowest, "name"), _taken(lowest, "namespace")
    shared = merge_agent_configs(lowest, _level(system, "The system level"), extra_keys=EXTRA_KEYS)
    levels = _namespace_levels(namespaces, shared)
    given = [*agent_configs_in(configs), *_configs_in_files(files or {}), *agent_configs_in(found)]
    for_all = text(state, "The state of all agent configs")
    if not given and found is None:
        if for_all == "absent":
            raise InputError(
                "No agent config is named that is to be removed. Name each one, as in "
                "'porter_plugins_agent_configs: [{name: %s}]'." % name
            )
        given = [{"name": name}]
    parsed = [_parsed(config, namespace, shared, levels, for_all) for config in given]
    _refuse_twins(parsed)
    return [_resolved(config) for config in parsed]


def merge_levels(levels: Any) -> dict[str, Any]:
    """Merge levels, manifests among them; later wins."""
    if not isinstance(levels, (list, tuple)):
        raise InputError(
            "The levels must be a list, not %s. Write it as in '[system, namespace, config]'." % describe(levels)
        )
    return merge_agent_configs(*map(settings_of, levels), extra_keys=EXTRA_KEYS)


def _taken(defaults: dict[str, Any], key: str) -> str:
    if key not in defaults:
        raise InputError("The defaults have no %s. Write one." % key)
    return text(defaults.pop(key), "%s of the defaults" % key)


def _several(defaults: Any) -> Iterable[Any]:
    return [defaults] if isinstance(defaults, Mapping) else defaults


def _parsed(
    config: Any,
    default_namespace: str,
    shared: Mapping[str, Any],
    levels: Mapping[str, Mapping[str, Any]],
    state: str,
) -> AgentConfig:
    own = normalize_agent_config(config, extra_keys=EXTRA_KEYS)
    if state:
        own["state"] = state
    namespace = plain(own.get("namespace", default_namespace))
    below = levels.get(namespace, shared) if isinstance(namespace, str) else shared
    return parse_agent_config(own, default_namespace=default_namespace, defaults=below, extra_keys=EXTRA_KEYS)


def _configs_in_files(files: Mapping[str, Any]) -> Iterable[Any]:
    for path, content in files.items():
        try:
            inside = list(agent_configs_in(content))
        except InputError as error:
            raise InputError("%s: %s" % (path, error.message)) from error
        if not inside:
            raise InputError("%s holds no agent config." % path)
        yield from inside


def _namespace_levels(written: Any, shared: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What is below the configs of each namespace that has a level of its own."""
    what = "The levels of namespaces"
    by_namespace = structure(written, what)
    if by_namespace is None:
        return {}
    if not isinstance(by_namespace, Mapping):
        raise InputError(
            "%s must be a map from namespace to settings, not %s. Write it as in 'porter: {porter_version: v1.6.1}'."
            % (what, describe(by_namespace))
        )
    levels = {}
    for key, value in by_namespace.items():
        namespace = dns_label(text(key, "A namespace"), "The namespace of a level")
        level = _level(value, "The level of namespace %s" % namespace, namespace)
        levels[namespace] = merge_agent_configs(shared, level, extra_keys=EXTRA_KEYS)
    return levels


def _level(written: Any, where: str, namespace: str | None = None) -> dict[str, Any]:
    """The settings of a level, which has neither name nor namespace; those of a manifest are left out."""
    value = structure(written, where)
    if value is None:
        return {}
    settings = normalize_agent_config(settings_of(value), extra_keys=EXTRA_KEYS, where=where)
    own = {key: settings.pop(key) for key in ("name", "namespace") if key in settings}
    if own and not is_manifest(value):
        raise InputError("%s is for many agent configs: take %s out of it." % (where, " and ".join(own)))
    if namespace and own.get("namespace", namespace) != namespace:
        raise InputError("%s is given as a manifest of namespace %s." % (where, own["namespace"]))
    return settings


def _refuse_twins(parsed: list[AgentConfig]) -> None:
    seen = set()
    for config in parsed:
        if (config.namespace, config.name) in seen:
            raise InputError(
                "Agent config %s is named twice in namespace %s. Write it once." % (config.name, config.namespace)
            )
        seen.add((config.namespace, config.name))


def _resolved(config: AgentConfig) -> dict[str, Any]:
    require_installable(config.plugins)
    identity = plugin_identity(config.plugins, config.namespace, salted=_is_salted(config))
    return {
        "name": config.name,
        "namespace": config.namespace,
        "state": config.state,
        "claim": identity.claim,
        **_options(config),
    }


def _options(config: AgentConfig) -> dict[str, Any]:
    """The module option for the config's plugin volume, or else the one for the config.

    Maps in them are JSON text, which Ansible takes for maps too: on the way to a module it walks through every value
    several times, and for many agent configs that is most of what a rerun costs.
    """
    if config.state == "present":
        what_the_record_says = {
            "spec": _as_json(config.spec(), config),
            "agent": _as_json(_agent_option(config), config),
        }
        if config.plugins:
            return {"volume": {**_volume_option(config), **what_the_record_says}, "agent_config": None}
    else:
        what_the_record_says = {}
    option = {"name": config.name, "namespace": config.namespace, "state": config.state}
    return {"volume": None, "agent_config": {**option, **what_the_record_says}}


def _as_json(settings: Mapping[str, Any], config: AgentConfig) -> str:
    def in_json(value: Any) -> Any:
        # What YAML makes of text without quotes, and of a set, as Ansible would write it.
        if isinstance(value, date):
            return value.isoformat()
        if isinstance(value, set):
            return sorted(value, key=str)
        raise InputError(
            "The settings of agent config %s hold a value %s, which Kubernetes does not know. Write text."
            % (config.name, describe(value))
        )

    return json.dumps(settings, default=in_json)


def _access_mode(config: AgentConfig) -> str | None:
    what = "access_mode of agent config %s" % config.name
    mode = text(config.extras.get("access_mode"), what)
    return choice(mode, what, ACCESS_MODES) if mode else None


def _is_salted(config: AgentConfig) -> bool:
    return truth(config.extras.get("salted", False), "salted of agent config %s" % config.name)


def _pod_settings(config: AgentConfig) -> dict[str, Any]:
    settings = {}
    for key in POD_KEYS:
        if key in config.extras:
            what = "%s of agent config %s" % (key, config.name)
            settings[key] = pod_setting(key, config.extras[key], what)
    return {key: value for key, value in settings.items() if value not in (None, [], {})}


def _owners(config: AgentConfig) -> list[dict[str, Any]]:
    what = "owners of agent config %s" % config.name
    written = structure(config.extras.get("owners"), what) or []
    if describe(written) != "a list" or any(describe(each) != "a map" for each in written):
        raise InputError("%s must be a list of maps. Write it as in '- {kind: ConfigMap, name: app}'." % what)
    owners = []
    for each in written:
        unknown = [key for key in each if key not in _OWNER_KEYS]
        if unknown:
            raise unknown_key("An entry of the " + what, unknown[0], tuple(_OWNER_KEYS))
        owners.append({_OWNER_KEYS[key]: value for key, value in each.items()})
        read_owner(owners[-1], config.namespace)
    return owners


def _agent_option(config: AgentConfig) -> dict[str, Any]:
    agent = _pod_settings(config)
    whole_reference = text(config.extras.get("agent_image"), "agent_image of agent config %s" % config.name)
    agent["image"] = whole_reference or config.image
    # With a whole reference Kubernetes' own rule decides: Always for :latest, or else IfNotPresent.
    agent["pull_policy"] = config.pull_policy if whole_reference else config.image_pull_policy
    agent["service_account"] = config.service_account
    agent["backoff_limit"] = config.retry_limit
    agent["ttl_seconds_after_finished"] = config.ttl_seconds_after_finished
    # An option that is not set must be absent: null is no choice.
    return {key: value for key, value in agent.items() if value is not None}


def _volume_option(config: AgentConfig) -> dict[str, Any]:
    option = {
        "agent_config": config.name,
        "namespace": config.namespace,
        "plugins": canonical_document(config.plugins),
        "volume_size": config.volume_size,
        "storage_class": config.storage_class_name,
        "access_mode": _access_mode(config),
        "salted": _is_salted(config),
        "refresh": truth(config.extras.get("refresh", False), "refresh of agent config %s" % config.name),
        "owners": _owners(config) or None,
    }
    return {key: value for key, value in option.items() if value is not None}
