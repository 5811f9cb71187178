# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Waiting until something holds."""

from __future__ import annotations

import time
from collections.abc import Callable

from .errors import ClusterError

POLL_SECONDS = 0.1


def wait_for(
    what: str, condition: Callable[[], bool], *, timeout: float, check: Callable[[], None] = lambda: None
) -> None:
    """Wait until a condition holds.

    Args:
        what: names the condition in the error.
        condition: asked again and again.
        timeout: seconds.
        check: called each time the condition does not hold; raises where there is no more hope.

    Raises:
        ClusterError: the time is over.
    """
    deadline = time.monotonic() + timeout
    while not condition():
        check()
        if time.monotonic() > deadline:
            raise ClusterError(f"after {timeout:.0f} s still waiting: {what}")
        time.sleep(POLL_SECONDS)
