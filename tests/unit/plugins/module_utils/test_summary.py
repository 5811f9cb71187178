# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The closing table."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._summary import summarize


def config(
    name: str = "default", state: str = "present", claim: str = "porter-1", plugins: bool = True
) -> dict[str, Any]:
    return {"name": name, "namespace": "n", "state": state, "claim": claim if plugins else ""}


def row(claim: str = "porter-1", **values: Any) -> dict[str, Any]:
    return {"namespace": "n", "claim": claim, **values}


OBSERVED = row(state="absent", persistent_volume=None, installed={})
INSTALLED = row(state="installed", persistent_volume="pv", installed={"b": "v2", "a": "v1"}, seconds=3.16, error=None)
READY = row(state="ready", persistent_volume="pv", installed={"b": "v2", "a": "v1"}, seconds=0.2, error=None)

CASES: dict[str, tuple[list[Any], list[str]]] = {
    "nothing-known": ([], ["n/default", "porter-1", "-", "-", "unknown", "0.0"]),
    "skipped-and-crashed-tasks": ([{"skipped": True}, {"failed": True, "msg": "x"}, {}], ["unknown"]),
    "observed": ([{"volumes": [OBSERVED]}], ["n/default", "porter-1", "-", "-", "absent", "0.0"]),
    "installed": ([{"volumes": [OBSERVED]}, {"volumes": [INSTALLED]}], ["pv", "a v1, b v2", "installed", "3.2"]),
    "ready": (
        [{"volumes": [OBSERVED]}, {"volumes": [INSTALLED]}, {"volumes": [READY]}],
        ["n/default", "porter-1", "pv", "a v1, b v2", "ready", "3.4"],
    ),
    "a-later-task-knows-less": (
        [{"volumes": [READY]}, {"volumes": [row(state="ready", persistent_volume=None, installed={})]}],
        ["pv", "a v1, b v2", "ready"],
    ),
    "of-another-making": (
        [{"volumes": [row(state="ready", persistent_volume="pv", installed={})]}],
        ["n/default", "porter-1", "pv", "unknown", "ready", "0.0"],
    ),
    "failed": ([{"volumes": [OBSERVED]}, {"volumes": [row(state="failed", error="no", seconds=1)]}], ["failed", "1.0"]),
    "failed-after-clearing": ([{"volumes": [row(state="absent", error="no", seconds=1)]}], ["failed", "1.0"]),
    "of-another-namespace": ([{"volumes": [{**READY, "namespace": "m"}]}], ["unknown"]),
    "null": ([{"volumes": None}], ["unknown"]),
}


@pytest.mark.parametrize("case", CASES)
def test_the_row_of_a_config(case: str) -> None:
    results, expected = CASES[case]
    head, line = summarize([config()], results)
    assert head.split() == ["CONFIG", "CLAIM", "VOLUME", "PLUGINS", "STATE", "SECONDS"]
    cells = [cell for cell in line.split("  ") if cell]
    assert [cell.strip() for cell in cells if cell.strip() in expected] == expected


@pytest.mark.parametrize(("state", "shown"), [("present", "ready"), ("absent", "absent")])
def test_a07_a_config_without_plugins_is_ready(state: str, shown: str) -> None:
    line = summarize([config(state=state, plugins=False)], [{"volumes": [READY]}])[1]
    assert line.split() == ["n/default", "-", "-", "none", shown, "0.0"]


def test_configs_come_in_their_order_and_share_a_row_of_results() -> None:
    configs = [config("b"), config("a-long-name"), config("c", claim="porter-2")]
    head, *lines = summarize(configs, [{"volumes": [READY, row("porter-2", state="installing")]}])
    assert [line.split()[0] for line in lines] == ["n/b", "n/a-long-name", "n/c"]
    assert ["ready" in line for line in lines] == [True, True, False]
    assert {line.index("porter-") for line in lines} == {head.index("CLAIM")}
    assert not any(line.endswith(" ") for line in (head, *lines))


def test_b19_a_volume_that_stays_is_shown() -> None:
    released = {"agent_configs": [{"name": "default", "namespace": "n", "kept_volumes": ["pv"]}]}
    line = summarize([config(state="absent", plugins=False)], [{"volumes": [READY]}, released])[1]
    assert line.split() == ["n/default", "-", "pv", "(kept)", "none", "absent", "0.0"]
