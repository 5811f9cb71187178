# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Objects as lists show them, made by this collection or by the Porter Operator, for unit tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._inventory import Inventory, Listed
from ansible_collections.getporter.porter.plugins.module_utils._names import record_name

Manifest = dict[str, Any]

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
OLD, YOUNG = 3600, 60
CLAIM = "porter-" + "a" * 32
KEY = "porter/" + CLAIM
MANAGED = {keys.LABEL_MANAGED: "true"}
SET = {**MANAGED, keys.LABEL_PLUGINS_HASH: "0" * 32}
# As the operator labels its plugin claims, and the claims of single actions.
OPERATORS = {**SET, keys.LABEL_RESOURCE_NAME: "default"}
WORK = {**MANAGED, keys.LABEL_RESOURCE_KIND: "AgentAction", keys.LABEL_RESOURCE_NAME: "default-x7k2p"}
TEMPORARY = {keys.ANNOTATION_OPERATOR_CLAIM: CLAIM}
OURS = {
    **OPERATORS,
    keys.LABEL_MANAGED_BY: keys.MANAGED_BY,
    keys.LABEL_COMPONENT: keys.COMPONENT_VOLUME,
    keys.LABEL_PLUGINS: "azure_v1.2.0",
}
STAGING = {**OURS, keys.LABEL_COMPONENT: keys.COMPONENT_STAGING}
NOTES = {keys.ANNOTATION_CLAIM: KEY, keys.ANNOTATION_DIGEST: "d", keys.ANNOTATION_AGENT_CONFIG: "default"}
INSTALLED = {**NOTES, keys.ANNOTATION_INSTALLED: '{"azure": "v1.2.0"}'}
UNDER_WAY = {**INSTALLED, keys.ANNOTATION_RECLAIM_POLICY: "Delete"}

AGENT_CONFIG = ("getporter.org/v1", "AgentConfig")
AGENT_ACTION = ("getporter.org/v1", "AgentAction")
CONFIG_MAP = ("v1", "ConfigMap")


def time_text(age: int) -> str:
    """The moment so many seconds ago, as Kubernetes writes it."""
    return (NOW - timedelta(seconds=age)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _object(kind: str, name: str, age: int, namespace: str | None = "porter", **metadata: Any) -> Manifest:
    own = {"name": name, "uid": f"{kind}-{name}", "resourceVersion": "7", "creationTimestamp": time_text(age)}
    return {"kind": kind, "metadata": {**own, **({"namespace": namespace} if namespace else {}), **metadata}}


def _or(labels: Any, usual: dict[str, str]) -> Any:
    """The usual labels where none were given; None is to have none."""
    return usual if labels is ... else labels


def owned_by(kind: tuple[str, str], name: str = "default", uid: str | None = None) -> Manifest:
    return {"apiVersion": kind[0], "kind": kind[1], "name": name, "uid": uid or f"{kind[1]}-{name}"}


def claim(
    name: str = CLAIM, labels: Any = ..., age: int = OLD, phase: str = "Bound", volume: str = "pv", **metadata: Any
) -> Manifest:
    spec = {"volumeName": volume, "resources": {"requests": {"storage": "64Mi"}}}
    found = _object("PersistentVolumeClaim", name, age, labels=_or(labels, OURS), **metadata)
    return {**found, "spec": spec, "status": {"phase": phase}}


def staging(labels: Any = ..., **more: Any) -> Manifest:
    return claim(CLAIM + "-staging", _or(labels, STAGING), annotations=NOTES, **more)


def job(
    outcome: str | None = "Complete", name: str = CLAIM + "-install", labels: Any = ..., age: int = OLD, **more: Any
) -> Manifest:
    writes_to = more.pop("writes_to", CLAIM + "-staging")
    condition = {"type": outcome, "status": "True", "lastTransitionTime": time_text(more.pop("ended", age))}
    volumes = [{"name": "config", "secret": {}}, {"name": "v", "persistentVolumeClaim": {"claimName": writes_to}}]
    return {
        **_object("Job", name, age, labels=_or(labels, STAGING), **more),
        "spec": {"template": {"spec": {"volumes": volumes}}},
        "status": {"conditions": [condition] if outcome else []},
    }


def volume(
    name: str = "pv",
    claim_name: str = CLAIM,
    uid: str | None = "gone",
    phase: str = "Released",
    policy: str = "Retain",
    age: int = OLD,
    labels: Any = ...,
    changed: int | None = None,
    **metadata: Any,
) -> Manifest:
    reference = {"namespace": "porter", "name": claim_name, **({"uid": uid} if uid else {})}
    spec = {"capacity": {"storage": "1Gi"}, "persistentVolumeReclaimPolicy": policy, "claimRef": reference}
    status = {"phase": phase, **({} if changed is None else {"lastPhaseTransitionTime": time_text(changed)})}
    found = _object("PersistentVolume", name, age, None, labels=_or(labels, OURS), **metadata)
    return {**found, "spec": {**spec, "storageClassName": "fast"}, "status": status}


def bound(name: str = "pv", claim_name: str = CLAIM, policy: str = "Delete", **more: Any) -> Manifest:
    return volume(name, claim_name, f"PersistentVolumeClaim-{claim_name}", "Bound", policy, **more)


def record(name: str = "default", claim_name: str | None = CLAIM, namespace: str = "porter", **data: str) -> Manifest:
    empty = dict.fromkeys(("spec", "phase", "reason", "message", "volume", "plugins", "lastChange"), "")
    own = {"name": name, "claim": claim_name or "", "ready": "true"}
    labels = {**SET, keys.LABEL_COMPONENT: keys.COMPONENT_RECORD}
    found = _object("ConfigMap", record_name(name), OLD, namespace, labels=labels)
    return {**found, "data": {**empty, **own, **data}}


def agent_config(plugins: Any, name: str = "default") -> Manifest:
    """One of the operator's own objects."""
    found = _object("AgentConfig", name, OLD)
    return {**found, "spec": {"pluginConfigFile": {"schemaVersion": "1.0.0", "plugins": plugins}}}


def pod(claim_name: str = CLAIM, name: str = "a", job_uid: str | None = None) -> Manifest:
    owners = [{"uid": job_uid}] if job_uid else []
    volumes = [{"name": "e", "emptyDir": {}}, {"name": "v", "persistentVolumeClaim": {"claimName": claim_name}}]
    return {**_object("Pod", name, OLD, ownerReferences=owners), "spec": {"volumes": volumes}}


def inventory(**lists: Any) -> Inventory:
    return Inventory(Listed(now=NOW, **lists))
