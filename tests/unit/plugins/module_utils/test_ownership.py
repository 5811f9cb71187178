# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Claims and their owners on a model of Kubernetes: many at once, with conflicts, and stopped at any request."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _ownership
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ApiError,
    ConflictError,
    InputError,
    PorterError,
    UnreachableError,
)
from ansible_collections.getporter.porter.plugins.module_utils._owner_references import Owner, Wish
from ansible_collections.getporter.porter.plugins.module_utils._ownership import ClaimChange, Ownership, outcome
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.plugins.fake_cluster import FakeApi, FakeCluster, Killed

OURS = {"getporter.org/managed": "true"}
FOREIGN = {
    "apiVersion": "getporter.org/v1",
    "kind": "AgentConfig",
    "name": "x",
    "uid": "x1",
    "controller": True,
    "blockOwnerDeletion": True,
}


class Scene:
    """Claims c0, c1, … and ConfigMaps a0, a1, … in namespace n."""

    def __init__(self, claims: int = 1, owners: int = 1, labels: dict[str, str] | None = None) -> None:
        self.cluster = FakeCluster()
        self.api = FakeApi(self.cluster)
        self.slept: list[float] = []
        self.claims = [f"c{number}" for number in range(claims)]
        self.owners = [Owner("v1", "ConfigMap", f"a{number}") for number in range(owners)]
        for owner in self.owners:
            self.make_owner(owner.name)
        for name in self.claims:
            self.make_claim(name, OURS if labels is None else labels)

    def make_owner(self, name: str) -> str:
        body = {"kind": "ConfigMap", "metadata": {"name": name, "namespace": "n"}}
        return str(self.cluster.create("configmaps", body)["metadata"]["uid"])

    def make_claim(self, name: str, labels: dict[str, str]) -> None:
        metadata = {"name": name, "namespace": "n", "labels": labels, "finalizers": ["kubernetes.io/pvc-protection"]}
        self.cluster.create("persistentvolumeclaims", {"metadata": metadata, "spec": {"volumeName": "v"}})

    def remove(self, plural: str, name: str) -> None:
        del self.cluster.objects[plural, "n", name]

    def claim(self, name: str = "c0") -> Any:
        return self.cluster.objects["persistentvolumeclaims", "n", name]

    def owners_of(self, name: str = "c0") -> list[str]:
        return [each["name"] for each in self.claim(name)["metadata"].get("ownerReferences") or []]

    def bring_about(self, api: FakeApi | None = None, only_foresee: bool = False, **wish: Any) -> list[ClaimChange]:
        wanted = Wish(**{"namespace": "n", "claims": self.claims, "owners": self.owners, **wish})
        how = {"only_foresee": only_foresee, "sleep": self.slept.append}
        return Ownership(api or self.api, wanted, **how).bring_about()  # type: ignore[arg-type]

    def join(self, **wish: Any) -> list[ClaimChange]:
        return self.bring_about(**wish)

    def leave(self, **wish: Any) -> list[ClaimChange]:
        return self.bring_about(present=False, **wish)

    def before_each(self, what: str, *acts: Callable[[], object]) -> None:
        """Do one of the acts before each request of this name, as someone beside this run would."""
        left = iter(acts)

        def act(request: str) -> None:
            if request == what:
                next(left, lambda: None)()

        self.api.before = act

    def touch(self, name: str = "c0") -> None:
        """Someone else's owner comes: the claim is not as it was read."""
        references = self.claim(name)["metadata"].setdefault("ownerReferences", [])
        references.append({**FOREIGN, "uid": f"x{len(references)}", "name": f"x{len(references)}"})
        self.cluster._touch(self.claim(name))


def test_many_owners_on_many_claims_with_two_reads() -> None:
    scene = Scene(claims=3, owners=4)
    result = outcome(scene.join())
    assert result["changed"]
    for name in scene.claims:
        assert scene.owners_of(name) == ["a0", "a1", "a2", "a3"]
    assert scene.api.requests == 2 + 3
    assert scene.api.writes == ["patch persistentvolumeclaims"] * 3


def test_a_second_run_writes_nothing() -> None:
    scene = Scene(claims=3, owners=2)
    scene.join()
    scene.api.requests, scene.api.writes = 0, []
    result = outcome(scene.join())
    assert (result["changed"], result["diff"], scene.api.writes, scene.api.requests) == (False, [], [], 2)
    assert [len(each["owners"]) for each in result["claims"]] == [2, 2, 2]


def test_a_claim_named_twice_comes_once() -> None:
    scene = Scene()
    assert [each.name for each in scene.join(claims=["c0", "c0"])] == ["c0"]


def test_c03_owners_of_others_stay_with_their_flags() -> None:
    """C03, C04, E05: and so do the finalizers."""
    scene = Scene()
    scene.claim()["metadata"]["ownerReferences"] = [copy.deepcopy(FOREIGN)]
    scene.join()
    assert scene.claim()["metadata"]["ownerReferences"][0] == FOREIGN
    scene.leave(delete_unowned=True)
    assert scene.claim()["metadata"]["ownerReferences"] == [FOREIGN]
    assert scene.claim()["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]


def test_c07_a_stale_uid_is_replaced_in_one_write() -> None:
    scene = Scene()
    scene.join()
    scene.remove("configmaps", "a0")
    uid = scene.make_owner("a0")
    scene.api.writes = []
    result = outcome(scene.join())
    assert [each["uid"] for each in result["claims"][0]["owners"]] == [uid]
    assert scene.api.writes == ["patch persistentvolumeclaims"]


@pytest.mark.parametrize("what", ["get persistentvolumeclaims", "get configmaps", "patch persistentvolumeclaims"])
def test_c07_an_owner_made_anew_meanwhile_is_not_taken_for_the_stale_one(what: str) -> None:
    scene = Scene()
    scene.join()
    scene.claim()["metadata"]["ownerReferences"][0]["uid"] = "stale"

    def another_run() -> None:
        scene.remove("configmaps", "a0")
        scene.make_owner("a0")
        scene.bring_about(api=FakeApi(scene.cluster))

    scene.before_each(what, another_run)
    (change,) = scene.join()
    uid = scene.cluster.objects["configmaps", "n", "a0"]["metadata"]["uid"]
    assert [each["uid"] for each in change.after] == [uid]
    assert [each["uid"] for each in scene.claim()["metadata"]["ownerReferences"]] == [uid]


# --- what is refused, before anything is written ---


def going(scene: Scene, plural: str, name: str) -> None:
    scene.cluster.objects[plural, "n", name]["metadata"]["deletionTimestamp"] = "now"


@pytest.mark.parametrize(
    ("spoil", "wish", "words"),
    [
        (
            lambda scene: scene.remove("configmaps", "a1"),
            {},
            "There is no ConfigMap a1 in namespace n .v1.. An owner must",
        ),
        (lambda scene: going(scene, "configmaps", "a1"), {}, "ConfigMap a1 in namespace n is being deleted"),
        (lambda scene: scene.remove("persistentvolumeclaims", "c1"), {}, "There is no claim n/c1"),
        (lambda scene: going(scene, "persistentvolumeclaims", "c1"), {}, "The claim n/c1 is being deleted"),
        (lambda _scene: None, {"owners": [Owner("v1", "PersistentVolume", "v")]}, "A PersistentVolume belongs to no"),
        (lambda _scene: None, {"owners": [Owner("v1", "ConfigMap", "a0", "old")]}, "has the uid .*-uid, not old"),
        (lambda _scene: None, {"owners": [Owner("v1", "PersistentVolumeClaim", "c1")]}, "n/c1 cannot own itself"),
        (lambda _scene: None, {"owners": [Owner("v1", "configmap", "a0")]}, "no kind configmap"),
    ],
    ids=["c01-no-owner", "owner-going", "no-claim", "claim-going", "c08-cluster", "c07-uid", "itself", "no-kind"],
)
@pytest.mark.parametrize("only_foresee", [False, True])
def test_what_cannot_be_is_refused_before_anything_is_written(
    spoil: Callable[[Scene], object], wish: dict[str, Any], words: str, only_foresee: bool
) -> None:
    """C01, C07, C08: check mode says the same."""
    scene = Scene(claims=2, owners=2)
    spoil(scene)
    with pytest.raises(InputError, match=words):
        scene.join(only_foresee=only_foresee, **wish)
    assert scene.api.writes == []


def test_all_claims_that_cannot_have_owners_are_named() -> None:
    scene = Scene(claims=3)
    scene.remove("persistentvolumeclaims", "c0")
    going(scene, "persistentvolumeclaims", "c2")
    with pytest.raises(InputError, match=r"n/c0.*n/c2"):
        scene.join()


# --- leaving ---


def test_c05_with_the_last_owner_goes_the_claim() -> None:
    scene = Scene(owners=2)
    scene.join()
    first, second = scene.owners
    result = outcome(scene.leave(owners=[first], delete_unowned=True))
    assert (result["claims"][0]["deleted"], scene.owners_of()) == (False, ["a1"])
    result = outcome(scene.leave(owners=[second], delete_unowned=True))
    assert result["claims"][0] == {"name": "c0", "owners": [], "changed": True, "deleted": True, "error": None}
    assert scene.claim()["metadata"]["deletionTimestamp"]
    # A pod may hold the claim up: a second run does not delete it again.
    assert not outcome(scene.leave(delete_unowned=True))["changed"]
    scene.cluster.settle()
    assert scene.cluster.of("persistentvolumeclaims") == []
    assert not outcome(scene.leave(delete_unowned=True))["changed"]


def test_c05_without_the_wish_the_claim_is_kept() -> None:
    scene = Scene()
    scene.join()
    assert outcome(scene.leave())["changed"]
    scene.cluster.settle()
    assert scene.owners_of() == []
    assert not outcome(scene.leave())["changed"]


def test_owners_that_are_gone_can_leave_and_are_not_looked_up() -> None:
    scene = Scene(owners=2)
    scene.join()
    scene.remove("configmaps", "a0")
    scene.api.requests = 0
    scene.leave(owners=[scene.owners[0]])
    assert scene.owners_of() == ["a1"]
    assert scene.api.requests == 2


def test_with_a_uid_only_that_one_leaves() -> None:
    scene = Scene()
    scene.join()
    uid = scene.claim()["metadata"]["ownerReferences"][0]["uid"]
    assert not outcome(scene.leave(owners=[Owner("v1", "ConfigMap", "a0", "another")]))["changed"]
    assert outcome(scene.leave(owners=[Owner("v1", "ConfigMap", "a0", uid)]))["changed"]


def test_what_is_not_labelled_ours_is_not_deleted_and_that_is_told() -> None:
    scene = Scene(labels={})
    scene.join()
    (change,) = scene.leave(delete_unowned=True)
    assert (change.changed, change.deleted, scene.owners_of()) == (True, False, [])
    assert "n/c0 has no owner left. It is not labelled" in change.warning


def test_c05_a_claim_that_someone_joins_at_the_last_moment_is_not_deleted() -> None:
    scene = Scene()
    scene.join()
    scene.before_each("delete persistentvolumeclaims", scene.touch)
    (change,) = scene.leave(delete_unowned=True)
    assert (change.changed, change.deleted, scene.owners_of()) == (True, False, ["x1"])
    assert "deletionTimestamp" not in scene.claim()["metadata"]


@pytest.mark.parametrize("what", ["get persistentvolumeclaims", "list persistentvolumeclaims"])
def test_nothing_is_done_on_the_strength_of_a_read_that_failed(what: str) -> None:
    scene = Scene(claims=2 if what.startswith("list") else 1)
    scene.join()
    scene.api.writes = []
    scene.api.refuse = lambda request: request == what
    with pytest.raises(ApiError, match="forbidden"):
        scene.leave(delete_unowned=True)
    assert scene.api.writes == []


# --- check mode and diff ---


@pytest.mark.parametrize("present", [True, False])
def test_what_is_foreseen_is_what_is_done(present: bool) -> None:
    scene = Scene(claims=2, owners=2)
    if not present:
        scene.join()
        scene.make_claim("c2", {})
    scene.api.writes = []
    wish: dict[str, Any] = {
        "present": present,
        "delete_unowned": True,
        "claims": [each["metadata"]["name"] for each in scene.cluster.of("persistentvolumeclaims")],
    }
    foreseen = outcome(scene.bring_about(only_foresee=True, **wish))
    assert scene.api.writes == []
    assert foreseen["changed"]
    assert outcome(scene.bring_about(**wish)) == foreseen


def test_the_diff_shows_the_owners_before_and_after() -> None:
    scene = Scene(claims=2)
    scene.join(claims=["c0"])
    (diff,) = outcome(scene.join())["diff"]
    assert diff["before_header"] == diff["after_header"] == "claim c1"
    assert diff["before"] == {"owners": []}
    assert [each["name"] for each in diff["after"]["owners"]] == ["a0"]
    gone = outcome(scene.leave(claims=["c0"], delete_unowned=True))["diff"][0]
    assert [each["name"] for each in gone["before"]["owners"]] == ["a0"]
    assert gone["after"] == {}


# --- conflicts, and runs beside this one ---


@pytest.mark.parametrize("conflicts", [1, 5, _ownership.MOST_ROUNDS - 1])
def test_e06_conflicts_are_got_over_from_a_fresh_read(conflicts: int) -> None:
    scene = Scene()
    scene.before_each("patch persistentvolumeclaims", *[scene.touch] * conflicts)
    result = outcome(scene.join())
    assert result["changed"]
    assert scene.owners_of() == [f"x{number}" for number in range(conflicts)] + ["a0"]
    # What the task did, not what others did meanwhile.
    assert len(result["diff"][0]["before"]["owners"]) == conflicts


def test_e06_only_the_claim_with_the_conflict_is_read_and_written_again() -> None:
    scene = Scene(claims=3)
    scene.before_each("patch persistentvolumeclaims", lambda: None, lambda: scene.touch("c1"))
    assert outcome(scene.join())["changed"]
    assert scene.api.writes == ["patch persistentvolumeclaims"] * 3
    # A list and an owner, three writes, and the one claim, the owner and the write again.
    assert scene.api.requests == 2 + 3 + 3


def test_e06_conflicts_without_end_are_told() -> None:
    scene = Scene(claims=2)
    scene.before_each(
        "patch persistentvolumeclaims", *[lambda: scene.touch("c0"), lambda: None], *[lambda: scene.touch("c0")] * 1000
    )
    with pytest.raises(
        PorterError, match="The claim n/c0 was changed by others at each of 50 tries: run again"
    ) as caught:
        outcome(scene.join())
    assert scene.api.requests < 1000
    rows = caught.value.result["claims"]
    assert [row["changed"] for row in rows] == [False, True]
    assert caught.value.result["changed"]
    assert scene.owners_of("c1") == ["a0"]


def test_a_claim_that_goes_under_way_fails_alone() -> None:
    scene = Scene(claims=2)
    scene.before_each("patch persistentvolumeclaims", lambda: scene.remove("persistentvolumeclaims", "c0"))
    with pytest.raises(PorterError, match="There is no claim n/c0") as caught:
        outcome(scene.join())
    assert [bool(row["error"]) for row in caught.value.result["claims"]] == [True, False]
    assert scene.owners_of("c1") == ["a0"]


def test_an_owner_that_goes_under_way_is_told() -> None:
    scene = Scene()

    def both() -> None:
        scene.touch()
        scene.remove("configmaps", "a0")

    scene.before_each("patch persistentvolumeclaims", both)
    with pytest.raises(PorterError, match="There is no ConfigMap a0") as caught:
        outcome(scene.join())
    assert scene.owners_of() == ["x0"]
    assert [each["name"] for each in caught.value.result["claims"][0]["owners"]] == ["x0"]


def test_what_was_changed_before_a_later_read_failed_is_told() -> None:
    scene = Scene(claims=2)
    scene.before_each("patch persistentvolumeclaims", scene.touch)
    scene.api.refuse = lambda what: what == "get persistentvolumeclaims"
    with pytest.raises(PorterError, match="get persistentvolumeclaims is forbidden") as caught:
        outcome(scene.join())
    assert caught.value.result["changed"]
    assert [bool(row["error"]) for row in caught.value.result["claims"]] == [True, False]


def test_a_claim_that_cannot_be_written_does_not_stop_the_others() -> None:
    scene = Scene(claims=3)
    turns = itertools.count()
    scene.api.refuse = lambda what: what.startswith("patch") and next(turns) == 1
    with pytest.raises(PorterError, match="patch persistentvolumeclaims is forbidden") as caught:
        outcome(scene.join())
    assert [scene.owners_of(name) for name in scene.claims] == [["a0"], [], ["a0"]]
    rows = caught.value.result["claims"]
    assert [len(row["owners"]) for row in rows] == [1, 0, 1]
    assert caught.value.as_result()["status"] == 403


def test_a_cluster_that_ceases_to_answer_ends_the_run() -> None:
    scene = Scene(claims=2)

    def before(what: str) -> None:
        if what.startswith("patch"):
            raise UnreachableError("no answer")

    scene.api.before = before
    with pytest.raises(UnreachableError):
        scene.join()


def test_c04_two_who_leave_at_once_are_both_gone() -> None:
    scene = Scene(owners=2)
    scene.join()
    first, second = scene.owners
    scene.before_each(
        "patch persistentvolumeclaims",
        lambda: scene.bring_about(api=FakeApi(scene.cluster), present=False, owners=[second]),
    )
    (change,) = scene.leave(owners=[first])
    assert (change.after, scene.owners_of()) == ([], [])


@given(data=st.data())
def test_c05_at_each_moment_a_claim_has_its_owners_or_is_going(data: st.DataObject) -> None:
    """C05, E06: runs of four owners, each stopped at any request and run again, in any order."""
    scene = Scene(owners=4)
    in_force: set[str] = set()
    for _turn in range(8):
        owner, present = data.draw(st.sampled_from(scene.owners)), data.draw(st.booleans())
        in_force = in_force | {owner.name} if present else in_force - {owner.name}
        kill_at, answered = data.draw(st.integers(1, 4)), data.draw(st.booleans())
        wish: dict[str, Any] = {"owners": [owner], "present": present, "delete_unowned": True}
        with suppress(Killed):
            scene.bring_about(api=FakeApi(scene.cluster, kill_at=kill_at, answered=answered), **wish)
        is_going = "deletionTimestamp" in scene.claim()["metadata"]
        if not is_going:
            scene.bring_about(**wish)
            is_going = "deletionTimestamp" in scene.claim()["metadata"]
        assert is_going is (not in_force)
        if is_going:
            return
        assert set(scene.owners_of()) == in_force


def test_what_the_cluster_says_last_is_told_where_every_try_is_refused() -> None:
    scene = Scene()

    def refuse(what: str) -> None:
        if what.startswith("patch"):
            raise ConflictError(422, "Invalid", "a webhook says no")

    scene.api.before = refuse
    with pytest.raises(PorterError, match="a webhook says no"):
        outcome(scene.join())
    assert max(scene.slept) == _ownership.MOST_INTERVAL
