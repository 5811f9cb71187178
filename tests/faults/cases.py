# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""From the recorded scenarios to the list of cases, and a sample of it. Pure."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from tests.faults.kinds import ERRORS, KILLED_BEFORE, KILLS
from tests.faults.points import is_mutating


@dataclass(frozen=True, order=True)
class Case:
    """One fault at one point of one scenario."""

    scenario: str
    fault: str
    point: str

    def __str__(self) -> str:
        return f"{self.scenario}/{self.fault}/{self.point}"


def all_cases(scenario: str, points: Iterable[str]) -> list[Case]:
    """A kill on either side of every request, every error on those that write.

    A kill after the answer to a read is the kill before the next request: nothing has changed in between.
    """
    return [
        Case(scenario, fault, point)
        for point in points
        for fault in ((*KILLS, *ERRORS) if is_mutating(point) else (KILLED_BEFORE,))
    ]


def sample(cases: Sequence[Case], size: int, seed: int) -> list[Case]:
    """So many of the cases, or all if there are fewer; every kind of fault in every scenario has its turn."""
    chance = random.Random(seed)  # noqa: S311 (it chooses tests)
    shuffled = sorted(cases)
    chance.shuffle(shuffled)
    kinds = [list(group) for _kind, group in groupby(sorted(shuffled, key=_kind_of), key=_kind_of)]
    turns = [case for turn in range(len(shuffled)) for case in (kind[turn] for kind in kinds if turn < len(kind))]
    return turns[:size]


def _kind_of(case: Case) -> tuple[str, str]:
    return (case.scenario, case.fault)
