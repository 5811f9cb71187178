# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""From what is observed of a plugin volume to its next step."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils import _life as life
from ansible_collections.getporter.porter.plugins.module_utils._errors import CollisionError
from ansible_collections.getporter.porter.plugins.module_utils._life import (
    Observed,
    current_volume,
    job_outcome,
    next_step,
    remaining_steps,
)
from ansible_collections.getporter.porter.plugins.module_utils._options import read_volume
from ansible_collections.getporter.porter.plugins.module_utils._record import ready_status

Manifest = dict[str, Any]

WANTED = read_volume(
    {
        "agent_config": "default",
        "namespace": "porter",
        "plugins": {"kubernetes": {"version": "v1.0.1"}},
        "volume_size": "64Mi",
        "agent": {"image": "agent:1"},
    }
)[0]
NAMES = WANTED.identity
GONE = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
INSTALLED = {keys.ANNOTATION_INSTALLED: "{}"}
UNDER_WAY = {**INSTALLED, keys.ANNOTATION_RECLAIM_POLICY: "Delete"}


def claim(phase: str = "Bound", volume_name: str | None = "pv", **metadata: Any) -> Manifest:
    spec = {"volumeName": volume_name} if volume_name else {}
    return {
        "metadata": {"name": NAMES.claim, "namespace": "porter", "uid": "claim", **metadata},
        "spec": spec,
        "status": {"phase": phase},
    }


def staging(phase: str = "Bound", **metadata: Any) -> Manifest:
    found = claim(phase, **metadata)
    found["metadata"].update(name=NAMES.staging_claim, uid="staging")
    return found


def job(*conditions: str, owner: str = "staging", **metadata: Any) -> Manifest:
    return {
        "metadata": {"name": NAMES.job, "uid": "job", "ownerReferences": [{"uid": owner}], **metadata},
        "status": {"conditions": [{"type": condition, "status": "True"} for condition in conditions]},
    }


def volume(
    bound_to: str | None = "claim",
    phase: str = "Bound",
    notes: dict[str, str] | None = None,
    policy: str = "Retain",
    name: str = "pv",
    **metadata: Any,
) -> Manifest:
    claim_name = NAMES.staging_claim if bound_to == "staging" else NAMES.claim
    reference = {"namespace": "porter", "name": claim_name, **({"uid": bound_to} if bound_to else {})}
    return {
        "kind": "PersistentVolume",
        "metadata": {"name": name, "annotations": notes or {}, **metadata},
        "spec": {"claimRef": reference, "persistentVolumeReclaimPolicy": policy},
        "status": {"phase": phase},
    }


READY_VOLUME = volume(notes=INSTALLED, policy="Delete")
STAGED = volume("staging", notes=UNDER_WAY)
RELEASED = volume("staging", "Released", UNDER_WAY)
SUPERFLUOUS = volume("staging", "Released", UNDER_WAY, name="other")

# What is observed, the state and step that follow, the kind of object it is done to.
TABLE: dict[str, tuple[Observed, str, str, str | None]] = {
    # Nothing is installed yet.
    "nothing": (Observed(), life.ABSENT, life.CREATE_STAGING, None),
    "staging": (Observed(staging=staging("Pending")), life.INSTALLING, life.START_JOB, "staging"),
    "running": (Observed(staging=staging(), job=job()), life.INSTALLING, life.WAIT_JOB, "job"),
    "D01-nearly-complete": (
        Observed(staging=staging(), job=job("SuccessCriteriaMet")),
        life.INSTALLING,
        life.WAIT_JOB,
        "job",
    ),
    "D01-nearly-failed": (Observed(staging=staging(), job=job("FailureTarget")), life.INSTALLING, life.WAIT_JOB, "job"),
    "complete": (Observed(staging=staging(), job=job("Complete")), life.INSTALLING, life.NOTE_INSTALLED, "staging"),
    "failed": (Observed(staging=staging(), job=job("Failed")), life.FAILED, life.CLEAR_FAILED, "staging"),
    "staging-lost": (Observed(staging=staging("Lost"), job=job("Complete")), life.FAILED, life.CLEAR_FAILED, "staging"),
    "job-going": (Observed(staging=staging(), job=job(**GONE)), life.INSTALLING, life.WAIT_JOB_GONE, "job"),
    "old-job": (Observed(job=job()), life.ABSENT, life.DELETE_OLD_JOB, "job"),
    "old-job-going": (Observed(job=job(**GONE)), life.ABSENT, life.WAIT_JOB_GONE, "job"),
    "job-of-an-older-staging": (
        Observed(staging=staging(), job=job(owner="older")),
        life.ABSENT,
        life.DELETE_OLD_JOB,
        "job",
    ),
    # The staging claim is being deleted: the Job's pods hold it.
    "staging-going": (Observed(staging=staging(**GONE)), life.ABSENT, life.WAIT_OLD_STAGING_GONE, "staging"),
    "staging-going-job-running": (
        Observed(staging=staging(**GONE), job=job()),
        life.ABSENT,
        life.DELETE_OLD_JOB,
        "job",
    ),
    "staging-going-job-failed": (
        Observed(staging=staging(**GONE), job=job("Failed")),
        life.ABSENT,
        life.DELETE_OLD_JOB,
        "job",
    ),
    "staging-going-job-complete": (
        Observed(staging=staging(**GONE), job=job("Complete")),
        life.INSTALLING,
        life.NOTE_INSTALLED,
        "staging",
    ),
    "staging-going-job-going": (
        Observed(staging=staging(**GONE), job=job(**GONE)),
        life.ABSENT,
        life.WAIT_OLD_STAGING_GONE,
        "staging",
    ),
    # The hand-over.
    "noted": (
        Observed(staging=staging(), job=job("Complete"), volumes=(STAGED,)),
        life.INSTALLED,
        life.DELETE_JOB,
        "job",
    ),
    "noted-job-going": (
        Observed(staging=staging(), job=job("Complete", **GONE), volumes=(STAGED,)),
        life.INSTALLED,
        life.DELETE_STAGING,
        "staging",
    ),
    "noted-all-going": (
        Observed(staging=staging(**GONE), job=job("Complete", **GONE), volumes=(STAGED,)),
        life.INSTALLED,
        life.WAIT_STAGING_GONE,
        "staging",
    ),
    "policy-changed-by-hand": (
        Observed(staging=staging(), volumes=(volume("staging", notes=UNDER_WAY, policy="Delete"),)),
        life.INSTALLED,
        life.KEEP_VOLUME,
        "pv",
    ),
    "staging-gone": (Observed(volumes=(STAGED,)), life.INSTALLED, life.WAIT_RELEASED, "pv"),
    "B04-released": (Observed(volumes=(RELEASED,)), life.RELEASED, life.RESERVE, "pv"),
    "reserved": (
        Observed(volumes=(volume(None, "Available", UNDER_WAY),)),
        life.RESERVED,
        life.CREATE_CLAIM,
        "pv",
    ),
    "reserved-and-not-yet-seen-by-the-binder": (
        Observed(volumes=(volume(None, "Released", UNDER_WAY),)),
        life.RESERVED,
        life.WAIT_AVAILABLE,
        "pv",
    ),
    "binding": (
        Observed(volumes=(volume("claim", "Available", UNDER_WAY),)),
        life.INSTALLED,
        life.WAIT_RELEASED,
        "pv",
    ),
    "retained": (Observed(volumes=(volume("gone", "Released", INSTALLED),)), life.RELEASED, life.RESERVE, "pv"),
    "about-to-be-deleted": (
        Observed(volumes=(volume("gone", "Released", INSTALLED, policy="Delete"),)),
        life.ABSENT,
        life.CREATE_STAGING,
        None,
    ),
    "volume-going": (
        Observed(volumes=(volume("gone", "Released", UNDER_WAY, **GONE),)),
        life.ABSENT,
        life.CREATE_STAGING,
        None,
    ),
    "volume-failed": (
        Observed(volumes=(volume("gone", "Failed", UNDER_WAY),)),
        life.ABSENT,
        life.CREATE_STAGING,
        None,
    ),
    "two-noted": (
        Observed(volumes=(SUPERFLUOUS, volume(None, "Available", UNDER_WAY))),
        life.RESERVED,
        life.CREATE_CLAIM,
        "pv",
    ),
    # The plugin claim exists.
    "claimed": (
        Observed(claim("Pending"), volumes=(volume(None, "Available", UNDER_WAY),)),
        life.CLAIMED,
        life.WAIT_BOUND,
        "claim",
    ),
    "bound-one-way": (
        Observed(claim(), volumes=(volume("other", notes=UNDER_WAY),)),
        life.CLAIMED,
        life.WAIT_BOUND,
        "claim",
    ),
    "bound": (Observed(claim(), volumes=(volume(notes=UNDER_WAY),)), life.CLAIMED, life.GIVE_BACK_POLICY, "pv"),
    "ready": (Observed(claim(), volumes=(READY_VOLUME,)), life.READY, life.NOTHING, "pv"),
    "ready-operator": (Observed(claim(), volumes=(volume(policy="Delete"),)), life.READY, life.NOTHING, "pv"),
    "ready-with-job": (
        Observed(claim(), staging(), job(), (READY_VOLUME,)),
        life.READY,
        life.DELETE_JOB,
        "job",
    ),
    "ready-with-staging": (
        Observed(claim(), staging(), job(**GONE), (READY_VOLUME,)),
        life.READY,
        life.DELETE_STAGING,
        "staging",
    ),
    "ready-with-staging-going": (
        Observed(claim(), staging(**GONE), None, (READY_VOLUME,)),
        life.READY,
        life.NOTHING,
        "pv",
    ),
    "ready-with-another": (
        Observed(claim(), volumes=(SUPERFLUOUS, READY_VOLUME)),
        life.READY,
        life.DISOWN,
        "other",
    ),
    "ready-with-another-bound": (
        Observed(claim(), volumes=(volume("staging", "Bound", UNDER_WAY, name="other"), READY_VOLUME)),
        life.READY,
        life.NOTHING,
        "pv",
    ),
    "lost": (Observed(claim("Lost")), life.ABSENT, life.DELETE_LOST_CLAIM, "claim"),
    "B21-no-such-volume": (Observed(claim("Pending")), life.ABSENT, life.DELETE_LOST_CLAIM, "claim"),
    "claim-going": (Observed(claim(**GONE), volumes=(READY_VOLUME,)), life.ABSENT, life.WAIT_CLAIM_GONE, "claim"),
    "claim-made-again": (
        Observed(claim("Pending"), volumes=(volume("older", "Released", INSTALLED),)),
        life.RELEASED,
        life.RESERVE,
        "pv",
    ),
    "claim-made-before-the-reservation": (
        Observed(claim("Pending"), volumes=(RELEASED,)),
        life.RELEASED,
        life.RESERVE,
        "pv",
    ),
    "claim-made-again-too-late": (
        Observed(claim("Pending"), volumes=(volume("older", "Released", INSTALLED, policy="Delete"),)),
        life.CLAIMED,
        life.WAIT_BOUND,
        "claim",
    ),
    "not-ours": (Observed(claim("Pending", None)), life.CLAIMED, life.BLOCKED, "claim"),
}


@pytest.mark.parametrize("case", TABLE)
def test_the_next_step(case: str) -> None:
    seen, state, action, target = TABLE[case]
    before = copy.deepcopy(seen)
    step = next_step(WANTED, seen)
    assert (step.state, step.action) == (state, action)
    objects = {"claim": seen.claim, "staging": seen.staging, "job": seen.job}
    objects.update({each["metadata"]["name"]: each for each in seen.volumes})
    assert step.target is (objects[target] if target else None)
    assert seen == before


@pytest.mark.parametrize("case", [name for name, row in TABLE.items() if row[2] in (life.WAIT_BOUND, life.BLOCKED)])
def test_a_claim_that_cannot_be_bound_says_why(case: str) -> None:
    reason = next_step(WANTED, TABLE[case][0]).reason
    assert NAMES.claim in reason
    assert "Delete it" in reason or "its volume pv is" in reason


INSTALL = list(life.INSTALL_COURSE)
# Without what agent configs add.
HAND_OVER = [action for action in life.HAND_OVER_COURSE if action not in (life.JOIN, life.NOTE_READY)]
STEPS: dict[str, list[str]] = {
    "nothing": INSTALL + HAND_OVER,
    "staging": INSTALL[1:] + HAND_OVER,
    "running": INSTALL[2:] + HAND_OVER,
    "complete": INSTALL[3:] + HAND_OVER,
    "failed": [life.CLEAR_FAILED, *INSTALL, *HAND_OVER],
    "old-job": [life.DELETE_OLD_JOB, *INSTALL, *HAND_OVER],
    "job-going": [life.WAIT_JOB_GONE, *INSTALL[1:], *HAND_OVER],
    "staging-going": [life.WAIT_OLD_STAGING_GONE, *INSTALL, *HAND_OVER],
    "staging-going-job-complete": INSTALL[3:] + HAND_OVER,
    "noted": HAND_OVER,
    "noted-job-going": HAND_OVER[1:],
    "noted-all-going": HAND_OVER[2:],
    "policy-changed-by-hand": [life.KEEP_VOLUME, *HAND_OVER],
    "staging-gone": HAND_OVER[3:],
    "B04-released": HAND_OVER[4:],
    "reserved-and-not-yet-seen-by-the-binder": HAND_OVER[5:],
    "reserved": HAND_OVER[6:],
    "claimed": HAND_OVER[7:],
    "bound": HAND_OVER[8:],
    "ready": [],
    "ready-with-job": [life.DELETE_JOB],
    "ready-with-staging": [life.DELETE_STAGING],
    "ready-with-another": [life.DISOWN],
    "lost": [life.DELETE_LOST_CLAIM, *INSTALL, *HAND_OVER],
    "claim-going": [life.WAIT_CLAIM_GONE, *INSTALL, *HAND_OVER],
    "not-ours": [life.BLOCKED],
}


@pytest.mark.parametrize("case", STEPS)
def test_the_remaining_steps(case: str) -> None:
    assert remaining_steps(WANTED, TABLE[case][0]) == STEPS[case]


@pytest.mark.parametrize("case", TABLE)
def test_the_remaining_steps_begin_with_the_next_and_name_none_twice(case: str) -> None:
    seen, _state, action, _target = TABLE[case]
    steps = remaining_steps(WANTED, seen)
    assert steps[:1] == ([] if action == life.NOTHING else [action])
    assert len(set(steps)) == len(steps)


@pytest.mark.parametrize(
    ("case", "name"),
    [
        ("nothing", None),
        ("running", None),
        ("noted", "pv"),
        ("two-noted", "pv"),
        ("ready-with-another", "pv"),
        ("lost", None),
    ],
)
def test_the_volume_that_holds_the_plugins(case: str, name: str | None) -> None:
    found = current_volume(WANTED, TABLE[case][0])
    assert (found and found["metadata"]["name"]) == name


@pytest.mark.parametrize(
    ("conditions", "outcome"),
    [
        (None, None),
        ([], None),
        ([{"type": "Complete", "status": "True"}], True),
        ([{"type": "Failed", "status": "True"}], False),
        ([{"type": "Complete", "status": "False"}], None),
        ([{"type": "Suspended", "status": "True"}], None),
        ([{"type": "FailureTarget", "status": "True"}, {"type": "Failed", "status": "True"}], False),
    ],
    ids=["none", "empty", "complete", "failed", "not-true", "suspended", "after-interim"],
)
def test_d01_the_outcome_of_a_job(conditions: list[Manifest] | None, outcome: bool | None) -> None:
    assert job_outcome({"status": {"conditions": conditions}}) is outcome
    # Failed pods do not decide.
    assert job_outcome({"status": {"conditions": conditions, "failed": 1, "succeeded": 1}}) is outcome


@pytest.mark.parametrize("place", ["claim", "staging", "job", "volume"])
@pytest.mark.parametrize(("digest", "refused"), [("other", True), (NAMES.document_digest, False), (None, False)])
def test_a03_another_plugin_set_is_refused_wherever_it_is_noted(place: str, digest: str | None, refused: bool) -> None:
    parts = {"claim": claim(), "staging": staging(), "job": job(), "volume": copy.deepcopy(READY_VOLUME)}
    if digest:
        notes = {keys.ANNOTATION_DIGEST: digest, keys.ANNOTATION_DOCUMENT: "the other document"}
        parts[place]["metadata"].setdefault("annotations", {}).update(notes)
    seen = Observed(parts["claim"], parts["staging"], parts["job"], (parts["volume"],))
    if not refused:
        assert next_step(WANTED, seen).state == life.READY
        return
    with pytest.raises(CollisionError, match="Write one of the two sets differently") as caught:
        next_step(WANTED, seen)
    assert "the other document" in caught.value.message
    assert "v1.0.1" in caught.value.message


def test_c02_owners_of_a_replaced_claim_are_taken_over_without_what_takes_rights_to_them() -> None:
    """``controller`` needs none; whoever may not write the owners' finalizers may not set ``blockOwnerDeletion``."""
    owner = {"apiVersion": "getporter.org/v1", "kind": "AgentConfig", "name": "team", "uid": "u", "controller": True}
    noted = volume(notes={keys.ANNOTATION_OWNERS: json.dumps([{**owner, "blockOwnerDeletion": True}])})
    assert life.owners_to_be(WANTED, Observed(), noted) == [owner]


@pytest.mark.parametrize(("notes", "reason"), [({}, "Adopted"), ({keys.ANNOTATION_INSTALLED: "{}"}, "Bound")])
def test_a_record_tells_a_volume_of_another_making(notes: dict[str, str], reason: str) -> None:
    status = ready_status(volume(notes=notes))
    assert (status.phase, status.reason, status.volume, status.plugins) == ("Ready", reason, "pv", {})
    assert bool(status.message) == (reason == "Adopted")
