# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What the benchmark reads out of the audit log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.bench import audit
from tests.bench.audit import COLLECTION, JOB_CONTROLLER, Request

PLAIN = "OpenAPI-Generator/37.0.2/python"


def request(
    begin: float, verb: str, resource: str, name: str = "", agent: str = COLLECTION, user: str = "me"
) -> Request:
    return Request(begin, begin + 0.5, verb, resource, "porter", name, user, agent)


def status(begin: float, name: str) -> Request:
    return request(begin, "update", "jobs/status", name, "kube-controller-manager", JOB_CONTROLLER)


def line(received: str, **changes: Any) -> str:
    event = {
        "stage": "ResponseComplete",
        "verb": "update",
        "user": {"username": "me"},
        "userAgent": COLLECTION,
        "objectRef": {"resource": "jobs", "subresource": "status", "namespace": "porter", "name": "one"},
        "requestReceivedTimestamp": received,
        "stageTimestamp": "2026-11-30T06:00:09.500000Z",
    }
    return json.dumps({**event, **changes}) + "\n"


def test_the_log_is_read_with_its_older_files_in_order_from_the_begin_on(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    log.write_text(
        line("2026-11-30T06:00:08.250000Z", objectRef=None)
        + line("2026-11-30T06:00:09.000000Z", stage="ResponseStarted")
    )
    older = line("2026-11-30T06:00:01.000000Z") + line("2026-11-30T06:00:07.000000Z")
    (tmp_path / "audit-2026-11-30T06-00-08.000.log").write_text(older)
    begin = 1796018405.0
    (first, second) = audit.read(log, begin)
    assert first == Request(begin + 2, begin + 4.5, "update", "jobs/status", "porter", "one", "me", COLLECTION)
    assert (second.begin, second.resource, second.name) == (begin + 3.25, "", "")


def test_requests_between_two_moments() -> None:
    requests = [request(moment, "list", "jobs") for moment in (1.0, 2.0, 3.0)]
    assert audit.between(requests, 1.5, 3.0) == requests[1:]


@pytest.mark.parametrize(("agent", "expected"), [(COLLECTION, True), (PLAIN, True), ("kube-scheduler/v1.36.3", False)])
def test_what_playbooks_ask_is_told_from_what_the_cluster_asks(agent: str, expected: bool) -> None:
    assert request(1, "get", "jobs", agent=agent).of_clients is expected


@pytest.mark.parametrize("agent", [COLLECTION, PLAIN])
def test_a_job_takes_from_its_creation_to_the_last_status_before_its_deletion(agent: str) -> None:
    requests = [
        request(1, "create", "jobs", "one", agent),
        request(2, "create", "jobs", "two", agent),
        status(3, "one"),
        status(4, "one"),
        status(8, "two"),
        request(9, "delete", "jobs", "one", agent),
        request(9, "delete", "jobs", "two", agent),
        status(10, "one"),
    ]
    assert audit.job_seconds(requests) == [3, 6]


def test_the_hand_over_is_what_comes_after_the_slowest_job() -> None:
    requests = [
        request(1, "create", "jobs", "one"),
        request(2, "create", "jobs", "two"),
        request(3, "update", "jobs/status", "one", user=audit.JOB_CONTROLLER, agent="controller"),
        request(4, "delete", "jobs", "one"),
        request(6, "update", "jobs/status", "two", user=audit.JOB_CONTROLLER, agent="controller"),
        request(6.5, "delete", "jobs", "two"),
        request(7.5, "patch", "configmaps", "two"),
        request(9, "list", "jobs"),
        request(9.5, "delete", "pods", "x", agent="kubelet"),
    ]
    assert audit.hand_over(requests) == 1.5
