# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What results tell of plugin volumes as they are. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Any, Iterable, Mapping

from ansible_collections.getporter.porter.plugins.module_utils._life import (
    HAND_OVER_COURSE,
    INSTALL_COURSE,
    INSTALL_STATES,
    WHOLE_COURSE,
    Observed,
    current_volume,
    next_step,
    refresh_of,
    remaining_steps,
)
from ansible_collections.getporter.porter.plugins.module_utils._objects import installed_on
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._release import ReleasingConfig


def steps_of_course(row: Mapping[str, Any], course: tuple[str, ...]) -> list[str]:
    """Those of a row's remaining steps that belong to ``course``; a detour belongs to where the volume stands now."""
    if course is INSTALL_COURSE and row["state"] not in INSTALL_STATES:
        return []
    detours_elsewhere = course is HAND_OVER_COURSE and row["state"] in INSTALL_STATES
    return [action for action in row["steps"] if action in course or not (action in WHOLE_COURSE or detours_elsewhere)]


def observed_row(volume: PluginVolume, seen: Observed) -> dict[str, Any]:
    """One volume as it is, and the steps it still needs."""
    replaced = refresh_of(volume, seen)
    step = next_step(volume, seen, replaced)
    row = volume_row(volume, current_volume(volume, seen))
    row.update(state=step.state, steps=remaining_steps(volume, seen, replaced), reason=step.reason or None)
    return row


def volume_row(volume: PluginVolume, persistent_volume: dict[str, Any] | None) -> dict[str, Any]:
    """The parts that every result has of a volume."""
    return {
        "agent_config": volume.agent_config,
        "namespace": volume.namespace,
        "claim": volume.identity.claim,
        "persistent_volume": persistent_volume["metadata"]["name"] if persistent_volume else None,
        "installed": installed_on(persistent_volume),
    }


def config_row(config: ReleasingConfig) -> dict[str, Any]:
    """An agent config, and the plugin claim that it wants."""
    wanted = config.wanted
    return {"name": wanted.name, "namespace": wanted.namespace, "state": config.state, "claim": wanted.claim}


def unique(actions: Iterable[str]) -> list[str]:
    """Each action once, in the order of their first."""
    return list(dict.fromkeys(actions))
