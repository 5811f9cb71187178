# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists what there is of plugin volumes and agent configs: each kind once, in some namespaces or the whole cluster.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, Sequence

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._api import (
    CLAIMS,
    CONFIG_MAPS,
    JOBS,
    PODS,
    VOLUMES,
    KubeApi,
    Resource,
)
from ansible_collections.getporter.porter.plugins.module_utils._errors import ApiError
from ansible_collections.getporter.porter.plugins.module_utils._inventory import Inventory, Kind, Listed, plugin_key
from ansible_collections.getporter.porter.plugins.module_utils._record import RECORD_SELECTOR

Manifest = Dict[str, Any]

_AGENT_CONFIG: Kind = ("getporter.org/v1", "AgentConfig")


def take_inventory(api: KubeApi, namespaces: Sequence[str]) -> Inventory:
    """What there is in these namespaces; in the whole cluster where none is named.

    A list that fails raises: nothing is concluded from half an answer. What this account may not
    list is None where one can do without it.

    The order matters. Whoever makes a claim has written down before that they want it, and owns
    it before they say so: records, owners and pods are listed after the claims. A change after
    that shows in the claim's version.
    """
    lists = _Lists(api, namespaces)
    jobs = lists.of(JOBS, label_selector=keys.MANAGED_SELECTOR)
    claims = lists.of(CLAIMS, label_selector=keys.MANAGED_SELECTOR)
    records = lists.of(CONFIG_MAPS, label_selector=RECORD_SELECTOR)
    agent_configs = lists.of_kind(_AGENT_CONFIG)
    known = {
        ("v1", "ConfigMap"): _uids(records),
        ("v1", "PersistentVolumeClaim"): _uids(claims),
        _AGENT_CONFIG: None if agent_configs is None else _uids(agent_configs),
    }
    listed = Listed(
        jobs=jobs,
        claims=claims,
        records=records,
        agent_configs=agent_configs,
        living=lists.living([*claims, *jobs], known),
        pods=_if_allowed(lambda: lists.of(PODS)) if claims else [],
        volumes=_volumes(api.list_all(VOLUMES), claims, namespaces),
        now=api.cluster_time(),
    )
    return Inventory(listed)


class _Lists:
    """Lists in the places that were asked for."""

    def __init__(self, api: KubeApi, namespaces: Sequence[str]) -> None:
        self._api = api
        self._namespaces = namespaces
        self._known_kinds: dict[str, dict[str, dict[str, Resource]]] = {}

    def of(self, resource: Resource, **how: Any) -> list[Manifest]:
        """All objects of a type."""
        if self._namespaces and resource.namespaced:
            return [item for each in self._namespaces for item in self._api.list_all(resource, each, **how)]
        try:
            return self._api.list_all(resource, **how)
        except ApiError as error:
            if error.status == 403 and resource.namespaced:
                error.message += ". Where an account has its rights in some namespaces only, name these."
            raise

    def of_kind(self, kind: Kind, **how: Any) -> list[Manifest] | None:
        """All objects of a kind that the cluster may not know; None where nobody can tell.

        A kind that is there in other versions only has objects, but not by this name.
        """
        group, _slash, version = kind[0].rpartition("/")
        kinds = self._kinds_of(group)
        resource = kinds.get(version, {}).get(kind[1])
        if resource:
            return _if_allowed(lambda: self.of(resource, **how))
        return None if any(kind[1] in each for each in kinds.values()) else []

    def _kinds_of(self, group: str) -> dict[str, dict[str, Resource]]:
        """Asked once of each group."""
        if group not in self._known_kinds:
            self._known_kinds[group] = self._api.kinds_of(group)
        return self._known_kinds[group]

    def living(
        self, items: Iterable[Manifest], known: dict[Kind, frozenset[str] | None]
    ) -> dict[Kind, frozenset[str] | None]:
        """The uids of all objects of each kind that is named as an owner.

        What was listed already does where every owner is in it: it was only a part of its kind.
        """
        owners: dict[Kind, set[str]] = {}
        for item in items:
            for reference in item["metadata"].get("ownerReferences") or []:
                owners.setdefault((reference["apiVersion"], reference["kind"]), set()).add(reference["uid"])
        found: dict[Kind, frozenset[str] | None] = {}
        for kind, uids in sorted(owners.items()):
            part = known.get(kind, frozenset())
            complete = part is None or kind == _AGENT_CONFIG or uids <= part
            found[kind] = part if complete else self._all_uids(kind)
        return found

    def _all_uids(self, kind: Kind) -> frozenset[str] | None:
        items = self.of_kind(kind, metadata_only=True)
        return None if items is None else _uids(items)


def _uids(items: Iterable[Manifest]) -> frozenset[str]:
    return frozenset(item["metadata"]["uid"] for item in items)


def _if_allowed(ask: Callable[[], list[Manifest]]) -> list[Manifest] | None:
    try:
        return ask()
    except ApiError as error:
        if error.status == 403:
            return None
        raise


def _volumes(listed: list[Manifest], claims: list[Manifest], namespaces: Sequence[str]) -> list[Manifest]:
    """The volumes behind the claims, and those that carry our label and belong, or belonged, to these namespaces."""
    names = {claim["spec"].get("volumeName") for claim in claims}
    return [each for each in listed if each["metadata"]["name"] in names or _is_ours(each, namespaces)]


def _is_ours(volume: Manifest, namespaces: Sequence[str]) -> bool:
    labelled = (volume["metadata"].get("labels") or {}).get(keys.LABEL_MANAGED) == "true"
    return labelled and (not namespaces or plugin_key(volume).partition("/")[0] in namespaces)
