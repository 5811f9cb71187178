# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How an agent action ended, as results, records and errors say it. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Dict

from ansible_collections.getporter.porter.plugins.module_utils import _action_record as record
from ansible_collections.getporter.porter.plugins.module_utils._action_log import asks_for_json, json_in
from ansible_collections.getporter.porter.plugins.module_utils._action_record import ActionRun
from ansible_collections.getporter.porter.plugins.module_utils._agent_action import AgentAction
from ansible_collections.getporter.porter.plugins.module_utils._diff import without_environment
from ansible_collections.getporter.porter.plugins.module_utils._errors import JobFailedError
from ansible_collections.getporter.porter.plugins.module_utils._job_status import (
    FAILED,
    PENDING,
    SUCCEEDED,
    JobStatus,
    last_line,
)
from ansible_collections.getporter.porter.plugins.module_utils._record import AgentConfigView

Manifest = Dict[str, Any]

_HIDDEN = "(not shown: it can hold credentials)"


@dataclass(frozen=True)
class ActionOutcome:
    """Where an action stands, or stood at its end."""

    action: AgentAction
    config: AgentConfigView
    status: JobStatus = field(default_factory=lambda: JobStatus(PENDING))
    job: str = ""
    log: tuple[str, ...] = ()
    # Whether the beginning of the log is missing, for its length.
    is_cut: bool = False
    # Whether it had ended before.
    is_earlier: bool = False

    @property
    def has_succeeded(self) -> bool:
        return self.status.phase == SUCCEEDED

    @property
    def why(self) -> str:
        """Why it failed: the line that Porter ended with, or else what Kubernetes says."""
        if self.status.reason == "DeadlineExceeded":
            return self.status.message or "it took longer than its timeout"
        return last_line("\n".join(self.log)) or self.status.message or self.status.reason

    @property
    def result(self) -> dict[str, Any]:
        """The keys of a module's result."""
        mask = self.action.masking
        return {
            "agent_config": self.action.agent_config,
            "namespace": self.action.namespace,
            "name": self.action.name,
            "claim": self.config.claim,
            "plugins": dict(self.config.status.plugins),
            "job": self.job,
            "phase": self.status.phase,
            "reason": self.status.reason,
            "message": mask(self.status.message),
            "exit_code": self.status.exit_code,
            "pod": self.status.pod,
            "pods": self.status.pods,
            "log": list(self.log),
            "log_is_cut": self.is_cut,
            "json": json_in(self.log) if asks_for_json(self.action.args) else None,
            "earlier": self.is_earlier,
        }


def failure_of(outcome: ActionOutcome, words: str = "") -> JobFailedError:
    """The error for an action that failed; ``words`` say why where neither Porter nor the Job does."""
    mask = outcome.action.masking
    command = " ".join(outcome.action.args[:2])
    code = "" if outcome.status.exit_code is None else ", exit code %d" % outcome.status.exit_code
    again = " It ended so before; to run it again, set another word for retry." if outcome.is_earlier else ""
    message = "%s/%s: porter %s failed (Job %s%s): %s%s" % (
        outcome.action.namespace,
        outcome.action.agent_config,
        command,
        outcome.job or "not made",
        code,
        words or outcome.why,
        again,
    )
    return job_failed(mask(message), outcome)


def job_failed(message: str, outcome: ActionOutcome) -> JobFailedError:
    """The error with the outcome as its result, which has a key ``message`` of its own."""
    error = JobFailedError(message)
    error.result.update(outcome.result)
    return error


def outcome_of_run(action: AgentAction, config: AgentConfigView, run: ActionRun) -> ActionOutcome:
    """How the run that a record tells of ended."""
    status = JobStatus(
        phase=SUCCEEDED if run.phase == record.SUCCEEDED else FAILED,
        reason=run.reason,
        message=run.message,
        pod=run.pod or None,
        pods=run.pods,
        exit_code=run.exit_code,
    )
    return ActionOutcome(action, config, status, run.job, run.log, run.is_cut, is_earlier=True)


def run_as_ended(run: ActionRun, outcome: ActionOutcome, words: str = "") -> ActionRun:
    """The run as its record is to remember it."""
    status = outcome.status
    return replace(
        run,
        phase=record.SUCCEEDED if outcome.has_succeeded else record.FAILED,
        reason=status.reason,
        message=outcome.action.masking(words or ("" if outcome.has_succeeded else outcome.why)),
        pod=status.pod or "",
        pods=status.pods,
        exit_code=status.exit_code,
        log=outcome.log,
        is_cut=outcome.is_cut,
    )


def action_diff(action: AgentAction, objects: list[Manifest]) -> dict[str, Any]:
    """What diff mode shows: the objects that a run makes."""
    header = "%s/%s" % (action.namespace, action.name or action.agent_config)
    return {
        "before_header": header,
        "after_header": header,
        "before": {},
        "after": {"%s %s" % (each["kind"], each["metadata"]["name"]): _shown(action, each) for each in objects},
    }


def _shown(action: AgentAction, item: Manifest) -> Manifest:
    if item["kind"] == "Secret":
        return {**item, "stringData": _HIDDEN}
    shown = without_environment(item)
    for container in shown["spec"]["template"]["spec"]["containers"]:
        # As they are written: the object doubles each dollar sign, and so would show a secret that has one.
        container["args"] = [action.masking(each) for each in action.args]
    return shown
