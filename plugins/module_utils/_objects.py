# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What every Kubernetes object carries, read out of its dictionary. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Sequence

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys

Manifest = Dict[str, Any]


@dataclass(frozen=True)
class Listing:
    """What some namespaces hold of ours, by ``NAMESPACE/NAME``, and all PersistentVolumes of ours."""

    jobs: Mapping[str, Manifest] = field(default_factory=dict)
    claims: Mapping[str, Manifest] = field(default_factory=dict)
    records: Mapping[str, Manifest] = field(default_factory=dict)
    volumes: Sequence[Manifest] = ()

    def of(self, namespace: str) -> Listing:
        """The part of one namespace. PersistentVolumes belong to none."""
        return Listing(
            jobs=_inside(namespace, self.jobs),
            claims=_inside(namespace, self.claims),
            records=_inside(namespace, self.records),
            volumes=self.volumes,
        )


def _inside(namespace: str, items: Mapping[str, Manifest]) -> dict[str, Manifest]:
    return {key: each for key, each in items.items() if each["metadata"]["namespace"] == namespace}


def labels_of(item: Manifest) -> dict[str, str]:
    """The object's labels."""
    return item["metadata"].get("labels") or {}


def annotations_of(item: Manifest | None) -> dict[str, str]:
    """The object's annotations; none where there is no object."""
    return ((item or {}).get("metadata") or {}).get("annotations") or {}


def is_managed(item: Manifest) -> bool:
    """Whether the object carries the label without which nothing is ever touched."""
    return labels_of(item).get(keys.LABEL_MANAGED) == "true"


def is_deleting(item: Manifest) -> bool:
    """Whether its deletion was asked for."""
    return bool(item["metadata"].get("deletionTimestamp"))


def phase_of(item: Manifest) -> str:
    """The phase of a claim or volume."""
    return (item.get("status") or {}).get("phase") or "Pending"


def key_of(item: Manifest) -> str:
    """``NAMESPACE/NAME``."""
    return "%s/%s" % (item["metadata"].get("namespace"), item["metadata"]["name"])


def name_of(item: Manifest) -> str:
    """The object for people, such as ``Job porter/a``."""
    return "%s %s" % (item["kind"], key_of(item) if item["metadata"].get("namespace") else item["metadata"]["name"])


def claims_in(pod_spec: Manifest) -> list[str]:
    """The names of the claims that a pod with this spec mounts."""
    volumes = [each.get("persistentVolumeClaim") or {} for each in pod_spec.get("volumes") or []]
    return [each["claimName"] for each in volumes if each.get("claimName")]


def versions_in(text: str | None) -> dict[str, str]:
    """A JSON object of plugin names and versions; what is none counts as empty: people can write to it."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def installed_on(persistent_volume: Manifest | None) -> dict[str, str]:
    """The plugins that the volume notes as installed, with their versions."""
    return versions_in(annotations_of(persistent_volume).get(keys.ANNOTATION_INSTALLED))


def own_policy(persistent_volume: Manifest) -> str:
    """The volume's reclaim policy, behind that of a hand-over."""
    noted = annotations_of(persistent_volume).get(keys.ANNOTATION_RECLAIM_POLICY)
    return str(noted or persistent_volume["spec"].get("persistentVolumeReclaimPolicy", ""))
