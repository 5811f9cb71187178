# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Where in a run a fault can strike: names for its requests that are the same in every run. Pure.

A run waits by asking again, and how often depends on the cluster's speed. So requests are not counted but named after
where the run stands: ``2.1-POST-secrets`` is the first such request of the second task after one successful write.
Asking the same thing again, with nothing written in between, is the same point.
"""

from __future__ import annotations

from collections.abc import Sequence

MUTATING = frozenset(("POST", "PUT", "PATCH", "DELETE"))
# Questions that are asked by POST.
_QUESTIONS = ("POST-selfsubjectaccessreviews",)


def is_mutating(point: str) -> bool:
    """Whether the request at this point writes."""
    _place, _dash, request = point.partition("-")
    return writes(request)


def writes(request: str) -> bool:
    """Whether a request with this signature does."""
    return request.split("-")[0] in MUTATING and request not in _QUESTIONS


def is_turn(points: Sequence[str], turn: int, only_writes: bool) -> bool:
    """Whether the last of these points is the one whose turn it is, counted from 1."""
    counted = [point for point in points if is_mutating(point) or not only_writes]
    return len(counted) == turn and counted[-1] == points[-1]


def signature(method: str, path: str) -> str:
    """The kind of a request, without the names of namespaces and objects: ``GET-pods/NAME/log``."""
    parts = path.split("?")[0].strip("/").split("/")
    resource = parts[2:] if parts[0] == "api" else parts[3:]
    if resource[0] == "namespaces" and len(resource) > 2:
        resource = resource[2:]
    named = ["NAME"] if len(resource) > 1 else []
    return f"{method}-" + "/".join([resource[0], *named, *resource[2:]])


class Course:
    """The points of one run, as it reaches them."""

    def __init__(self) -> None:
        self.points: list[str] = []
        # Whether anything was written.
        self.wrote = False
        self._connections: list[str] = []
        self._writes = 0

    def request(self, connection: str, method: str, path: str) -> str | None:
        """The point that this request is the first to reach; None when it only asks again.

        Every task is a process of its own, so a new connection is a new task. That no longer holds once a fault has
        cut one, which is of no matter: a run meets one fault.
        """
        if connection not in self._connections:
            self._connections.append(connection)
            self._writes = 0
        point = f"{len(self._connections)}.{self._writes}-{signature(method, path)}"
        if point in self.points:
            return None
        self.points.append(point)
        return point

    def answered(self, method: str, path: str, status: int) -> None:
        """Conflicts come and go with the cluster's own writes, so that only successful writes count."""
        if writes(signature(method, path)) and status < 300:
            self._writes += 1
            self.wrote = True
