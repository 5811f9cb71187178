# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The Kubernetes objects of a plugin volume, as plain dictionaries. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

import json
from typing import Any, Dict, Sequence

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._agent_pod import (
    CONFIG_MOUNT,
    CONFIG_VOLUME,
    LIST_CONTAINER,
    agent_container,
    config_mount,
    plugins_mount,
    plugins_volume,
    pod_spec,
)
from ansible_collections.getporter.porter.plugins.module_utils._objects import own_policy
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume

Manifest = Dict[str, Any]

DOCUMENT_FILE = "plugins.json"
# A Job that its TTL removes before a run has seen it complete would be run again.
LEAST_TTL_SECONDS = 600


def labels(volume: PluginVolume, component: str) -> dict[str, str]:
    """The operator's three labels, and ours."""
    return {
        keys.LABEL_MANAGED: "true",
        keys.LABEL_PLUGINS_HASH: volume.identity.plugins_hash,
        keys.LABEL_RESOURCE_NAME: volume.resource_label,
        keys.LABEL_PLUGINS: volume.identity.label,
        keys.LABEL_COMPONENT: component,
        keys.LABEL_MANAGED_BY: keys.MANAGED_BY,
    }


def notes_on(volume: PluginVolume) -> dict[str, str]:
    """What tells one plugin set from another where the operator's hash cannot."""
    return {
        keys.ANNOTATION_CLAIM: volume.key,
        keys.ANNOTATION_DOCUMENT: volume.redacted_document,
        keys.ANNOTATION_DIGEST: volume.identity.document_digest,
        keys.ANNOTATION_AGENT_CONFIG: volume.agent_config,
    }


def staging_claim(volume: PluginVolume, refresh_of: str | None = None) -> Manifest:
    """The temporary claim that the install Job writes through: ReadWriteOnce, always.

    A class need not know how to provision anything else, and one pod is all that writes.
    ``refresh_of`` is the uid of the plugin claim that this install is to replace.
    """
    spec: Manifest = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": volume.size}},
    }
    if volume.storage_class:
        spec["storageClassName"] = volume.storage_class
    metadata = _metadata(volume, volume.identity.staging_claim, keys.COMPONENT_STAGING)
    if refresh_of:
        metadata["annotations"][keys.ANNOTATION_REFRESH_OF] = refresh_of
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def document_secret(volume: PluginVolume, staging: Manifest) -> Manifest:
    """The plugins document, in a Secret because feed URLs can hold credentials.

    JSON, because from YAML Porter reads neither ``feedURL`` nor ``mirror``. Owned by the staging
    claim, whose uid is also in its name: one that is about to be collected is never taken for
    the one that the next install needs.
    """
    metadata = _metadata(volume, document_secret_name(volume, staging), keys.COMPONENT_STAGING)
    metadata["ownerReferences"] = [_owner(staging)]
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": metadata,
        "immutable": True,
        "type": "Opaque",
        "stringData": {DOCUMENT_FILE: volume.document},
    }


def document_secret_name(volume: PluginVolume, staging: Manifest) -> str:
    """``CLAIM-`` and the first part of the staging claim's uid."""
    return "%s-%s" % (volume.identity.claim, staging["metadata"]["uid"].split("-")[0])


def install_job(volume: PluginVolume, staging: Manifest) -> Manifest:
    """The Job in which the agent installs the plugins. The staging claim owns it: both go together."""
    agent = volume.agent
    metadata = _metadata(volume, volume.identity.job, keys.COMPONENT_STAGING)
    metadata["ownerReferences"] = [_owner(staging)]
    # On the Job too: queue controllers look for theirs there.
    metadata["labels"] = {**agent.pod_labels, **metadata["labels"]}
    spec: Manifest = {
        "backoffLimit": agent.backoff_limit,
        "template": {
            "metadata": {
                "labels": metadata["labels"],
                "annotations": {**agent.pod_annotations, **metadata["annotations"]},
            },
            "spec": _pod_spec(volume, document_secret_name(volume, staging)),
        },
        # An eviction is no failure of the install, which may be repeated without harm.
        "podFailurePolicy": {
            "rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]
        },
    }
    if agent.active_deadline_seconds is not None:
        spec["activeDeadlineSeconds"] = agent.active_deadline_seconds
    if agent.ttl_seconds_after_finished is not None:
        spec["ttlSecondsAfterFinished"] = max(agent.ttl_seconds_after_finished, LEAST_TTL_SECONDS)
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def plugin_claim(volume: PluginVolume, persistent_volume: Manifest, owners: Sequence[Manifest] = ()) -> Manifest:
    """The claim that agent actions mount. It names its volume and copies what binding compares.

    ``storageClassName`` is sent even when empty: without it the default class would be filled in.
    """
    from_volume = persistent_volume["spec"]
    metadata = _metadata(volume, volume.identity.claim, keys.COMPONENT_VOLUME)
    if owners:
        metadata["ownerReferences"] = list(owners)
    metadata["annotations"].update(
        {
            key: value
            for key, value in (persistent_volume["metadata"].get("annotations") or {}).items()
            if key in (keys.ANNOTATION_INSTALLED, keys.ANNOTATION_AGENT_IMAGE, keys.ANNOTATION_ARCHITECTURE)
        }
    )
    spec: Manifest = {
        "accessModes": [volume.access_mode] if volume.access_mode else from_volume["accessModes"],
        "resources": {"requests": {"storage": from_volume["capacity"]["storage"]}},
        "storageClassName": from_volume.get("storageClassName", ""),
        "volumeMode": from_volume.get("volumeMode", "Filesystem"),
        "volumeName": persistent_volume["metadata"]["name"],
    }
    if from_volume.get("volumeAttributesClassName"):
        spec["volumeAttributesClassName"] = from_volume["volumeAttributesClassName"]
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def mark_installed(
    volume: PluginVolume,
    persistent_volume: Manifest,
    installed: dict[str, str] | None,
    architecture: str | None,
    refresh_of: str | None = None,
) -> Manifest:
    """The patch that notes on the volume that its install completed, and makes it survive its staging claim.

    One patch, so that there is no moment with one and not the other. A policy noted earlier
    is kept: it is the original one. So are versions noted earlier when there are none now: a run
    beside this one read the log before it went.
    """
    noted = persistent_volume["metadata"].get("annotations") or {}
    notes = notes_on(volume)
    versions = json.dumps(installed, sort_keys=True) if installed else noted.get(keys.ANNOTATION_INSTALLED, "{}")
    notes[keys.ANNOTATION_INSTALLED] = versions
    notes[keys.ANNOTATION_AGENT_IMAGE] = volume.agent.image
    notes[keys.ANNOTATION_RECLAIM_POLICY] = own_policy(persistent_volume)
    if architecture:
        notes[keys.ANNOTATION_ARCHITECTURE] = architecture
    if refresh_of:
        notes[keys.ANNOTATION_REFRESH_OF] = refresh_of
    return {
        "metadata": {
            "resourceVersion": persistent_volume["metadata"]["resourceVersion"],
            "labels": labels(volume, keys.COMPONENT_VOLUME),
            "annotations": notes,
        },
        "spec": {"persistentVolumeReclaimPolicy": "Retain"},
    }


def reserve(volume: PluginVolume, persistent_volume: Manifest) -> Manifest:
    """The patch that turns claimRef from a claim that is gone to the plugin claim.

    In one write, so that it is never empty: an empty one could be bound by anybody's claim.
    The null values drop the old claim's uid, without which a Released volume never binds again.
    """
    spec: Manifest = {
        "claimRef": {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "namespace": volume.namespace,
            "name": volume.identity.claim,
            "uid": None,
            "resourceVersion": None,
        }
    }
    modes = persistent_volume["spec"]["accessModes"]
    if volume.access_mode and volume.access_mode not in modes:
        # A claim binds only to a volume that has its mode.
        spec["accessModes"] = [*modes, volume.access_mode]
    return {"metadata": {"resourceVersion": persistent_volume["metadata"]["resourceVersion"]}, "spec": spec}


def note_owners(persistent_volume: Manifest, owners: str) -> Manifest:
    """The patch by which a refreshed volume remembers who owns the plugin claim that it replaces."""
    return {
        "metadata": {
            "resourceVersion": persistent_volume["metadata"]["resourceVersion"],
            "annotations": {keys.ANNOTATION_OWNERS: owners},
        }
    }


def give_back_policy(persistent_volume: Manifest) -> Manifest:
    """The patch that restores the reclaim policy and removes the notes of the hand-over."""
    return {
        "metadata": {
            "resourceVersion": persistent_volume["metadata"]["resourceVersion"],
            "annotations": dict.fromkeys(
                (keys.ANNOTATION_RECLAIM_POLICY, keys.ANNOTATION_REFRESH_OF, keys.ANNOTATION_OWNERS)
            ),
        },
        "spec": {"persistentVolumeReclaimPolicy": own_policy(persistent_volume)},
    }


def is_reserved(persistent_volume: Manifest) -> bool:
    """Whether the volume waits for a claim of a certain name that was never bound to it."""
    reference = persistent_volume["spec"].get("claimRef") or {}
    return bool(reference) and not reference.get("uid")


def let_go(persistent_volume: Manifest) -> Manifest:
    """The patch by which a volume that no claim is to have follows its reclaim policy.

    One that is reserved for a claim that never came is Available, and would stay so: the uid of a claim that
    does not exist makes it Released.
    """
    patch = give_back_policy(persistent_volume)
    if is_reserved(persistent_volume):
        patch["spec"]["claimRef"] = {"uid": persistent_volume["metadata"]["uid"]}
    return patch


def disown(persistent_volume: Manifest) -> Manifest:
    """The patch by which a volume that another one has taken the place of follows its policy, and is ours no more."""
    patch = let_go(persistent_volume)
    patch["metadata"]["annotations"][keys.ANNOTATION_CLAIM] = None
    patch["metadata"]["annotations"][keys.ANNOTATION_INSTALLED] = None
    return patch


def _metadata(volume: PluginVolume, name: str, component: str) -> Manifest:
    return {
        "name": name,
        "namespace": volume.namespace,
        "labels": labels(volume, component),
        "annotations": notes_on(volume),
    }


def _owner(claim: Manifest) -> dict[str, str]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "name": claim["metadata"]["name"],
        "uid": claim["metadata"]["uid"],
    }


def _pod_spec(volume: PluginVolume, secret_name: str) -> Manifest:
    """Porter installs, and then lists what is there: read-only, as agent actions see it."""
    install = ["plugins", "install", "-f", "%s/%s" % (CONFIG_MOUNT, DOCUMENT_FILE)]
    return pod_spec(
        volume.agent,
        before=[agent_container(volume.agent, install, [plugins_mount(), config_mount()])],
        name=LIST_CONTAINER,
        args=["plugins", "list", "-o", "json"],
        volumes=[
            plugins_volume(volume.identity.staging_claim),
            {"name": CONFIG_VOLUME, "secret": {"secretName": secret_name}},
        ],
        mounts=[plugins_mount(read_only=True)],
        # Porter downloads files: it has no business with the API.
        token=False,
    )
