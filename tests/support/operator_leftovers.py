# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What the Porter Operator leaves of an agent config in a namespace, made by its steps with a real install."""

from __future__ import annotations

import json
from typing import Any

from ansible_collections.getporter.porter.plugins.module_utils._identity import plugin_identity
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import parse_plugins
from kubernetes.client.exceptions import ApiException

from tests.support.cluster import Cluster, mounting_pod, wait_for

# Volumes of this class are there at once, whatever their claims wait for.
CLASS = "local-immediate"
_CLAIM_REFERENCE = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}


class Leftovers:
    """One agent config's plugin claim with its volume, and the work volume of the install."""

    def __init__(self, cluster: Cluster, name: str, plugins: dict[str, Any]) -> None:
        self._cluster, self._core, self._namespace = cluster, cluster.core, cluster.namespace
        self._name, self._plugins = name, plugins
        self.identity = plugin_identity(parse_plugins(plugins), cluster.namespace)
        self._labels = {"getporter.org/managed": "true", "getporter.org/plugins-hash": self.identity.plugins_hash}
        self._named_labels = {**self._labels, "getporter.org/resourceName": name}
        self.work_volume = ""

    @property
    def claim(self) -> Any:
        return self._core.read_namespaced_persistent_volume_claim(self.identity.claim, self._namespace)

    @property
    def volume(self) -> Any:
        return self._core.read_persistent_volume(self.claim.spec.volume_name)

    def make(self, owner: dict[str, Any] | None, mode: str = "ReadOnlyMany", policy: str = "Delete") -> None:
        """With the owner, or leaked; claims of the operator's older releases are ReadWriteOnce."""
        owners = [{**owner, "controller": True, "blockOwnerDeletion": True}] if owner else []
        self.work_volume = self._make_claim({"generateName": self._name + "-"}, self._named_labels, "ReadWriteOnce")
        staging = self._make_claim({"generateName": self._name + "-"}, self._labels, "ReadWriteOnce")
        self._install_through(staging)
        volume = self._release(staging)
        self._core.patch_persistent_volume(
            volume,
            {
                "metadata": {"labels": self._named_labels},
                "spec": {
                    "accessModes": [mode],
                    "claimRef": {**_CLAIM_REFERENCE, "name": self.identity.claim, "uid": None, "resourceVersion": None},
                },
            },
        )
        metadata = {"name": self.identity.claim, "ownerReferences": owners}
        self._make_claim(metadata, self._labels, mode, {"selector": {"matchLabels": self._named_labels}})
        wait_for(lambda: self.claim.status.phase == "Bound", "the binding of the operator's claim")
        self._core.patch_persistent_volume(volume, {"spec": {"persistentVolumeReclaimPolicy": policy}})

    def _make_claim(self, metadata: dict[str, Any], labels: Any, mode: str, more: Any = None) -> str:
        spec = {"accessModes": [mode], "resources": {"requests": {"storage": "64Mi"}}, "storageClassName": CLASS}
        body = {"metadata": {**metadata, "labels": labels}, "spec": {**spec, **(more or {})}}
        made = self._core.create_namespaced_persistent_volume_claim(self._namespace, body)
        return str(made.metadata.name)

    def _install_through(self, claim: str) -> None:
        document = {"schemaType": "Plugins", "schemaVersion": "1.0.0", "plugins": self._plugins}
        name = f"install-{claim}"
        secret = {"metadata": {"name": name}, "stringData": {"plugins.json": json.dumps(document)}}
        self._core.create_namespaced_secret(self._namespace, secret)
        pod = mounting_pod(name, claim, args=["plugins", "install", "-f", "/porter-config/plugins.json"])
        (container,) = pod["spec"]["containers"]
        container["volumeMounts"][0]["readOnly"] = False
        container["volumeMounts"].append({"name": "config", "mountPath": "/porter-config"})
        pod["spec"]["volumes"][0]["persistentVolumeClaim"]["readOnly"] = False
        pod["spec"]["volumes"].append({"name": "config", "secret": {"secretName": name}})
        self._core.create_namespaced_pod(self._namespace, pod)
        wait_for(lambda: self._cluster.phase_of(name) == "Succeeded", f"the success of pod {name}")
        self._core.delete_namespaced_pod(name, self._namespace, grace_period_seconds=0)
        self._core.delete_namespaced_secret(name, self._namespace)

    def _release(self, claim: str) -> str:
        """The volume without its first claim. The operator moves it while that claim is there, and may lose both."""
        read = self._core.read_namespaced_persistent_volume_claim
        volume = str(read(claim, self._namespace).spec.volume_name)
        self._core.patch_persistent_volume(volume, {"spec": {"persistentVolumeReclaimPolicy": "Retain"}})
        self._core.delete_namespaced_persistent_volume_claim(claim, self._namespace)
        wait_for(
            lambda: self._core.read_persistent_volume(volume).status.phase == "Released", f"the release of {volume}"
        )
        return volume


def is_there(cluster: Cluster, claim: str) -> bool:
    """Whether the claim exists and is not being deleted."""
    try:
        found = cluster.core.read_namespaced_persistent_volume_claim(claim, cluster.namespace)
    except ApiException as error:
        if error.status == 404:
            return False
        raise
    return found.metadata.deletion_timestamp is None
