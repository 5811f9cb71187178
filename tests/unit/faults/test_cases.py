# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Which cases there are, and which of them a sample has."""

from __future__ import annotations

from tests.faults.cases import Case, all_cases, sample
from tests.faults.kinds import ERRORS, KILLED_BEFORE, KILLS

POINTS = [f"2.{number}-{method}" for number in range(10) for method in ("GET-jobs", "POST-jobs")]
CASES = [*all_cases("install", POINTS), *all_cases("second", POINTS[:1])]


def test_reads_are_killed_and_writes_meet_errors_too() -> None:
    assert all_cases("install", ["1.0-GET-jobs"]) == [Case("install", KILLED_BEFORE, "1.0-GET-jobs")]
    faults = [case.fault for case in all_cases("install", ["1.0-POST-jobs"])]
    assert faults == [*KILLS, *ERRORS]
    assert str(Case("install", "409", "1.0-POST-jobs")) == "install/409/1.0-POST-jobs"


def test_a_seed_names_a_sample() -> None:
    chosen = sample(CASES, 30, 7)
    assert len(set(chosen)) == 30
    assert chosen == sample(list(reversed(CASES)), 30, 7)
    assert chosen != sample(CASES, 30, 8)


def test_a_sample_has_every_kind_of_fault_in_every_scenario() -> None:
    chosen = sample(CASES, 9, 1)
    assert {(case.scenario, case.fault) for case in chosen} == {(case.scenario, case.fault) for case in CASES}


def test_a_sample_is_at_most_everything() -> None:
    assert sorted(sample(CASES, 10_000, 1)) == sorted(CASES)
