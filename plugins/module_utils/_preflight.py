# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is refused before an install creates anything: missing namespaces, missing rights, storage that cannot be had.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Mapping, Sequence

from ansible_collections.getporter.porter.plugins.module_utils._access_review import refuse_missing_rights
from ansible_collections.getporter.porter.plugins.module_utils._api import (
    STORAGE_CLASSES,
    VOLUMES,
    KubeApi,
)
from ansible_collections.getporter.porter.plugins.module_utils._errors import ApiError
from ansible_collections.getporter.porter.plugins.module_utils._life import (
    CREATE_STAGING,
    NOTE_INSTALLED,
    Observed,
    refresh_of,
    remaining_steps,
)
from ansible_collections.getporter.porter.plugins.module_utils._namespaces import refuse_missing_namespaces
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._storage import check_storage, no_default_class


def refuse_what_cannot_be(api: KubeApi, volumes: Sequence[PluginVolume], seen: Mapping[str, Observed]) -> None:
    """Raise for the first thing that stands in the way of the steps that these volumes still need.

    InputError for a missing namespace or impossible storage, MissingRightsError for rights. Nothing
    is asked where nothing is to be done. Where namespaces or classes may not be read, the cluster's
    own answer must do, later.
    """
    steps = {
        volume.key: remaining_steps(volume, seen[volume.key], refresh_of(volume, seen[volume.key]))
        for volume in volumes
    }
    to_install = [volume for volume in volumes if NOTE_INSTALLED in steps[volume.key]]
    namespaces = sorted({volume.namespace for volume in to_install})
    refuse_missing_namespaces(api, namespaces, "Create it first, or name another one.")
    to_change = {volume.namespace for volume in volumes if steps[volume.key]}
    if to_change:
        refuse_missing_rights(api, to_change)
    if to_install:
        _refuse_impossible_storage(api, [volume for volume in to_install if CREATE_STAGING in steps[volume.key]])


def _refuse_impossible_storage(api: KubeApi, volumes: Sequence[PluginVolume]) -> None:
    if not volumes:
        return
    try:
        classes = api.list_all(STORAGE_CLASSES)
    except ApiError as error:
        if error.status == 403:
            return
        raise
    for volume in volumes:
        if not check_storage(volume, classes) and not _has_volume_without_class(api):
            raise no_default_class(volume, classes)


def _has_volume_without_class(api: KubeApi) -> bool:
    return any(
        not each["spec"].get("storageClassName") and (each.get("status") or {}).get("phase") == "Available"
        for each in api.list_all(VOLUMES)
    )
