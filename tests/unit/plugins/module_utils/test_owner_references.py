# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Owner references: what is added and removed, and the JSON patch that does it, by tables and by properties."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._owner_references import (
    PATH,
    Change,
    Owner,
    added,
    joining,
    leaving,
    patch_of,
    read_owner,
    read_wish,
    references_of,
    removed,
    shown,
    uids_of,
)
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.plugins.json_patch import DoesNotApplyError, applied

Reference = dict[str, Any]


def ref(name: str, uid: str, kind: str = "ConfigMap", api_version: str = "v1", **flags: bool) -> Reference:
    return {"apiVersion": api_version, "kind": kind, "name": name, "uid": uid, **flags}


def claim(*references: Reference, **metadata: Any) -> dict[str, Any]:
    own = {"ownerReferences": list(references)} if references else {}
    return {"metadata": {"name": "c", "uid": "claim", "finalizers": ["a", "b"], **own, **metadata}}


FOREIGN = ref("x", "x1", kind="AgentConfig", api_version="getporter.org/v1", controller=True, blockOwnerDeletion=True)
ONE, TWO = ref("one", "u1"), ref("two", "u2")

# Few names and uids, so that they meet; the API server takes two references of one uid if their flags differ.
references = st.builds(
    ref,
    name=st.sampled_from(["one", "two"]),
    uid=st.sampled_from(["u1", "u2", "u3", "u4"]),
    kind=st.sampled_from(["ConfigMap", "AgentConfig"]),
    api_version=st.sampled_from(["v1", "getporter.org/v1", "getporter.org/v1beta1"]),
) | st.sampled_from([FOREIGN, {**ONE, "blockOwnerDeletion": True}])
lists = st.lists(references, max_size=5, unique_by=lambda each: sorted(each.items()).__repr__())
# Of one name there is one object, with one uid.
owners = st.lists(
    st.sampled_from([ONE, TWO, ref("one", "u3", kind="AgentConfig", api_version="getporter.org/v1")]),
    unique_by=lambda each: each["uid"],
)


def as_set(items: list[Reference]) -> list[str]:
    return sorted(repr(sorted(each.items())) for each in items)


def unnamed(items: list[Reference], names: list[Owner]) -> list[Reference]:
    """The references to none of these."""
    return [each for each in items if not any(uids_of([each], name) for name in names)]


@given(before=lists, wanted=owners, block=st.booleans())
def test_what_is_added_is_there_once_and_what_is_not_stale_stays(
    before: list[Reference], wanted: list[Reference], block: bool
) -> None:
    after = added(before, wanted, block)
    result = before if after is None else after
    names = [Owner(owner["apiVersion"], owner["kind"], owner["name"]) for owner in wanted]
    for owner, name in zip(wanted, names, strict=True):
        assert set(uids_of(result, name)) == {owner["uid"]}
    assert unnamed(result, names) == unnamed(before, names)
    assert added(result, wanted, block) is None


@given(before=lists, uids=st.sets(st.sampled_from(["u1", "u2", "u5", "x1"])))
def test_what_is_removed_is_gone_and_the_others_stay(before: list[Reference], uids: set[str]) -> None:
    after = removed(before, uids)
    if after is None:
        assert not uids & {each["uid"] for each in before}
    else:
        assert after == [each for each in before if each["uid"] not in uids] != before
        assert removed(after, uids) is None


@given(before=lists, after=lists)
def test_a_patch_makes_exactly_the_new_references(before: list[Reference], after: list[Reference]) -> None:
    """E05: and nothing else, finalizers included."""
    old = claim(*before)
    patch = patch_of(old, after)
    new = applied(old, patch)
    assert as_set(references_of(new)) == as_set(after)
    new["metadata"].pop("ownerReferences", None)
    old["metadata"].pop("ownerReferences", None)
    assert new == old
    assert (patch == []) is (as_set(before) == as_set(after))


@given(before=lists, after=lists, meanwhile=lists)
def test_c04_a_patch_holds_only_for_the_references_that_were_read(
    before: list[Reference], after: list[Reference], meanwhile: list[Reference]
) -> None:
    patch = patch_of(claim(*before), after)
    if not patch:
        return
    assert patch[0]["op"] == "test"
    if meanwhile == before:
        applied(claim(*meanwhile), patch)
        return
    with pytest.raises(DoesNotApplyError):
        applied(claim(*meanwhile), patch)


def test_a_patch_holds_only_for_the_claim_that_was_read() -> None:
    patch = patch_of(claim(ONE), [ONE, TWO])
    with pytest.raises(DoesNotApplyError):
        applied(claim(ONE, uid="made anew"), patch)


@given(before=lists, after=lists)
def test_c07_what_is_new_is_added_before_anything_is_removed(before: list[Reference], after: list[Reference]) -> None:
    names = [each["op"] for each in patch_of(claim(*before), after) if each["op"] != "test"]
    assert names == sorted(names), names


@given(before=lists, after=lists)
def test_c04_each_removal_tests_the_uid_that_it_removes(before: list[Reference], after: list[Reference]) -> None:
    patch = patch_of(claim(*before), after)
    for test, operation in itertools.pairwise(patch):
        if operation["op"] == "remove":
            assert test["op"] == "test"
            assert test["path"] == operation["path"] + "/uid"


def test_the_patch_of_a_first_owner() -> None:
    assert patch_of(claim(), [ONE]) == [
        {"op": "test", "path": "/metadata/uid", "value": "claim"},
        {"op": "test", "path": PATH, "value": None},
        {"op": "add", "path": PATH, "value": [ONE]},
    ]


NOTES = {"getporter.org/a": "1", "b~c": "2"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, NOTES),
        ({"other": "x"}, {"other": "x", **NOTES}),
        ({"other": "x", "b~c": "1"}, {"other": "x", **NOTES}),
    ],
    ids=["none", "others", "another-value"],
)
@pytest.mark.parametrize("references", [[ONE], [ONE, TWO]], ids=["same-owners", "another-owner"])
def test_annotations_come_with_the_references(before: Any, after: Any, references: list[Reference]) -> None:
    old = claim(ONE)
    if before:
        old["metadata"]["annotations"] = before
    patch = patch_of(old, references, NOTES)
    new = applied(old, patch)
    assert (new["metadata"]["annotations"], references_of(new)) == (after, references)
    assert patch_of(new, references, NOTES) == []
    other = {**old, "metadata": {**old["metadata"], "annotations": {**(before or {}), "b~c": "other"}}}
    with pytest.raises(DoesNotApplyError):
        applied(other, patch)


def test_annotations_of_a_claim_without_owners() -> None:
    assert applied(claim(), patch_of(claim(), [], NOTES))["metadata"] == {**claim()["metadata"], "annotations": NOTES}


def test_c07_the_patch_that_replaces_a_stale_uid() -> None:
    before = [ref("one", "old"), FOREIGN]
    after = added(before, [ONE])
    assert after == [FOREIGN, ONE]
    assert patch_of(claim(*before), after or []) == [
        {"op": "test", "path": "/metadata/uid", "value": "claim"},
        {"op": "test", "path": PATH, "value": before},
        {"op": "add", "path": PATH + "/-", "value": ONE},
        {"op": "test", "path": PATH + "/0/uid", "value": "old"},
        {"op": "remove", "path": PATH + "/0"},
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (ref("a", "1"), ref("a", "2"), True),
        (ref("a", "1", api_version="g/v1"), ref("a", "2", api_version="g/v1beta1"), True),
        (ref("a", "1"), ref("a", "2", api_version="g/v1"), False),
        (ref("a", "1"), ref("a", "2", kind="Secret"), False),
        (ref("a", "1"), ref("b", "2"), False),
    ],
    ids=["same", "other-version", "other-group", "other-kind", "other-name"],
)
def test_c07_stale_is_who_has_the_group_kind_and_name(one: Reference, other: Reference, same: bool) -> None:
    assert added([one], [other]) == ([other] if same else [one, other])


def test_c02_the_flag_is_set_only_on_request_and_taken_from_nobody() -> None:
    """C02: nor is a reference that has the flag made one without."""
    assert added([], [ONE]) == [ONE]
    flagged = {**ONE, "blockOwnerDeletion": True}
    assert added([], [ONE], block_owner_deletion=True) == [flagged]
    assert added([ONE, TWO], [ONE], block_owner_deletion=True) == [flagged, TWO]
    assert added([flagged], [ONE]) is None


def test_a_name_stands_for_all_its_uids_and_a_uid_for_one() -> None:
    items = [ref("one", "old"), ONE, TWO, FOREIGN]
    assert uids_of(items, Owner("v1", "ConfigMap", "one")) == ["old", "u1"]
    assert uids_of(items, Owner("v1", "ConfigMap", "one", "u1")) == ["u1"]
    assert uids_of(items, Owner("v1", "ConfigMap", "one", "u2")) == []
    assert uids_of(items, Owner("getporter.org/v2", "AgentConfig", "x")) == ["x1"]


OURS = {"labels": {"getporter.org/managed": "true"}}


def test_the_last_one_to_leave_deletes_our_claim_in_one_write() -> None:
    assert leaving(claim(ONE, **OURS), [Owner("v1", "ConfigMap", "one")], True, "n/c") == Change([], delete=True)


def test_a_claim_without_owners_is_deleted_when_that_is_wanted() -> None:
    """What a run that was stopped between two writes left."""
    assert leaving(claim(**OURS), [], True, "n/c").delete
    assert leaving(claim(**OURS), [], False, "n/c") == Change([], [])


def test_a_claim_that_others_own_is_kept() -> None:
    change = leaving(claim(ONE, TWO, **OURS), [Owner("v1", "ConfigMap", "one")], True, "n/c")
    assert (change.references, change.delete) == ([TWO], False)


@pytest.mark.parametrize("labels", [None, {}, {"getporter.org/managed": "false"}])
def test_a_claim_that_is_not_ours_is_never_deleted(labels: Any) -> None:
    change = leaving(claim(ONE, labels=labels), [Owner("v1", "ConfigMap", "one")], True, "n/c")
    assert not change.delete
    assert change.references == []
    assert [each["op"] for each in change.patch] == ["test", "test", "test", "remove"]
    assert "not labelled getporter.org/managed=true" in change.warning


def test_a_claim_on_its_way_out_is_not_deleted_again() -> None:
    change = leaving(claim(ONE, deletionTimestamp="now", **OURS), [Owner("v1", "ConfigMap", "one")], True, "n/c")
    assert change == Change([])


def test_leaving_what_is_gone_is_nothing() -> None:
    assert leaving(None, [Owner("v1", "ConfigMap", "one")], True, "n/c") == Change([])
    assert leaving(claim(TWO), [Owner("v1", "ConfigMap", "one")], False, "n/c") == Change([TWO], [])


@pytest.mark.parametrize(
    ("item", "owner", "words"),
    [
        (None, ONE, "There is no claim n/c"),
        (claim(deletionTimestamp="now"), ONE, "n/c is being deleted"),
        (claim(), ref("c", "claim", kind="PersistentVolumeClaim"), "n/c cannot own itself"),
    ],
    ids=["missing", "going", "itself"],
)
def test_who_cannot_join_is_told(item: Any, owner: Reference, words: str) -> None:
    with pytest.raises(InputError, match=words):
        joining(item, [owner], False, "n/c")


def test_joining_again_is_nothing() -> None:
    assert joining(claim(FOREIGN, ONE), [ONE], False, "n/c") == Change([FOREIGN, ONE])


def test_what_is_blank_is_not_set() -> None:
    """Surveys hand over empty text for a question left open."""
    given = {"api_version": " ", "kind": None, "name": " a ", "uid": "", "namespace": ""}
    assert read_owner(given, "n") == Owner("v1", "ConfigMap", "a")
    assert read_owner({"name": "a", "namespace": "n", "uid": "u"}, "n").uid == "u"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"name": " "}, "An owner of kind ConfigMap has no name. Give"),
        ({"name": "a", "api_version": "getporter.org/v1/agentconfigs"}, "VERSION or GROUP/VERSION"),
        ({"name": "a", "api_version": "/v1"}, "VERSION or GROUP/VERSION"),
        ({"name": "a", "namespace": "m"}, "of namespace m cannot own claims of namespace n"),
    ],
    ids=["no-name", "path", "no-group", "c01-elsewhere"],
)
def test_an_owner_that_cannot_be_is_refused(given: dict[str, Any], words: str) -> None:
    """C01."""
    with pytest.raises(InputError, match=words):
        read_owner(given, "n")


@pytest.mark.parametrize(("key", "value"), [("namespace", "No_Namespace"), ("claims", ["C_1"])])
def test_a_name_that_cannot_be_is_refused(key: str, value: Any) -> None:
    options = {
        "namespace": "n",
        "claims": ["c"],
        "owners": [{"name": "a"}],
        "state": "absent",
        "block_owner_deletion": False,
        "delete_unowned": True,
    }
    wish = read_wish(options)
    assert (wish.claims, wish.present, wish.delete_unowned) == (["c"], False, True)
    with pytest.raises(InputError, match="RFC 1123"):
        read_wish({**options, key: value})


def test_a_row_tells_the_flags_always() -> None:
    row = {"api_version": "v1", "kind": "ConfigMap", "name": "one", "uid": "u1"}
    assert shown(ONE) == {**row, "controller": False, "block_owner_deletion": False}
    assert shown(FOREIGN)["controller"] is shown(FOREIGN)["block_owner_deletion"] is True
