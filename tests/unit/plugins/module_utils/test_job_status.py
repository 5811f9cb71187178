# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What a Job, its pods and its events say, in words for people."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._job_status import (
    JobStatus,
    installed_versions,
    job_status,
    last_line,
    listed_versions,
    newest_pod,
    phase_line,
)

Manifest = dict[str, Any]


def job(*conditions: Manifest, **spec: Any) -> Manifest:
    return {"spec": spec, "status": {"conditions": list(conditions)}}


def condition(kind: str, **words: str) -> Manifest:
    return {"type": kind, "status": "True", **words}


def pod(
    name: str = "p",
    state: Manifest | None = None,
    made: str = "1",
    sidecar: Manifest | None = None,
    **conditions: Manifest,
) -> Manifest:
    return {
        "metadata": {"name": name, "creationTimestamp": made},
        "status": {
            "conditions": [{"type": kind, **values} for kind, values in conditions.items()],
            "containerStatuses": [
                {"name": "istio-proxy", "state": sidecar or {"terminated": {"exitCode": 0}}},
                {"name": "porter-agent", "state": state or {}},
            ],
        },
    }


def installing(agent: Manifest, listing: Manifest, **sidecars: Manifest) -> Manifest:
    """A pod of an install: the agent installs, and then lists what is there."""
    statuses = [{"name": "list-plugins", "state": listing}]
    return {
        "metadata": {"name": "p", "creationTimestamp": "1"},
        "status": {
            "initContainerStatuses": [{"name": "porter-agent", "state": agent}],
            "containerStatuses": [*statuses, *({"name": name, "state": state} for name, state in sidecars.items())],
        },
    }


def event(
    kind: str, reason: str, last: str | None = None, first: str | None = None, series: str | None = None
) -> Manifest:
    found: Manifest = {"type": kind, "reason": reason, "message": "m", "lastTimestamp": last, "eventTime": first}
    return found | ({"series": {"lastObservedTime": series}} if series else {})


def waiting(reason: str, message: str = "") -> Manifest:
    return {"waiting": {"reason": reason, **({"message": message} if message else {})}}


UNSCHEDULABLE = {"status": "False", "reason": "Unschedulable", "message": "0/3 nodes"}
EARLY, LATE = "2026-01-01T00:00:01Z", "2026-01-01T00:00:09Z"

CASES: dict[str, tuple[Manifest, list[Manifest], list[Manifest], JobStatus]] = {
    "complete": (
        job(condition("SuccessCriteriaMet"), condition("Complete", reason="CompletionsReached", message="done")),
        [pod(state={"terminated": {"exitCode": 0}})],
        [],
        JobStatus("succeeded", "CompletionsReached", "done", pod="p", pods=1, exit_code=0),
    ),
    "D01-complete-with-a-failed-pod": (
        job(condition("Complete")),
        [pod("a", {"terminated": {"exitCode": 1}}, "1"), pod("b", {"terminated": {"exitCode": 0}}, "2")],
        [],
        JobStatus("succeeded", pod="b", pods=2, exit_code=0),
    ),
    "failed": (
        job(condition("FailureTarget"), condition("Failed", reason="BackoffLimitExceeded", message="limit")),
        [pod(state={"terminated": {"exitCode": 1}})],
        [],
        JobStatus("failed", "BackoffLimitExceeded", "limit", pod="p", pods=1, exit_code=1),
    ),
    "failed-without-pods": (
        job(condition("Failed", reason="DeadlineExceeded", message="was active too long")),
        [],
        [],
        JobStatus("failed", "DeadlineExceeded", "was active too long"),
    ),
    "no-pod-yet": (job(), [], [], JobStatus("pending")),
    "D04-no-pod-admitted": (
        job(),
        [],
        [event("Normal", "Old", EARLY), event("Warning", "FailedCreate", LATE)],
        JobStatus("pending", stuck="FailedCreate: m"),
    ),
    "unschedulable": (
        job(),
        [pod(PodScheduled=UNSCHEDULABLE)],
        [],
        JobStatus("pending", stuck="pod p: Unschedulable: 0/3 nodes", pod="p", pods=1),
    ),
    "starting": (job(), [pod(state=waiting("ContainerCreating"))], [], JobStatus("scheduled", pod="p", pods=1)),
    "no-status-yet": (job(), [{"metadata": {"name": "p"}}], [], JobStatus("scheduled", pod="p", pods=1)),
    "mount-fails": (
        job(),
        [pod(state=waiting("ContainerCreating"))],
        [event("Normal", "Scheduled", EARLY), event("Warning", "FailedMount", LATE)],
        JobStatus("scheduled", stuck="FailedMount: m", pod="p", pods=1),
    ),
    "pulling-after-a-passing-trouble": (
        job(),
        [pod(state=waiting("ContainerCreating"))],
        [event("Warning", "FailedScheduling", first="2026-01-01T00:00:01.5Z"), event("Normal", "Pulling", LATE)],
        JobStatus("scheduled", pod="p", pods=1),
    ),
    "trouble-that-comes-again": (
        job(),
        [pod(state=waiting("ContainerCreating"))],
        [event("Warning", "FailedScheduling", first=EARLY, series="2026-01-01T00:00:10Z"), event("Normal", "X", LATE)],
        JobStatus("scheduled", stuck="FailedScheduling: m", pod="p", pods=1),
    ),
    "warning-in-the-same-second": (
        job(),
        [pod(state=waiting("ContainerCreating"))],
        [event("Warning", "FailedMount", first="2026-01-01T00:00:01.2Z"), event("Normal", "Scheduled", EARLY)],
        JobStatus("scheduled", stuck="FailedMount: m", pod="p", pods=1),
    ),
    "D02-image-cannot-be-pulled": (
        job(),
        [pod(state=waiting("ImagePullBackOff", "no such image"))],
        [],
        JobStatus("pulling", "ImagePullBackOff", stuck="pod p: ImagePullBackOff: no such image", pod="p", pods=1),
    ),
    "D02-without-words": (
        job(),
        [pod(state=waiting("ErrImagePull"))],
        [event("Warning", "Failed", EARLY), event("Normal", "BackOff", LATE)],
        JobStatus("pulling", "ErrImagePull", stuck="pod p: ErrImagePull: Failed: m", pod="p", pods=1),
    ),
    "running": (job(), [pod(state={"running": {}})], [], JobStatus("running", pod="p", pods=1)),
    "agent-ended": (
        job(),
        [pod(state={"terminated": {"exitCode": 0}})],
        [],
        JobStatus("running", pod="p", pods=1, exit_code=0),
    ),
    "installing": (
        job(),
        [installing({"running": {}}, waiting("PodInitializing"))],
        [],
        JobStatus("running", pod="p", pods=1),
    ),
    "D02-the-first-container-cannot-be-pulled": (
        job(),
        [installing(waiting("ImagePullBackOff", "no"), waiting("PodInitializing"))],
        [],
        JobStatus("pulling", "ImagePullBackOff", stuck="pod p: ImagePullBackOff: no", pod="p", pods=1),
    ),
    "installed-and-about-to-list": (
        job(),
        [installing({"terminated": {"exitCode": 0}}, waiting("PodInitializing"))],
        [],
        JobStatus("running", pod="p", pods=1, listing=True),
    ),
    "listing": (
        job(),
        [installing({"terminated": {"exitCode": 0}}, {"running": {}})],
        [],
        JobStatus("running", pod="p", pods=1, listing=True),
    ),
    "the-second-container-cannot-be-made": (
        job(),
        [installing({"terminated": {"exitCode": 0}}, waiting("CreateContainerError", "no"))],
        [],
        JobStatus("pulling", "CreateContainerError", stuck="pod p: CreateContainerError: no", pod="p", pods=1),
    ),
    "not-installed": (
        job(),
        [installing({"terminated": {"exitCode": 1}}, waiting("PodInitializing"))],
        [],
        JobStatus("running", pod="p", pods=1, exit_code=1),
    ),
    "not-listed": (
        job(),
        [installing({"terminated": {"exitCode": 0}}, {"terminated": {"exitCode": 2}})],
        [],
        JobStatus("running", pod="p", pods=1, exit_code=2, listing=True),
    ),
    "D07-a-sidecar-outlives-both": (
        job(),
        [installing({"terminated": {"exitCode": 0}}, {"terminated": {"exitCode": 0}}, proxy={"running": {}})],
        [],
        JobStatus(
            "running",
            stuck="pod p: the agent has ended with exit code 0, but the Job goes on while proxy runs in its pod. "
            "Keep that out, for example with labels or annotations of the pod",
            pod="p",
            pods=1,
            exit_code=0,
            listing=True,
        ),
    ),
    "D07-agent-runs-beside-a-sidecar": (
        job(),
        [pod(state={"running": {}}, sidecar={"running": {}})],
        [],
        JobStatus("running", pod="p", pods=1),
    ),
    "D07-a-sidecar-outlives-the-agent": (
        job(),
        [pod(state={"terminated": {"exitCode": 0}}, sidecar={"running": {}})],
        [],
        JobStatus(
            "running",
            stuck="pod p: the agent has ended with exit code 0, but the Job goes on while istio-proxy runs in its pod. "
            "Keep that out, for example with labels or annotations of the pod",
            pod="p",
            pods=1,
            exit_code=0,
        ),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_job_status(case: str) -> None:
    given, pods, events, expected = CASES[case]
    assert job_status(given, pods, events) == expected


def test_d08_a_suspended_job_says_who_must_act() -> None:
    status = job_status(job(condition("Suspended"), suspend=True), [], [])
    assert status.phase == "suspended"
    assert "must resume it" in status.stuck


@pytest.mark.parametrize(
    ("pods", "name"),
    [
        ([], None),
        ([pod("a", made="2"), pod("b", made="1")], "a"),
        ([pod("a", made="1"), pod("b", made="1")], "b"),
    ],
    ids=["none", "later", "same-second"],
)
def test_d10_the_newest_pod(pods: list[Manifest], name: str | None) -> None:
    newest = newest_pod(pods)
    assert (newest and newest["metadata"]["name"]) == name


@pytest.mark.parametrize(
    ("log", "versions"),
    [
        (None, {}),
        ("", {}),
        ("installed azure plugin v1.2.0 (f1)\nnoise\ninstalled b plugin v2\n", {"azure": "v1.2.0", "b": "v2"}),
        ("not installed azure plugin v1\n installed azure plugin v1\n", {}),
    ],
    ids=["no-log", "empty", "two", "others"],
)
def test_installed_versions(log: str | None, versions: dict[str, str]) -> None:
    assert installed_versions(log) == versions


LISTED = """porter version v1.6.1
porter plugins list -o json
could not get version from plugin foreign: exec format error
[
  {"name": "azure", "version": "v1.2.0", "commit": "f1", "implementations": [{"type": "storage"}]},
  {"name": "", "version": "", "commit": "", "implementations": null},
  {"name": "kubernetes", "version": "v1.0.1"}
]
"""


@pytest.mark.parametrize(
    ("log", "versions"),
    [
        (LISTED, {"azure": "v1.2.0", "kubernetes": "v1.0.1"}),
        ("porter version v1\n[]\n", {}),
        ('[{"name": "own"}]', {"own": ""}),
        (None, None),
        ("", None),
        ("null\n", None),
        ("[1]\n", None),
        ('{"name": "azure"}\n', None),
        ('[\n  {"name": "azure"', None),
    ],
    ids=["two-and-one-that-does-not-run", "none", "no-version", "no-log", "empty", "null", "numbers", "map", "cut"],
)
def test_listed_versions(log: str | None, versions: dict[str, str] | None) -> None:
    assert listed_versions(log) == versions


@pytest.mark.parametrize(
    ("log", "line"), [(None, ""), ("", ""), ("\n \n", ""), ("one\ntwo\n\n", "two"), (" one \r\n", "one")]
)
def test_last_line(log: str | None, line: str) -> None:
    assert last_line(log) == line


@pytest.mark.parametrize(
    ("status", "log", "line"),
    [
        pytest.param(JobStatus("pending"), None, "waiting for a pod", id="pending"),
        pytest.param(JobStatus("pending", stuck="FailedCreate: no"), None, "pending: FailedCreate: no", id="D04-stuck"),
        pytest.param(
            JobStatus("scheduled", pod="p"),
            None,
            "scheduled: pod p; pulling i:1 where the node lacks it",
            id="scheduled",
        ),
        pytest.param(JobStatus("running"), None, "installing azure", id="first"),
        pytest.param(JobStatus("running"), "installed azure plugin v1 (f)\n", "installing kubernetes", id="second"),
        pytest.param(
            JobStatus("running"),
            "installed azure plugin v1 (f)\ninstalled kubernetes plugin v2 (f)\n",
            "installed azure, kubernetes",
            id="all",
        ),
        pytest.param(
            JobStatus("running", pods=2, exit_code=1),
            "installed azure plugin v1 (f)\nmkdir /p: permission denied\n",
            "try 2 failed: mkdir /p: permission denied",
            id="B23-failed-try",
        ),
        pytest.param(JobStatus("running", pods=1, exit_code=137), None, "try 1 failed: exit code 137", id="no-log"),
        pytest.param(
            JobStatus("running", stuck="a sidecar runs", exit_code=0),
            "installed azure plugin v1 (f)\n",
            "running: a sidecar runs",
            id="D07-sidecar",
        ),
        pytest.param(JobStatus("running", listing=True), "[]", "installed azure, kubernetes", id="listing"),
        pytest.param(
            JobStatus("running", pods=1, exit_code=1, listing=True),
            "could not list\n",
            "try 1 failed: could not list",
            id="not-listed",
        ),
        pytest.param(JobStatus("succeeded"), None, "succeeded", id="succeeded"),
    ],
)
def test_the_line_of_a_phase(status: JobStatus, log: str | None, line: str) -> None:
    assert phase_line(status, "i:1", ("azure", "kubernetes"), log) == line
