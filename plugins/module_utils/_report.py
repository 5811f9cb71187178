# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a report says: rows for plugin volumes, agent configs and leftovers. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Any, Dict

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._errors import CollisionError
from ansible_collections.getporter.porter.plugins.module_utils._identity import PluginIdentity
from ansible_collections.getporter.porter.plugins.module_utils._inventory import (
    PLUGIN_CLAIM,
    STAGING_CLAIM,
    Inventory,
    Owner,
    claim_kind,
    config_name,
    made_by,
    plugin_key,
)
from ansible_collections.getporter.porter.plugins.module_utils._leftovers import Leftover, find_leftovers
from ansible_collections.getporter.porter.plugins.module_utils._life import (
    ABSENT,
    BLOCKED,
    Observed,
    current_volume,
    next_step,
    remaining_steps,
)
from ansible_collections.getporter.porter.plugins.module_utils._objects import (
    annotations_of,
    key_of,
    labels_of,
    versions_in,
)
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import AgentSettings, PluginVolume

Manifest = Dict[str, Any]
Row = Dict[str, Any]


def report_on(inventory: Inventory, stuck_after: int) -> dict[str, Any]:
    """The whole report. A volume that still needs steps after ``stuck_after`` seconds counts as stuck."""
    volumes = [_volume_row(inventory, key, seen, stuck_after) for key, seen in sorted(_observed(inventory).items())]
    states = {"%s/%s" % (row["namespace"], row["claim"]): row["state"] for row in volumes}
    return {
        "taken_at": inventory.listed.now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "volumes": volumes,
        "agent_configs": [
            _config_row(inventory, item, states) for item in sorted(inventory.listed.records, key=key_of)
        ],
        "leftovers": [_leftover_row(inventory, each) for each in find_leftovers(inventory)],
    }


def _observed(inventory: Inventory) -> dict[str, Observed]:
    """The objects of each plugin volume, by its key."""
    listed = inventory.listed
    plugin_keys = {key_of(claim) for claim in listed.claims if claim_kind(claim) == PLUGIN_CLAIM}
    plugin_keys |= {plugin_key(claim) for claim in listed.claims if claim_kind(claim) == STAGING_CLAIM}
    plugin_keys |= {plugin_key(job) for job in listed.jobs if _is_install(job)}
    plugin_keys |= {plugin_key(each) for each in listed.volumes if keys.ANNOTATION_CLAIM in annotations_of(each)}
    return {key: _observed_of(inventory, key) for key in plugin_keys}


def _is_install(job: Manifest) -> bool:
    return labels_of(job).get(keys.LABEL_COMPONENT) == keys.COMPONENT_STAGING


def _observed_of(inventory: Inventory, key: str) -> Observed:
    claim = inventory.claims.get(key)
    bound_name = claim["spec"].get("volumeName") if claim else None
    volumes = [
        each
        for each in inventory.listed.volumes
        if annotations_of(each).get(keys.ANNOTATION_CLAIM) == key or each["metadata"]["name"] == bound_name
    ]
    return Observed(claim, inventory.claims.get(key + "-staging"), inventory.jobs.get(key + "-install"), tuple(volumes))


def _volume_row(inventory: Inventory, key: str, seen: Observed, stuck_after: int) -> Row:
    volume = _as_wanted(key, seen)
    persistent_volume = current_volume(volume, seen)
    claim = seen.claim or seen.staging
    items = [each for each in (seen.claim, seen.staging, seen.job, persistent_volume) if each]
    first = items[0] if items else seen.volumes[0]
    row = {
        "namespace": volume.namespace,
        "claim": volume.identity.claim,
        "persistent_volume": persistent_volume["metadata"]["name"] if persistent_volume else None,
        "made_by": made_by(first),
        "agent_config": volume.agent_config,
        "plugins": volume.identity.label or None,
        "installed": versions_in(annotations_of(persistent_volume or first).get(keys.ANNOTATION_INSTALLED)),
        "owners": [_owner_row(owner) for owner in inventory.owners(seen.claim)] if seen.claim else [],
        "wanted_by": inventory.wanted_by(key, first),
        "mounted_by": inventory.mounted_by(claim) if claim else [],
        "size": _size(persistent_volume, claim),
        "storage_class": _storage_class(persistent_volume, claim),
        "age": inventory.age(first),
        **_where_it_is(volume, seen),
    }
    newest = min(inventory.age(each) for each in items or [first])
    row["stuck"] = bool(row["steps"]) and newest >= stuck_after
    return row


def _where_it_is(volume: PluginVolume, seen: Observed) -> Row:
    try:
        step = next_step(volume, seen)
    except CollisionError as error:
        return {"state": BLOCKED, "steps": [BLOCKED], "reason": error.message}
    return {"state": step.state, "steps": remaining_steps(volume, seen), "reason": step.reason or None}


def _as_wanted(key: str, seen: Observed) -> PluginVolume:
    """What somebody wanted when these objects were made, as far as they tell: enough to ask for the next step."""
    namespace, _slash, claim = key.partition("/")
    items = [each for each in (seen.claim, seen.staging, *seen.volumes, seen.job) if each]
    notes = [annotations_of(each) for each in items]
    labels = [labels_of(each) for each in items]
    resource = _first(labels, keys.LABEL_RESOURCE_NAME)
    return PluginVolume(
        identity=PluginIdentity(
            claim=claim,
            plugins_hash=_first(labels, keys.LABEL_PLUGINS_HASH),
            label=_first(labels, keys.LABEL_PLUGINS),
            document_digest=_first(notes, keys.ANNOTATION_DIGEST),
        ),
        namespace=namespace,
        agent_config=_first(notes, keys.ANNOTATION_AGENT_CONFIG) or resource,
        resource_label=resource,
        document="",
        redacted_document=_first(notes, keys.ANNOTATION_DOCUMENT),
        plugin_names=(),
        size="",
        storage_class=None,
        agent=AgentSettings(image=""),
    )


def _first(maps: list[dict[str, str]], key: str) -> str:
    return next((each[key] for each in maps if each.get(key)), "")


def _owner_row(owner: Owner) -> Row:
    return {"api_version": owner.api_version, "kind": owner.kind, "name": owner.name, "exists": owner.exists}


def _size(persistent_volume: Manifest | None, claim: Manifest | None) -> str | None:
    """What there is, or else what was asked for."""
    there_is = ((persistent_volume or {}).get("spec") or {}).get("capacity") or {}
    asked = (((claim or {}).get("spec") or {}).get("resources") or {}).get("requests") or {}
    return there_is.get("storage") or asked.get("storage")


def _storage_class(persistent_volume: Manifest | None, claim: Manifest | None) -> str | None:
    return ((persistent_volume or claim or {}).get("spec") or {}).get("storageClassName") or None


def _config_row(inventory: Inventory, record: Manifest, states: dict[str, str]) -> Row:
    """A record as it stands there. People can write to it, so that nothing in it is sure."""
    data, namespace = record.get("data") or {}, record["metadata"]["namespace"]
    claim = data.get("claim") or None
    return {
        "namespace": namespace,
        "name": config_name(record),
        "ready": data.get("ready") == "true",
        "phase": data.get("phase") or None,
        "reason": data.get("reason") or None,
        "message": data.get("message") or None,
        "claim": claim,
        "claim_state": states.get("%s/%s" % (namespace, claim), ABSENT) if claim else None,
        "persistent_volume": data.get("volume") or None,
        "installed": versions_in(data.get("plugins")),
        "last_change": data.get("lastChange") or None,
        "age": inventory.age(record),
    }


def _leftover_row(inventory: Inventory, each: Leftover) -> Row:
    return {**object_row(each.item), "what": each.what, "reason": each.reason, **_details(inventory, each)}


def _details(inventory: Inventory, each: Leftover) -> Row:
    return {
        "kept_because": each.obstacle or None,
        "owners": [_owner_row(owner) for owner in each.owners],
        "mounted_by": list(each.mounted_by),
        "persistent_volume": each.volume["metadata"]["name"] if each.volume else None,
        "size": _size(each.volume or each.item, each.item),
        "age": inventory.age(each.item),
    }


def object_row(item: Manifest) -> Row:
    """Which object: its kind, namespace (None for a volume) and name."""
    metadata = item["metadata"]
    return {"kind": item["kind"], "namespace": metadata.get("namespace"), "name": metadata["name"]}
