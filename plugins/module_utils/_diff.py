# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What diff mode shows: the objects that a task creates, and the volume's change. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Any, Sequence

from ansible_collections.getporter.porter.plugins.module_utils import _life as life
from ansible_collections.getporter.porter.plugins.module_utils import _manifests as manifests
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._record import (
    PHASE_INSTALLING,
    RecordStatus,
    record_manifest,
)

_LATER = "(known after the install)"
_NOW = "(the time of the change)"
_HIDDEN = "(not shown: it can hold credentials)"


def volume_diff(
    volume: PluginVolume,
    before: str,
    after: str,
    actions: Sequence[str],
    persistent_volume: dict[str, Any] | None,
) -> dict[str, Any]:
    """One entry of a result's ``diff``: the states, and the objects that the actions create."""
    return {
        "before_header": "%s (%s)" % (volume.key, volume.agent_config),
        "after_header": "%s (%s)" % (volume.key, volume.agent_config),
        "before": {"state": before},
        "after": {"state": after, **_created(volume, actions, persistent_volume or _foreseen_volume(volume))},
    }


def _created(volume: PluginVolume, actions: Sequence[str], persistent_volume: dict[str, Any]) -> dict[str, Any]:
    objects: list[dict[str, Any]] = []
    if life.WRITE_RECORDS in actions:
        objects += [record_manifest(wanted, RecordStatus(PHASE_INSTALLING), _NOW) for wanted in volume.records]
    if life.CREATE_STAGING in actions:
        objects.append(manifests.staging_claim(volume))
    if life.CREATE_STAGING in actions or life.START_JOB in actions:
        staging = manifests.staging_claim(volume)
        staging["metadata"]["uid"] = _LATER
        secret = manifests.document_secret(volume, staging)
        secret["stringData"] = _HIDDEN
        objects += [secret, without_environment(manifests.install_job(volume, staging))]
    if life.CREATE_CLAIM in actions:
        objects.append(manifests.plugin_claim(volume, persistent_volume))
    return {"%s %s" % (each["kind"], each["metadata"]["name"]): each for each in objects}


def without_environment(job: dict[str, Any]) -> dict[str, Any]:
    """The values of environment variables can be secret."""
    pod = job["spec"]["template"]["spec"]
    for container in [*pod.get("initContainers", []), *pod["containers"]]:
        if "env" in container:
            # A new list: the old one is the caller's.
            container["env"] = [
                {**variable, "value": _HIDDEN} if "value" in variable else variable for variable in container["env"]
            ]
    return job


def _foreseen_volume(volume: PluginVolume) -> dict[str, Any]:
    """The volume that the class will provision, as far as it is known before."""
    return {
        "metadata": {"name": _LATER},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": volume.size},
            "storageClassName": volume.storage_class or "(the default class)",
        },
    }
