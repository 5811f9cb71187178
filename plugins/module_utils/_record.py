# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The record of an agent config: the ConfigMap that stands for it and owns its plugin claim. Pure.

Private to the collection: not a public interface.

A record says what is wanted (``spec``, ``agent``, ``claim``) and what there is (``ready``, ``phase``, ``reason``,
``message``, ``volume``, ``plugins``). Every key is always there, empty where nothing is known.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._names import record_name, short_resource_label
from ansible_collections.getporter.porter.plugins.module_utils._objects import annotations_of, installed_on, versions_in

Manifest = Dict[str, Any]

PHASE_INSTALLING = "Installing"
PHASE_READY = "Ready"
PHASE_FAILED = "Failed"

# What a record says of a volume that is not known to be of this collection's making.
_ADOPTED_MESSAGE = (
    "This collection did not install the volume, as one that the Porter Operator made, so the installed versions are "
    "not known. To have them known, install anew with porter_plugins_refresh."
)

RECORD_SELECTOR = "%s,%s=%s" % (keys.MANAGED_SELECTOR, keys.LABEL_COMPONENT, keys.COMPONENT_RECORD)
# The longest message that is kept, in characters: an object has room for a mebibyte, a reader for less.
LONGEST_MESSAGE = 2000


@dataclass(frozen=True)
class AgentConfigRecord:
    """What a record is to say that is wanted."""

    # The agent config's name in full, and its namespace.
    name: str
    namespace: str
    # The settings as in an AgentConfig resource, as JSON, without secrets.
    spec: str
    # How pods of the agent look, as JSON (``settings_to_keep``).
    agent: str = "{}"
    # The plugin claim's name and the set's hash; empty without plugins.
    claim: str = ""
    plugins_hash: str = ""

    @property
    def key(self) -> str:
        """``NAMESPACE/NAME`` of the ConfigMap."""
        return "%s/%s" % (self.namespace, record_name(self.name))


@dataclass(frozen=True)
class RecordStatus:
    """What a record says of the state of things."""

    phase: str
    reason: str = ""
    message: str = ""
    volume: str = ""
    plugins: Mapping[str, str] = field(default_factory=dict)

    @property
    def data(self) -> dict[str, str]:
        """As the ConfigMap holds it: ``ready`` is always there, true or false."""
        return {
            "ready": "true" if self.phase == PHASE_READY else "false",
            "phase": self.phase,
            "reason": self.reason,
            "message": self.message[:LONGEST_MESSAGE],
            "volume": self.volume,
            "plugins": json.dumps(dict(self.plugins), sort_keys=True),
        }


@dataclass(frozen=True)
class AgentConfigView:
    """What a record says to those who use the agent config."""

    # As in an AgentConfig resource; how pods of the agent run.
    spec: Mapping[str, Any]
    agent: Mapping[str, Any]
    # The plugin claim that it wants; empty for none.
    claim: str
    status: RecordStatus
    # The owner reference to the record.
    as_owner: Mapping[str, str]


def read_record(record: Manifest) -> AgentConfigView:
    """Read a record. InputError where it was not written by this release or later, or by hand."""
    data = record.get("data") or {}
    try:
        spec, agent = dict(json.loads(data["spec"])), json.loads(data["agent"])
        agent["image"]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            "The record of agent config %s in namespace %s does not say how its pods run. Run the role porter_plugins "
            "for it, which writes it anew." % (data.get("name"), record["metadata"].get("namespace"))
        ) from error
    status = RecordStatus(
        phase_of_record(record),
        data.get("reason") or "",
        data.get("message") or "",
        data.get("volume") or "",
        versions_in(data.get("plugins")),
    )
    return AgentConfigView(spec, agent, claim_of(record), status, owner_of(record))


def settings_to_keep(agent: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the agent's pods as a record keeps them, for the agent's actions.

    Without plain values of environment variables, which may be secrets; references to Secrets stay.
    """
    settings = {key: value for key, value in agent.items() if value not in (None, [], {})}
    referring = [each for each in settings.pop("env", []) if "value" not in each]
    return {**settings, **({"env": referring} if referring else {})}


def ready_status(persistent_volume: Manifest) -> RecordStatus:
    """The status of an agent config whose plugin claim is bound to this volume."""
    name = persistent_volume["metadata"]["name"]
    if keys.ANNOTATION_INSTALLED not in annotations_of(persistent_volume):
        return RecordStatus(PHASE_READY, "Adopted", _ADOPTED_MESSAGE, name)
    return RecordStatus(PHASE_READY, "Bound", "", name, installed_on(persistent_volume))


def record_manifest(wanted: AgentConfigRecord, status: RecordStatus, now: str) -> Manifest:
    """The ConfigMap. ``now`` is an RFC 3339 time."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": record_name(wanted.name),
            "namespace": wanted.namespace,
            "labels": {key: value for key, value in _labels(wanted).items() if value is not None},
            "annotations": {keys.ANNOTATION_AGENT_CONFIG: wanted.name},
        },
        "data": {**_wishes(wanted), **status.data, "lastChange": now},
    }


def record_patch(record: Manifest, wanted: AgentConfigRecord, status: RecordStatus, now: str) -> Manifest | None:
    """The merge patch that brings a record up to date, None where it is. Labels and keys of others stay."""
    data = {**_wishes(wanted), **status.data}
    if _has(record, data):
        return None
    return {
        "metadata": {
            "resourceVersion": record["metadata"]["resourceVersion"],
            "labels": _labels(wanted),
            "annotations": {keys.ANNOTATION_AGENT_CONFIG: wanted.name},
        },
        "data": {**data, "lastChange": now},
    }


def says_what_is_wanted(record: Manifest | None, wanted: AgentConfigRecord) -> bool:
    """Whether the record is there and up to date, its status apart."""
    return bool(record) and _has(record, _wishes(wanted))  # type: ignore[arg-type]


def has_status(record: Manifest, status: RecordStatus) -> bool:
    """Whether the record says just this of the state of things."""
    return _has(record, status.data)


def phase_of_record(record: Manifest) -> str:
    """One of the phases above, or whatever somebody wrote."""
    return str((record.get("data") or {}).get("phase") or "")


def claim_of(record: Manifest) -> str:
    """The name of the plugin claim that the record wants; empty for none."""
    return str((record.get("data") or {}).get("claim") or "")


def owner_of(record: Manifest) -> dict[str, str]:
    """The owner reference by which a record keeps a claim.

    Without ``blockOwnerDeletion``, which would need a right to the finalizers of ConfigMaps.
    """
    metadata = record["metadata"]
    return {"apiVersion": "v1", "kind": "ConfigMap", "name": metadata["name"], "uid": metadata["uid"]}


def _wishes(wanted: AgentConfigRecord) -> dict[str, str]:
    return {"name": wanted.name, "spec": wanted.spec, "agent": wanted.agent, "claim": wanted.claim}


def _labels(wanted: AgentConfigRecord) -> dict[str, str | None]:
    return {
        keys.LABEL_MANAGED: "true",
        keys.LABEL_RESOURCE_NAME: short_resource_label(wanted.name),
        # Null takes it away.
        keys.LABEL_PLUGINS_HASH: wanted.plugins_hash or None,
        keys.LABEL_COMPONENT: keys.COMPONENT_RECORD,
        keys.LABEL_MANAGED_BY: keys.MANAGED_BY,
    }


def _has(record: Manifest, data: Mapping[str, str]) -> bool:
    return data.items() <= (record.get("data") or {}).items()
