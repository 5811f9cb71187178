# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The cases of the fault tests, and what each is given.

Which cases there are is only known once the scenarios have been played undisturbed. pytest's first process does that,
before it collects anything, and hands the list to its workers.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client, config

from tests.faults.bench import Bench
from tests.faults.cases import sample
from tests.faults.proxy import MITMDUMP, Proxy
from tests.faults.recording import Recording, record
from tests.support import feed as plugin_feed
from tests.support.cluster import Cluster, awaited_removals

TEST_OF_CASES = "test_the_end_is_the_undisturbed_one["

recording_key = pytest.StashKey[Recording]()
header_key = pytest.StashKey[str]()
removals_key = pytest.StashKey[list[Cluster]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("faults")
    group.addoption("--faults-sample", type=int, metavar="N", help="run so many of the cases; all by default")
    group.addoption("--faults-seed", type=int, metavar="SEED", help="choose the sample again that had this seed")


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        config.stash[recording_key] = Recording.from_json(config.workerinput["faults"])
    elif not config.getoption("help"):
        config.stash[removals_key] = []
        config.stash[recording_key], config.stash[header_key] = _choose(config, _record(config))


def _record(config: pytest.Config) -> Recording:
    kubeconfig = os.environ.get("KUBECONFIG", "")
    if not Path(kubeconfig).is_file() or not MITMDUMP.is_file():
        pytest.exit("KUBECONFIG names no cluster, or there is no proxy. Run `make faults`, which sets up both.", 1)
    try:
        return record(kubeconfig, plugin_feed.deploy(kubeconfig), config.stash[removals_key].append)
    except AssertionError as error:
        pytest.exit(f"A run without any fault does not end well: {error}", 1)


def _choose(config: pytest.Config, recorded: Recording) -> tuple[Recording, str]:
    """The recording with the wanted cases only, and a line that tells which those are."""
    size, seed = config.getoption("--faults-sample"), config.getoption("--faults-seed")
    count = len(recorded.cases)
    if size is None:
        return recorded, f"faults: all {count} cases"
    seed = secrets.randbelow(10**6) if seed is None else seed
    chosen = sample(recorded.cases, size, seed)
    return replace(recorded, cases=chosen), f"faults: {len(chosen)} of {count} cases, seed {seed}"


def pytest_report_header(config: pytest.Config) -> str:
    return config.stash.get(header_key, "")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """xdist has a new worker."""
    node.workerinput["faults"] = node.config.stash[recording_key].to_json()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", metafunc.config.stash[recording_key].cases, ids=str)


def pytest_unconfigure(config: pytest.Config) -> None:
    for cluster in config.stash.get(removals_key, []):
        cluster.finish_removal()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    def ran(*outcomes: str) -> set[str]:
        reports = [report for outcome in outcomes for report in terminalreporter.stats.get(outcome, [])]
        return {report.nodeid for report in reports if TEST_OF_CASES in report.nodeid}

    bad = ran("failed", "error")
    held = ran("passed") - bad
    terminalreporter.section(config.stash.get(header_key, "faults"))
    terminalreporter.write_line(f"faults: {len(held | bad)} cases, {len(held)} held")


@pytest.fixture(scope="session")
def kubeconfig() -> str:
    return os.environ["KUBECONFIG"]


@pytest.fixture(scope="session")
def api(kubeconfig: str) -> client.ApiClient:
    return config.new_client_from_config(kubeconfig)


@pytest.fixture(scope="session")
def recording(pytestconfig: pytest.Config) -> Recording:
    return pytestconfig.stash[recording_key]


@pytest.fixture(scope="session")
def proxy(kubeconfig: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """One for all cases of a worker, which come one after another."""
    running = Proxy(kubeconfig, tmp_path_factory.mktemp("proxy"))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def removals() -> Iterator[list[Cluster]]:
    with awaited_removals() as begun:
        yield begun


@pytest.fixture
def new_bench(
    api: client.ApiClient, recording: Recording, proxy: Proxy, removals: list[Cluster], tmp_path: Path
) -> Iterator[Callable[[], Bench]]:
    """Makes a place for one attempt at a case; all that is in it goes afterwards."""
    made: list[Bench] = []

    def make() -> Bench:
        bench = Bench(api, recording.feed, proxy, tmp_path)
        made.append(bench)
        removals.append(bench.cluster)
        bench.set_up()
        return bench

    yield make
    for bench in made:
        bench.cluster.begin_removal()
