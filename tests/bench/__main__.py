# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Measure, print the table, write the page: ``make bench``.

From the root of the repository: python -m tests.bench --name CLUSTER --write docs/benchmarks.md
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import ansible_collections.kubernetes.core as kubernetes_core
import yaml
from kubernetes import client, config

from tests.bench import audit, figures, report
from tests.bench.runs import ROOT, Runner
from tests.bench.scenarios import Bench
from tests.support import feed
from tools.local_cluster.paths import ClusterPaths
from tools.local_cluster.record import load

# A machine that is busy with other things measures those.
CALM = 0.5


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 1 where a target was missed."""
    options = _parser().parse_args(arguments)
    kubeconfig, log = _cluster(options.name)
    facts = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "machine": _machine()}
    api = config.new_client_from_config(kubeconfig)
    bench = Bench(api, Runner(kubeconfig), feed.deploy(kubeconfig), _say)
    begin = time.time()
    reruns, installs = bench.reruns(options.rerun_rounds), bench.installs(options.install_rounds)
    requests = audit.read(log, begin)
    tables = {
        "reruns": figures.of_reruns(figures.Part(reruns, requests)),
        "installs": figures.of_installs(figures.Part(installs, requests)),
        "comparison": figures.of_comparison(figures.Part(installs, requests)),
    }
    facts |= {"rounds": f"{options.rerun_rounds} of reruns, {options.install_rounds} of installs", **_versions(api)}
    everything = [figure for each in tables.values() for figure in each]
    print(report.terminal_table(everything))
    if options.write:
        options.write.write_text(report.page(facts, **tables), encoding="utf-8")
    return int(any(each.held is False for each in everything))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure the collection on a cluster.")
    parser.add_argument("--name", required=True, help="the cluster, as tools.local_cluster knows it")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the page of the documentation")
    parser.add_argument("--rerun-rounds", type=int, default=11, help="(default: %(default)s)")
    parser.add_argument("--install-rounds", type=int, default=5, help="(default: %(default)s)")
    return parser


def _cluster(name: str) -> tuple[str, Path]:
    """Its kubeconfig and its audit log."""
    paths = ClusterPaths.of(name)
    record = load(paths.record)
    if record is None or not paths.audit_log.is_file():
        raise SystemExit(f"Cluster {name} is not up, or has no audit log: make it with the driver local or kind.")
    return record.kubeconfig, paths.audit_log


def _machine() -> str:
    load_average, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load_average > CALM * cores:
        _say(f"This machine is busy (load average {load_average:.1f} on {cores} cores): expect rough figures.")
    return f"{cores} cores, {platform.machine()}; load average before: {load_average:.1f}"


def _versions(api: client.ApiClient) -> dict[str, str]:
    core = json.loads((Path(next(iter(kubernetes_core.__path__))) / "MANIFEST.json").read_text(encoding="utf-8"))
    return {
        "getporter.porter": yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))["version"],
        "Kubernetes": client.VersionApi(api).get_code().git_version,
        "ansible-core": version("ansible-core"),
        "kubernetes.core": core["collection_info"]["version"],
        "Python library kubernetes": version("kubernetes"),
        "Python": platform.python_version(),
    }


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
