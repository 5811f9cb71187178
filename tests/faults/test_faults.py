# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Killed at any request, or answered with any error: the end is that of an undisturbed run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.faults.bench import Bench
from tests.faults.cases import Case
from tests.faults.kinds import KILLS
from tests.faults.recording import Recording
from tests.faults.scenarios import SCENARIOS
from tests.faults.state import difference

# Some requests are only sent when the cluster is slow enough, such as those for a pending pod's events.
ATTEMPTS = 3


@pytest.mark.parametrize("name", SCENARIOS)
def test_an_undisturbed_run_ends_well(name: str, recording: Recording) -> None:
    """What the others are compared with."""
    scenario, end = SCENARIOS[name], recording.ends[name]
    assert end["leftovers"] == []
    assert len(end["claims"]) == len(end["volumes"]) == scenario.claims
    assert end["completed Jobs"] == scenario.jobs
    for claim in end["claims"]:
        assert claim["status"]["phase"] == "Bound"
        assert claim["metadata"]["labels"]["getporter.org/managed"] == "true"
    for volume in end["volumes"]:
        assert volume["status"]["phase"] == "Bound"
        assert volume["owner"] == f"the uid of {volume['spec']['claimRef']['name']}"
        assert volume["spec"]["persistentVolumeReclaimPolicy"] == "Delete"
        assert "getporter.org/plugins-installed" in volume["metadata"]["annotations"]


def test_the_end_is_the_undisturbed_one(case: Case, recording: Recording, new_bench: Callable[[], Bench]) -> None:
    """F06, E06: kills at every request, and errors in answer to every write."""
    bench, has_begun = _disturbed(case, new_bench)
    expected = (recording.ends if has_begun else recording.beginnings)[case.scenario]
    end = bench.wait_for(expected)
    if end != expected:
        pytest.fail(difference(expected, end, ("undisturbed", "disturbed")))


def _disturbed(case: Case, new_bench: Callable[[], Bench]) -> tuple[Bench, bool]:
    """Where the case has happened: a killed run was followed by a clean one, a run with an error got over it.

    False: a run was killed before it had begun anything that the clean one could finish.
    """
    scenario = SCENARIOS[case.scenario]
    for _attempt in range(ATTEMPTS):
        bench = new_bench()
        bench.prepare(scenario)
        if case.fault not in KILLS:
            if bench.play_with_error(scenario.disturbed, case):
                return bench, True
        elif bench.play_and_kill(scenario.disturbed, case):
            has_begun = bench.wrote() or scenario.after_kill is None
            bench.play(scenario.after_kill or scenario.disturbed)
            return bench, has_begun
    return pytest.fail(f"in {ATTEMPTS} attempts no run came to {case.point}, as the recorded one did")
