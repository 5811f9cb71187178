# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How far a plugin volume has come in one run, and how long the run may take. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict

from ansible_collections.getporter.porter.plugins.module_utils import _life as life
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._job_status import JobStatus, Patience
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume

Manifest = Dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """How long to wait (seconds) and what to leave behind."""

    timeout: float
    # Seconds a Job may be stuck before that is a failure.
    progress_deadline: float
    keep_failed: bool = False


@dataclass
class Progress:
    """One volume on its way. ``done`` holds the steps that this run made."""

    volume: PluginVolume
    # Where it is, and where this run found it.
    state: str = life.ABSENT
    first_state: str = life.ABSENT
    done: list[str] = field(default_factory=list)
    status: JobStatus | None = None
    log: str | None = None
    error: PorterError | None = None
    warnings: list[str] = field(default_factory=list)
    finished: bool = False
    seconds: float = 0.0
    persistent_volume: Manifest | None = None
    # Uid of a Job that had failed before this run came: it is cleared, not reported.
    old_failure: str | None = None
    # Uids of what goes after a failure of this run's time.
    clearing: frozenset[str] = frozenset()
    # Uid of the plugin claim that this run is to replace by a refresh.
    refresh_of: str | None = None
    patience: Patience = field(default_factory=Patience)
    # Whether this run has made sure of the Secret with the plugins document.
    has_document: bool = False
    last_reason: str = ""
    # The last line that was reported.
    reported: str = ""
