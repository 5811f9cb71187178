# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is left over: objects that were made for plugins or agent actions and that nobody needs any more. Pure.

Private to the collection: not a public interface.

Nothing without the label ``getporter.org/managed: "true"`` is ever a leftover. In doubt an object is none,
or is one that must be kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Dict, Iterable, Sequence

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._inventory import (
    OPERATOR,
    PLUGIN_CLAIM,
    STAGING_CLAIM,
    TEMPORARY_CLAIM,
    WORK_VOLUME,
    Inventory,
    Owner,
    claim_kind,
    made_by,
    moment,
    plugin_key,
)
from ansible_collections.getporter.porter.plugins.module_utils._life import job_outcome
from ansible_collections.getporter.porter.plugins.module_utils._manifests import is_reserved
from ansible_collections.getporter.porter.plugins.module_utils._objects import (
    annotations_of,
    claims_in,
    is_deleting,
    is_managed,
    key_of,
    labels_of,
    phase_of,
)

Manifest = Dict[str, Any]

INSTALL_JOB = "install Job"
AGENT_JOB = "agent Job"
VOLUME = "volume"


@dataclass(frozen=True)
class Leftover:
    """An object that nobody needs, as far as the lists tell."""

    item: Manifest
    # What it is, and why nobody needs it.
    what: str
    reason: str
    # When it last changed in a way that shows.
    since: datetime
    # Why it must stay all the same; empty: it may go.
    obstacle: str = ""
    owners: tuple[Owner, ...] = ()
    mounted_by: tuple[str, ...] = ()
    # The PersistentVolume behind a claim, and the Jobs that wrote to it and go with it.
    volume: Manifest | None = None
    jobs: tuple[Manifest, ...] = ()


def find_leftovers(inventory: Inventory) -> list[Leftover]:
    """Everything that is left over: claims, then Jobs, then volumes."""
    listed = inventory.listed
    found = [_claim(inventory, each) for each in listed.claims if is_managed(each)]
    gone_along = {job["metadata"]["uid"] for each in found if each for job in each.jobs}
    jobs = [each for each in listed.jobs if is_managed(each) and each["metadata"]["uid"] not in gone_along]
    found += [_job(inventory, each) for each in jobs]
    found += [_volume(inventory, each) for each in listed.volumes if is_managed(each)]
    return [each for each in found if each]


def _claim(inventory: Inventory, claim: Manifest) -> Leftover | None:
    kind = claim_kind(claim)
    if kind == PLUGIN_CLAIM:
        return _plugin_claim(inventory, claim)
    if kind == STAGING_CLAIM:
        return _staging_claim(inventory, claim)
    if kind in (TEMPORARY_CLAIM, WORK_VOLUME):
        return _claim_of_operator(inventory, claim, kind)
    return None


def _plugin_claim(inventory: Inventory, claim: Manifest) -> Leftover | None:
    if inventory.wanted_by(key_of(claim), claim) or any(owner.exists for owner in inventory.owners(claim)):
        return None
    what = PLUGIN_CLAIM if made_by(claim) != OPERATOR else "%s of the %s" % (PLUGIN_CLAIM, OPERATOR)
    return _of_claim(inventory, claim, what, "no agent config wants it")


def _staging_claim(inventory: Inventory, claim: Manifest) -> Leftover | None:
    """Ours. A run that wants its plugin claim goes on with it, whatever state it is in."""
    key = plugin_key(claim)
    job = inventory.jobs.get(key + "-install")
    lost = phase_of(claim) == "Lost"
    under_way = bool(job) and job_outcome(job) is None and not lost  # type: ignore[arg-type]
    if under_way or _in_use(inventory, key, claim):
        return None
    reason = "it lost its volume" if lost else "no agent config wants the plugin claim that it is for"
    goes_along = job and _is_install_job(job) and not _living_owners_apart_from(inventory, job, claim)
    return _of_claim(inventory, claim, STAGING_CLAIM, reason, [job] if job and goes_along else [])


def _is_install_job(job: Manifest) -> bool:
    return is_managed(job) and labels_of(job).get(keys.LABEL_COMPONENT) == keys.COMPONENT_STAGING


def _living_owners_apart_from(inventory: Inventory, job: Manifest, claim: Manifest) -> list[Owner]:
    """Owners that are there or may be there, besides the claim."""
    uid = claim["metadata"]["uid"]
    return [owner for owner in inventory.owners(job) if owner.uid != uid and owner.exists is not False]


def _claim_of_operator(inventory: Inventory, claim: Manifest, kind: str) -> Leftover:
    """The operator gives neither its temporary claims nor its work volumes back, so that all of them are left over."""
    if phase_of(claim) == "Lost":
        reason = "it lost its volume"
    elif kind == WORK_VOLUME:
        reason = "made for one %s, and not removed after it" % labels_of(claim)[keys.LABEL_RESOURCE_KIND]
    else:
        reason = "plugins were installed through it"
    jobs = [each for each in inventory.listed.jobs if _mounts(each, claim) and _is_ended_agent_job(inventory, each)]
    return _of_claim(inventory, claim, "%s of the %s" % (kind, OPERATOR), reason, jobs)


def _of_claim(inventory: Inventory, claim: Manifest, what: str, reason: str, jobs: Sequence[Manifest] = ()) -> Leftover:
    mounted_by = inventory.mounted_by(claim, apart_from=[each["metadata"]["uid"] for each in jobs])
    owners, volume = inventory.owners(claim), inventory.volume_of(claim)
    obstacle = _being_deleted(claim) or _owned(owners) or _wished(inventory, claim) or _mounted(mounted_by)
    return Leftover(
        item=claim,
        what=what,
        reason=reason,
        since=max(_last_change(each) for each in (claim, volume, *jobs) if each),
        obstacle=obstacle,
        owners=tuple(owners),
        mounted_by=tuple(mounted_by or ()),
        volume=volume,
        jobs=tuple(jobs),
    )


def _mounts(job: Manifest, claim: Manifest) -> bool:
    names = claims_in(job["spec"]["template"]["spec"])
    return job["metadata"]["namespace"] == claim["metadata"]["namespace"] and claim["metadata"]["name"] in names


def _is_ended_agent_job(inventory: Inventory, job: Manifest) -> bool:
    """One that the operator made for an action, that has ended, and whose owner is gone."""
    made = is_managed(job) and labels_of(job).get(keys.LABEL_JOB_TYPE) == keys.JOB_TYPE_AGENT
    ended = job_outcome(job) is not None and not is_deleting(job)
    return made and ended and all(owner.exists is False for owner in inventory.owners(job))


def _job(inventory: Inventory, job: Manifest) -> Leftover | None:
    """A Job that ended and whose owner is gone; the cluster removes it with its owner, unless that was taken off."""
    if _is_ended_agent_job(inventory, job):
        return _of_job(job, "%s of the %s" % (AGENT_JOB, OPERATOR))
    if (
        not _is_install_job(job)
        or job_outcome(job) is None
        or is_deleting(job)
        or _in_use(inventory, plugin_key(job), job)
    ):
        return None
    return _of_job(job, INSTALL_JOB) if all(owner.exists is False for owner in inventory.owners(job)) else None


def _of_job(job: Manifest, what: str) -> Leftover:
    return Leftover(item=job, what=what, reason="it ended, and nothing owns it", since=_last_change(job))


def _volume(inventory: Inventory, volume: Manifest) -> Leftover | None:
    """A volume that is bound to nothing. One that a wanted plugin claim can still take up is none."""
    phase, key = phase_of(volume), plugin_key(volume)
    if phase not in ("Released", "Available", "Failed") or is_deleting(volume) or not key:
        return None
    may_be_taken_up = keys.ANNOTATION_INSTALLED in annotations_of(volume) or is_reserved(volume)
    if inventory.is_named_by_record(key, volume) or (may_be_taken_up and _in_use(inventory, key, volume)):
        return None
    if phase == "Released" and volume["spec"].get("persistentVolumeReclaimPolicy") != "Retain":
        # The cluster is about to reclaim it.
        return None
    return Leftover(
        item=volume,
        what=VOLUME,
        reason="%s, and no agent config wants its plugin claim %s" % (phase, key),
        since=_last_change(volume),
        obstacle=_not_reclaimed(volume) or _unseen_wish(inventory, volume),
    )


def _in_use(inventory: Inventory, key: str, item: Manifest) -> bool:
    """Whether anybody wants the plugin claim of this key, or owns it or may do so."""
    if inventory.wanted_by(key, item):
        return True
    claim = inventory.claims.get(key)
    return bool(claim) and any(owner.exists is not False for owner in inventory.owners(claim))  # type: ignore[arg-type]


def _being_deleted(item: Manifest) -> str:
    return "it is being deleted already" if is_deleting(item) else ""


def _owned(owners: Iterable[Owner]) -> str:
    living = [str(owner) for owner in owners if owner.exists]
    if living:
        return "owned by %s: delete that, and it goes by itself" % ", ".join(living)
    unknown = [str(owner) for owner in owners if owner.exists is None]
    if unknown:
        return "nobody can tell whether its owner %s is there: this account may not list such objects" % unknown[0]
    return ""


def _wished(inventory: Inventory, claim: Manifest) -> str:
    wanted_by = inventory.wanted_by(key_of(claim), claim)
    return "agent config %s names it" % wanted_by[0] if wanted_by else _unseen_wish(inventory, claim)


def _unseen_wish(inventory: Inventory, item: Manifest) -> str:
    """The operator's plugin claims can be wanted by AgentConfig objects that are no owners."""
    operators = made_by(item) == OPERATOR and keys.LABEL_PLUGINS_HASH in labels_of(item)
    if operators and inventory.listed.agent_configs is None:
        return "an AgentConfig object may want it, and this account may not list them"
    return ""


def _mounted(mounted_by: list[str] | None) -> str:
    if mounted_by is None:
        return "a pod may mount it, and this account may not list pods"
    return "mounted by pod %s" % ", ".join(mounted_by) if mounted_by else ""


def _not_reclaimed(volume: Manifest) -> str:
    if phase_of(volume) != "Failed":
        return ""
    return "the cluster could not reclaim it: %s" % (
        (volume.get("status") or {}).get("message") or "it does not say why"
    )


def _last_change(item: Manifest) -> datetime:
    """The newest of the times that a claim, Job or volume tells."""
    status = item.get("status") or {}
    told = [item["metadata"].get("creationTimestamp"), status.get("lastPhaseTransitionTime")]
    told += [condition.get("lastTransitionTime") for condition in status.get("conditions") or []]
    return max(moment(text) for text in told)
