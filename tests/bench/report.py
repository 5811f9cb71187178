# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The figures as a table for the terminal and as a page of the documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from tests.bench.figures import Figure

COLUMNS = ("figure", "median (least to most)", "in F", "requests", "target", "held")

PAGE = """\
# Benchmarks

`make bench` measures on the test cluster and writes this page; it is not edited by hand. What counts are the ratios
within one run: seconds on another machine differ.

| measured | |
| --- | --- |
{facts}

## A rerun with nothing to do

{reruns}

## From nothing to a plugin claim

{installs}

## Against kubernetes.core alone

{comparison}

## How it was measured

- Every command is a whole `ansible-playbook` as a user starts it, on one machine with the cluster. In each round every
  command runs once, so that all of them meet the same moods of the machine, and `in F` is formed round by round. (So it
  is not hyperfine, which finishes one command before it begins the next.)
- F, the floor, is [a play with one task](../tests/bench/floor.yml) of `kubernetes.core.k8s_info`: what Ansible and its
  way to Kubernetes cost anyway.
- Reruns and installs are the playbook `getporter.porter.install_plugins`. Every agent config has plugins of its own,
  hence a volume and a Job of its own. During all reruns the cluster holds the volumes of all of them.
- Requests come from the API server's audit log. So does a Job's own time, to the microsecond: from its creation to the
  last status that the Job controller wrote. Outside the Job is the rest of the command's time, Ansible's start
  included. The hand-over lasts from its module's first request to its last; the module's own work is that without the
  pauses in which it lets the cluster act. Ten volumes wait mostly for Kubernetes' binder, which writes seven times a
  volume and by default (`--kube-api-qps` of the controller manager) 20 times a second after a burst of 30.
- kubernetes.core alone is [a playbook](../tests/bench/plain_kubernetes_core.yml) that goes the same steps for one agent
  config, a task each, without reading the install's log or clearing up after a failure.
- The Job is a stand-in for the Porter agent and its feed is in the cluster ([testing](testing.md)); what a download
  from elsewhere takes would be added to the Job.
"""


def terminal_table(figures: Sequence[Figure]) -> str:
    """Aligned columns."""
    rows = [[cell.replace("`", "") for cell in row] for row in (COLUMNS, *map(_cells, figures))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def page(
    facts: Mapping[str, str], *, reruns: Sequence[Figure], installs: Sequence[Figure], comparison: Sequence[Figure]
) -> str:
    """The whole page."""
    return PAGE.format(
        facts="\n".join(_line(item) for item in facts.items()),
        reruns=_markdown_table(reruns),
        installs=_markdown_table(installs),
        comparison=_markdown_table(comparison),
    )


def _markdown_table(figures: Sequence[Figure]) -> str:
    return "\n".join(map(_line, (COLUMNS, ("---",) * len(COLUMNS), *map(_cells, figures))))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(figure: Figure) -> Sequence[str]:
    return (
        figure.name,
        _spread(figure.values, figure.unit),
        f"{median(figure.in_floors):.2f}" if figure.in_floors else "",
        _counts(figure.requests),
        str(figure.target) if figure.target else "",
        {True: "yes", False: "NO", None: ""}[figure.held],
    )


def _spread(values: Sequence[float], unit: str) -> str:
    digits = 0 if unit == "requests" else 2
    middle, least, most = (f"{value:.{digits}f}" for value in (median(values), min(values), max(values)))
    return f"{middle} {unit} ({least} to {most})"


def _counts(requests: Sequence[int]) -> str:
    """One number where all rounds agree."""
    if not requests:
        return ""
    least, most = min(requests), max(requests)
    return str(least) if least == most else f"{median(requests):.0f} ({least} to {most})"
