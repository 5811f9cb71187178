# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the modules for plugin volumes share: options, their reading, results, and the one way to end.

Private to the collection: not a public interface.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Sequence

from ansible.module_utils.basic import AnsibleModule, missing_required_lib
from ansible.module_utils.common.parameters import remove_values
from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._agent_config import short_resource_label
from ansible_collections.getporter.porter.plugins.module_utils._api import AUTH_ARGUMENTS
from ansible_collections.getporter.porter.plugins.module_utils._diff import volume_diff
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    InputError,
    MissingLibraryError,
    PorterError,
)
from ansible_collections.getporter.porter.plugins.module_utils._executor import refresh_of
from ansible_collections.getporter.porter.plugins.module_utils._identity import (
    PluginIdentity,
    canonical_document,
    plugin_identity,
    redacted_document,
    redacted_plugins_document,
    url_secrets,
)
from ansible_collections.getporter.porter.plugins.module_utils._input import dns_label, dns_subdomain
from ansible_collections.getporter.porter.plugins.module_utils._job_status import JobStatus
from ansible_collections.getporter.porter.plugins.module_utils._life import (
    BLOCKED,
    HAND_OVER_COURSE,
    INSTALL_COURSE,
    INSTALL_STATES,
    INSTALLED,
    READY,
    WHOLE_COURSE,
    Observed,
    current_volume,
    next_step,
    remaining_steps,
)
from ansible_collections.getporter.porter.plugins.module_utils._owner_references import read_owner
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import parse_plugins, require_installable
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import AgentSettings, PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._progress import Progress
from ansible_collections.getporter.porter.plugins.module_utils._quantity import volume_size
from ansible_collections.getporter.porter.plugins.module_utils._record import AgentConfigRecord
from ansible_collections.getporter.porter.plugins.module_utils._release import ReleasingConfig
from ansible_collections.getporter.porter.plugins.module_utils._releaser import Released

# The end of an install's log that a result carries, in lines.
LOG_LINES = 20

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
    "record": {"type": "dict"},
    "owners": {"type": "list", "elements": "dict", "default": [], "options": OWNER_OPTIONS},
    "agent": {"type": "dict", "required": True, "options": _AGENT_OPTIONS},
}

VOLUMES_OPTION: dict[str, Any] = {"type": "list", "elements": "dict", "required": True, "options": _VOLUME_OPTIONS}

AGENT_CONFIGS_OPTION: dict[str, Any] = {
    "type": "list",
    "elements": "dict",
    "default": [],
    "options": {
        "name": {"type": "str", "required": True},
        "namespace": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        "claim": {"type": "str", "default": ""},
        "plugins_hash": {"type": "str", "default": ""},
        "record": {"type": "dict", "default": {}},
    },
}

WAIT_OPTIONS: dict[str, Any] = {
    "timeout": {"type": "int", "default": 600},
    "progress_file": {"type": "path"},
}


def make_module(options: Mapping[str, Any]) -> AnsibleModule:
    """The module with the options of the connection and ``options``."""
    return AnsibleModule(
        argument_spec={
            **AUTH_ARGUMENTS,
            **options,
        },
        supports_check_mode=True,
        # Nothing of the arguments goes to the system log: feed URLs can hold credentials.
        no_log=True,
    )


def success(module: AnsibleModule, result: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments for ``exit_json``."""
    return {**result, **_invocation(module)}


def failure(module: AnsibleModule, error: PorterError) -> dict[str, Any]:
    """The keyword arguments for ``fail_json``."""
    return {**error_result(error), **_invocation(module)}


def error_result(error: PorterError) -> dict[str, Any]:
    """The error as keyword arguments; where a library is missing, in Ansible's words for that."""
    result = error.as_result()
    if isinstance(error, MissingLibraryError):
        result["msg"] = missing_required_lib(error.library)
    return result


def reporter(module: AnsibleModule) -> Callable[[PluginVolume, str], None] | None:
    """What appends lines to the progress file, None where there is none."""
    path = module.params["progress_file"]
    if not path:
        return None

    def report(volume: PluginVolume, line: str) -> None:
        # In one write, so that a reader never sees half a line of two; masked as results are.
        shown = remove_values(line, module.no_log_values)
        with Path(path).open("a", encoding="utf-8") as stream:
            stream.write("%s/%s: %s\n" % (volume.namespace, volume.agent_config, shown))

    return report


def end_of(everyone: Sequence[Progress]) -> dict[str, Any]:
    """The result of a run, or the failure that names everything that failed."""
    errors = [each.error for each in everyone if each.error]
    result = {
        "changed": any(each.done for each in everyone),
        "volumes": [progress_row(each) for each in everyone],
        "diff": [
            volume_diff(each.volume, each.first_state, each.state, each.done, each.persistent_volume)
            for each in everyone
            if each.done
        ],
    }
    if errors:
        details = errors[0].result if len(errors) == 1 else {}
        raise PorterError(" ".join(error.message for error in errors), **result, **details)
    return result


def released_result(everyone: Sequence[Released]) -> dict[str, Any]:
    """The result of letting go; ``diff`` tells the steps of each agent config that has some."""
    rows = [
        {
            "name": each.config.wanted.name,
            "namespace": each.config.wanted.namespace,
            "state": "present" if each.config.present else "absent",
            "steps": unique(each.done),
            "kept_volumes": unique(each.kept_volumes),
        }
        for each in everyone
    ]
    diff = [
        {"prepared": "\n".join("%s/%s: %s" % (row["namespace"], row["name"], step) for step in row["steps"])}
        for row in rows
        if row["steps"]
    ]
    return {"changed": bool(diff), "agent_configs": rows, "diff": diff}


def kept_warnings(result: Mapping[str, Any]) -> list[str]:
    """What to say of volumes that stay after nobody needs them any more."""
    names = unique(name for row in result["agent_configs"] for name in row["kept_volumes"])
    return [
        "The PersistentVolume %s stays, since its reclaim policy is Retain. When nobody needs what is on it, delete "
        "it, and the disk behind it, which may outlive it." % name
        for name in names
    ]


def foresee(volumes: Sequence[PluginVolume], seen: Mapping[str, Observed], course: tuple[str, ...]) -> dict[str, Any]:
    """The result in check mode: of the remaining steps those of ``course``, with detours on the way to it."""
    rows = [observed_row(volume, seen[volume.key]) for volume in volumes]
    for row in rows:
        row["steps"] = steps_of_course(row, course)
    blocked = [row for row in rows if BLOCKED in row["steps"]]
    if blocked:
        raise PorterError(" ".join("%s." % row["reason"] for row in blocked), changed=False, volumes=rows)
    after = INSTALLED if course is INSTALL_COURSE else READY
    diff = [
        volume_diff(volume, row["state"], after, row["steps"], current_volume(volume, seen[volume.key]))
        for volume, row in zip(volumes, rows)
        if row["steps"]
    ]
    return {"changed": bool(diff), "volumes": rows, "diff": diff}


def steps_of_course(row: Mapping[str, Any], course: tuple[str, ...]) -> list[str]:
    """Those of a row's remaining steps that belong to ``course``; a detour belongs to where the volume stands now."""
    if course is INSTALL_COURSE and row["state"] not in INSTALL_STATES:
        return []
    detours_elsewhere = course is HAND_OVER_COURSE and row["state"] in INSTALL_STATES
    return [action for action in row["steps"] if action in course or not (action in WHOLE_COURSE or detours_elsewhere)]


def progress_row(each: Progress) -> dict[str, Any]:
    """What became of one volume."""
    row = volume_row(each.volume, each.persistent_volume)
    row.update(
        state=each.state,
        steps=each.done,
        seconds=round(each.seconds, 1),
        job=_job_row(each.volume, each.status, each.log),
        error=each.error.message if each.error else None,
    )
    return row


def observed_row(volume: PluginVolume, seen: Observed) -> dict[str, Any]:
    """One volume as it is, and the steps it still needs."""
    replaced = refresh_of(volume, seen)
    step = next_step(volume, seen, replaced)
    row = volume_row(volume, current_volume(volume, seen))
    row.update(state=step.state, steps=remaining_steps(volume, seen, replaced), reason=step.reason or None)
    return row


def volume_row(volume: PluginVolume, persistent_volume: dict[str, Any] | None) -> dict[str, Any]:
    """The parts that every result has of a volume."""
    metadata = (persistent_volume or {}).get("metadata") or {}
    noted = (metadata.get("annotations") or {}).get(keys.ANNOTATION_INSTALLED)
    return {
        "agent_config": volume.agent_config,
        "namespace": volume.namespace,
        "claim": volume.identity.claim,
        "persistent_volume": metadata.get("name"),
        "installed": json.loads(noted) if noted else {},
    }


def _job_row(volume: PluginVolume, status: JobStatus | None, log: str | None) -> dict[str, Any] | None:
    if status is None:
        return None
    return {
        "name": volume.identity.job,
        "phase": status.phase,
        "reason": status.reason,
        "message": status.message or status.stuck,
        "pod": status.pod,
        "pods": status.pods,
        "exit_code": status.exit_code,
        "log": (log or "").splitlines()[-LOG_LINES:],
    }


def wanted_volumes(module: AnsibleModule) -> list[PluginVolume]:
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


def unique(actions: Iterable[str]) -> list[str]:
    """Each action once, in the order of their first."""
    return list(dict.fromkeys(actions))


def wanted_configs(module: AnsibleModule) -> list[ReleasingConfig]:
    """The agent configs of the option ``agent_configs``."""
    return [
        ReleasingConfig(
            AgentConfigRecord(
                name=dns_subdomain(given["name"], "The agent config name"),
                namespace=dns_label(given["namespace"], "The namespace of agent config %s" % given["name"]),
                spec=json.dumps(given["record"], sort_keys=True),
                claim=given["claim"],
                plugins_hash=given["plugins_hash"],
            ),
            present=given["state"] == "present",
        )
        for given in module.params["agent_configs"]
    ]


def _records(given: Mapping[str, Any], namespace: str, identity: PluginIdentity) -> tuple[AgentConfigRecord, ...]:
    """The record that the volume's agent config is to have; none where nothing is said of it."""
    if given.get("record") is None:
        return ()
    spec = json.dumps(given["record"], sort_keys=True)
    return (AgentConfigRecord(given["agent_config"], namespace, spec, identity.claim, identity.plugins_hash),)


def _invocation(module: AnsibleModule) -> dict[str, Any]:
    """The arguments as results show them, with nothing in the plugins' URLs that may be a secret."""
    shown = dict(module.params)
    if "volumes" in shown:
        shown["volumes"] = [
            {**given, "plugins": _shown_plugins(given["plugins"]), "agent": _shown_agent(given["agent"])}
            for given in module.params["volumes"]
        ]
    return {"invocation": {"module_args": shown}}


def _shown_agent(agent: Mapping[str, Any]) -> dict[str, Any]:
    """The agent's settings with the names, but not the values, of its environment variables."""
    return {**agent, "env": [each.get("name") for each in agent.get("env") or []]}


def _shown_plugins(plugins: Any) -> Any:
    try:
        return redacted_plugins_document(parse_plugins(plugins))
    except PorterError:
        # The message tells what is wrong with it.
        return "(not shown: it is no valid plugin set)"
