# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The API server's audit log: which requests a run made, and what the cluster did meanwhile, to the microsecond."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

COLLECTION = "getporter.porter"
# How requests of this collection and of kubernetes.core, through the library kubernetes, begin to name themselves.
CLIENTS = (COLLECTION, "OpenAPI-Generator/")
JOB_CONTROLLER = "system:serviceaccount:kube-system:job-controller"
WRITES = ("update", "patch")
CLIENTS_WRITES = ("create", "patch", "delete")


@dataclass(frozen=True)
class Request:
    """One request; ``begin`` and ``end`` are seconds since 1970."""

    begin: float
    end: float
    verb: str
    # With the subresource, as in jobs/status.
    resource: str
    namespace: str
    name: str
    user: str
    agent: str

    @property
    def of_clients(self) -> bool:
        """Whether a playbook made it, and not the cluster itself."""
        return self.agent.startswith(CLIENTS)


def read(log: Path, begin: float, word: str = "") -> list[Request]:
    """Every request since ``begin`` in the order of their arrival, of those whose line has this word in it.

    A long log is kept in several files beside it.
    """
    files = sorted(log.parent.glob(f"{log.stem}*{log.suffix}"))
    lines = (line for file in files for line in file.read_text(encoding="utf-8").splitlines())
    events = (json.loads(line) for line in lines if word in line)
    requests = (_request(event) for event in events if event["stage"] == "ResponseComplete")
    return sorted((each for each in requests if each.begin >= begin), key=lambda each: each.begin)


def between(requests: Iterable[Request], begin: float, end: float) -> list[Request]:
    """The requests that arrived in this time."""
    return [each for each in requests if begin <= each.begin <= end]


def job_seconds(requests: Sequence[Request]) -> list[float]:
    """How long each Job took that was made and then deleted, from its creation to the note that it is complete."""
    begun = {_object(each): each.end for each in requests if _is(each, "create", "jobs") and each.of_clients}
    return [_completion(requests, job) - created for job, created in begun.items()]


def hand_over(requests: Sequence[Request]) -> float:
    """How long it took from the end of the slowest Job to the run's last write, which says that all are ready."""
    jobs = {_object(each) for each in requests if _is(each, "create", "jobs") and each.of_clients}
    writes = [each.end for each in requests if each.agent == COLLECTION and each.verb in CLIENTS_WRITES]
    return max(writes) - max(_completion(requests, job) for job in jobs)


def _completion(requests: Sequence[Request], job: tuple[str, str]) -> float:
    """The last time that the controller wrote the Job's status before a client deleted it."""
    deleted = min(each.begin for each in requests if _is(each, "delete", "jobs", job) and each.of_clients)
    return max(
        each.end
        for verb in WRITES
        for each in requests
        if each.user == JOB_CONTROLLER and _is(each, verb, "jobs/status", job) and each.begin < deleted
    )


def _is(request: Request, verb: str, resource: str, wanted: tuple[str, str] | None = None) -> bool:
    return request.verb == verb and request.resource == resource and wanted in (None, _object(request))


def _object(request: Request) -> tuple[str, str]:
    return request.namespace, request.name


def _request(event: dict[str, Any]) -> Request:
    target = event.get("objectRef") or {}
    return Request(
        begin=_seconds(event["requestReceivedTimestamp"]),
        end=_seconds(event["stageTimestamp"]),
        verb=event["verb"],
        resource="/".join(target[key] for key in ("resource", "subresource") if target.get(key)),
        namespace=target.get("namespace", ""),
        name=target.get("name", ""),
        user=event["user"].get("username", ""),
        agent=event.get("userAgent", ""),
    )


def _seconds(timestamp: str) -> float:
    return datetime.fromisoformat(timestamp).timestamp()
