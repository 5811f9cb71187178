# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""How a run ends: well, or by SIGKILL where its plan says so."""

from __future__ import annotations

import time

from tests.faults.proxy import Proxy
from tests.faults.run import Run

# Seconds until a run must have ended, and the role's own limit, which is to be the first.
PATIENCE = 150
ROLE_PATIENCE = 90


def succeed(run: Run) -> None:
    """Wait for its good end."""
    try:
        assert run.result(PATIENCE) == 0, run.output
    finally:
        run.kill()


def killed_at_its_point(run: Run, proxy: Proxy) -> bool:
    """Kill it there. False: it came to its good end before it came to that point."""
    deadline = time.monotonic() + PATIENCE
    try:
        while not run.has_ended():
            assert time.monotonic() < deadline, run.output
            if proxy.waits_for_the_kill():
                return True
        assert run.result(0) == 0, run.output
    finally:
        run.kill()
        proxy.run_is_killed()
    return False
