# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plugin volume's life: from what is observed to the next step. Pure.

Private to the collection: not a public interface.

    absent -> installing -> installed -> released -> reserved -> claimed -> ready

Every step is idempotent and safe beside other runs, so the answer depends on the observation
alone: a run that was stopped anywhere is finished by any later one. Two facts carry this:

- The volume itself remembers that its install completed (ANNOTATION_INSTALLED) and for which
  claim (ANNOTATION_CLAIM). The Job, the staging claim and the run that made them may be gone.
- From that note until the plugin claim is bound the volume's policy is Retain, and the policy
  to give back stands beside the note.

Agent configs come in before and after: their records are written first, the plugin claim is made in
their name or joined, and only then do they say that they are ready.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._errors import CollisionError
from ansible_collections.getporter.porter.plugins.module_utils._objects import annotations_of, is_deleting, phase_of
from ansible_collections.getporter.porter.plugins.module_utils._owner_references import added, references_of
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._record import (
    PHASE_INSTALLING,
    AgentConfigRecord,
    claim_of,
    has_status,
    owner_of,
    phase_of_record,
    ready_status,
    says_what_is_wanted,
)

Manifest = Dict[str, Any]

# States, as they are reported.
ABSENT = "absent"
INSTALLING = "installing"
FAILED = "failed"
INSTALLED = "installed"
RELEASED = "released"
RESERVED = "reserved"
CLAIMED = "claimed"
READY = "ready"
INSTALL_STATES = frozenset((ABSENT, INSTALLING, FAILED))

# Actions of steps.
CREATE_STAGING = "create the staging claim"
START_JOB = "start the install Job"
WAIT_JOB = "wait for the install Job"
NOTE_INSTALLED = "note the finished install on the volume"
CLEAR_FAILED = "remove what the failed install left"
DELETE_JOB = "delete the install Job"
DELETE_STAGING = "delete the staging claim"
WAIT_STAGING_GONE = "wait until the staging claim is gone"
DELETE_OLD_JOB = "delete the old install Job"
WAIT_OLD_STAGING_GONE = "wait until the old staging claim is gone"
WAIT_JOB_GONE = "wait until the old install Job is gone"
WAIT_RELEASED = "wait until the volume is released"
KEEP_VOLUME = "set the volume's reclaim policy to Retain"
RESERVE = "reserve the volume for the plugin claim"
WAIT_AVAILABLE = "wait until the reserved volume is available"
CREATE_CLAIM = "create the plugin claim"
WAIT_BOUND = "wait until the plugin claim is bound"
GIVE_BACK_POLICY = "give the volume its reclaim policy back"
DISOWN = "let a superfluous volume follow its reclaim policy"
WAIT_CLAIM_GONE = "wait until the old plugin claim is gone"
DELETE_LOST_CLAIM = "delete the plugin claim whose volume is lost"
REPLACE_CLAIM = "delete the plugin claim that the refreshed volume replaces"
NOTE_OWNERS = "note the plugin claim's owners on the refreshed volume"
WRITE_RECORDS = "write the records of the agent configs"
JOIN = "add what needs the plugin claim to its owners"
NOTE_READY = "note in the records that the agent configs are ready"
BLOCKED = "blocked"
NOTHING = "nothing to do"

# Steps that change nothing but time.
WAITS = frozenset(
    (
        WAIT_JOB,
        WAIT_STAGING_GONE,
        WAIT_OLD_STAGING_GONE,
        WAIT_JOB_GONE,
        WAIT_RELEASED,
        WAIT_AVAILABLE,
        WAIT_BOUND,
        WAIT_CLAIM_GONE,
    )
)

# The steps of a life without detours: first the install, then the hand-over.
INSTALL_COURSE = (CREATE_STAGING, START_JOB, WAIT_JOB, NOTE_INSTALLED)
_HAND_OVER = (
    DELETE_JOB,
    DELETE_STAGING,
    WAIT_STAGING_GONE,
    WAIT_RELEASED,
    RESERVE,
    WAIT_AVAILABLE,
    CREATE_CLAIM,
    WAIT_BOUND,
    GIVE_BACK_POLICY,
)
_USUAL_COURSE = INSTALL_COURSE + _HAND_OVER
# What the agent configs add to it.
_RECORD_ACTIONS = (WRITE_RECORDS, JOIN, NOTE_READY)
HAND_OVER_COURSE = (*_HAND_OVER, JOIN, NOTE_READY)
WHOLE_COURSE = INSTALL_COURSE + HAND_OVER_COURSE


@dataclass(frozen=True)
class Observed:
    """The objects of one plugin volume as the cluster's lists showed them."""

    claim: Manifest | None = None
    staging: Manifest | None = None
    job: Manifest | None = None
    # PersistentVolumes that name this plugin claim in ANNOTATION_CLAIM or that either claim is bound to.
    volumes: tuple[Manifest, ...] = ()
    # The records of the namespace's agent configs, by NAMESPACE/NAME.
    records: Mapping[str, Manifest] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """What to do next, with the object to do it to (as observed: its version is the precondition)."""

    state: str
    action: str
    target: Manifest | None = None
    # For people: why the life cannot go on (BLOCKED) or what is awaited.
    reason: str = ""


def next_step(volume: PluginVolume, seen: Observed, refresh_of: str | None = None) -> Step:
    """The one next step. Raises CollisionError where an object belongs to another plugin set.

    ``refresh_of`` is the uid of the plugin claim that is to be replaced by a new install.
    """
    _refuse_other_sets(volume, seen)
    step = _step_of_volume(volume, seen, refresh_of)
    return step if step.action == BLOCKED else _step_of_records(volume, seen, step) or step


def owners_to_be(volume: PluginVolume, seen: Observed, persistent_volume: Manifest) -> list[dict[str, Any]]:
    """The owner references that the plugin claim is made with: every record that wants it, and before a refresh's
    claim those of the claim that it replaces. An owner that is gone by then is dropped by the garbage collector.

    Of these, ``blockOwnerDeletion`` stays behind: who may not write their owners' finalizers may not set it, and
    would be left without a claim.
    """
    replaced = json.loads(annotations_of(persistent_volume).get(keys.ANNOTATION_OWNERS, "[]"))
    noted = [{key: value for key, value in each.items() if key != "blockOwnerDeletion"} for each in replaced]
    wanting = [owner_of(each) for each in seen.records.values() if claim_of(each) == volume.identity.claim]
    return added(noted, [*volume.owner_references, *wanting]) or noted


def wanted_owners(volume: PluginVolume, seen: Observed) -> list[dict[str, Any]]:
    """The owner references that the volume's agent configs ask for."""
    return [*volume.owner_references, *(owner_of(each) for each in own_records(volume, seen))]


def missing_notes(volume: PluginVolume, claim: Manifest) -> dict[str, str]:
    """The annotations that tell the plugin set from others of its hash, for a claim without: the Porter Operator's.

    What is on its volume is taken for the set of whoever joins it first.
    """
    if keys.ANNOTATION_DIGEST in annotations_of(claim):
        return {}
    return {
        keys.ANNOTATION_DIGEST: volume.identity.document_digest,
        keys.ANNOTATION_DOCUMENT: volume.redacted_document,
    }


def own_records(volume: PluginVolume, seen: Observed) -> list[Manifest]:
    """The records of the volume's agent configs, as far as they exist."""
    return [seen.records[wanted.key] for wanted in volume.records if wanted.key in seen.records]


def outdated_records(volume: PluginVolume, seen: Observed) -> list[AgentConfigRecord]:
    """The agent configs whose records are missing, want something else, or wrongly say that they are ready."""
    ready = ready_volume(seen)
    return [
        wanted
        for wanted in volume.records
        if not says_what_is_wanted(seen.records.get(wanted.key), wanted)
        or not (ready or phase_of_record(seen.records[wanted.key]) == PHASE_INSTALLING)
    ]


def ready_volume(seen: Observed) -> Manifest | None:
    """The volume of a plugin claim that can be mounted: bound both ways, its hand-over done. None: there is none."""
    if not seen.claim or is_deleting(seen.claim) or phase_of(seen.claim) != "Bound" or not _is_bound(seen, seen.claim):
        return None
    bound = _volume_named(seen, seen.claim["spec"]["volumeName"])
    return None if keys.ANNOTATION_RECLAIM_POLICY in annotations_of(bound) else bound


def _step_of_records(volume: PluginVolume, seen: Observed, step: Step) -> Step | None:
    """What the agent configs need before the volume's own next step."""
    if outdated_records(volume, seen):
        return Step(step.state, WRITE_RECORDS)
    bound = ready_volume(seen)
    if not bound or not seen.claim:
        return None
    records = own_records(volume, seen)
    owners = wanted_owners(volume, seen)
    if owners and (added(references_of(seen.claim), owners) or missing_notes(volume, seen.claim)):
        return Step(step.state, JOIN, seen.claim)
    if not all(has_status(each, ready_status(bound)) for each in records):
        return Step(step.state, NOTE_READY, bound)
    return None


def _step_of_volume(volume: PluginVolume, seen: Observed, refresh_of: str | None) -> Step:
    if seen.claim:
        return _with_claim(volume, seen, seen.claim, refresh_of)
    installed = _installed_volume(volume, seen)
    if installed:
        return _hand_over(volume, seen, installed)
    return _install(seen)


def refresh_of(volume: PluginVolume, seen: Observed) -> str | None:
    """The uid of the plugin claim that is to be replaced, where that is wanted and there is one."""
    return seen.claim["metadata"]["uid"] if volume.refresh and seen.claim else None


def current_volume(volume: PluginVolume, seen: Observed) -> Manifest | None:
    """The PersistentVolume that holds the plugins, None before one is known to."""
    if seen.claim:
        return _volume_named(seen, seen.claim["spec"].get("volumeName"))
    return _installed_volume(volume, seen)


def remaining_steps(volume: PluginVolume, seen: Observed, refresh_of: str | None = None) -> list[str]:
    """The actions still to come if all goes well: what check mode tells. Just ``blocked`` where it cannot."""
    _refuse_other_sets(volume, seen)
    actions = _actions_of_volume(volume, seen, refresh_of)
    return actions if actions == [BLOCKED] else _with_actions_of_records(volume, seen, actions)


def _with_actions_of_records(volume: PluginVolume, seen: Observed, actions: list[str]) -> list[str]:
    first = _step_of_records(volume, seen, Step(READY, NOTHING))
    if ready_volume(seen) and REPLACE_CLAIM not in actions:
        rest = _RECORD_ACTIONS[_RECORD_ACTIONS.index(first.action) :] if first else ()
        return [*rest, *actions]
    before = [WRITE_RECORDS] if first and first.action == WRITE_RECORDS else []
    return [*before, *actions, *([NOTE_READY] if volume.records else [])]


def _actions_of_volume(volume: PluginVolume, seen: Observed, refresh_of: str | None) -> list[str]:
    actions = _actions_from(_step_of_volume(volume, seen, refresh_of))
    replaces = CREATE_CLAIM in actions and REPLACE_CLAIM not in actions
    if seen.claim and not is_deleting(seen.claim) and replaces and _is_bound(seen, seen.claim):
        note = [NOTE_OWNERS] if references_of(seen.claim) else []
        actions[actions.index(CREATE_CLAIM) : actions.index(CREATE_CLAIM)] = [*note, REPLACE_CLAIM]
    return actions


def _actions_from(step: Step) -> list[str]:
    if step.action == NOTHING:
        return []
    if step.action == BLOCKED:
        return [BLOCKED]
    if step.state == READY or step.action == GIVE_BACK_POLICY:
        return [step.action]
    if step.action == KEEP_VOLUME:
        return [step.action, *_course_from(DELETE_JOB)]
    if step.state in (ABSENT, FAILED):
        detour = [] if step.action == CREATE_STAGING else [step.action]
        return detour + list(_USUAL_COURSE)
    if step.action == WAIT_JOB_GONE:
        return [step.action, *_course_from(START_JOB)]
    if step.action == NOTE_OWNERS:
        return [NOTE_OWNERS, REPLACE_CLAIM, *_course_from(CREATE_CLAIM)]
    if step.action == REPLACE_CLAIM:
        return [REPLACE_CLAIM, *_course_from(CREATE_CLAIM)]
    if step.action not in _USUAL_COURSE:
        return [step.action, *_USUAL_COURSE]
    return _course_from(step.action)


def _course_from(action: str) -> list[str]:
    return list(_USUAL_COURSE[_USUAL_COURSE.index(action) :])


def job_outcome(job: Manifest) -> bool | None:
    """True: completed; False: failed; None: neither yet.

    Only the terminal conditions count: SuccessCriteriaMet and FailureTarget come before the
    pods have ended, and a Job with failed pods may still complete.
    """
    for condition in (job.get("status") or {}).get("conditions") or []:
        if condition.get("status") == "True" and condition.get("type") in ("Complete", "Failed"):
            return bool(condition["type"] == "Complete")
    return None


def job_belongs_to(job: Manifest, staging: Manifest | None) -> bool:
    """Whether the Job writes through just this staging claim, and not through one of the same name before it."""
    owners = job["metadata"].get("ownerReferences") or []
    return bool(staging) and any(owner["uid"] == staging["metadata"]["uid"] for owner in owners)  # type: ignore[index]


def _with_claim(volume: PluginVolume, seen: Observed, claim: Manifest, refresh_of: str | None) -> Step:
    name = claim["metadata"]["name"]
    if is_deleting(claim):
        return Step(
            ABSENT,
            WAIT_CLAIM_GONE,
            claim,
            "the plugin claim %s is being deleted; pods that mount it finish first" % name,
        )
    phase = phase_of(claim)
    if phase == "Lost":
        return Step(ABSENT, DELETE_LOST_CLAIM, claim, "the volume behind the plugin claim %s no longer exists" % name)
    bound = _volume_named(seen, claim["spec"].get("volumeName"))
    if not bound and claim["spec"].get("volumeName") and phase == "Pending":
        # A claim made again out of a manifest, for example: it would wait for ever, and holds nothing.
        return Step(ABSENT, DELETE_LOST_CLAIM, claim, "the volume that the plugin claim %s names does not exist" % name)
    if not bound and not claim["spec"].get("volumeName"):
        return Step(
            CLAIMED,
            BLOCKED,
            claim,
            "the claim %s is %s and names no volume, so it is not one that this collection made. Delete it "
            "if nothing needs it, and run again" % (name, phase),
        )
    if bound and _waits_for_its_predecessor(volume, bound, claim):
        return Step(RELEASED, RESERVE, bound)
    if phase != "Bound" or not bound or not _bound_to(bound, claim):
        return Step(CLAIMED, WAIT_BOUND, claim, "the plugin claim %s is %s; %s" % (name, phase, _whereabouts(bound)))
    if keys.ANNOTATION_RECLAIM_POLICY in annotations_of(bound):
        return Step(CLAIMED, GIVE_BACK_POLICY, bound)
    return _refresh(volume, seen, claim, bound, refresh_of) or _tidy(seen, bound)


def _refresh(
    volume: PluginVolume, seen: Observed, claim: Manifest, bound: Manifest, refresh_of: str | None
) -> Step | None:
    """The next step of a refresh, of this run or of one that was begun for this claim: every run finishes it.

    Until the new install is complete the claim and its pods go on with the old volume. A claim
    cannot change its volume, so it is then deleted, which waits for the pods that mount it.
    """
    uid = claim["metadata"]["uid"]
    successor = next(
        (each for each in seen.volumes if each is not bound and _replaces(each, uid) and _is_usable(volume, each)), None
    )
    if successor:
        step = _hand_over(volume, seen, successor)
        return step if step.action != CREATE_CLAIM else _replace(claim, successor)
    if seen.staging and _replaces(seen.staging, uid):
        return _install(seen)
    if refresh_of != uid:
        return None
    if seen.job or seen.staging:
        # Left by something else; it would be taken for the refresh's own.
        return _install(Observed(job=seen.job)) if seen.job else _without(seen.staging)
    return Step(INSTALLING, CREATE_STAGING)


def _replace(claim: Manifest, successor: Manifest) -> Step:
    """Its owners are noted first: between the old claim and the new one they would be forgotten."""
    owners = json.dumps(references_of(claim), sort_keys=True)
    if annotations_of(successor).get(keys.ANNOTATION_OWNERS, "[]") != owners:
        return Step(RESERVED, NOTE_OWNERS, successor, owners)
    return Step(RESERVED, REPLACE_CLAIM, claim)


def _without(staging: Manifest | None) -> Step:
    if staging and not is_deleting(staging):
        return Step(INSTALLING, DELETE_STAGING, staging)
    return Step(INSTALLING, WAIT_OLD_STAGING_GONE, staging, "an older staging claim is being deleted")


def _replaces(item: Manifest, claim_uid: str) -> bool:
    return annotations_of(item).get(keys.ANNOTATION_REFRESH_OF) == claim_uid


def _waits_for_its_predecessor(volume: PluginVolume, persistent_volume: Manifest, claim: Manifest) -> bool:
    """The volume still names the claim before this one: the staging claim, or one of the same name, that is gone."""
    return (
        phase_of(claim) == "Pending"
        and phase_of(persistent_volume) == "Released"
        and _is_usable(volume, persistent_volume)
        and _reference(persistent_volume).get("uid") not in (None, "", claim["metadata"]["uid"])
    )


def _tidy(seen: Observed, bound: Manifest) -> Step:
    """The claim is bound both ways: see to what a stopped or late run left, and to volumes before this one."""
    if seen.job and not is_deleting(seen.job):
        return Step(READY, DELETE_JOB, seen.job)
    if seen.staging and not is_deleting(seen.staging):
        return Step(READY, DELETE_STAGING, seen.staging)
    for other in seen.volumes:
        if other is not bound and _is_superfluous(other):
            return Step(READY, DISOWN, other)
    return Step(READY, NOTHING, bound)


def _is_superfluous(other: Manifest) -> bool:
    """Nobody's any more, and kept by its policy: that of a hand-over, or the class's own."""
    notes = annotations_of(other)
    kept = other["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
    return keys.ANNOTATION_INSTALLED in notes and kept and phase_of(other) != "Bound" and not is_deleting(other)


def _installed_volume(volume: PluginVolume, seen: Observed) -> Manifest | None:
    """The volume whose install completed. Of several, the one that is furthest on its way."""
    candidates = [each for each in seen.volumes if _is_usable(volume, each)]
    return max(candidates, key=lambda each: _advancement(volume, each), default=None)


def _advancement(volume: PluginVolume, persistent_volume: Manifest) -> tuple[bool, bool, str, str]:
    """Reserved for the plugin claim, then anyhow named after it, then the newest; the name decides between equals."""
    metadata = persistent_volume["metadata"]
    named = _refers_to(persistent_volume, volume.identity.claim)
    reserved = named and not _reference(persistent_volume).get("uid")
    return reserved, named, metadata.get("creationTimestamp", ""), metadata["name"]


def _is_usable(volume: PluginVolume, persistent_volume: Manifest) -> bool:
    """Installed, nobody else's since, and not about to be reclaimed.

    A released volume with the policy Delete is as good as gone.
    """
    notes = annotations_of(persistent_volume)
    reference = _reference(persistent_volume)
    own = not reference or (
        reference.get("namespace") == volume.namespace
        and reference.get("name") in (volume.identity.claim, volume.identity.staging_claim)
    )
    survives = (
        keys.ANNOTATION_RECLAIM_POLICY in notes
        or persistent_volume["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
    )
    return (
        keys.ANNOTATION_INSTALLED in notes
        and own
        and survives
        and not is_deleting(persistent_volume)
        and phase_of(persistent_volume) != "Failed"
    )


def _hand_over(volume: PluginVolume, seen: Observed, installed: Manifest) -> Step:
    """From installed to claimed. The staging claim goes first: a volume with two claims loses both."""
    if installed["spec"]["persistentVolumeReclaimPolicy"] != "Retain":
        return Step(INSTALLED, KEEP_VOLUME, installed)
    if seen.job and not is_deleting(seen.job):
        return Step(INSTALLED, DELETE_JOB, seen.job)
    if seen.staging:
        if not is_deleting(seen.staging):
            return Step(INSTALLED, DELETE_STAGING, seen.staging)
        return Step(INSTALLED, WAIT_STAGING_GONE, seen.staging, "pods that mount the staging claim end first")
    reference = _reference(installed)
    if _refers_to(installed, volume.identity.claim) and not reference.get("uid"):
        if phase_of(installed) != "Available":
            # The binder compares a new claim with the volume as it last saw it. One that comes too early for it is
            # looked at again in its next full pass only, up to 15 seconds later.
            return Step(RESERVED, WAIT_AVAILABLE, installed, _whereabouts(installed))
        return Step(RESERVED, CREATE_CLAIM, installed)
    if reference.get("uid") and phase_of(installed) != "Released":
        return Step(INSTALLED, WAIT_RELEASED, installed, _whereabouts(installed))
    return Step(RELEASED, RESERVE, installed)


def _install(seen: Observed) -> Step:
    """From nothing to a Job that completed. The staging claim is the anchor: Job and Secret belong to it."""
    job, staging = seen.job, seen.staging
    if staging and is_deleting(staging):
        return _without_staging(job, staging)
    if job and not job_belongs_to(job, staging):
        if is_deleting(job):
            return Step(ABSENT, WAIT_JOB_GONE, job)
        return Step(ABSENT, DELETE_OLD_JOB, job)
    if not staging:
        return Step(ABSENT, CREATE_STAGING)
    if phase_of(staging) == "Lost":
        return Step(FAILED, CLEAR_FAILED, staging, "the staging claim lost its volume")
    if not job:
        return Step(INSTALLING, START_JOB, staging)
    if is_deleting(job):
        return Step(INSTALLING, WAIT_JOB_GONE, job)
    outcome = job_outcome(job)
    if outcome is None:
        return Step(INSTALLING, WAIT_JOB, job)
    return Step(INSTALLING, NOTE_INSTALLED, staging) if outcome else Step(FAILED, CLEAR_FAILED, staging)


def _without_staging(job: Manifest | None, staging: Manifest) -> Step:
    """The staging claim is being deleted, perhaps by hand: as long as the Job has pods, even ended ones, it stays."""
    if job and not is_deleting(job):
        if job_belongs_to(job, staging) and job_outcome(job):
            return Step(INSTALLING, NOTE_INSTALLED, staging)
        return Step(ABSENT, DELETE_OLD_JOB, job)
    return Step(
        ABSENT,
        WAIT_OLD_STAGING_GONE,
        staging,
        "the staging claim %s is being deleted; pods that mount it end first" % staging["metadata"]["name"],
    )


def _refuse_other_sets(volume: PluginVolume, seen: Observed) -> None:
    """The operator's hash gives some distinct plugin sets one name; such volumes are never shared.

    An object without our note is the operator's, which knows nothing better than its hash.
    """
    for item in (seen.claim, seen.staging, seen.job, *seen.volumes):
        noted = annotations_of(item).get(keys.ANNOTATION_DIGEST) if item else None
        if item and noted and noted != volume.identity.document_digest:
            raise CollisionError(
                "%s %s in namespace %s holds another plugin set, %s, whose name the Porter Operator's hash cannot tell "
                "from that of the wanted one, %s. Write one of the two sets differently, for example with an explicit "
                "version or through another kind of source."
                % (
                    item.get("kind", "The object"),
                    item["metadata"]["name"],
                    volume.namespace,
                    annotations_of(item).get(keys.ANNOTATION_DOCUMENT, "?"),
                    volume.redacted_document,
                )
            )


def _volume_named(seen: Observed, name: str | None) -> Manifest | None:
    return next((each for each in seen.volumes if each["metadata"]["name"] == name), None)


def _is_bound(seen: Observed, claim: Manifest) -> bool:
    bound = _volume_named(seen, claim["spec"].get("volumeName"))
    return bool(bound) and _bound_to(bound, claim)  # type: ignore[arg-type]


def _bound_to(persistent_volume: Manifest, claim: Manifest) -> bool:
    return (
        phase_of(persistent_volume) == "Bound" and _reference(persistent_volume).get("uid") == claim["metadata"]["uid"]
    )


def _refers_to(persistent_volume: Manifest, claim_name: str) -> bool:
    return _reference(persistent_volume).get("name") == claim_name


def _reference(persistent_volume: Manifest) -> dict[str, Any]:
    return persistent_volume["spec"].get("claimRef") or {}


def _whereabouts(persistent_volume: Manifest | None) -> str:
    """Where the volume stands, for a wait that takes too long."""
    if not persistent_volume:
        return "its volume is not there"
    reference = _reference(persistent_volume)
    claim = "%s/%s" % (reference.get("namespace"), reference.get("name")) if reference else "no claim"
    return "its volume %s is %s and belongs to %s" % (
        persistent_volume["metadata"]["name"],
        phase_of(persistent_volume),
        claim,
    )
