# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From agent configs and defaults to the plugin volumes they need. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from ansible_collections.getporter.porter.plugins.module_utils._agent_config import AgentConfig, parse_agent_config
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._identity import canonical_document, plugin_identity
from ansible_collections.getporter.porter.plugins.module_utils._input import (
    choice,
    describe,
    is_blank,
    plain,
    text,
    truth,
)
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import require_installable

ACCESS_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany")
# Settings of the install pod beyond the AgentConfig resource's own, as the modules name them.
_POD_KEYS = (
    "image_pull_secrets",
    "node_selector",
    "tolerations",
    "affinity",
    "resources",
    "env",
    "env_from",
    "pod_labels",
    "pod_annotations",
    "pod_security_context",
    "container_security_context",
    "active_deadline_seconds",
)
EXTRA_KEYS = ("agent_image", "access_mode", "salted", "refresh", *_POD_KEYS)


def resolve_agent_configs(configs: Any, defaults: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Check every agent config and name what it needs; without any, the one that the defaults describe.

    ``volume`` is the module option for the config's plugin volume, None where it has no plugins.
    It holds the plugins' sources in full: it is for modules, not for showing.
    """
    given = _list_of_configs(configs) or [{"name": defaults["name"]}]
    shared = {key: value for key, value in defaults.items() if key not in ("name", "namespace")}
    parsed = [
        parse_agent_config(config, default_namespace=str(defaults["namespace"]), defaults=shared, extra_keys=EXTRA_KEYS)
        for config in given
    ]
    _refuse_twins(parsed)
    return [_resolved(config) for config in parsed]


def _list_of_configs(configs: Any) -> Sequence[Any]:
    if is_blank(plain(configs)):
        return []
    if isinstance(configs, Mapping) or not isinstance(configs, (list, tuple)):
        raise InputError(
            "porter_plugins_agent_configs must be a list, not %s. Write it as in '- name: default'." % describe(configs)
        )
    return configs


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
        "agent_config": {
            "name": config.name,
            "namespace": config.namespace,
            "state": config.state,
            "claim": identity.claim,
            "plugins_hash": identity.plugins_hash if config.plugins else "",
            "record": config.spec(),
        },
        "volume": _volume_option(config) if config.plugins and config.state == "present" else None,
    }


def _access_mode(config: AgentConfig) -> str | None:
    what = "access_mode of agent config %s" % config.name
    mode = text(config.extras.get("access_mode"), what)
    return choice(mode, what, ACCESS_MODES) if mode else None


def _is_salted(config: AgentConfig) -> bool:
    return truth(config.extras.get("salted", False), "salted of agent config %s" % config.name)


def _volume_option(config: AgentConfig) -> dict[str, Any]:
    agent = {key: config.extras[key] for key in _POD_KEYS if key in config.extras}
    whole_reference = config.extras.get("agent_image")
    agent["image"] = whole_reference or config.image
    # With a whole reference Kubernetes' own rule decides: Always for :latest, or else IfNotPresent.
    agent["pull_policy"] = config.pull_policy if whole_reference else config.image_pull_policy
    agent["service_account"] = config.service_account
    agent["backoff_limit"] = config.retry_limit
    agent["ttl_seconds_after_finished"] = config.ttl_seconds_after_finished
    option = {
        "agent_config": config.name,
        "namespace": config.namespace,
        "plugins": canonical_document(config.plugins),
        "volume_size": config.volume_size,
        "storage_class": config.storage_class_name,
        "access_mode": _access_mode(config),
        "salted": _is_salted(config),
        "refresh": truth(config.extras.get("refresh", False), "refresh of agent config %s" % config.name),
        "record": config.spec(),
        "agent": {key: value for key, value in agent.items() if value is not None},
    }
    # An option that is not set must be absent: null is no choice.
    return {key: value for key, value in option.items() if value is not None}
