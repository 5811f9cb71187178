# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes that every part makes: objects of ours created and deleted, records brought up to date.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Dict

from ansible_collections.getporter.porter.plugins.module_utils._api import CONFIG_MAPS, KubeApi, Resource
from ansible_collections.getporter.porter.plugins.module_utils._errors import ConflictError, PorterError
from ansible_collections.getporter.porter.plugins.module_utils._record import (
    RECORD_SELECTOR,
    AgentConfigRecord,
    RecordStatus,
    record_manifest,
    record_patch,
)

Manifest = Dict[str, Any]


def create_ours(api: KubeApi, resource: Resource, body: Manifest, selector: str) -> Manifest:
    """Create; where the name is taken by an object that our lists do not show, say so instead of trying for ever."""
    try:
        return api.create(resource, body)
    except ConflictError:
        name, namespace = body["metadata"]["name"], body["metadata"]["namespace"]
        existing = api.get(resource, name, namespace)
        if existing and not _selected(existing, selector):
            raise PorterError(
                "%s %s in namespace %s exists and is not labelled %s, so it is left alone. Label it so if it is "
                "this collection's, or else delete it, and run again." % (body["kind"], name, namespace, selector)
            ) from None
        raise


def create_once(api: KubeApi, resource: Resource, body: Manifest) -> None:
    """Create an object whose name no other can have: where it exists, it is the one.

    ConflictError where the conflict was another, as a busy ResourceQuota answers: then there is none.
    """
    try:
        api.create(resource, body)
    except ConflictError as error:
        if error.reason != "AlreadyExists":
            raise


def timestamp() -> str:
    """Now, in RFC 3339, as records have it."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def delete_item(
    api: KubeApi, resource: Resource, target: Manifest, propagation: str = "Background", exactly: bool = False
) -> None:
    """Delete just this object, by its uid; gone already is success.

    ``exactly``: only as it was read. Somebody may need it since, such as a claim that an agent config joined.
    """
    metadata = target["metadata"]
    api.delete(
        resource,
        metadata["name"],
        metadata.get("namespace"),
        uid=metadata["uid"],
        resource_version=metadata["resourceVersion"] if exactly else None,
        propagation=propagation,
    )


def write_record(api: KubeApi, record: Manifest | None, wanted: AgentConfigRecord, status: RecordStatus) -> None:
    """Bring the record, as it was read, up to date. Raises ConflictError where somebody else wrote it since."""
    now = timestamp()
    if not record:
        create_ours(api, CONFIG_MAPS, record_manifest(wanted, status, now), RECORD_SELECTOR)
        return
    patch = record_patch(record, wanted, status, now)
    if patch:
        api.merge_patch(CONFIG_MAPS, record["metadata"]["name"], patch, wanted.namespace)


def _selected(item: Manifest, selector: str) -> bool:
    """Whether lists with this selector of the form ``a=b,c=d`` show the item."""
    wanted = dict(term.split("=", 1) for term in selector.split(","))
    return wanted.items() <= (item["metadata"].get("labels") or {}).items()
