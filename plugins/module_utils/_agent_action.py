# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Agent actions: one Porter command each, as a user wrote it. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Dict, Mapping

from ansible_collections.getporter.porter.plugins.module_utils._action_secrets import Masking, secrets_in
from ansible_collections.getporter.porter.plugins.module_utils._agent_pod import PLUGINS_MOUNT, RESERVED_VOLUMES
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._input import (
    describe,
    dns_label,
    dns_subdomain,
    is_blank,
    plain,
    structure,
    text,
)
from ansible_collections.getporter.porter.plugins.module_utils._names import shortened_name
from ansible_collections.getporter.porter.plugins.module_utils._pod_settings import (
    POD_LISTS,
    POD_MAPS,
    a_list_of_maps,
    a_map,
    pod_setting,
    shown_agent,
    variables_of,
)

Manifest = Dict[str, Any]

# What the API server takes for the contents of a Secret, in bytes.
MOST_FILE_BYTES = 1 << 20
# What file systems take for a name, in bytes.
LONGEST_FILE_NAME = 255
RECORD_PREFIX = "porter-agent-action-"


@dataclass(frozen=True)
class AgentAction:
    """One Porter command, with what differs from the agent config that it runs with."""

    namespace: str
    agent_config: str
    # What follows "porter" on the command line.
    args: tuple[str, ...]
    # With a name it runs once for each generation of what is written here; empty: each run is another.
    name: str = ""
    # Another word runs a named action again.
    retry: str = ""
    # Name in the agent's configuration folder to content.
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    # Sources of a projected volume, as Kubernetes defines them, for that folder too.
    files_from: tuple[Manifest, ...] = ()
    # Settings of the agent's pods that replace those of the agent config, one by one.
    agent: Mapping[str, Any] = field(default_factory=dict, repr=False)
    volumes: tuple[Manifest, ...] = ()
    volume_mounts: tuple[Manifest, ...] = ()
    pod_failure_policy: Mapping[str, Any] = field(default_factory=dict)
    # Whether the command runs bundles, which takes Porter's Kubernetes driver and a volume to share with them.
    bundles: bool = False
    installation_service_account: str = ""
    # A Secret of the type kubernetes.io/dockerconfigjson for the registries of bundles.
    registry_secret: str = ""
    # Whether to wait for plugins that are still being installed.
    wait_for_plugins: bool = True
    # Whether secrets that are written in the action are hidden in all that people read.
    secure_logging: bool = True

    @property
    def generation(self) -> str:
        """The digest of all that decides what runs; the agent config's own settings do not count, nor does the wait."""
        decisive = {
            "agent_config": self.agent_config,
            "args": self.args,
            "files": dict(self.files),
            "files_from": self.files_from,
            "agent": dict(self.agent),
            "volumes": self.volumes,
            "volume_mounts": self.volume_mounts,
            "pod_failure_policy": dict(self.pod_failure_policy),
            "bundles": self.bundles,
            "installation_service_account": self.installation_service_account,
            "registry_secret": self.registry_secret,
        }
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode("utf-8")).hexdigest()

    @cached_property
    def masking(self) -> Masking:
        """What hides the secrets that are written in the action."""
        found = secrets_in(self.files.values(), self.agent.get("env") or [], self.args) if self.secure_logging else ()
        return Masking(found)

    @property
    def record_name(self) -> str:
        """The name of the ConfigMap that stands for a named action."""
        return RECORD_PREFIX + shortened_name(self.name, 253 - len(RECORD_PREFIX))

    def job_name(self, run: str) -> str:
        """The name of a run's Job: at most 63 characters, since it becomes the value of a label."""
        return "%s-%s" % (shortened_name(self.name or self.agent_config, 62 - len(run)), run)


def read_action(given: Mapping[str, Any]) -> AgentAction:
    """Check what a user wrote; InputError says what to write instead."""
    agent_config = dns_subdomain(text(given["agent_config"], "The agent config"), "The agent config name")
    name = text(given.get("name"), "The name of the action")
    action = AgentAction(
        namespace=dns_label(text(given["namespace"], "The namespace"), "The namespace of the action"),
        agent_config=agent_config,
        args=_arguments(given["args"]),
        name=dns_subdomain(name, "The name of the action") if name else "",
        retry=text(given.get("retry"), "retry"),
        files=_files(given.get("files")),
        files_from=_maps(given, "files_from"),
        agent=_overrides(given.get("agent") or {}),
        volumes=_maps(given, "volumes"),
        volume_mounts=_maps(given, "volume_mounts"),
        pod_failure_policy=_policy(given.get("pod_failure_policy")),
        bundles=bool(given.get("bundles")),
        installation_service_account=_object_name(given, "installation_service_account"),
        registry_secret=_object_name(given, "registry_secret"),
        wait_for_plugins=bool(given.get("wait_for_plugins", True)),
        secure_logging=bool(given.get("secure_logging", True)),
    )
    _refuse_what_collides(action)
    return action


def shown_action(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """An agent action with the names of its files, but not what is in them, and without secrets among its arguments."""
    if not given["secure_logging"]:
        return given
    args = [str(each) for each in given["args"]] if isinstance(given["args"], list) else []
    files = given["files"].values() if isinstance(given["files"], dict) else [given["files"] or ""]
    contents = [each if isinstance(each, str) else json.dumps(each, default=str) for each in files]
    agent = given["agent"] or {}
    mask = Masking(secrets_in(contents, variables_of(agent), args))
    return {
        **given,
        "args": [mask(each) for each in args],
        "files": sorted(given["files"]) if isinstance(given["files"], dict) else "(not shown)",
        "agent": shown_agent(agent),
    }


def _arguments(written: Any) -> tuple[str, ...]:
    example = "Write one entry for each, as in '[plugins, list, -o, json]'."
    written = structure(written, "The arguments of the action")
    if not isinstance(written, (list, tuple)) or not written:
        raise InputError("The arguments of the action must be a list that is not empty. %s" % example)
    args = tuple(_argument(each, number) for number, each in enumerate(written, 1))
    if len(args) == 1 and args[0].strip().count(" "):
        raise InputError("The arguments of the action are one entry with spaces in it. %s" % example)
    if args[0] == "porter":
        raise InputError("The arguments of the action begin with porter: leave that out. %s" % example)
    return args


def _argument(written: Any, number: int) -> str:
    value = plain(written)
    what = "Argument %d of the action" % number
    if value is None:
        raise InputError("%s is null. Write '' for an empty argument, or leave it out." % what)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    # An empty or blank argument is one, unlike elsewhere.
    return value if isinstance(value, str) and is_blank(value) else text(value, what)


def _files(written: Any) -> dict[str, str]:
    written = structure(written, "The files of the action") or {}
    if not isinstance(written, Mapping):
        raise InputError(
            "The files of the action must be a map from file name to content, not %s. Write it as in "
            "'config.yaml: {...}'." % describe(written)
        )
    files = {_path(path): _content(path, content) for path, content in written.items()}
    size = sum(len(content.encode("utf-8")) for content in files.values())
    if size > MOST_FILE_BYTES:
        raise InputError(
            "The files of the action are %d bytes together, and a Secret holds %d at most. Put large ones on a volume "
            "and mount it with volumes and volume_mounts." % (size, MOST_FILE_BYTES)
        )
    return files


def _path(written: Any) -> str:
    path = text(written, "The name of a file of the action")
    if not path or len(path.encode("utf-8")) > LONGEST_FILE_NAME:
        raise InputError(
            "The name of a file of the action must have 1 to %d bytes, not '%s'." % (LONGEST_FILE_NAME, path)
        )
    if "/" in path:
        raise InputError(
            "A file of the action cannot be named '%s': the agent does not copy folders. Write a name without '/', as "
            "in config.yaml, or mount it with volumes and volume_mounts." % path
        )
    if path.startswith("."):
        raise InputError(
            "A file of the action cannot be named '%s': the agent passes over names that begin with a dot. Mount it "
            "with volumes and volume_mounts." % path
        )
    if path == "plugins":
        raise InputError(
            "A file of the action cannot be named 'plugins', as Porter's own folder is. Write another name."
        )
    return path


def _content(path: str, written: Any) -> str:
    value = plain(written)
    what = "The content of the file %s" % path
    if isinstance(value, str):
        # An empty file is one.
        return value if is_blank(value) else text(value, what)
    if not isinstance(value, (Mapping, list, tuple)):
        raise InputError("%s must be text, a map or a list, not %s." % (what, describe(value)))
    if not path.endswith((".yaml", ".yml", ".json")):
        raise InputError("%s must be text: only YAML and JSON can be written as a map." % what)
    try:
        # YAML reads JSON, whatever is in it.
        content = json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError("%s holds something that JSON has no form for (%s): quote it." % (what, error)) from None
    return text(content, what) + "\n"


def _overrides(agent: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are given. An empty list or map is: it replaces the agent config's by nothing."""
    settings = {}
    for key, value in agent.items():
        setting = pod_setting(key, value, "%s of the action" % key) if key in (*POD_LISTS, *POD_MAPS) else value
        if not is_blank(setting):
            settings[key] = setting
    return settings


def _maps(given: Mapping[str, Any], key: str) -> tuple[Manifest, ...]:
    what = "%s of the action" % key
    return tuple(a_list_of_maps(structure(given.get(key), what), what) or ())


def _policy(written: Any) -> Mapping[str, Any]:
    what = "pod_failure_policy of the action"
    policy: Mapping[str, Any] = a_map(structure(written, what), what) or {}
    return policy


def _object_name(given: Mapping[str, Any], key: str) -> str:
    name = text(given.get(key), key)
    return dns_subdomain(name, key) if name else ""


def _refuse_what_collides(action: AgentAction) -> None:
    for each in action.volumes:
        if each.get("name") in RESERVED_VOLUMES:
            raise InputError(
                "A volume of the action cannot be named %s, as the collection's own is: write another name."
                % each["name"]
            )
    for each in action.volume_mounts:
        path = str(each.get("mountPath", "")).rstrip("/")
        if path == PLUGINS_MOUNT:
            raise InputError(
                "A volume of the action cannot be mounted at %s, where the plugins are: write another path."
                % PLUGINS_MOUNT
            )
