# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Every scenario undisturbed: where its faults can strike, and the end that all its cases must come to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import chain, starmap
from pathlib import Path
from tempfile import TemporaryDirectory

from kubernetes import config

from tests.faults.bench import Bench
from tests.faults.cases import Case, all_cases
from tests.faults.proxy import Proxy
from tests.faults.scenarios import SCENARIOS
from tests.faults.state import Manifest
from tests.support.cluster import Cluster


@dataclass(frozen=True)
class Recording:
    """What pytest's first process learns, and tells its workers."""

    feed: str
    cases: Sequence[Case]
    # By scenario: the state before the run that is to be disturbed, and the one after it.
    beginnings: dict[str, Manifest]
    ends: dict[str, Manifest]

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Recording:
        content = json.loads(text)
        return cls(cases=[Case(**each) for each in content.pop("cases")], **content)


def record(kubeconfig: str, feed: str, began: Callable[[Cluster], None]) -> Recording:
    """Play all scenarios side by side. ``began`` learns of each namespace before it is made; its removal is begun."""

    def play(name: str) -> tuple[list[str], Manifest, Manifest]:
        with TemporaryDirectory() as folder, _bench(kubeconfig, feed, Path(folder), began) as bench:
            return bench.record(SCENARIOS[name])

    with ThreadPoolExecutor() as pool:
        points, beginnings, ends = zip(*pool.map(play, SCENARIOS), strict=True)
    return Recording(
        feed,
        list(chain.from_iterable(starmap(all_cases, _own_points(dict(zip(SCENARIOS, points, strict=True)))))),
        dict(zip(SCENARIOS, beginnings, strict=True)),
        dict(zip(SCENARIOS, ends, strict=True)),
    )


def _own_points(points: dict[str, list[str]]) -> Iterator[tuple[str, list[str]]]:
    """Of each scenario the points that are disturbed in it."""
    for name, own in points.items():
        elsewhere = points.get(SCENARIOS[name].beyond or "", [])
        yield name, [point for point in own if point not in elsewhere]


@contextmanager
def _bench(kubeconfig: str, feed: str, folder: Path, began: Callable[[Cluster], None]) -> Iterator[Bench]:
    proxy = Proxy(kubeconfig, folder)
    try:
        bench = Bench(config.new_client_from_config(kubeconfig), feed, proxy, folder)
        began(bench.cluster)
        try:
            bench.set_up()
            yield bench
        finally:
            bench.cluster.begin_removal()
    finally:
        proxy.stop()
