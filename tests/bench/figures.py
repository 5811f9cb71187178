# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""From runs and the audit log to figures with their targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from tests.bench import audit
from tests.bench.audit import Request
from tests.bench.runs import Run
from tests.bench.scenarios import Measured


@dataclass(frozen=True)
class Target:
    """A bound for a figure's median: from above, or from below (``least``)."""

    bound: float
    unit: str = "s"
    least: bool = False
    # Whether it is about the figure's ratio to the floor.
    in_floors: bool = False

    def holds(self, figure: Figure) -> bool:
        value = median(figure.in_floors if self.in_floors else figure.values)
        return value >= self.bound if self.least else value <= self.bound

    def __str__(self) -> str:
        return f"at {'least' if self.least else 'most'} {self.bound:g} {'F' if self.in_floors else self.unit}"


@dataclass(frozen=True)
class Figure:
    """One thing that was measured, a value a round."""

    name: str
    values: Sequence[float]
    unit: str = "s"
    # The floor in the same rounds, where the figure may be compared with it.
    floors: Sequence[float] = ()
    # API requests, a number a round.
    requests: Sequence[int] = ()
    target: Target | None = None

    @property
    def in_floors(self) -> list[float]:
        """Round by round, since the machine's speed may drift."""
        return [value / floor for value, floor in zip(self.values, self.floors, strict=True)] if self.floors else []

    @property
    def held(self) -> bool | None:
        """None: there is no target."""
        return self.target.holds(self) if self.target else None


@dataclass(frozen=True)
class Part:
    """The runs of some rounds, with the requests that were made meanwhile."""

    measured: Measured
    requests: Sequence[Request]

    def whole(self, name: str, shown: str, target: Target | None = None) -> Figure:
        """What a user waits for."""
        counts = [len(each) for each in self.own_requests(name)]
        return Figure(shown, self.seconds(name), floors=self.seconds("floor"), requests=counts, target=target)

    def part(self, shown: str, values: Sequence[float], target: Target | None = None) -> Figure:
        """Some of it."""
        return Figure(shown, values, floors=self.seconds("floor"), target=target)

    def seconds(self, name: str) -> list[float]:
        return [run.seconds for run in self.measured.runs[name]]

    def job(self, name: str) -> list[float]:
        """Of each run the time of its slowest Job."""
        return [max(audit.job_seconds(self._during(run))) for run in self.measured.runs[name]]

    def outside_job(self, name: str) -> list[float]:
        return [run - job for run, job in zip(self.seconds(name), self.job(name), strict=True)]

    def hand_over(self, name: str) -> list[float]:
        return [audit.hand_over(self._during(run)) for run in self.measured.runs[name]]

    def own_requests(self, name: str) -> list[list[Request]]:
        """Of each run those that it made."""
        return [[each for each in self._during(run) if each.of_clients] for run in self.measured.runs[name]]

    def _during(self, run: Run) -> list[Request]:
        return audit.between(self.requests, run.begin, run.end)


def of_reruns(part: Part) -> list[Figure]:
    """Floor and reruns."""
    counts = zip(part.own_requests("rerun 100"), part.own_requests("rerun 1"), strict=True)
    return [
        part.whole("floor", "F: an empty play plus one `k8s_info` task"),
        part.whole("rerun 1", "rerun, 1 agent config", Target(1.3, in_floors=True)),
        part.whole("rerun 10", "rerun, 10 agent configs"),
        part.whole("rerun 100", "rerun, 100 agent configs", Target(1.5, in_floors=True)),
        Figure(
            "requests that 100 agent configs cost more than 1",
            [float(len(many) - len(one)) for many, one in counts],
            unit="requests",
            target=Target(0, unit="requests"),
        ),
    ]


def of_installs(part: Part) -> list[Figure]:
    """Installs, and the hand-over in them."""
    return [
        part.whole("floor", "F, measured again beside the installs"),
        part.whole("install 1", "install, 1 agent config"),
        part.part("- the Job in it", part.job("install 1")),
        part.part("- outside the Job", part.outside_job("install 1"), Target(5)),
        part.whole("install 10", "install, 10 agent configs"),
        part.part("- the slowest Job in it", part.job("install 10")),
        part.part("- outside the slowest Job", part.outside_job("install 10"), Target(7)),
        part.part(
            "- from the slowest Job's end until all volumes are handed over", part.hand_over("install 10"), Target(2)
        ),
    ]


def of_comparison(part: Part) -> list[Figure]:
    """The same steps with kubernetes.core alone."""
    theirs, ours = part.outside_job("plain 1"), part.outside_job("install 1")
    return [
        part.whole("plain 1", "kubernetes.core alone, 1 agent config"),
        part.part("- the Job in it", part.job("plain 1")),
        part.part("- outside the Job", theirs),
        Figure(
            "outside the Job: kubernetes.core alone to this collection",
            [their / our for their, our in zip(theirs, ours, strict=True)],
            unit="times",
            target=Target(3, unit="times", least=True),
        ),
    ]
