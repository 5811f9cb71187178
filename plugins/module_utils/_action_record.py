# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The record of a named agent action: the ConfigMap that says which generation ran, and how it ended. Pure.

Private to the collection: not a public interface.

It is written before the Job is made, so that whoever comes next knows the Job's name, and again when the Job has
ended, before the Job goes. Jobs and pods may vanish; what ran is not run again.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping

from ansible_collections.getporter.porter.plugins.module_utils._action_manifests import action_metadata
from ansible_collections.getporter.porter.plugins.module_utils._agent_action import AgentAction
from ansible_collections.getporter.porter.plugins.module_utils._record import AgentConfigView

Manifest = Dict[str, Any]

# What a record says of the latest run. One that was not run to its end does not count as run.
PENDING = "Pending"
RUNNING = "Running"
SUCCEEDED = "Succeeded"
FAILED = "Failed"
STOPPED = "Stopped"
ENDED = (SUCCEEDED, FAILED)

# The end of a log that a record keeps, in characters; an object has room for a mebibyte.
MOST_LOG_CHARACTERS = 100_000


@dataclass(frozen=True)
class ActionRun:
    """The latest run of a named action."""

    number: int
    generation: str
    retry: str
    phase: str
    job: str
    # Empty before the Job is known to exist.
    job_uid: str = ""
    reason: str = ""
    message: str = ""
    pod: str = ""
    pods: int = 0
    exit_code: int | None = None
    log: tuple[str, ...] = field(default=(), repr=False)
    # Whether the beginning of the log is missing, for its length.
    is_cut: bool = False

    def is_of(self, action: AgentAction) -> bool:
        """Whether this run is what the action asks for. Without a word for retry any run of the generation is."""
        return self.generation == action.generation and (not action.retry or action.retry == self.retry)


def read_run(record: Manifest | None) -> ActionRun | None:
    """The latest run; None where there was none."""
    data = (record or {}).get("data") or {}
    if not data.get("job"):
        return None
    return ActionRun(
        number=_number(data.get("run")) or 0,
        generation=data.get("generation", ""),
        retry=data.get("retry", ""),
        phase=data.get("phase", ""),
        job=data["job"],
        job_uid=data.get("jobUid", ""),
        reason=data.get("reason", ""),
        message=data.get("message", ""),
        pod=data.get("pod", ""),
        pods=_number(data.get("pods")) or 0,
        exit_code=_number(data.get("exitCode")),
        # Lines hold further characters that count as line breaks elsewhere.
        log=tuple(data["log"].split("\n")) if data.get("log") else (),
        is_cut=data.get("logIsCut") == "true",
    )


def next_run(action: AgentAction, latest: ActionRun | None) -> ActionRun:
    """The run that begins."""
    number = latest.number + 1 if latest else 1
    return ActionRun(number, action.generation, action.retry, PENDING, action.job_name(str(number)))


def action_record(action: AgentAction, config: AgentConfigView, run: ActionRun, now: str) -> Manifest:
    """The ConfigMap. The agent config's record owns it: it goes with the agent config."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": action_metadata(action, config, action.record_name),
        "data": _data(action, run, now),
    }


def action_record_patch(
    record: Manifest, action: AgentAction, config: AgentConfigView, run: ActionRun, now: str
) -> Manifest:
    """The merge patch that notes a run in a record as it was read."""
    whole = action_record(action, config, run, now)
    metadata = {key: whole["metadata"][key] for key in ("labels", "annotations", "ownerReferences")}
    metadata["resourceVersion"] = record["metadata"]["resourceVersion"]
    return {"metadata": metadata, "data": whole["data"]}


def _data(action: AgentAction, run: ActionRun, now: str) -> Mapping[str, str]:
    log = "\n".join(run.log)
    return {
        "name": action.name,
        "agentConfig": action.agent_config,
        "args": json.dumps([action.masking(each) for each in action.args], ensure_ascii=False),
        "run": str(run.number),
        "generation": run.generation,
        "retry": run.retry,
        "phase": run.phase,
        "reason": run.reason,
        "message": run.message,
        "job": run.job,
        "jobUid": run.job_uid,
        "pod": run.pod,
        "pods": str(run.pods),
        "exitCode": "" if run.exit_code is None else str(run.exit_code),
        "log": log[-MOST_LOG_CHARACTERS:],
        "logIsCut": "true" if run.is_cut or len(log) > MOST_LOG_CHARACTERS else "false",
        "lastChange": now,
    }


def _number(text: Any) -> int | None:
    """People can write to a record."""
    return int(text) if isinstance(text, str) and re.fullmatch("-?[0-9]+", text) else None
