# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What there is of plugin volumes and agent configs: the lists of one moment, and what can be asked of them. Pure.

Private to the collection: not a public interface.

An object is recognised by what it carries, whoever made it: this collection or the Porter
Operator. What a list could not tell is None, which is neither yes nor no.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Dict, FrozenSet, Iterable, Mapping, Optional, Sequence, Tuple

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._identity import plugin_claim_name
from ansible_collections.getporter.porter.plugins.module_utils._names import short_resource_label
from ansible_collections.getporter.porter.plugins.module_utils._objects import (
    annotations_of,
    claims_in,
    key_of,
    labels_of,
)
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import parse_plugins

Manifest = Dict[str, Any]
Kind = Tuple[str, str]
# The uids of all objects of a kind; None where they may not be listed.
Living = Mapping[Kind, Optional[FrozenSet[str]]]

# What a claim is for.
PLUGIN_CLAIM = "plugin claim"
STAGING_CLAIM = "staging claim"
TEMPORARY_CLAIM = "temporary claim"
WORK_VOLUME = "work volume"
OTHER_CLAIM = "other claim"

OURS = "getporter.porter"
OPERATOR = "Porter Operator"

_PLUGIN_CLAIM_NAME = re.compile("porter-[0-9a-f]{32}")


@dataclass(frozen=True)
class Listed:
    """What the lists showed."""

    now: datetime
    jobs: Sequence[Manifest] = ()
    claims: Sequence[Manifest] = ()
    # The ConfigMaps that stand for agent configs.
    records: Sequence[Manifest] = ()
    volumes: Sequence[Manifest] = ()
    # None: they may not be listed.
    pods: Sequence[Manifest] | None = ()
    # The Porter Operator's own objects; empty too where the cluster knows no such kind.
    agent_configs: Sequence[Manifest] | None = ()
    living: Living | None = None


@dataclass(frozen=True)
class Owner:
    """Who is named as an owner, and whether that object is there (None: nobody can tell)."""

    api_version: str
    kind: str
    name: str
    uid: str
    exists: bool | None

    def __str__(self) -> str:
        return "%s %s" % (self.kind, self.name)


class Inventory:
    """The lists by what is asked of them."""

    def __init__(self, listed: Listed) -> None:
        self.listed = listed
        self.claims = {key_of(item): item for item in listed.claims}
        self.jobs = {key_of(item): item for item in listed.jobs}
        self.volumes = {item["metadata"]["name"]: item for item in listed.volumes}
        self._wanted = _wanted(listed)
        self._pods = _pods_by_claim(listed.pods or ())

    def volume_of(self, claim: Manifest) -> Manifest | None:
        """The PersistentVolume that is bound to the claim, None where none is: one that it names may be another's."""
        found = self.volumes.get(claim["spec"].get("volumeName") or "")
        reference = (found or {}).get("spec", {}).get("claimRef") or {}
        return found if reference.get("uid") == claim["metadata"]["uid"] else None

    def owners(self, item: Manifest) -> list[Owner]:
        """Everyone whom the object names as an owner."""
        return [self._owner(reference) for reference in item["metadata"].get("ownerReferences") or []]

    def _owner(self, reference: Mapping[str, Any]) -> Owner:
        version, kind = reference.get("apiVersion", ""), reference.get("kind", "")
        uids = (self.listed.living or {}).get((version, kind))
        exists = None if uids is None else reference.get("uid") in uids
        return Owner(version, kind, reference.get("name", ""), reference.get("uid", ""), exists)

    def wanted_by(self, key: str, item: Manifest) -> list[str]:
        """The agent configs that want the plugin claim of this key, or whose wish cannot be read but may be this."""
        namespace = key.partition("/")[0]
        labels = labels_of(item)
        signs = [("claim", key)]
        signs += [(label, "%s/%s" % (namespace, labels[label])) for label in _FALLBACK_LABELS if labels.get(label)]
        return sorted({name for sign in signs for name in self._wanted.get(sign, ())})

    def is_named_by_record(self, key: str, volume: Manifest) -> bool:
        """Whether a record in the namespace of this key names the PersistentVolume as its own."""
        return ("volume", "%s/%s" % (key.partition("/")[0], volume["metadata"]["name"])) in self._wanted

    def mounted_by(self, claim: Manifest, apart_from: Sequence[str] = ()) -> list[str] | None:
        """The pods that mount the claim, also ended ones, which keep it as well; None where pods may not be listed.

        ``apart_from`` are the uids of Jobs whose pods do not count.
        """
        if self.listed.pods is None:
            return None
        pods = self._pods.get(key_of(claim), ())
        return sorted(pod["metadata"]["name"] for pod in pods if not _owned_by(pod, apart_from))

    def age(self, item: Manifest) -> int:
        """Seconds since the object was made."""
        return self.seconds_since(moment(item["metadata"].get("creationTimestamp")))

    def seconds_since(self, then: datetime) -> int:
        """Never less than 0."""
        return max(0, int((self.listed.now - then).total_seconds()))


def claim_kind(claim: Manifest) -> str:
    """What a claim is for: by its name, if that is a plugin claim's, or else by its labels and annotations."""
    labels = labels_of(claim)
    if _PLUGIN_CLAIM_NAME.fullmatch(claim["metadata"]["name"]):
        return PLUGIN_CLAIM
    if labels.get(keys.LABEL_COMPONENT) == keys.COMPONENT_STAGING:
        return STAGING_CLAIM
    if keys.ANNOTATION_OPERATOR_CLAIM in annotations_of(claim):
        return TEMPORARY_CLAIM
    return WORK_VOLUME if keys.LABEL_RESOURCE_KIND in labels else OTHER_CLAIM


def made_by(item: Manifest) -> str:
    """Who made the object: the operator's carry no note of this collection."""
    ours = labels_of(item).get(keys.LABEL_MANAGED_BY) == keys.MANAGED_BY or keys.ANNOTATION_CLAIM in annotations_of(
        item
    )
    return OURS if ours else OPERATOR


def plugin_key(item: Manifest) -> str:
    """``NAMESPACE/CLAIM`` of the plugin claim that an object is or works for; empty where it works for none."""
    noted = annotations_of(item).get(keys.ANNOTATION_CLAIM)
    if noted:
        return noted
    reference = item["spec"].get("claimRef")
    if reference:
        return "%s/%s" % (reference.get("namespace"), _without_suffix(reference.get("name") or ""))
    metadata = item["metadata"]
    return "%s/%s" % (metadata["namespace"], _without_suffix(metadata["name"])) if metadata.get("namespace") else ""


def moment(text: str | None) -> datetime:
    """A Kubernetes time; one that is not there or cannot be read counts as long ago."""
    for form in ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S.%fZ"):
        try:
            return datetime.strptime(text or "", form).replace(tzinfo=timezone.utc)
        except ValueError:
            continue
    return datetime.min.replace(tzinfo=timezone.utc)


# Where a wish cannot be read, everything that carries the same label may be what is wished.
_FALLBACK_LABELS = (keys.LABEL_PLUGINS_HASH, keys.LABEL_RESOURCE_NAME)


def _wanted(listed: Listed) -> dict[tuple[str, str], set[str]]:
    """Who wants what: the sign by which it is known, to the names of agent configs."""
    wanted: dict[tuple[str, str], set[str]] = {}
    for item in listed.records:
        for sign in _signs_of_record(item):
            wanted.setdefault(sign, set()).add(config_name(item))
    for item in listed.agent_configs or ():
        for sign in _signs_of_agent_config(item):
            wanted.setdefault(sign, set()).add(item["metadata"]["name"])
    return wanted


def config_name(record: Manifest) -> str:
    """The full name of the agent config that a record stands for."""
    data = record.get("data") or {}
    return data.get("name") or annotations_of(record).get(keys.ANNOTATION_AGENT_CONFIG) or record["metadata"]["name"]


def _signs_of_record(record: Manifest) -> Iterable[tuple[str, str]]:
    namespace, data = record["metadata"]["namespace"], record.get("data") or {}
    for sign in ("claim", "volume"):
        if data.get(sign):
            yield sign, "%s/%s" % (namespace, data[sign])
    if "claim" not in data:
        # Somebody damaged it. Its labels still tell which set it wants.
        yield from _labels_as_signs(namespace, labels_of(record))


def _signs_of_agent_config(item: Manifest) -> Iterable[tuple[str, str]]:
    """An AgentConfig object wants the claim that the operator would make for it, owner or not."""
    metadata, spec = item["metadata"], item.get("spec") or {}
    try:
        plugins = parse_plugins(spec.get("pluginConfigFile"))
    except PorterError:
        label = {keys.LABEL_RESOURCE_NAME: short_resource_label(metadata["name"])}
        yield from _labels_as_signs(metadata["namespace"], label)
        return
    if plugins:
        yield "claim", "%s/%s" % (metadata["namespace"], plugin_claim_name(plugins, metadata["namespace"]))


def _labels_as_signs(namespace: str, labels: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    for label in _FALLBACK_LABELS:
        if labels.get(label):
            yield label, "%s/%s" % (namespace, labels[label])


def _pods_by_claim(pods: Iterable[Manifest]) -> dict[str, list[Manifest]]:
    found: dict[str, list[Manifest]] = {}
    for pod in pods:
        for name in claims_in(pod["spec"]):
            found.setdefault("%s/%s" % (pod["metadata"]["namespace"], name), []).append(pod)
    return found


def _owned_by(item: Manifest, uids: Sequence[str]) -> bool:
    return any(reference.get("uid") in uids for reference in item["metadata"].get("ownerReferences") or [])


def _without_suffix(name: str) -> str:
    """The plugin claim's name out of a staging claim's or an install Job's."""
    start, _dash, end = name.rpartition("-")
    return start if end in ("staging", "install") else name
