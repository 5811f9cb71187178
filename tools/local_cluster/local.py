# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The driver `local`: Kubernetes in Linux namespaces of its own, with no Docker.

All processes of a cluster are in one process, mount and network namespace, below one
supervisor. When that process ends, in whatever way, the kernel ends all the others and takes
away the mounts, the network interfaces and the packet filter rules. What it leaves are the
control groups and the cluster's directory; `down` removes these.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .. import go_build
from . import blueprint, cgroups, components, configs, inotify, names, network
from .driver import Say
from .errors import ClusterError
from .launcher import Launcher
from .packages import ensure_packages
from .paths import ClusterPaths
from .pause_image import write_pause_image
from .probe import answers
from .processes import ProcessIdentity
from .record import Driver, Record, load
from .runner import Runner
from .tree import remove_tree
from .waiting import wait_for

HERE = Path(__file__).resolve().parent
PROVISIONER = "local.example/dir"
READY_SECONDS = 120.0
STOP_SECONDS = 30.0
LOG_LINES_OF_FAILURE = 15


class LocalCluster:
    """One cluster of the driver `local`; see `ClusterDriver` for the methods without a docstring of their own."""

    def __init__(self, name: str, paths: ClusterPaths, run: Runner, say: Say) -> None:
        """Take the cluster's name and files, and how to run commands and to report."""
        self._name = name
        self._paths = paths
        self._run = run
        self._say = say
        self._cgroup = names.cgroup(name, paths.directory)
        self._interface = names.interface(paths.directory)

    def up(self) -> None:
        record = load(self._paths.record)
        if record is not None and record.ready and _alive(record):
            self._say(f"cluster {self._name} is already running")
            return
        if os.geteuid() != 0:
            raise ClusterError(
                "the driver local needs root: run the command with sudo, or use --driver kind or --driver current"
            )
        if self.down():
            self._say(f"removed what was left of an earlier cluster {self._name}")
        ensure_packages(self._run, self._say)
        version, program, pause = self._build()
        started = time.monotonic()
        self._say(f"starting Kubernetes {version} as cluster {self._name}")
        inotify.raise_limit(self._paths.inotify_note, self._say)
        self._start(program, pause)
        self._say(f"cluster {self._name} is ready after {time.monotonic() - started:.1f} s")

    def down(self) -> bool:
        if not self._paths.directory.exists():
            return False
        if os.geteuid() != 0:
            raise ClusterError("removing a cluster of the driver local needs root: run the command with sudo")
        record = load(self._paths.record)
        if record is not None and record.supervisor is not None:
            record.supervisor.kill(STOP_SECONDS)
        cgroups.remove(self._cgroup, STOP_SECONDS)
        wait_for(
            f"the network interface {self._interface} goes away",
            lambda: not network.interface_exists(self._interface),
            timeout=STOP_SECONDS,
        )
        removed = remove_tree(self._paths.directory)
        if not self._paths.others():
            inotify.restore_limit(self._paths.inotify_note)
        return removed

    def status(self, record: Record) -> Mapping[str, str]:
        return {
            "state": self._state(record),
            "address": record.address,
            "audit-log": str(self._paths.audit_log),
            "logs": str(self._paths.logs),
        }

    def load_images(self, archives: Sequence[Path]) -> None:
        record = load(self._paths.record)
        if record is None or not _alive(record):
            raise ClusterError(f"cluster {self._name} is not running")
        for archive in archives:
            self._import(archive, _supervisor(record))

    def logs(self) -> Mapping[str, Path]:
        return {each.stem: each for each in sorted(self._paths.logs.glob("*.log"))}

    def _state(self, record: Record) -> str:
        if _alive(record):
            return "ready" if record.ready else "starting"
        return f"ended: {self._failure()}"

    def _failure(self) -> str:
        try:
            return self._paths.failure.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return "the supervisor was killed, or the machine was restarted"

    def _build(self) -> tuple[str, Path, Path]:
        """Return the version of Kubernetes, its executable, and the executable of the pause image."""
        version = blueprint.kubernetes_version(HERE / "kubelocal" / "go.mod")
        flags = f"-X k8s.io/component-base/version.gitVersion={version}"
        program = go_build.build(HERE / "kubelocal", name="kubelocal", version_flags=flags, say=self._say)
        pause = go_build.build(HERE / "pause", name="pause", say=self._say)
        return version, program, pause

    def _start(self, program: Path, pause: Path) -> None:
        blueprint.make_directories(self._paths)
        cgroups.create(self._cgroup)
        launcher = Launcher(self._paths.logs / "supervisor.log", self._paths.directory)
        try:
            supervisor = launcher.supervisor
            link = network.connect(self._run, supervisor.pid, self._interface, f"getporter.porter {self._name}")
            blueprint.write_files(self._paths, self._name, link, self._cgroup)
            record = Record(Driver.LOCAL, str(self._paths.kubeconfig), False, supervisor, str(link.node))
            # Before the supervisor begins: from here on there is something to find.
            record.save(self._paths.record)
            cgroups.enter(self._cgroup, launcher.pids)
            launcher.send(blueprint.make_plan(self._paths, self._name, link, program))
            self._wait_until_ready(record, pause)
        except BaseException:
            # What was written stays, for its logs; the next up or down removes it.
            launcher.kill()
            raise
        Record(Driver.LOCAL, record.kubeconfig, True, supervisor, record.address).save(self._paths.record)

    def _wait_until_ready(self, record: Record, pause: Path) -> None:
        # Imported here, as that takes longer than most commands do.
        from .api import Api, storage_classes

        authority = str(self._paths.pki / "ca.crt")
        api_url = f"https://{record.address}:{components.API_PORT}/readyz"
        scheduler_url = f"https://{record.address}:{components.SCHEDULER_PORT}/readyz"
        self._load_pause_image(record, pause)
        self._wait(record, "the API server is ready", lambda: answers(api_url, authority))
        api = Api(self._paths.kubeconfig, direct=True)
        api.create_storage_classes(storage_classes(PROVISIONER, immediate=True))
        self._wait(record, "the scheduler is ready", lambda: answers(scheduler_url, authority))
        self._wait(record, "the default service account exists", api.has_default_service_account)
        self._wait(record, "the node is ready", lambda: api.node_is_ready(self._name))

    def _load_pause_image(self, record: Record, pause: Path) -> None:
        supervisor = _supervisor(record)
        # As the cluster sees it: the socket is in a private directory.
        socket = Path(f"/proc/{supervisor.pid}/root{configs.CONTAINERD_SOCKET}")
        self._wait(record, "containerd is ready", socket.exists)
        archive = self._paths.data / "pause.tar"
        write_pause_image(archive, pause)
        self._import(archive, supervisor)

    def _import(self, archive: Path, supervisor: ProcessIdentity) -> None:
        enter = ["nsenter", f"--target={supervisor.pid}", "--mount", "--pid"]
        ctr = ["ctr", "--address", configs.CONTAINERD_SOCKET, "--namespace", "k8s.io"]
        unpack = ["images", "import", "--snapshotter", blueprint.snapshotter(self._paths.directory)]
        try:
            # By standard input: the cluster need not see the file's directory.
            with archive.open("rb") as stream:
                self._run([*enter, *ctr, *unpack, "-"], stdin=stream)
        except OSError as error:
            raise ClusterError(f"cannot read the image {archive}: {error.strerror}") from error

    def _wait(self, record: Record, what: str, condition: Callable[[], bool]) -> None:
        def check() -> None:
            if not _alive(record):
                raise ClusterError(f"cluster {self._name} ended: {self._failure()}\n{self._blame()}")

        wait_for(f"{what} (see the logs in {self._paths.logs})", condition, timeout=READY_SECONDS, check=check)

    def _blame(self) -> str:
        """Return the end of the log of the component that the failure names."""
        component = self._failure().split(" ", 1)[0]
        logs = self.logs()
        path = logs.get(component, logs["supervisor"])
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(lines[-LOG_LINES_OF_FAILURE:])


def _alive(record: Record) -> bool:
    return record.supervisor is not None and record.supervisor.alive()


def _supervisor(record: Record) -> ProcessIdentity:
    if record.supervisor is None:
        raise ClusterError("the cluster's record names no supervisor; take the cluster down")
    return record.supervisor
