# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From leftovers to the removals that are to be made, in their order. Pure.

Private to the collection: not a public interface.

A Job goes before the claims that its pods hold, a claim before its volume. A volume follows its
reclaim policy; during a hand-over that is Retain and the real one stands in a note, so that it is
given back before its claim goes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Dict, Iterable

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._inventory import OPERATOR, Inventory, made_by
from ansible_collections.getporter.porter.plugins.module_utils._leftovers import (
    AGENT_JOB,
    INSTALL_JOB,
    VOLUME,
    Leftover,
    find_leftovers,
)
from ansible_collections.getporter.porter.plugins.module_utils._objects import annotations_of, is_managed, own_policy
from ansible_collections.getporter.porter.plugins.module_utils._report import object_row

Manifest = Dict[str, Any]

DELETE = "delete"
FOLLOW_POLICY = "let it follow its reclaim policy"
# A volume with the policy Retain, after its claim.
DELETE_RETAINED = "delete the retained volume"

DISK_NOTE = "the disk behind it may remain: its policy is Retain"


@dataclass(frozen=True)
class Removal:
    """One request that is to be made of one object, as it was listed: its version is the precondition."""

    action: str
    item: Manifest
    what: str
    reason: str
    note: str = ""
    # The uids of what must be removed before, or else this stays too.
    needs: tuple[str, ...] = ()
    # The volume that the cluster removes then.
    follows: Manifest | None = None

    def row(self) -> dict[str, Any]:
        """The removal as results show it."""
        told = {"action": self.action, "what": self.what, "reason": self.reason, "note": self.note or None}
        return {**object_row(self.item), **told}


@dataclass(frozen=True)
class Plan:
    """What is to be removed, and the leftovers that must stay, with the reason as their obstacle."""

    removals: tuple[Removal, ...]
    kept: tuple[Leftover, ...]


def plan_removals(inventory: Inventory, grace: int, delete_retained: bool) -> Plan:
    """What may go: nothing younger than ``grace`` seconds, because a run that is under way makes things in steps."""
    removals: list[Removal] = []
    kept: list[Leftover] = []
    for leftover in find_leftovers(inventory):
        obstacle = leftover.obstacle or _too_young(inventory, leftover, grace) or _retained(leftover, delete_retained)
        if obstacle:
            kept.append(replace(leftover, obstacle=obstacle))
        else:
            removals += _removals_of(leftover, delete_retained)
    once = {(each.action, each.item["metadata"]["uid"]): each for each in removals}
    return Plan(tuple(sorted(once.values(), key=_order)), tuple(kept))


def kept_row(leftover: Leftover) -> dict[str, Any]:
    """A leftover that stays, as results show it."""
    return {**object_row(leftover.item), "what": leftover.what, "kept_because": leftover.obstacle}


def is_retained(volume: Manifest) -> bool:
    """Whether the volume's own policy, behind that of a hand-over, is Retain."""
    return own_policy(volume) == "Retain"


def _too_young(inventory: Inventory, leftover: Leftover, grace: int) -> str:
    age = inventory.seconds_since(leftover.since)
    return "it changed %d s ago, and the grace is %d s" % (age, grace) if age < grace else ""


def _retained(leftover: Leftover, delete_retained: bool) -> str:
    if leftover.what != VOLUME or delete_retained or not is_retained(leftover.item):
        return ""
    return "its policy is Retain, and delete_retained is not set"


def _removals_of(leftover: Leftover, delete_retained: bool) -> Iterable[Removal]:
    item, what, reason = leftover.item, leftover.what, leftover.reason
    if what == VOLUME:
        yield _removal_of_volume(item, reason)
        return
    volume = leftover.volume if leftover.volume and is_managed(leftover.volume) else None
    before: list[Removal] = [
        Removal(DELETE, job, _what_job(job), "the claim that it wrote to goes") for job in leftover.jobs
    ]
    if volume and keys.ANNOTATION_RECLAIM_POLICY in annotations_of(volume):
        before.append(Removal(FOLLOW_POLICY, volume, VOLUME, "its hand-over was begun, and its claim goes"))
    yield from before
    needs = tuple(each.item["metadata"]["uid"] for each in before)
    follows = leftover.volume if leftover.volume and not is_retained(leftover.volume) else None
    yield Removal(DELETE, item, what, reason, _fate_of_volume(leftover, delete_retained), needs, follows)
    if volume and is_retained(volume) and delete_retained:
        yield Removal(DELETE_RETAINED, volume, VOLUME, "its claim goes", DISK_NOTE, (item["metadata"]["uid"],))


def _what_job(job: Manifest) -> str:
    return INSTALL_JOB if made_by(job) != OPERATOR else AGENT_JOB


def _removal_of_volume(volume: Manifest, reason: str) -> Removal:
    if is_retained(volume):
        return Removal(DELETE, volume, VOLUME, reason, DISK_NOTE)
    return Removal(FOLLOW_POLICY, volume, VOLUME, reason, follows=volume)


def _fate_of_volume(leftover: Leftover, delete_retained: bool) -> str:
    volume = leftover.volume
    if not volume:
        return ""
    name = volume["metadata"]["name"]
    if not is_retained(volume):
        return "its volume %s goes with it" % name
    goes = delete_retained and is_managed(volume)
    return "its volume %s goes after it" % name if goes else "its volume %s stays: its policy is Retain" % name


def _order(removal: Removal) -> int:
    """Policies first, then Jobs, claims, and the volumes that are nobody's."""
    if removal.action == FOLLOW_POLICY:
        return 0
    return 1 + ("Job", "PersistentVolumeClaim", "PersistentVolume").index(removal.item["kind"])
