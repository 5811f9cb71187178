# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""From leftovers to removals: what goes, in which order, and what never does."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._inventory import Inventory, moment
from ansible_collections.getporter.porter.plugins.module_utils._manifests import let_go
from ansible_collections.getporter.porter.plugins.module_utils._prune import Plan, plan_removals
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.plugins.objects import (
    AGENT_CONFIG,
    CLAIM,
    CONFIG_MAP,
    INSTALLED,
    MANAGED,
    NOTES,
    OLD,
    OPERATORS,
    OURS,
    SET,
    STAGING,
    TEMPORARY,
    UNDER_WAY,
    WORK,
    YOUNG,
    bound,
    claim,
    inventory,
    job,
    owned_by,
    pod,
    record,
    staging,
    volume,
)

Manifest = dict[str, Any]
GRACE = 600
OTHER = "porter-" + "b" * 32
AGENT_JOB = {**WORK, keys.LABEL_JOB_TYPE: keys.JOB_TYPE_AGENT}


def plan(delete_retained: bool = False, **lists: Any) -> Plan:
    return plan_removals(inventory(**lists), GRACE, delete_retained)


def told(found: Plan) -> list[tuple[str, str]]:
    return [(each.action, each.item["metadata"]["name"]) for each in found.removals]


def obstacles(found: Plan) -> list[str]:
    return [each.obstacle for each in found.kept]


# --- what goes, in which order ---


def test_a_claim_goes_and_its_volume_with_it() -> None:
    found = plan(claims=[claim()], volumes=[bound()])
    assert told(found) == [("delete", CLAIM)]
    assert found.removals[0].row() == {
        "action": "delete",
        "kind": "PersistentVolumeClaim",
        "namespace": "porter",
        "name": CLAIM,
        "what": "plugin claim",
        "reason": "no agent config wants it",
        "note": "its volume pv goes with it",
    }
    assert found.removals[0].follows == bound()


def test_of_a_stopped_install_the_job_goes_first_and_the_volume_follows_its_own_policy() -> None:
    """The install was noted, so that the volume's policy is Retain; its own stands in the note."""
    behind = bound("pv", CLAIM + "-staging", "Retain", annotations=UNDER_WAY)
    found = plan(claims=[staging()], jobs=[job()], volumes=[behind])
    assert told(found) == [
        ("let it follow its reclaim policy", "pv"),
        ("delete", CLAIM + "-install"),
        ("delete", CLAIM + "-staging"),
    ]
    assert set(found.removals[2].needs) == {"PersistentVolume-pv", f"Job-{CLAIM}-install"}
    assert found.removals[2].note == "its volume pv goes with it"
    assert found.removals[2].follows == behind
    assert found.removals[0].follows is None


def test_a_job_that_wrote_to_two_claims_goes_once_and_before_both() -> None:
    """As the operator's installs do: one claim for the plugins and one to work in."""
    writer = job("Complete", "action", AGENT_JOB, writes_to="w")
    writer["spec"]["template"]["spec"]["volumes"].append({"persistentVolumeClaim": {"claimName": "t"}})
    found = plan(jobs=[writer], claims=[claim("t", SET, annotations=TEMPORARY), claim("w", WORK)])
    assert told(found) == [("delete", "action"), ("delete", "t"), ("delete", "w")]


def test_an_unlabelled_volume_is_never_named_but_its_fate_is() -> None:
    found = plan(True, claims=[claim("w", WORK)], volumes=[bound("pv", "w", "Retain", labels={})])
    assert told(found) == [("delete", "w")]
    assert found.removals[0].note == "its volume pv stays: its policy is Retain"


def test_a_volume_that_the_claim_names_but_that_is_another_s_is_let_alone() -> None:
    """As two claims of one volume end: one has it, the other is Lost."""
    others = bound("pv", OTHER, "Retain", annotations={keys.ANNOTATION_RECLAIM_POLICY: "Delete"})
    found = plan(True, claims=[claim(phase="Lost")], volumes=[others])
    assert told(found) == [("delete", CLAIM)]


def test_b19_a_retained_volume_stays_unless_it_is_asked_for() -> None:
    lists: dict[str, Any] = {"volumes": [volume(annotations=INSTALLED)]}
    assert told(plan(**lists)) == []
    assert obstacles(plan(**lists)) == ["its policy is Retain, and delete_retained is not set"]
    asked = plan(True, **lists)
    assert told(asked) == [("delete", "pv")]
    assert asked.removals[0].note == "the disk behind it may remain: its policy is Retain"


def test_b19_a_retained_volume_goes_after_its_claim() -> None:
    lists: dict[str, Any] = {"claims": [claim()], "volumes": [bound(policy="Retain")]}
    (stays,) = plan(**lists).removals
    assert stays.note == "its volume pv stays: its policy is Retain"
    first, then = plan(True, **lists).removals
    assert (first.note, first.follows) == ("its volume pv goes after it", None)
    assert (then.action, then.item["metadata"]["name"]) == ("delete the retained volume", "pv")
    assert then.needs == (first.item["metadata"]["uid"],)


@pytest.mark.parametrize("uid, phase", [("gone", "Released"), (None, "Available")])
def test_a_volume_that_a_hand_over_kept_follows_its_own_policy(uid: str | None, phase: str) -> None:
    kept = volume(uid=uid, phase=phase, annotations=UNDER_WAY)
    (removal,) = plan(volumes=[kept]).removals
    assert (removal.action, removal.follows) == ("let it follow its reclaim policy", kept)


def test_the_policy_is_given_back_and_the_notes_go() -> None:
    patch = let_go(volume(annotations=UNDER_WAY))
    assert patch["spec"] == {"persistentVolumeReclaimPolicy": "Delete"}
    assert patch["metadata"]["resourceVersion"] == "7"
    assert set(patch["metadata"]["annotations"].values()) == {None}


def test_a_reserved_volume_counts_as_released_by_the_uid_of_a_claim_that_cannot_be_there() -> None:
    patch = let_go(volume(uid=None, phase="Available", annotations=UNDER_WAY))
    assert patch["spec"]["claimRef"] == {"uid": "PersistentVolume-pv"}


YOUNG_ONES: dict[str, dict[str, Any]] = {
    "claim-with-a-volume-that-was-just-made": {
        "claims": [staging()],
        "volumes": [bound("pv", CLAIM + "-staging", age=60)],
    },
    "claim": {"claims": [claim(age=YOUNG)]},
    "claim-with-a-job-that-has-just-ended": {"claims": [staging()], "jobs": [job(ended=YOUNG)]},
    "job": {"jobs": [job(ended=YOUNG)]},
    "volume": {"volumes": [volume(age=YOUNG, annotations=UNDER_WAY)]},
    "volume-that-was-just-released": {"volumes": [volume(changed=YOUNG, annotations=UNDER_WAY)]},
}


@pytest.mark.parametrize("case", YOUNG_ONES)
def test_what_is_younger_than_the_grace_stays(case: str) -> None:
    found = plan(**YOUNG_ONES[case])
    assert told(found) == []
    assert obstacles(found) == ["it changed 60 s ago, and the grace is 600 s"]


def test_what_must_stay_says_why() -> None:
    assert obstacles(plan(claims=[claim()], pods=[pod()])) == ["mounted by pod a"]


# --- what never goes ---

NAMES = st.sampled_from([CLAIM, OTHER, CLAIM + "-staging", "default-abcde", "data"])
LABELS = st.sampled_from(
    [None, {}, MANAGED, SET, OPERATORS, OURS, STAGING, WORK, AGENT_JOB, {**OURS, keys.LABEL_MANAGED: "false"}]
)
ANNOTATIONS = st.sampled_from([{}, NOTES, INSTALLED, UNDER_WAY, TEMPORARY])
# Mostly such that something goes: what never does must be shown of what could.
AGES = st.sampled_from([OLD, OLD, OLD, OLD, GRACE, GRACE - 1, 0])
SOME_OWNERS = st.lists(
    st.sampled_from([owned_by(AGENT_CONFIG, "a"), owned_by(AGENT_CONFIG, "b"), owned_by(CONFIG_MAP, "c")]),
    max_size=2,
    unique_by=lambda owner: owner["uid"],
)
OWNERS: st.SearchStrategy[Any] = st.one_of(st.just([]), st.just([]), SOME_OWNERS)
UIDS = st.sampled_from(
    [None, frozenset(), frozenset({"AgentConfig-a"}), frozenset({"AgentConfig-b", "ConfigMap-c"})],
)
LIVING = st.fixed_dictionaries({}, optional={AGENT_CONFIG: UIDS, CONFIG_MAP: UIDS})

CLAIMS = st.lists(
    st.builds(
        claim,
        NAMES,
        LABELS,
        age=AGES,
        phase=st.sampled_from(["Bound", "Lost", "Pending"]),
        volume=st.sampled_from(["pv", "other", ""]),
        annotations=ANNOTATIONS,
        ownerReferences=OWNERS,
    ),
    max_size=4,
    unique_by=lambda item: item["metadata"]["name"],
)
JOBS = st.lists(
    st.builds(
        job,
        st.sampled_from([None, "Complete", "Failed"]),
        st.sampled_from([CLAIM + "-install", OTHER + "-install", "action"]),
        LABELS,
        AGES,
        ownerReferences=OWNERS,
        writes_to=NAMES,
    ),
    max_size=3,
    unique_by=lambda item: item["metadata"]["name"],
)
VOLUMES = st.lists(
    st.builds(
        volume,
        st.sampled_from(["pv", "other"]),
        NAMES,
        st.sampled_from([None, "gone", "PersistentVolumeClaim-" + CLAIM]),
        st.sampled_from(["Bound", "Released", "Available", "Failed"]),
        st.sampled_from(["Retain", "Delete"]),
        AGES,
        LABELS,
        annotations=ANNOTATIONS,
    ),
    max_size=2,
    unique_by=lambda item: item["metadata"]["name"],
)
SOME_RECORDS = st.lists(
    st.builds(record, st.sampled_from("xy"), st.sampled_from([None, CLAIM, OTHER]), volume=st.sampled_from(["", "pv"])),
    max_size=2,
    unique_by=lambda item: item["metadata"]["name"],
)
RECORDS: st.SearchStrategy[Any] = st.one_of(st.just([]), SOME_RECORDS)
SOME_PODS = st.lists(st.builds(pod, NAMES, st.sampled_from("pq")), max_size=2)
PODS: st.SearchStrategy[Any] = st.one_of(st.just([]), st.just([]), st.none(), SOME_PODS)
INVENTORIES = st.builds(
    inventory,
    jobs=JOBS,
    claims=CLAIMS,
    records=RECORDS,
    volumes=VOLUMES,
    pods=PODS,
    agent_configs=st.sampled_from([(), (), None]),
    living=LIVING,
)


def mounts(found: Inventory, item: Manifest) -> bool:
    """Whether a pod mounts the claim, or nobody can tell."""
    pods = found.listed.pods
    names = [each["spec"]["volumes"][1]["persistentVolumeClaim"]["claimName"] for each in pods or ()]
    return pods is None or item["metadata"]["name"] in names


def owner_is_certainly_gone(found: Inventory, owner: Manifest) -> bool:
    uids = (found.listed.living or {}).get((owner["apiVersion"], owner["kind"]))
    return uids is not None and owner["uid"] not in uids


@settings(max_examples=200, deadline=None)
@given(found=INVENTORIES, delete_retained=st.booleans())
def test_nothing_goes_that_is_owned_wanted_mounted_young_or_not_labelled(
    found: Inventory, delete_retained: bool
) -> None:
    """The rules, each asked of every removal by itself and of nothing but the objects."""
    removals = plan_removals(found, GRACE, delete_retained).removals
    going = {each.item["metadata"]["uid"] for each in removals}
    wanted = {each["data"]["claim"] for each in found.listed.records} - {""}
    for removal in removals:
        item, metadata = removal.item, removal.item["metadata"]
        assert metadata["labels"][keys.LABEL_MANAGED] == "true"
        assert found.listed.now.timestamp() - _made(item) >= GRACE
        assert metadata["name"] not in wanted
        if item["kind"] == "PersistentVolumeClaim":
            assert not mounts(found, item)
            assert removal.action == "delete"
        if item["kind"] == "Job":
            assert item["status"]["conditions"] or _is_lost(found, item)
        if item["kind"] == "PersistentVolume" and item["status"]["phase"] == "Bound":
            assert item["spec"]["claimRef"].get("uid") in going
        for owner in metadata.get("ownerReferences") or []:
            assert owner["uid"] in going or owner_is_certainly_gone(found, owner)
        assert set(removal.needs) <= going


def _made(item: Manifest) -> float:
    return moment(item["metadata"]["creationTimestamp"]).timestamp()


def _is_lost(found: Inventory, item: Manifest) -> bool:
    staging_claim = found.claims.get("porter/" + item["metadata"]["name"].replace("-install", "-staging"))
    return bool(staging_claim) and staging_claim["status"]["phase"] == "Lost"  # type: ignore[index]


@settings(max_examples=200, deadline=None)
@given(found=INVENTORIES)
def test_a_retained_volume_goes_only_when_it_is_asked_for(found: Inventory) -> None:
    """B19."""
    for removal in plan_removals(found, GRACE, delete_retained=False).removals:
        if removal.item["kind"] == "PersistentVolume":
            notes, spec = removal.item["metadata"]["annotations"], removal.item["spec"]
            assert removal.action == "let it follow its reclaim policy"
            own = notes.get(keys.ANNOTATION_RECLAIM_POLICY, spec["persistentVolumeReclaimPolicy"])
            assert own == "Delete"


@settings(max_examples=100, deadline=None)
@given(found=INVENTORIES, delete_retained=st.booleans())
def test_each_leftover_goes_or_stays_with_a_reason(found: Inventory, delete_retained: bool) -> None:
    result = plan_removals(found, GRACE, delete_retained)
    kept = [each.item["metadata"]["uid"] for each in result.kept]
    gone = [each.item["metadata"]["uid"] for each in result.removals if each.action == "delete"]
    assert not set(kept) & set(gone)
    assert all(each.obstacle for each in result.kept)
    assert len(gone) == len(set(gone))
