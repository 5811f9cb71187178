# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The first process of a cluster's namespaces: it starts the components, and its end is theirs.

`up` starts it with unshare(1), reads from its standard output who it is, and writes the plan to
its standard input. Where no plan comes, `up` is gone and so is the supervisor: at no moment is
there a process that no record tells of.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from pathlib import Path

from . import mounts
from .plan import Component, Plan
from .probe import answers

POLL_SECONDS = 0.05
START_SECONDS = 120.0


class GivenUpError(Exception):
    """A component has ended or does not come up; the message says which and how."""


def main() -> int:
    """Run as the first process of new namespaces. Returns only when the cluster has failed."""
    # /proc is still the one of the namespace outside, so this is the process ID there.
    print(Path("/proc/self").readlink(), flush=True)
    text = sys.stdin.read()
    if not text:
        return 1
    _leave_terminal()
    plan = Plan.from_json(text)
    try:
        _enter_private_world(plan)
        _run(plan)
    except (GivenUpError, OSError) as error:
        print(error, file=sys.stderr, flush=True)
        Path(plan.failure).write_text(f"{error}\n", encoding="utf-8")
    return 1


def _leave_terminal() -> None:
    """Let go of the pipes to `up`, which waits for their end."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)


def _enter_private_world(plan: Plan) -> None:
    socket.sethostname(plan.hostname)
    mounts.share_below_root()
    mounts.make_private(plan.private)
    mounts.mount_proc()
    mounts.override_sysctls(Path("/run/getporter-sysctl"), mounts.KUBELET_SYSCTLS)


def _run(plan: Plan) -> None:
    # The first process of a process namespace gets no signal that it has no handler for: without
    # one, SIGTERM from inside would be ignored, and from outside too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    waiting = list(plan.components)
    running: dict[int, str] = {}
    deadline = time.monotonic() + START_SECONDS
    while True:
        ready = {url for url in {each.after for each in waiting} if not url or answers(url, plan.authority)}
        for component in [each for each in waiting if each.after in ready]:
            waiting.remove(component)
            running[_start(component, plan)] = component.name
        _reap(running)
        if waiting and time.monotonic() > deadline:
            names = ", ".join(f"{each.name} (waits for {each.after})" for each in waiting)
            raise GivenUpError(f"not started within {START_SECONDS:.0f} s: {names}")
        # When all run there is only the end of one to wait for.
        time.sleep(POLL_SECONDS if waiting else 0.5)


def _start(component: Component, plan: Plan) -> int:
    """Start a component and return its process ID."""
    log = f"{plan.logs}/{component.name}.log"
    try:
        # Not subprocess: it collects ended children too, and _reap() would miss them.
        return os.posix_spawnp(
            component.command[0],
            component.command,
            plan.environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, log, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
            setsid=True,
        )
    except OSError as error:
        raise GivenUpError(f"{component.name} cannot be started: {error}") from error


def _reap(running: dict[int, str]) -> None:
    """Collect ended processes, orphans of containers among them.

    Raises:
        GivenUpError: a component has ended. A part that restarts quietly would hide its fault from the tests.
    """
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        if pid in running:
            code = os.waitstatus_to_exitcode(status)
            how = f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
            raise GivenUpError(f"{running[pid]} ended with {how}")


if __name__ == "__main__":
    sys.exit(main())
