# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The runs of an agent action: which Job serves this one, and how the last one ended.

Private to the collection: not a public interface.

An action without a name has a Job of its own each time. A named one has a record, which is written before the Job is
made and after it has ended: a run that is stopped anywhere is finished by the next one, runs side by side share one
Job, and what has ended is not run again.
"""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import replace
from typing import Any, Callable, Dict, Protocol, TypeVar

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._action_manifests import ACTION_SELECTOR
from ansible_collections.getporter.porter.plugins.module_utils._action_record import (
    ENDED,
    PENDING,
    RUNNING,
    STOPPED,
    ActionRun,
    action_record,
    action_record_patch,
    next_run,
    read_run,
)
from ansible_collections.getporter.porter.plugins.module_utils._agent_action import AgentAction
from ansible_collections.getporter.porter.plugins.module_utils._api import CONFIG_MAPS, JOBS, KubeApi
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ConflictError,
    JobFailedError,
    PorterError,
    tolerated,
)
from ansible_collections.getporter.porter.plugins.module_utils._life import job_outcome
from ansible_collections.getporter.porter.plugins.module_utils._objects import annotations_of, is_deleting
from ansible_collections.getporter.porter.plugins.module_utils._record import AgentConfigView
from ansible_collections.getporter.porter.plugins.module_utils._writing import create_ours, delete_item, timestamp

Manifest = Dict[str, Any]
MakeJob = Callable[[str], Manifest]
T = TypeVar("T")

# How often somebody else may write the record first before that is an error.
MOST_CONFLICTS = 10


class Runs(Protocol):
    """What serves an action's run."""

    def ended(self) -> ActionRun | None:
        """How this generation of the action ended, as its record says now; None where it has not."""

    @property
    def job_name(self) -> str:
        """The name of the Job that this run made or joined, or will make. Known once ``ended`` was asked."""

    def begin(self, make_job: MakeJob) -> Manifest | None:
        """The Job of this run, made or joined; None where the action has ended meanwhile."""

    def note_end(self, run: Callable[[ActionRun], ActionRun]) -> None:
        """Remember how the run ended."""

    def note_stop(self) -> None:
        """Remember that the run was stopped before its end, so that the next one begins anew."""

    def remove_old_jobs(self, keep: int) -> None:
        """Remove finished Jobs of the action, but the newest ones."""


class SingleRun:
    """Of an action without a name: nothing is remembered."""

    def __init__(self, api: KubeApi, action: AgentAction) -> None:
        self._api = api
        # Chosen here and not by the API server: a request that is sent twice must not make two Jobs.
        self._name = action.job_name(uuid.uuid4().hex[:10])
        self._job: Manifest | None = None

    def ended(self) -> ActionRun | None:
        return None

    @property
    def job_name(self) -> str:
        return self._name

    def begin(self, make_job: MakeJob) -> Manifest | None:
        self._job = again(lambda: _made_or_found(self._api, make_job(self._name)))
        return self._job

    def note_end(self, run: Callable[[ActionRun], ActionRun]) -> None:
        pass

    def note_stop(self) -> None:
        pass

    def remove_old_jobs(self, keep: int) -> None:
        # Those of other runs may not have been read yet; they go by their TTL.
        if not keep and self._job:
            _remove(self._api, self._job)


class NamedRuns:
    """Of an action with a name."""

    def __init__(self, api: KubeApi, action: AgentAction, config: AgentConfigView) -> None:
        self._api = api
        self._action = action
        self._config = config
        self._record: Manifest | None = None
        self._latest: ActionRun | None = None
        # What this run makes or joined.
        self._own: ActionRun | None = None

    @property
    def job_name(self) -> str:
        return (self._own or next_run(self._action, self._latest)).job

    def ended(self) -> ActionRun | None:
        self._read()
        latest = self._latest
        return latest if latest and latest.is_of(self._action) and latest.phase in ENDED else None

    def begin(self, make_job: MakeJob) -> Manifest | None:
        for _attempt in range(MOST_CONFLICTS):
            if self.ended():
                return None
            with suppress(ConflictError):
                job = self._begin_or_join(make_job)
                if job:
                    return job
        raise PorterError(
            "Action %s: its record was written by others %d times in a row. Run it again."
            % (self._action.name, MOST_CONFLICTS)
        )

    def _begin_or_join(self, make_job: MakeJob) -> Manifest | None:
        """The Job; None where the record has changed since it was read."""
        latest = self._latest
        under_way = latest if latest and latest.phase in (PENDING, RUNNING) else None
        job = self._api.get(JOBS, under_way.job, self._action.namespace) if under_way else None
        if under_way and under_way.is_of(self._action):
            run = under_way
            if not job and run.phase == RUNNING:
                # Whoever removed it noted the end before.
                self._read()
                if self._latest != run:
                    return None
                raise self._lost(run)
        else:
            if job and job_outcome(job) is None:
                raise self._busy(job)
            run, job = next_run(self._action, latest), None
            self._write(run)
        self._own = run
        job = job or _made_or_found(self._api, make_job(run.job))
        if run.phase == PENDING:
            # Whoever finds no Job from now on knows that there was one.
            self._write(replace(run, phase=RUNNING, job_uid=job["metadata"]["uid"]))
        return job

    def note_end(self, run: Callable[[ActionRun], ActionRun]) -> None:
        for _attempt in range(MOST_CONFLICTS):
            self._read()
            latest = self._latest
            if not latest or not self._own or latest.number != self._own.number or latest.phase in ENDED:
                return
            with suppress(ConflictError):
                self._write(run(latest))
                return

    def note_stop(self) -> None:
        # What cannot be written down is not worth another error: the next run finds no Job, and says so.
        with tolerated():
            self.note_end(lambda run: replace(run, phase=STOPPED))

    def remove_old_jobs(self, keep: int) -> None:
        jobs = self._api.list_all(JOBS, self._action.namespace, label_selector=ACTION_SELECTOR)
        ours = [each for each in jobs if annotations_of(each).get(keys.ANNOTATION_ACTION) == self._action.name]
        finished = [each for each in ours if job_outcome(each) is not None and not is_deleting(each)]
        finished.sort(key=lambda each: each["metadata"]["creationTimestamp"], reverse=True)
        for each in finished[keep:]:
            _remove(self._api, each)

    def _read(self) -> None:
        self._record = self._api.get(CONFIG_MAPS, self._action.record_name, self._action.namespace)
        self._latest = read_run(self._record)

    def _write(self, run: ActionRun) -> None:
        now = timestamp()
        if self._record:
            patch = action_record_patch(self._record, self._action, self._config, run, now)
            name = self._record["metadata"]["name"]
            self._record = self._api.merge_patch(CONFIG_MAPS, name, patch, self._action.namespace)
        else:
            body = action_record(self._action, self._config, run, now)
            self._record = create_ours(self._api, CONFIG_MAPS, body, ACTION_SELECTOR)
        self._latest = run

    def _busy(self, job: Manifest) -> PorterError:
        return PorterError(
            "Action %s still runs with other arguments, in Job %s. Wait for its end, or delete the Job, and run it "
            "again." % (self._action.name, job["metadata"]["name"])
        )

    def _lost(self, run: ActionRun) -> PorterError:
        return JobFailedError(
            "Action %s was begun, but its Job %s is gone and nobody noted how it ended. Look at what Porter says, and "
            "run the action again with another word for retry." % (self._action.name, run.job),
            reason="JobGone",
            job=run.job,
        )


def runs_of(api: KubeApi, action: AgentAction, config: AgentConfigView) -> Runs:
    """Reads the record of a named action."""
    return NamedRuns(api, action, config) if action.name else SingleRun(api, action)


def again(request: Callable[[], T]) -> T:
    """The answer to a request that is repeated after a conflict, as a busy ResourceQuota or a webhook answers."""
    for _attempt in range(MOST_CONFLICTS - 1):
        with suppress(ConflictError):
            return request()
    return request()


def _made_or_found(api: KubeApi, job: Manifest) -> Manifest:
    """The name is this run's alone, or the record's: a Job that has it is the one."""
    try:
        return create_ours(api, JOBS, job, ACTION_SELECTOR)
    except ConflictError:
        found = api.get(JOBS, job["metadata"]["name"], job["metadata"]["namespace"])
        if not found:
            raise
        return found


def _remove(api: KubeApi, job: Manifest) -> None:
    """A Job whose end is known. One that cannot go now goes by its TTL, which is no failure of the action."""
    with tolerated():
        again(lambda: delete_item(api, JOBS, job))
