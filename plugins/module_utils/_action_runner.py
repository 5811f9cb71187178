# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs an agent action: finds its agent config and its plugins, has a Job made, and says how it ended.

Private to the collection: not a public interface.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict

from ansible_collections.getporter.porter.plugins.module_utils._access_review import (
    refuse_missing_rights,
    with_all_that_is_missing,
)
from ansible_collections.getporter.porter.plugins.module_utils._action_manifests import (
    action_job,
    agent_settings,
    files_secret,
)
from ansible_collections.getporter.porter.plugins.module_utils._action_outcome import (
    ActionOutcome,
    failure_of,
    job_failed,
    outcome_of_run,
    run_as_ended,
)
from ansible_collections.getporter.porter.plugins.module_utils._action_runs import again, runs_of
from ansible_collections.getporter.porter.plugins.module_utils._action_watch import (
    ActionWatch,
    Watched,
    WatchSettings,
)
from ansible_collections.getporter.porter.plugins.module_utils._agent_action import AgentAction
from ansible_collections.getporter.porter.plugins.module_utils._api import CLAIMS, CONFIG_MAPS, JOBS, SECRETS, KubeApi
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ApiError,
    CancelledError,
    InputError,
    JobFailedError,
    JobGoneError,
    PorterError,
    WaitTimeoutError,
    tolerated,
)
from ansible_collections.getporter.porter.plugins.module_utils._job_status import PENDING, JobStatus
from ansible_collections.getporter.porter.plugins.module_utils._life import job_outcome
from ansible_collections.getporter.porter.plugins.module_utils._names import record_name
from ansible_collections.getporter.porter.plugins.module_utils._namespaces import refuse_missing_namespaces
from ansible_collections.getporter.porter.plugins.module_utils._objects import is_deleting, phase_of
from ansible_collections.getporter.porter.plugins.module_utils._record import (
    PHASE_FAILED,
    RECORD_SELECTOR,
    AgentConfigView,
    read_record,
)
from ansible_collections.getporter.porter.plugins.module_utils._rights import ACTION_RIGHTS
from ansible_collections.getporter.porter.plugins.module_utils._writing import create_once, delete_item

Manifest = Dict[str, Any]

# Seconds, where neither the action nor the agent config says any.
DEFAULT_TIMEOUT = 600


@dataclass(frozen=True)
class ActionSettings:
    """How an action is run; nothing of it changes what runs."""

    # Seconds for the whole action; None: as the agent config says.
    timeout: int | None = None
    progress_deadline: int = 120
    # How many finished Jobs of the action stay, for people to look at.
    keep: int = 0
    # Whether the Job goes on when the run that made it is cancelled.
    leave_when_cancelled: bool = False


class ActionRunner:
    """Runs one action."""

    def __init__(
        self,
        api: KubeApi,
        action: AgentAction,
        settings: ActionSettings,
        *,
        say: Callable[[str], None] = lambda _line: None,
        check_cancelled: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._api = api
        self._action = action
        self._settings = settings
        self._say = say
        self._check_cancelled = check_cancelled
        self._clock = clock
        self._sleep = sleep
        try:
            self._config = self._find_config()
        except ApiError as error:
            if error.status != 403:
                raise
            raise with_all_that_is_missing(api, error, [action.namespace], ACTION_RIGHTS) from error
        self._agent = agent_settings(action, self._config)
        self._runs = runs_of(api, action, self._config)
        # Whether the plugin claim is still awaited, and whether it can be attached for reading only.
        self._is_awaited = False
        self._is_read_only = False

    def foresee(self) -> ActionOutcome:
        """What a run would report at once. Nothing is written, and nothing is waited for."""
        ended = self._runs.ended()
        if ended:
            return succeeded(outcome_of_run(self._action, self._config, ended))
        self._look_at_plugins()
        return ActionOutcome(self._action, self._config)

    def objects(self, outcome: ActionOutcome) -> list[Manifest]:
        """What the run with this outcome made, or would make."""
        if outcome.is_earlier:
            return []
        name = outcome.job or self._runs.job_name
        objects = [self._job(name)]
        if self._action.files:
            named = {"metadata": {"name": name, "uid": "(known then)"}}
            objects.append(files_secret(self._action, self._config, named))
        return objects

    def run(self) -> ActionOutcome:
        """Run it to its end, or report how it ended before. JobFailedError where it failed, then or now."""
        ended = self._runs.ended()
        if ended:
            # One that was stopped before it removed its Job left that to the next.
            self._runs.remove_old_jobs(self._settings.keep)
            return succeeded(outcome_of_run(self._action, self._config, ended))
        self._look_at_plugins()
        refuse_missing_rights(self._api, [self._action.namespace], ACTION_RIGHTS)
        try:
            job = self._begin()
            return self._until_end(Watched(job)) if job else self.run()
        except (CancelledError, KeyboardInterrupt):
            self._cancel()
            raise

    # --- before ---

    def _find_config(self) -> AgentConfigView:
        name, namespace = self._action.agent_config, self._action.namespace
        record = self._api.get(CONFIG_MAPS, record_name(name), namespace)
        if record and not is_deleting(record):
            return read_record(record)
        refuse_missing_namespaces(self._api, [namespace], "Write the namespace of the agent config.")
        records = self._api.list_all(CONFIG_MAPS, namespace, label_selector=RECORD_SELECTOR)
        known = sorted((each.get("data") or {}).get("name") or "" for each in records)
        raise InputError(
            "There is no agent config %s in namespace %s; %s. Give it its plugins first, with the role porter_plugins, "
            "or write another name." % (name, namespace, "there are " + ", ".join(known) if known else "there are none")
        )

    def _look_at_plugins(self) -> None:
        """Find the plugin claim. One that is not bound is awaited, unless nobody is at it or the wait is not wanted."""
        if not self._config.claim:
            return
        claim = self._api.get(CLAIMS, self._config.claim, self._action.namespace)
        if claim and phase_of(claim) == "Bound" and not is_deleting(claim):
            self._is_read_only = claim["spec"].get("accessModes") == ["ReadOnlyMany"]
            return
        status = self._config.status
        if status.phase == PHASE_FAILED or not self._action.wait_for_plugins:
            raise self._no_plugins()
        self._is_awaited = True
        self._say(
            "waiting for the plugin claim %s, which the install of agent config %s makes"
            % (self._config.claim, self._action.agent_config)
        )

    def _no_plugins(self) -> JobFailedError:
        status = self._config.status
        message = (
            "%s/%s: the plugins are not ready, so no pod was made (plugin claim %s): %s. Mend that, run the role "
            "porter_plugins, and then the action again."
            % (
                self._action.namespace,
                self._action.agent_config,
                self._config.claim,
                (status.message or status.reason or "the install is under way").rstrip("."),
            )
        )
        return job_failed(message, ActionOutcome(self._action, self._config, JobStatus(PENDING, reason=status.reason)))

    # --- the Job ---

    def _begin(self) -> Manifest | None:
        """The Job with its files; None where the action has ended meanwhile."""
        job = self._runs.begin(self._job)
        if job and self._action.files:
            try:
                # The Job first, since it is to own the Secret. Its pod waits for the Secret, if it is that fast.
                files = files_secret(self._action, self._config, job)
                again(lambda: create_once(self._api, SECRETS, files))
            except PorterError:
                # Its pod would wait for them.
                self._remove(job)
                self._runs.note_stop()
                raise
        return job

    def _job(self, name: str) -> Manifest:
        return action_job(self._action, self._config, name, timeout=self._timeout, read_only_claim=self._is_read_only)

    @property
    def _timeout(self) -> int:
        return self._settings.timeout or self._agent.active_deadline_seconds or DEFAULT_TIMEOUT

    def _until_end(self, watched: Watched) -> ActionOutcome:
        try:
            self._watch().until_end(watched)
        except JobGoneError as error:
            return self._end_elsewhere(watched, error)
        except (JobFailedError, WaitTimeoutError) as error:
            raise self._give_up(watched, error) from error
        self._note_end(watched)
        self._runs.remove_old_jobs(self._settings.keep)
        return succeeded(self._outcome(watched))

    def _watch(self) -> ActionWatch:
        return ActionWatch(
            self._api,
            self._action,
            WatchSettings(self._timeout, self._settings.progress_deadline),
            claim=self._config.claim if self._is_awaited else "",
            image=self._agent.image,
            say=self._say,
            check_cancelled=self._check_cancelled,
            clock=self._clock,
            sleep=self._sleep,
        )

    # --- other ends ---

    def _end_elsewhere(self, watched: Watched, error: JobGoneError) -> ActionOutcome:
        """Another run may have noted the end and removed the Job."""
        ended = self._runs.ended()
        if not ended:
            raise failure_of(self._outcome(watched), error.message) from error
        return succeeded(outcome_of_run(self._action, self._config, ended))

    def _give_up(self, watched: Watched, error: PorterError) -> JobFailedError:
        """The Job goes: it would begin, or go on, when nobody looks any more."""
        self._remove(watched.job)
        watched.status = replace(watched.status, reason=error.result.get("reason") or watched.status.reason)
        self._note_end(watched, error.message)
        return failure_of(self._outcome(watched), error.message + ". The Job was removed")

    def _note_end(self, watched: Watched, words: str = "") -> None:
        """Only of what has begun: the rest can be run again without a second thought."""
        outcome = self._outcome(watched)
        if watched.has_begun or outcome.has_succeeded:
            self._runs.note_end(lambda run: run_as_ended(run, outcome, words))
        else:
            self._runs.note_stop()

    def _cancel(self) -> None:
        if self._settings.leave_when_cancelled:
            return
        # The request that makes it may have been under way.
        job = self._api.get(JOBS, self._runs.job_name, self._action.namespace)
        if job and self._action.name and job_outcome(job) is not None:
            # The next run notes how it ended.
            return
        if job:
            self._remove(job)
        self._runs.note_stop()

    def _remove(self, job: Manifest) -> None:
        """With its pods. The deadline that it has ends it where it cannot be removed now."""
        with tolerated():
            delete_item(self._api, JOBS, job)

    def _outcome(self, watched: Watched) -> ActionOutcome:
        return ActionOutcome(
            self._action,
            self._config,
            watched.status,
            watched.job["metadata"]["name"],
            tuple(watched.log),
            watched.is_cut,
        )


def succeeded(outcome: ActionOutcome) -> ActionOutcome:
    """The outcome; JobFailedError where it is none of success."""
    if not outcome.has_succeeded:
        raise failure_of(outcome)
    return outcome
