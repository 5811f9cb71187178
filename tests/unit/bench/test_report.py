# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The benchmark's figures, targets and tables."""

from __future__ import annotations

import pytest

from tests.bench import figures, report
from tests.bench.audit import COLLECTION, JOB_CONTROLLER, Request
from tests.bench.figures import Figure, Part, Target
from tests.bench.runs import Run
from tests.bench.scenarios import Measured


@pytest.mark.parametrize(
    ("target", "held", "text"),
    [
        (Target(5), True, "at most 5 s"),
        (Target(4), True, "at most 4 s"),
        (Target(3.9), False, "at most 3.9 s"),
        (Target(4, unit="times", least=True), True, "at least 4 times"),
        (Target(4.1, unit="times", least=True), False, "at least 4.1 times"),
        (Target(2, in_floors=True), True, "at most 2 F"),
        (Target(1.9, in_floors=True), False, "at most 1.9 F"),
        (None, None, None),
    ],
)
def test_a_target_is_about_the_median_or_its_ratio_to_the_floor(
    target: Target | None, held: bool | None, text: str | None
) -> None:
    figure = Figure("any", [4.0, 1.0, 9.0], floors=[2.0, 1.0, 3.0], target=target)
    assert figure.in_floors == [2, 1, 3]
    assert figure.held is held
    assert target is None or str(target) == text


def test_the_terminal_shows_aligned_columns() -> None:
    shown = report.terminal_table(
        [
            Figure("F: one `k8s_info` task", [1.0, 1.5, 2.0], floors=[1.0, 1.5, 2.0], requests=[1, 1, 1]),
            Figure(
                "rerun", [2.0, 3.0, 6.0], floors=[1.0, 1.5, 2.0], requests=[3, 4, 9], target=Target(1, in_floors=True)
            ),
            Figure("more", [0.0], unit="requests", target=Target(0, unit="requests")),
        ]
    )
    assert shown.splitlines() == [
        "figure                median (least to most)  in F  requests    target              held",
        "F: one k8s_info task  1.50 s (1.00 to 2.00)   1.00  1",
        "rerun                 3.00 s (2.00 to 6.00)   2.00  4 (3 to 9)  at most 1 F         NO",
        "more                  0 requests (0 to 0)                       at most 0 requests  yes",
    ]


def test_the_page_has_every_table_and_fact() -> None:
    tables = {part: [Figure(f"about {part}", [1.0])] for part in ("reruns", "installs", "comparison")}
    page = report.page({"machine": "2 cores"}, **tables)
    assert page.startswith("# Benchmarks\n")
    assert "| machine | 2 cores |\n" in page
    for part in tables:
        assert f"| --- | --- | --- | --- | --- | --- |\n| about {part} | 1.00 s (1.00 to 1.00) |  |  |  |  |\n" in page


def of_job(moment: float, verb: str, resource: str, user: str, agent: str) -> Request:
    return Request(moment, moment, verb, resource, "porter", "job", user, agent)


def test_figures_are_formed_of_runs_and_their_requests() -> None:
    measured = Measured()
    for name, begin, seconds in (("floor", 0.0, 2.0), ("install 1", 10.0, 8.0), ("plain 1", 20.0, 20.0)):
        measured.add(name, Run(begin, begin + seconds, seconds))
    requests = []
    for begin, agent in ((11.0, COLLECTION), (21.0, "OpenAPI-Generator/37.0.2/python")):
        requests += [
            of_job(begin, "create", "jobs", "me", agent),
            of_job(begin + 4, "update", "jobs/status", JOB_CONTROLLER, "kube-controller-manager"),
            of_job(begin + 5, "delete", "jobs", "me", agent),
        ]
    whole, job, outside, times = figures.of_comparison(Part(measured, requests))
    assert (whole.values, whole.in_floors, whole.requests) == ([20], [10], [2])
    assert (job.values, outside.values, times.values, times.held) == ([4], [16], [4], True)
