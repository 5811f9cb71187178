# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the modules return, in check mode too. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from ansible_collections.getporter.porter.plugins.module_utils._diff import volume_diff
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    PorterError,
)
from ansible_collections.getporter.porter.plugins.module_utils._job_status import JobStatus
from ansible_collections.getporter.porter.plugins.module_utils._life import (
    BLOCKED,
    INSTALL_COURSE,
    INSTALLED,
    READY,
    Observed,
    current_volume,
)
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._progress import Progress
from ansible_collections.getporter.porter.plugins.module_utils._release import Released
from ansible_collections.getporter.porter.plugins.module_utils._volume_rows import (
    observed_row,
    steps_of_course,
    unique,
    volume_row,
)

# The end of an install's log that a result carries, in lines.
LOG_LINES = 20


def end_of(everyone: Sequence[Progress]) -> dict[str, Any]:
    """The result of a run, or the failure that names everything that failed."""
    errors = [each.error for each in everyone if each.error]
    result = {
        "changed": any(each.done for each in everyone),
        "volumes": [progress_row(each) for each in everyone],
        "diff": [
            volume_diff(each.volume, each.first_state, each.state, each.done, each.persistent_volume)
            for each in everyone
            if each.done
        ],
    }
    warnings = [warning for each in everyone for warning in each.warnings]
    if warnings:
        # Ansible shows them as such.
        result["warnings"] = warnings
    if errors:
        details = errors[0].result if len(errors) == 1 else {}
        raise PorterError(" ".join(error.message for error in errors), **result, **details)
    return result


def released_result(everyone: Sequence[Released]) -> dict[str, Any]:
    """The result of letting go; ``diff`` tells the steps of each agent config that has some."""
    rows = [
        {
            "name": each.config.wanted.name,
            "namespace": each.config.wanted.namespace,
            "state": each.config.state,
            "steps": unique(each.done),
            "kept_volumes": unique(each.kept_volumes),
        }
        for each in everyone
    ]
    diff = [
        {"prepared": "\n".join("%s/%s: %s" % (row["namespace"], row["name"], step) for step in row["steps"])}
        for row in rows
        if row["steps"]
    ]
    return {"changed": bool(diff), "agent_configs": rows, "diff": diff}


def kept_warnings(result: Mapping[str, Any]) -> list[str]:
    """What to say of volumes that stay after nobody needs them any more."""
    names = unique(name for row in result["agent_configs"] for name in row["kept_volumes"])
    return [
        "The PersistentVolume %s stays, since its reclaim policy is Retain. When nobody needs what is on it, delete "
        "it, and the disk behind it, which may outlive it." % name
        for name in names
    ]


def foresee(volumes: Sequence[PluginVolume], seen: Mapping[str, Observed], course: tuple[str, ...]) -> dict[str, Any]:
    """The result in check mode: of the remaining steps those of ``course``, with detours on the way to it."""
    rows = [observed_row(volume, seen[volume.key]) for volume in volumes]
    for row in rows:
        row["steps"] = steps_of_course(row, course)
    blocked = [row for row in rows if BLOCKED in row["steps"]]
    if blocked:
        raise PorterError(" ".join("%s." % row["reason"] for row in blocked), changed=False, volumes=rows)
    after = INSTALLED if course is INSTALL_COURSE else READY
    diff = [
        volume_diff(volume, row["state"], after, row["steps"], current_volume(volume, seen[volume.key]))
        for volume, row in zip(volumes, rows)
        if row["steps"]
    ]
    return {"changed": bool(diff), "volumes": rows, "diff": diff}


def progress_row(each: Progress) -> dict[str, Any]:
    """What became of one volume."""
    row = volume_row(each.volume, each.persistent_volume)
    row.update(
        state=each.state,
        steps=each.done,
        seconds=round(each.seconds, 1),
        job=_job_row(each.volume, each.status, each.log),
        error=each.error.message if each.error else None,
    )
    return row


def _job_row(volume: PluginVolume, status: JobStatus | None, log: str | None) -> dict[str, Any] | None:
    if status is None:
        return None
    return {
        "name": volume.identity.job,
        "phase": status.phase,
        "reason": status.reason,
        "message": status.message or status.stuck,
        "pod": status.pod,
        "pods": status.pods,
        "exit_code": status.exit_code,
        "log": (log or "").splitlines()[-LOG_LINES:],
    }
