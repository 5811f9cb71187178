# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What the Porter Operator, stopped runs and people leave in a namespace, made by hand for tests."""

from __future__ import annotations

import hashlib
import uuid
from typing import Any

from tests.support.cluster import Cluster, wait_for
from tests.support.playbook import AGENT_IMAGE

MANAGED = {"getporter.org/managed": "true"}


def plugin_claim_name(word: str) -> str:
    return "porter-" + hashlib.md5(word.encode(), usedforsecurity=False).hexdigest()


def reference(kind: str, name: str, api_version: str, uid: str | None = None) -> dict[str, str]:
    """An owner; without a uid one that is not there."""
    return {"apiVersion": api_version, "kind": kind, "name": name, "uid": uid or str(uuid.uuid4())}


def record(cluster: Cluster, name: str, claim: str, **data: str) -> Any:
    """The ConfigMap that stands for an agent config."""
    keys = ("spec", "phase", "reason", "message", "volume", "plugins", "lastChange")
    labels = {
        **MANAGED,
        "app.kubernetes.io/component": "agent-config",
        "app.kubernetes.io/managed-by": "getporter.porter",
        "getporter.org/resourceName": name,
    }
    metadata = {
        "name": f"porter-agent-config-{name}",
        "labels": labels,
        "annotations": {"getporter.org/agent-config": name},
    }
    content = {**dict.fromkeys(keys, ""), "name": name, "claim": claim, "ready": "true", **data}
    return cluster.core.create_namespaced_config_map(cluster.namespace, {"metadata": metadata, "data": content})


def bound_claim(cluster: Cluster, name: str, labels: dict[str, str], **metadata: Any) -> Any:
    """A claim that is bound without a pod, as its class binds at once."""
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "16Mi"}},
        "storageClassName": "local-immediate",
    }
    body = {"metadata": {"name": name, "labels": labels, **metadata}, "spec": spec}
    cluster.core.create_namespaced_persistent_volume_claim(cluster.namespace, body)
    wait_for(lambda: read(cluster, name).status.phase == "Bound", f"claim {name} to be bound")
    return read(cluster, name)


def read(cluster: Cluster, claim: str) -> Any:
    return cluster.core.read_namespaced_persistent_volume_claim(claim, cluster.namespace)


def plugin_claim_of_operator(cluster: Cluster, word: str, **metadata: Any) -> Any:
    """Claim and volume with the operator's three labels, and no annotation of this collection."""
    labels = {**MANAGED, "getporter.org/plugins-hash": word * 8, "getporter.org/resourceName": "default"}
    claim = bound_claim(cluster, plugin_claim_name(word + cluster.namespace), labels, **metadata)
    patch_volume(cluster, claim.spec.volume_name, {"metadata": {"labels": labels}})
    return claim


def lost_temporary_claim(cluster: Cluster, **metadata: Any) -> Any:
    """The claim that the operator installs through, after it turned the volume to the plugin claim."""
    annotations = {"agent-config-plugins-hash": plugin_claim_name("lost")}
    labels = {**MANAGED, "getporter.org/plugins-hash": "0" * 32}
    claim = bound_claim(cluster, "default-abcde", labels, annotations=annotations, **metadata)
    volume = claim.spec.volume_name
    cluster.core.delete_persistent_volume(volume)
    patch_volume(cluster, volume, {"metadata": {"finalizers": None}})
    wait_for(lambda: read(cluster, claim.metadata.name).status.phase == "Lost", "the claim to be lost")
    return claim


def work_volume(cluster: Cluster, action: str, **metadata: Any) -> Any:
    """The claim that the operator makes for each action to work in."""
    labels = {
        **MANAGED,
        "getporter.org/resourceKind": "AgentAction",
        "getporter.org/resourceName": action,
        "getporter.org/resourceGeneration": "1",
        "getporter.org/retry": "",
    }
    return bound_claim(cluster, f"{action}-f2mzq", labels, **metadata)


def patch_volume(cluster: Cluster, name: str, body: dict[str, Any]) -> None:
    cluster.core.patch_persistent_volume(name, body)


def pod_that_mounts(cluster: Cluster, claim: str) -> str:
    """A pod that ends at once and is not removed: it keeps the claim."""
    container = {
        "name": "porter",
        "image": AGENT_IMAGE,
        "args": ["version"],
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    spec = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "securityContext": {"runAsNonRoot": True, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [container],
        "volumes": [{"name": "plugins", "persistentVolumeClaim": {"claimName": claim, "readOnly": True}}],
    }
    cluster.core.create_namespaced_pod(cluster.namespace, {"metadata": {"name": "user"}, "spec": spec})
    return "user"
