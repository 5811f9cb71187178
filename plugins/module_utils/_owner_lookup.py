# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Looks up the objects that are to own claims: an owner reference needs the uid.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, Sequence

from ansible_collections.getporter.porter.plugins.module_utils._api import KubeApi, Resource
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._owner_references import Owner, Reference
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume

Manifest = Dict[str, Any]


def with_owners(api: KubeApi, volumes: Sequence[PluginVolume]) -> list[PluginVolume]:
    """The volumes with references to the owners that they name. InputError for one that cannot own."""
    lookups = {volume.namespace: OwnerLookup(api, volume.namespace) for volume in volumes if volume.owners}
    wanted: dict[str, list[Owner]] = {}
    for volume in volumes:
        wanted.setdefault(volume.namespace, []).extend(volume.owners)
    found = {
        (namespace, owner): reference
        for namespace, lookup in lookups.items()
        for owner, reference in zip(wanted[namespace], lookup.references(wanted[namespace]))
    }
    return [
        replace(volume, owner_references=tuple(found[volume.namespace, owner] for owner in volume.owners))
        for volume in volumes
    ]


class OwnerLookup:
    """Of owners in one namespace: one request for each kind of object."""

    def __init__(self, api: KubeApi, namespace: str) -> None:
        self._api = api
        self._namespace = namespace
        self._resources: dict[tuple[str, str], Resource] = {}

    def references(self, wanted: Sequence[Owner]) -> list[Reference]:
        """References to the owners as they are now. InputError for one that cannot own claims of the namespace."""
        by_kind: dict[tuple[str, str], list[Owner]] = {}
        for owner in wanted:
            by_kind.setdefault((owner.api_version, owner.kind), []).append(owner)
        found: dict[Owner, Manifest | None] = {}
        for kind, owners in by_kind.items():
            found.update(self._objects(self._resource(*kind), owners))
        return [self._reference(owner, found[owner]) for owner in wanted]

    def _resource(self, api_version: str, kind: str) -> Resource:
        known = (api_version, kind)
        if known not in self._resources:
            self._resources[known] = self._api.resource_of(api_version, kind)
        if not self._resources[known].namespaced:
            raise InputError(
                "A %s belongs to no namespace, so it cannot own claims here: owners are objects of the claims' own "
                "namespace, such as a ConfigMap made for it in %s." % (kind, self._namespace)
            )
        return self._resources[known]

    def _objects(self, resource: Resource, owners: list[Owner]) -> dict[Owner, Manifest | None]:
        names = {owner.name for owner in owners}
        if len(names) == 1:
            (name,) = names
            one = self._api.get(resource, name, self._namespace, metadata_only=True)
            return dict.fromkeys(owners, one)
        listed = self._api.list_all(resource, self._namespace, metadata_only=True)
        by_name = {each["metadata"]["name"]: each for each in listed}
        return {owner: by_name.get(owner.name) for owner in owners}

    def _reference(self, owner: Owner, found: Manifest | None) -> Reference:
        namespace = self._namespace
        if found is None:
            raise InputError(
                "There is no %s in namespace %s (%s). An owner must exist, in the namespace of its claims, before it "
                "is named: create it, or correct its name." % (owner, namespace, owner.api_version)
            )
        uid = str(found["metadata"]["uid"])
        if owner.uid not in (None, uid):
            raise InputError(
                "%s in namespace %s has the uid %s, not %s: it was made anew. Leave the uid out to name the new one."
                % (owner, namespace, uid, owner.uid)
            )
        if found["metadata"].get("deletionTimestamp"):
            raise InputError(
                "%s in namespace %s is being deleted, and claims that only it owns would go with it. Name another "
                "owner, or wait and make it anew." % (owner, namespace)
            )
        return owner.reference(uid)
