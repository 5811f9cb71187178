# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a Job, its pods and its events say, in words for people. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Dict, Sequence

from ansible_collections.getporter.porter.plugins.module_utils._action_log import json_in
from ansible_collections.getporter.porter.plugins.module_utils._agent_pod import AGENT_CONTAINER, LIST_CONTAINER
from ansible_collections.getporter.porter.plugins.module_utils._life import job_outcome

Manifest = Dict[str, Any]

PENDING = "pending"
SCHEDULED = "scheduled"
PULLING = "pulling"
RUNNING = "running"
SUSPENDED = "suspended"
SUCCEEDED = "succeeded"
FAILED = "failed"

# Phases in which nothing of the agent runs yet.
WAITING_PHASES = frozenset((PENDING, SCHEDULED, PULLING))

# Waiting reasons of a container that are a normal part of its start.
_NORMAL_WAITING = frozenset(("ContainerCreating", "PodInitializing", ""))
# Porter prints a line such as: installed azure plugin v1.2.0 (f1a2b3c)
_INSTALLED_LINE = re.compile(r"^installed (?P<name>\S+) plugin (?P<version>\S+)", re.MULTILINE)


@dataclass(frozen=True)
class JobStatus:
    """Where a Job stands.

    ``stuck`` holds the cluster's own words where the Job cannot go on without help; Kubernetes
    lets such a Job wait for ever and does not count it as failed.
    """

    phase: str
    reason: str = ""
    message: str = ""
    stuck: str = ""
    pod: str | None = None
    pods: int = 0
    exit_code: int | None = None
    # Whether the agent has installed, and lists what is there.
    listing: bool = False


class Patience:
    """How long a Job has been stuck without a break."""

    def __init__(self) -> None:
        self._since: float | None = None

    def is_over(self, stuck: str, now: float, deadline: float) -> bool:
        """Whether it has been stuck for ``deadline`` seconds. ``stuck`` is why it is, empty where it is not."""
        if not stuck:
            self._since = None
            return False
        if self._since is None:
            self._since = now
        return now - self._since >= deadline


def job_status(job: Manifest, pods: list[Manifest], events: list[Manifest]) -> JobStatus:
    """The status of ``job``, given its own pods and the events about it and them."""
    outcome = job_outcome(job)
    newest = newest_pod(pods)
    if outcome is not None:
        return _finished(job, outcome, newest, len(pods))
    if (job.get("spec") or {}).get("suspend"):
        return JobStatus(
            SUSPENDED,
            stuck="the Job is suspended; whatever suspended it (a queue controller, for example) must resume it",
        )
    if newest is None:
        return JobStatus(PENDING, stuck=_standing_warning(events))
    return _of_pod(newest, len(pods), events)


def newest_pod(pods: list[Manifest]) -> Manifest | None:
    """The pod that was made last: a Job makes one after another."""
    return max(
        pods, key=lambda pod: (pod["metadata"].get("creationTimestamp", ""), pod["metadata"]["name"]), default=None
    )


def installed_versions(log: str | None) -> dict[str, str]:
    """Plugin name to version, from the lines that Porter prints for each installed plugin."""
    return {match["name"]: match["version"] for match in _INSTALLED_LINE.finditer(log or "")}


def listed_versions(log: str | None) -> dict[str, str] | None:
    """Plugin name to version, from what ``porter plugins list -o json`` printed; None where that is not known.

    Porter leaves an empty entry for a plugin that does not run: such a one is not in it.
    """
    listed = json_in((log or "").splitlines())
    if not isinstance(listed, list) or any(not isinstance(each, dict) for each in listed):
        return None
    return {str(each["name"]): str(each.get("version") or "") for each in listed if each.get("name")}


def phase_line(status: JobStatus, image: str, plugins: Sequence[str], log: str | None) -> str:
    """The phase of an install for people, with the plugin that Porter is at: it installs them in the order given."""
    if status.stuck or status.phase != RUNNING:
        return phase_words(status, image)
    if status.exit_code:
        # Before the Job has failed: it may be minutes until the last of its tries has.
        return "try %d failed: %s" % (status.pods, last_line(log) or "exit code %d" % status.exit_code)
    done = plugins if status.listing else installed_versions(log)
    current = next((name for name in plugins if name not in done), None)
    return "installing %s" % current if current else "installed %s" % ", ".join(plugins)


def phase_words(status: JobStatus, image: str) -> str:
    """The phase of any Job for people."""
    if status.stuck:
        return "%s: %s" % (status.phase, status.stuck)
    if status.phase == SCHEDULED:
        return "scheduled: pod %s; pulling %s where the node lacks it" % (status.pod, image)
    return "waiting for a pod" if status.phase == PENDING else status.phase


def last_line(log: str | None) -> str:
    """The line with which Porter ended: on a failure, its reason."""
    lines = [line.strip() for line in (log or "").splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _finished(job: Manifest, outcome: bool, newest: Manifest | None, pods: int) -> JobStatus:
    condition = next(
        each
        for each in job["status"]["conditions"]
        if each["status"] == "True" and each["type"] == ("Complete" if outcome else "Failed")
    )
    return JobStatus(
        SUCCEEDED if outcome else FAILED,
        reason=condition.get("reason", ""),
        message=condition.get("message", ""),
        pod=newest["metadata"]["name"] if newest else None,
        pods=pods,
        exit_code=_exit_code(newest),
    )


def _of_pod(pod: Manifest, pods: int, events: list[Manifest]) -> JobStatus:
    name = pod["metadata"]["name"]
    scheduled = _condition(pod, "PodScheduled")
    if scheduled.get("status") == "False":
        return JobStatus(
            PENDING,
            stuck="pod %s: %s: %s" % (name, scheduled.get("reason"), scheduled.get("message")),
            pod=name,
            pods=pods,
        )
    state, listing = container_state(pod), container_at_work(pod) == LIST_CONTAINER
    waiting = state.get("waiting") or {}
    reason = waiting.get("reason", "")
    if "running" in state or (listing and "terminated" not in state and reason in _NORMAL_WAITING):
        return JobStatus(RUNNING, pod=name, pods=pods, listing=listing)
    if reason not in _NORMAL_WAITING:
        message = waiting.get("message") or _words(_latest(_warnings(events)))
        return JobStatus(PULLING, reason=reason, stuck="pod %s: %s: %s" % (name, reason, message), pod=name, pods=pods)
    if "terminated" in state:
        code = state["terminated"].get("exitCode")
        return JobStatus(RUNNING, stuck=_kept_alive(pod, code), pod=name, pods=pods, exit_code=code, listing=listing)
    return JobStatus(SCHEDULED, stuck=_standing_warning(events), pod=name, pods=pods)


def _kept_alive(pod: Manifest, exit_code: int | None) -> str:
    """Which containers keep the pod running, and so its Job, after the agent has ended: injected sidecars."""
    others = [name for name, state in _container_states(pod).items() if "running" in state]
    if not others:
        return ""
    return (
        "pod %s: the agent has ended with exit code %s, but the Job goes on while %s runs in its pod. Keep that out, "
        "for example with labels or annotations of the pod" % (pod["metadata"]["name"], exit_code, ", ".join(others))
    )


def _standing_warning(events: list[Manifest]) -> str:
    """The latest warning, unless something went on after it, such as the pull of the image."""
    warning = _latest(_warnings(events))
    others = _latest([event for event in events if event.get("type") != "Warning"])
    return "" if warning and others and _time(others) > _time(warning) else _words(warning)


def _warnings(events: list[Manifest]) -> list[Manifest]:
    return [event for event in events if event.get("type") == "Warning"]


def _latest(events: list[Manifest]) -> Manifest | None:
    return max(events, key=_time, default=None)


def _time(event: Manifest) -> str:
    """When it happened (last), to the second: some components write fractions, others do not."""
    repeated = (event.get("series") or {}).get("lastObservedTime")
    when: str = repeated or event.get("lastTimestamp") or event.get("eventTime") or ""
    return when[: len("2026-01-31T12:00:00")]


def _words(event: Manifest | None) -> str:
    """An event in the cluster's words."""
    return "%s: %s" % (event.get("reason"), event.get("message")) if event else ""


def _condition(item: Manifest, kind: str) -> dict[str, Any]:
    conditions = (item.get("status") or {}).get("conditions") or []
    return next((each for each in conditions if each.get("type") == kind), {})


def container_state(pod: Manifest) -> dict[str, Any]:
    """Of the agent's container that is at work: an injected sidecar may stand before it."""
    return _container_states(pod).get(container_at_work(pod)) or {}


def container_at_work(pod: Manifest) -> str:
    """The agent's container that runs, or ran last: in an install's pod two follow each other."""
    states = _container_states(pod)
    ended = (states.get(AGENT_CONTAINER) or {}).get("terminated") or {}
    return LIST_CONTAINER if LIST_CONTAINER in states and ended.get("exitCode") == 0 else AGENT_CONTAINER


def _container_states(pod: Manifest) -> dict[str, dict[str, Any]]:
    status = pod.get("status") or {}
    statuses = [*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])]
    return {each["name"]: each.get("state") or {} for each in statuses}


def _exit_code(pod: Manifest | None) -> int | None:
    terminated = container_state(pod).get("terminated") if pod else None
    return terminated.get("exitCode") if terminated else None
