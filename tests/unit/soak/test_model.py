# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The soak's model: what is drawn, what it must come to, and that a difference is seen."""

from __future__ import annotations

import copy
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.faults.kinds import ERRORS, KILLED_AFTER, KILLED_BEFORE, KILLS
from tests.soak.model import (
    ABSENT,
    AGENT_CONFIGS,
    NO_PLUGINS,
    PLUGIN_SETS,
    Round,
    expected_state,
    farewell,
    observed_state,
    rounds,
)

CLAIMS = {name: f"porter-{name}" for name in PLUGIN_SETS}
SEEDS = st.integers(0, 10**6)


def first(seed: int, count: int = 30) -> list[Round]:
    return list(islice(rounds(seed), count))


def test_a_seed_is_the_same_rounds_again() -> None:
    assert first(7) == first(7) != first(8)


@given(SEEDS)
def test_what_is_drawn_can_be_played(seed: int) -> None:
    for each in first(seed):
        assert 0 < len(each.wishes) <= len(AGENT_CONFIGS)
        assert not set(each.wishes) & set(each.beside), "two runs that want different things have no one end"
        assert (each.fault is None) == (each.turn == 0)
        assert set(each.again) == (set(each.wishes) if each.fault in KILLS else set())


def test_everything_is_drawn() -> None:
    drawn = first(1, 300)
    assert {each.fault for each in drawn} == {None, *KILLS, *ERRORS}
    wishes = {wish for each in drawn for wishes in (each.wishes, each.beside, each.again) for wish in wishes.values()}
    assert wishes == {*PLUGIN_SETS, NO_PLUGINS, ABSENT}
    assert any(len(each.wishes) == len(AGENT_CONFIGS) for each in drawn)
    assert any(each.again not in ({}, each.wishes) for each in drawn)


@given(SEEDS)
def test_after_the_farewell_nothing_is_wanted(seed: int) -> None:
    wanted: dict[str, str] = {}
    for each in first(seed):
        wanted = dict(each.after(wanted))
    assert farewell().after(wanted) == {}


@pytest.mark.parametrize(
    ("before", "what", "after", "installs"),
    [
        ({}, Round({"a": "A", "b": "A"}), {"a": "A", "b": "A"}, [1]),
        ({"a": "A"}, Round({"b": "A"}), {"a": "A", "b": "A"}, [0]),
        ({"a": "A"}, Round({"a": "B", "b": "A"}), {"a": "B", "b": "A"}, [1]),
        ({"a": "A"}, Round({"a": ABSENT}), {}, [0]),
        ({"a": "A"}, Round({"a": NO_PLUGINS}), {"a": NO_PLUGINS}, [0]),
        ({}, Round({"a": "A"}, beside={"b": "A", "c": "B"}), {"a": "A", "b": "A", "c": "B"}, [2]),
        # It is let go of before or after it is joined.
        ({"a": "A"}, Round({"a": ABSENT}, beside={"b": "A"}), {"b": "A"}, [0, 1]),
        ({"a": "A", "c": "A"}, Round({"a": ABSENT}, beside={"b": "A"}), {"b": "A", "c": "A"}, [0]),
        ({}, Round({"a": "A"}, fault=KILLED_AFTER, turn=1, again={"a": "A"}), {"a": "A"}, [1]),
        # What the killed run began may have come to its end before it was taken back.
        ({}, Round({"a": "A"}, fault=KILLED_BEFORE, turn=9, again={"a": ABSENT}), {}, [0, 1]),
        ({"a": "A"}, Round({"a": "B"}, fault=KILLED_AFTER, turn=9, again={"a": "A"}), {"a": "A"}, [0, 1, 2]),
    ],
)
def test_what_a_round_comes_to(before: dict[str, str], what: Round, after: dict[str, str], installs: list[int]) -> None:
    assert what.after(before) == after
    assert list(what.installs(before)) == installs


def test_the_story_is_told_in_one_line() -> None:
    what = Round({"b": "A", "a": ABSENT}, {"c": "B"}, KILLED_BEFORE, 3, {"b": "A", "a": ABSENT})
    assert str(what) == "a=absent b=A, killed-before at its request 3; beside it c=B; then the same"
    assert str(Round({"a": "A"}, fault="429", turn=2)) == "a=A, 429 at its write 2"


WANTED = {"a": "A", "b": "A", "c": NO_PLUGINS}


def cluster() -> dict[str, Any]:
    """The objects of a cluster that is as WANTED says."""
    claim, volume = CLAIMS["A"], "pvc-1"
    ready = {"ready": "true", "phase": "Ready"}
    of_claim = {**ready, "claim": claim, "volume": volume, "plugins": '{"kubernetes": "v1.0.1"}'}
    return {
        "records": [
            {"metadata": {"uid": "1"}, "data": {"name": "a", **of_claim}},
            {"metadata": {"uid": "2"}, "data": {"name": "b", **of_claim}},
            {"metadata": {"uid": "3"}, "data": {"name": "c", **ready, "claim": "", "volume": "", "plugins": "{}"}},
        ],
        "claims": [
            {
                "metadata": {
                    "name": claim,
                    "uid": "4",
                    "ownerReferences": [{"name": "record-b", "uid": "2"}, {"name": "record-a", "uid": "1"}],
                },
                "status": {"phase": "Bound"},
            }
        ],
        "volumes": [
            {
                "metadata": {"name": volume},
                "spec": {"claimRef": {"name": claim, "uid": "4"}, "persistentVolumeReclaimPolicy": "Delete"},
                "status": {"phase": "Bound"},
            }
        ],
        "leftovers": [],
    }


def test_a_cluster_that_is_as_wanted_equals_the_model() -> None:
    assert observed_state(**cluster()) == expected_state(WANTED, CLAIMS)
    assert observed_state([], [], [], []) == expected_state({}, CLAIMS)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("records", 0, "data", "ready"), "false"),
        (("records", 0, "data", "claim"), CLAIMS["B"]),
        (("records", 0, "data", "volume"), "pvc-0"),
        (("records", 2, "data", "plugins"), '{"azure": "v1.2.0"}'),
        (("records", 2, "data", "name"), "d"),
        # The record was made anew, and nobody told the claim.
        (("records", 0, "metadata", "uid"), "9"),
        (("claims", 0, "metadata", "ownerReferences"), [{"name": "record-a", "uid": "1"}]),
        (("claims", 0, "metadata", "deletionTimestamp"), "2026-01-01T00:00:00Z"),
        (("claims", 0, "status", "phase"), "Pending"),
        (("claims", 0, "metadata", "name"), "porter-A-staging"),
        (("volumes", 0, "spec", "claimRef", "uid"), "8"),
        (("volumes", 0, "spec", "claimRef"), None),
        (("volumes", 0, "spec", "persistentVolumeReclaimPolicy"), "Retain"),
        (("volumes", 0, "status", "phase"), "Released"),
        (("leftovers",), ["V1Secret porter-1"]),
        (("volumes",), []),
        (("claims",), []),
    ],
)
def test_every_difference_is_seen(path: tuple[Any, ...], value: Any) -> None:
    objects = cluster()
    place: Any = objects
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert observed_state(**objects) != expected_state(WANTED, CLAIMS)


def test_a_volume_that_nobody_needs_is_seen() -> None:
    objects = cluster()
    leaked = copy.deepcopy(objects["volumes"][0])
    leaked["metadata"]["name"], leaked["spec"]["claimRef"]["uid"] = "pvc-2", "5"
    objects["volumes"].append(leaked)
    assert "of no claim (pvc-2): Bound, Delete" in observed_state(**objects)["volumes"]
    assert observed_state(**objects) != expected_state(WANTED, CLAIMS)
