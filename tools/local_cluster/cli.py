# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ..go_build import GoBuildError
from .current import CurrentCluster
from .driver import AUTO, ClusterDriver, choose_driver
from .errors import ClusterError
from .kind import KindCluster
from .local import LocalCluster
from .locks import cluster_lock
from .names import check_name
from .paths import ClusterPaths
from .record import Driver, Record, load
from .runner import run
from .tree import remove_empty

DEFAULT_NAME = "porter"
LOG_LINES = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code.

    Args:
        arguments: command line without the program's name; the process's own by default.
    """
    options = _parser().parse_args(arguments)
    try:
        check_name(options.name)
        return int(options.command(options, ClusterPaths.of(options.name)))
    except (ClusterError, GoBuildError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--name", default=DEFAULT_NAME, help="name of the cluster (default: %(default)s)")
    parser = argparse.ArgumentParser(prog="python -m tools.local_cluster", description="A real Kubernetes for tests.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(name: str, run_command: object, summary: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, parents=[common], help=summary, description=summary)
        added.set_defaults(command=run_command)
        return added

    up = command("up", _up, "make the cluster, or find it running")
    up.add_argument(
        "--driver",
        choices=[AUTO, *Driver],
        default=AUTO,
        help="kind (needs Docker), local (needs root), current (your kubeconfig's cluster); "
        "auto is kind where it can run, else local (default: %(default)s)",
    )
    command("down", _down, "remove the cluster and all that belongs to it")
    command("status", _status, "say what is known of the cluster; exit code 1 unless it is ready")
    command("kubeconfig", _kubeconfig, "print the path of the kubeconfig")
    load_image = command("load-image", _load_image, "make images available to pods")
    load_image.add_argument("archives", nargs="+", type=Path, metavar="TAR", help="docker-archive")
    logs = command("logs", _logs, "print the log of a component, or the end of each log")
    logs.add_argument("component", nargs="?", metavar="COMPONENT", help="such as kube-apiserver")
    return parser


def _say(line: str) -> None:
    print(line, flush=True)


def _driver(kind: Driver, name: str, paths: ClusterPaths) -> ClusterDriver:
    if kind is Driver.KIND:
        return KindCluster(name, paths, run, _say)
    if kind is Driver.CURRENT:
        return CurrentCluster(name, paths, _say)
    return LocalCluster(name, paths, run, _say)


def _up(options: argparse.Namespace, paths: ClusterPaths) -> int:
    with cluster_lock(paths.lock, lambda: _say(f"waiting for another command on cluster {options.name}")):
        record = load(paths.record)
        if record is None:
            # A directory without a record is what is left of a start of the driver local.
            _driver(Driver.LOCAL, options.name, paths).down()
            driver = choose_driver(options.driver, run)
        elif options.driver in (AUTO, record.driver):
            driver = record.driver
        else:
            raise ClusterError(
                f"cluster {options.name} is there with the driver {record.driver}; "
                "take it down first, or use another --name"
            )
        _driver(driver, options.name, paths).up()
    return 0


def _down(options: argparse.Namespace, paths: ClusterPaths) -> int:
    with cluster_lock(paths.lock, lambda: _say(f"waiting for another command on cluster {options.name}")):
        record = load(paths.record)
        # A directory without a record is what is left of a start of the driver local.
        driver = Driver.LOCAL if record is None else record.driver
        found = _driver(driver, options.name, paths).down()
    remove_empty(paths.directory.parent, paths.directory.parent.parent)
    _say(f"cluster {options.name} is removed" if found else f"cluster {options.name} is not up")
    return 0


def _status(options: argparse.Namespace, paths: ClusterPaths) -> int:
    record = load(paths.record)
    if record is None:
        _say(f"name: {options.name}\nstate: not up")
        return 1
    status = _driver(record.driver, options.name, paths).status(record)
    shown = {"name": options.name, "driver": record.driver.value, **status, "kubeconfig": record.kubeconfig}
    for key, value in shown.items():
        _say(f"{key}: {value}")
    return 0 if status["state"] == "ready" else 1


def _kubeconfig(options: argparse.Namespace, paths: ClusterPaths) -> int:
    _say(_recorded(options.name, paths).kubeconfig)
    return 0


def _load_image(options: argparse.Namespace, paths: ClusterPaths) -> int:
    record = _recorded(options.name, paths)
    missing = [str(each) for each in options.archives if not each.is_file()]
    if missing:
        raise ClusterError(f"no such file: {', '.join(missing)}")
    _driver(record.driver, options.name, paths).load_images(options.archives)
    return 0


def _logs(options: argparse.Namespace, paths: ClusterPaths) -> int:
    record = _recorded(options.name, paths)
    logs = _driver(record.driver, options.name, paths).logs()
    if options.component is None:
        for component, path in logs.items():
            _say(f"==> {component} ({path})")
            _say("\n".join(_read(path).splitlines()[-LOG_LINES:]))
        return 0
    if options.component not in logs:
        raise ClusterError(f"no log of {options.component}; there are: {', '.join(logs)}")
    sys.stdout.write(_read(logs[options.component]))
    return 0


def _recorded(name: str, paths: ClusterPaths) -> Record:
    record = load(paths.record)
    if record is None:
        raise ClusterError(f"cluster {name} is not up; make it with: python -m tools.local_cluster up --name {name}")
    return record


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
