# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Watches the Job of an agent action to its end: phases, log, plugins that are still to come.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict

from ansible_collections.getporter.porter.plugins.module_utils._action_log import MOST_CHARACTERS, LogTail
from ansible_collections.getporter.porter.plugins.module_utils._action_manifests import ACTION_SELECTOR
from ansible_collections.getporter.porter.plugins.module_utils._agent_action import AgentAction
from ansible_collections.getporter.porter.plugins.module_utils._agent_pod import AGENT_CONTAINER
from ansible_collections.getporter.porter.plugins.module_utils._api import CLAIMS, CONFIG_MAPS, JOBS, KubeApi
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ApiError,
    JobFailedError,
    JobGoneError,
    UnreachableError,
    WaitTimeoutError,
)
from ansible_collections.getporter.porter.plugins.module_utils._job_status import (
    FAILED,
    SUCCEEDED,
    JobStatus,
    Patience,
    container_state,
    job_status,
    phase_words,
)
from ansible_collections.getporter.porter.plugins.module_utils._job_watch import JobWatch
from ansible_collections.getporter.porter.plugins.module_utils._names import record_name
from ansible_collections.getporter.porter.plugins.module_utils._objects import is_deleting, phase_of
from ansible_collections.getporter.porter.plugins.module_utils._record import PHASE_FAILED, claim_of, read_record

Manifest = Dict[str, Any]

# Seconds between two looks at the Job and its log; between two at a claim that is awaited.
INTERVAL = 0.5
CLAIM_INTERVAL = 2.0
# Seconds beyond the action's own, which Kubernetes watches over, until it is given up.
GRACE = 30.0


@dataclass(frozen=True)
class WatchSettings:
    """How long to wait, in seconds."""

    timeout: float
    # How long a Job may be stuck before that is a failure.
    progress_deadline: float


@dataclass
class Watched:
    """What was seen of an action's Job."""

    job: Manifest
    status: JobStatus = field(default_factory=lambda: JobStatus(""))
    log: list[str] = field(default_factory=list)
    # Whether the beginning of the log is missing, for its length.
    is_cut: bool = False
    # Whether the agent was seen running, or ended. What never began does not count as run.
    has_begun: bool = False
    # Uids of the pods that were seen: one that was evicted or deleted is in no later list.
    pods: set[str] = field(default_factory=set)


class ActionWatch:
    """Watches one Job."""

    def __init__(
        self,
        api: KubeApi,
        action: AgentAction,
        settings: WatchSettings,
        *,
        claim: str,
        image: str,
        say: Callable[[str], None],
        check_cancelled: Callable[[], None],
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._api = api
        self._action = action
        self._settings = settings
        # The plugin claim that is still awaited; empty for none.
        self._claim = claim
        self._image = image
        self._say = say
        self._check_cancelled = check_cancelled
        self._clock = clock
        self._sleep = sleep
        self._mask = action.masking
        self._tails: dict[str, LogTail] = {}
        self._read: set[str] = set()
        self._said = ""
        self._patience = Patience()
        self._claim_seen_at = clock()

    def until_end(self, watched: Watched) -> None:
        """Until the Job has ended, in ``watched``. Raises where it cannot go on, or goes on for too long."""
        selector = "%s,job-name=%s" % (ACTION_SELECTOR, watched.job["metadata"]["name"])
        jobs = JobWatch(self._api, self._clock, selector)
        deadline = self._clock() + self._settings.timeout + GRACE
        while True:
            self._check_cancelled()
            try:
                jobs.new_round()
                self._look(watched, jobs)
            except (UnreachableError, ApiError) as error:
                self._ride_out(error, deadline)
            if watched.status.phase == FAILED and self._claim and not watched.has_begun:
                raise WaitTimeoutError(
                    "the plugin claim %s, which the install of agent config %s makes, did not come within %d s"
                    % (self._claim, self._action.agent_config, self._settings.timeout)
                )
            if watched.status.phase in (SUCCEEDED, FAILED):
                return
            if self._clock() >= deadline:
                raise WaitTimeoutError(
                    "it has not ended after %d s (%s)"
                    % (self._settings.timeout, phase_words(watched.status, self._image))
                )
            self._sleep(INTERVAL)

    def _ride_out(self, error: UnreachableError | ApiError, deadline: float) -> None:
        """An API that does not answer says nothing about the Job, which goes on meanwhile."""
        if isinstance(error, ApiError) and error.status < 500 and error.status != 429:
            raise error
        if self._clock() >= deadline:
            raise error
        self._tell("the API does not answer, the Job goes on: %s" % error.message)

    def _look(self, watched: Watched, jobs: JobWatch) -> None:
        metadata = watched.job["metadata"]
        job = self._api.get(JOBS, metadata["name"], metadata["namespace"])
        if not job or job["metadata"]["uid"] != metadata["uid"] or is_deleting(job):
            raise JobGoneError("the Job %s was deleted before its end" % metadata["name"])
        watched.job = job
        pods = jobs.pods(job)
        watched.pods.update(each["metadata"]["uid"] for each in pods)
        status = replace(job_status(job, pods, jobs.events_about(job, pods)), pods=len(watched.pods))
        if status.phase not in (SUCCEEDED, FAILED):
            self._tell(phase_words(status, self._image))
        for pod in sorted(pods, key=lambda each: each["metadata"].get("creationTimestamp", "")):
            self._read_log(watched, pod)
        watched.status = status
        if status.phase in (SUCCEEDED, FAILED):
            return
        self._look_after_claim()
        self._refuse_stuck(status)

    def _read_log(self, watched: Watched, pod: Manifest) -> None:
        """Show what is new. A container that has ended is read to its end, once."""
        uid, state = pod["metadata"]["uid"], container_state(pod)
        if uid in self._read or not ("running" in state or "terminated" in state):
            return
        watched.has_begun = True
        tail = self._tails.setdefault(uid, LogTail())
        while True:
            piece = self._api.pod_log_since(
                pod["metadata"]["namespace"], pod["metadata"]["name"], AGENT_CONTAINER, tail.since
            )
            if piece is None:
                # The node does not answer. It may at the next look.
                return
            lines = tail.take(piece, is_last="terminated" in state)
            for line in map(self._mask, lines):
                watched.log.append(line)
                self._say(line)
            if "terminated" not in state:
                break
            if not lines:
                self._read.add(uid)
                break
        while sum(map(len, watched.log)) > MOST_CHARACTERS:
            del watched.log[: len(watched.log) // 10 + 1]
            watched.is_cut = True

    def _tell(self, line: str) -> None:
        """A line at each change."""
        if line and line != self._said:
            self._said = line
            self._say(line)

    def _look_after_claim(self) -> None:
        """Whether the plugins that are awaited have come, or never will."""
        if not self._claim or self._clock() - self._claim_seen_at < CLAIM_INTERVAL:
            return
        self._claim_seen_at = self._clock()
        action = self._action
        claim = self._api.get(CLAIMS, self._claim, action.namespace)
        if claim and phase_of(claim) == "Bound":
            self._tell("the plugin claim %s is bound" % self._claim)
            self._claim = ""
            return
        record = self._api.get(CONFIG_MAPS, record_name(action.agent_config), action.namespace)
        if not record or claim_of(record) != self._claim:
            raise JobFailedError(
                "the agent config %s has other plugins by now, or was removed; run the action again"
                % action.agent_config,
                reason="AgentConfigChanged",
            )
        status = read_record(record).status
        if status.phase == PHASE_FAILED:
            raise JobFailedError(
                "the plugins of agent config %s could not be installed: %s" % (action.agent_config, status.message),
                reason=status.reason,
            )

    def _refuse_stuck(self, status: JobStatus) -> None:
        # A pod whose claim is on its way waits as it should.
        stuck = "" if self._claim else status.stuck
        if self._patience.is_over(stuck, self._clock(), self._settings.progress_deadline):
            raise JobFailedError(
                "no progress since %d s: %s" % (self._settings.progress_deadline, status.stuck), reason=status.reason
            )
