# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Makes planned removals, each on the very object that was listed, and waits until they are done.

Private to the collection: not a public interface.
"""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, Iterable, Sequence

from ansible_collections.getporter.porter.plugins.module_utils._api import CLAIMS, JOBS, VOLUMES, KubeApi, Resource
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ConflictError,
    PorterError,
    UnreachableError,
    WaitTimeoutError,
)
from ansible_collections.getporter.porter.plugins.module_utils._manifests import let_go
from ansible_collections.getporter.porter.plugins.module_utils._objects import name_of, phase_of
from ansible_collections.getporter.porter.plugins.module_utils._prune import (
    DELETE_RETAINED,
    FOLLOW_POLICY,
    Plan,
    Removal,
    is_retained,
    kept_row,
)
from ansible_collections.getporter.porter.plugins.module_utils._report import object_row
from ansible_collections.getporter.porter.plugins.module_utils._writing import delete_item

Manifest = Dict[str, Any]

# Seconds between two looks at what is still there.
INTERVAL = 0.5

_TAKEN_UP = "somebody changed it meanwhile, so it may be needed again"
_RESOURCES: dict[str, Resource] = {"Job": JOBS, "PersistentVolumeClaim": CLAIMS, "PersistentVolume": VOLUMES}


class Pruning:
    """One run of removals. ``removed`` holds what it made, ``kept`` the rows of what it left."""

    def __init__(
        self,
        api: KubeApi,
        timeout: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._api = api
        self._clock = clock
        self._sleep = sleep
        self._deadline = clock() + timeout
        self._timeout = timeout
        self._errors: list[PorterError] = []
        self._left: set[str] = set()
        self.removed: list[Removal] = []
        self.kept: list[dict[str, Any]] = []

    def make(self, plan: Plan) -> dict[str, Any]:
        """Make all removals, wait until the cluster has finished them, and tell; what failed is told at the end."""
        self.kept = [kept_row(each) for each in plan.kept]
        for each in plan.removals:
            self._try(each, self._delete_released if each.action == DELETE_RETAINED else self._request)
        try:
            self._wait_for_end()
        except WaitTimeoutError as error:
            self._errors.append(error)
        result = told(self.removed, self.kept)
        if self._errors:
            raise PorterError(" ".join(error.message for error in self._errors), **result)
        return result

    def _try(self, removal: Removal, act: Callable[[Removal], None]) -> None:
        """A failure of one does not stop the others, except those that need it; an unreachable API does."""
        if self._left.intersection(removal.needs):
            self._leave(removal, "something that had to go before it stayed")
            return
        try:
            act(removal)
            self.removed.append(removal)
        except UnreachableError:
            raise
        except ConflictError:
            self._leave(removal, _TAKEN_UP)
        except PorterError as error:
            self._errors.append(error)
            self._leave(removal, error.message)

    def _leave(self, removal: Removal, why: str) -> None:
        self._left.add(removal.item["metadata"]["uid"])
        self.kept.append({**object_row(removal.item), "what": removal.what, "kept_because": why})

    def _request(self, removal: Removal) -> None:
        item = removal.item
        if removal.action == FOLLOW_POLICY:
            self._api.merge_patch(VOLUMES, item["metadata"]["name"], let_go(item))
        else:
            self._delete(item)

    def _delete(self, item: Manifest) -> None:
        # A Job's ended pods go with it, and the claims are free of them.
        propagation = "Foreground" if item["kind"] == "Job" else "Background"
        delete_item(self._api, _RESOURCES[item["kind"]], item, propagation, exactly=True)

    def _delete_released(self, removal: Removal) -> None:
        """Delete a retained volume if it still is what the claim left: nobody's, and to be kept."""
        while True:
            volume = self._api.get(VOLUMES, removal.item["metadata"]["name"])
            if not volume:
                return
            reference = volume["spec"].get("claimRef") or {}
            same = (
                volume["metadata"]["uid"] == removal.item["metadata"]["uid"] and reference.get("uid") in removal.needs
            )
            if not same or not is_retained(volume):
                raise ConflictError(409, "Conflict", _TAKEN_UP)
            if phase_of(volume) == "Released":
                self._delete(volume)
                return
            self._sleep_or_give_up([volume])

    def _wait_for_end(self) -> None:
        """Until what was deleted is gone, and the volumes that go with it: finalizers put a deletion off."""
        deleted = [each.item for each in self.removed if each.action != FOLLOW_POLICY]
        awaited = [*deleted, *(each.follows for each in self.removed if each.follows)]
        while awaited:
            there = self._there(awaited)
            awaited = [item for item in awaited if item["metadata"]["uid"] in there]
            if awaited:
                self._sleep_or_give_up(awaited)

    def _there(self, items: Iterable[Manifest]) -> set[str]:
        """The uids of what is still listed."""
        places = sorted({(each["kind"], each["metadata"].get("namespace") or "") for each in items})
        return {
            found["metadata"]["uid"]
            for kind, namespace in places
            for found in self._api.list_all(_RESOURCES[kind], namespace or None)
        }

    def _sleep_or_give_up(self, awaited: Iterable[Manifest]) -> None:
        if self._clock() >= self._deadline:
            raise WaitTimeoutError(
                "Still there after %d s: %s. The cluster goes on removing them; look with kubectl describe what holds "
                "them." % (self._timeout, ", ".join(sorted({name_of(item) for item in awaited})))
            )
        self._sleep(INTERVAL)


def foreseen(plan: Plan) -> dict[str, Any]:
    """The result in check mode: what a run would remove now."""
    return told(plan.removals, [kept_row(each) for each in plan.kept])


def told(removals: Sequence[Removal], kept: list[dict[str, Any]]) -> dict[str, Any]:
    """The result: what goes, what stays and why, and the same as a difference."""
    removed = [each.row() for each in removals]
    lines = ["%s: %s" % (name_of(each.item), each.action) for each in removals]
    diff = {"before_header": "leftovers", "after_header": "leftovers", "before": "\n".join([*lines, ""]), "after": ""}
    return {"changed": bool(removed), "removed": removed, "kept": kept, "diff": [diff] if lines else []}
