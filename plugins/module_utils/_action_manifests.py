# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The Kubernetes objects of an agent action, as plain dictionaries. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Dict, Mapping

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._agent_action import AgentAction
from ansible_collections.getporter.porter.plugins.module_utils._agent_pod import (
    CONFIG_VOLUME,
    REGISTRY_MOUNT,
    REGISTRY_VOLUME,
    SHARED_MOUNT,
    SHARED_VOLUME,
    config_mount,
    plugins_mount,
    plugins_volume,
    pod_spec,
)
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._manifests import LEAST_TTL_SECONDS
from ansible_collections.getporter.porter.plugins.module_utils._names import short_resource_label
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import AgentSettings
from ansible_collections.getporter.porter.plugins.module_utils._record import AgentConfigView

Manifest = Dict[str, Any]

ACTION_SELECTOR = "%s,%s=%s" % (keys.MANAGED_SELECTOR, keys.LABEL_COMPONENT, keys.COMPONENT_ACTION)
# A named action's Job stays until a run has noted its end in the action's record; this long if none does, in seconds.
NAMED_TTL_SECONDS = 24 * 60 * 60


def agent_settings(action: AgentAction, config: AgentConfigView) -> AgentSettings:
    """Those of the agent config, each replaced by the action's where it has one."""
    unknown = sorted(set(config.agent) - {each.name for each in fields(AgentSettings)})
    if unknown:
        raise InputError(
            "The record of agent config %s in namespace %s holds settings that this release does not know: %s. Use the "
            "release that wrote it, or run the role porter_plugins for it, which writes it anew."
            % (action.agent_config, action.namespace, ", ".join(unknown))
        )
    # A Porter command is no install, which can be repeated without harm.
    settings = AgentSettings(**{**config.agent, "backoff_limit": 0, **action.agent})
    if settings.container_security_context.get("readOnlyRootFilesystem"):
        raise InputError(
            "The agent copies files into its root file system when it starts, so the container_security_context of an "
            "action cannot have readOnlyRootFilesystem. Take it out, of the agent config or for the action."
        )
    return settings


def action_job(
    action: AgentAction, config: AgentConfigView, name: str, *, timeout: int, read_only_claim: bool = False
) -> Manifest:
    """The Job in which the agent runs the command; Kubernetes ends it after ``timeout`` seconds."""
    agent = agent_settings(action, config)
    metadata = action_metadata(action, config, name)
    template = {
        "labels": {**agent.pod_labels, **metadata["labels"]},
        "annotations": {**agent.pod_annotations, **metadata["annotations"]},
    }
    metadata["labels"] = template["labels"]
    spec: Manifest = {
        "backoffLimit": agent.backoff_limit,
        "activeDeadlineSeconds": timeout,
        "ttlSecondsAfterFinished": _ttl(action, agent),
        "template": {"metadata": template, "spec": _pod_spec(action, config, agent, name, read_only_claim)},
    }
    if action.pod_failure_policy:
        spec["podFailurePolicy"] = dict(action.pod_failure_policy)
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def files_secret(action: AgentAction, config: AgentConfigView, job: Manifest) -> Manifest:
    """The files of an action, which the agent copies into Porter's home. They can hold credentials. The Job owns it."""
    metadata = action_metadata(action, config, job["metadata"]["name"])
    metadata["ownerReferences"] = [
        {"apiVersion": "batch/v1", "kind": "Job", "name": job["metadata"]["name"], "uid": job["metadata"]["uid"]}
    ]
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": metadata,
        "immutable": True,
        "type": "Opaque",
        "stringData": {key: action.files[path] for key, path in _keys_of_files(action).items()},
    }


def _ttl(action: AgentAction, agent: AgentSettings) -> int:
    """One that Kubernetes removes before its end was read would have ended in nobody knows what."""
    if action.name:
        return NAMED_TTL_SECONDS
    return max(agent.ttl_seconds_after_finished or 0, LEAST_TTL_SECONDS)


def action_metadata(action: AgentAction, config: AgentConfigView, name: str) -> Manifest:
    """Of every object of an action: its Job, the Secret of that, and the record of a named one."""
    annotations = {keys.ANNOTATION_AGENT_CONFIG: action.agent_config}
    if action.name:
        annotations[keys.ANNOTATION_ACTION] = action.name
    metadata: Manifest = {
        "name": name,
        "namespace": action.namespace,
        "labels": {
            keys.LABEL_MANAGED: "true",
            keys.LABEL_RESOURCE_NAME: short_resource_label(action.agent_config),
            keys.LABEL_COMPONENT: keys.COMPONENT_ACTION,
            keys.LABEL_MANAGED_BY: keys.MANAGED_BY,
        },
        "annotations": annotations,
    }
    if action.name:
        # Whoever removes the agent config removes what its named actions left.
        metadata["ownerReferences"] = [dict(config.as_owner)]
    return metadata


def _pod_spec(
    action: AgentAction, config: AgentConfigView, agent: AgentSettings, name: str, read_only_claim: bool
) -> Manifest:
    volumes: list[Manifest] = []
    mounts: list[Manifest] = []
    if config.claim:
        volumes.append(plugins_volume(config.claim, read_only_claim))
        mounts.append(plugins_mount(read_only=True))
    if action.files or action.files_from:
        volumes.append(_config_volume(action, name))
        mounts.append(config_mount())
    if action.registry_secret:
        volumes.append(_registry_volume(action.registry_secret))
        mounts.append({"name": REGISTRY_VOLUME, "mountPath": REGISTRY_MOUNT, "readOnly": True})
    if action.bundles:
        volumes.append(_shared_volume(config))
        mounts.append({"name": SHARED_VOLUME, "mountPath": SHARED_MOUNT})
    return pod_spec(
        agent,
        # Kubernetes reads $(NAME) and $$ in arguments. Porter is to get what was written.
        args=[each.replace("$", "$$") for each in action.args],
        volumes=[*volumes, *action.volumes],
        mounts=[*mounts, *action.volume_mounts],
        env=_driver_environment(action, config, name) if action.bundles else (),
    )


def _config_volume(action: AgentAction, secret_name: str) -> Manifest:
    sources = list(action.files_from)
    if action.files:
        items = [{"key": key, "path": path} for key, path in _keys_of_files(action).items()]
        sources.append({"secret": {"name": secret_name, "items": items}})
    return {"name": CONFIG_VOLUME, "projected": {"sources": sources}}


def _keys_of_files(action: AgentAction) -> dict[str, str]:
    """Key in the Secret to path: a key cannot hold every character that a path can."""
    return {"file-%d" % number: path for number, path in enumerate(sorted(action.files))}


def _registry_volume(secret: str) -> Manifest:
    items = [{"key": ".dockerconfigjson", "path": ".docker/config.json"}]
    return {"name": REGISTRY_VOLUME, "secret": {"secretName": secret, "items": items}}


def _shared_volume(config: AgentConfigView) -> Manifest:
    """A volume that goes with the pod. The operator makes a claim for each action, and removes none."""
    spec: Manifest = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": config.spec.get("volumeSize") or "64Mi"}},
    }
    if config.spec.get("storageClassName"):
        spec["storageClassName"] = config.spec["storageClassName"]
    return {"name": SHARED_VOLUME, "ephemeral": {"volumeClaimTemplate": {"spec": spec}}}


def _driver_environment(action: AgentAction, config: AgentConfigView, job_name: str) -> list[Manifest]:
    """What Porter's Kubernetes driver reads, as the operator sets it.

    The claim of an ephemeral volume is named after the pod. Pods of bundles go to the agent's node, where the volume
    is.
    """
    installer = action.installation_service_account or str(config.spec.get("installationServiceAccount") or "")
    labels = {keys.LABEL_MANAGED: "true", keys.LABEL_RESOURCE_NAME: short_resource_label(action.agent_config)}
    values: Mapping[str, str] = {
        "PORTER_RUNTIME_DRIVER": "kubernetes",
        "KUBE_NAMESPACE": action.namespace,
        "IN_CLUSTER": "true",
        "JOB_VOLUME_NAME": "$(POD_NAME)-%s" % SHARED_VOLUME,
        "JOB_VOLUME_PATH": SHARED_MOUNT,
        "SERVICE_ACCOUNT": installer,
        "LABELS": " ".join("%s=%s" % each for each in sorted(labels.items())),
        "AFFINITY_MATCH_LABELS": "batch.kubernetes.io/job-name=%s" % job_name,
    }
    pod_name: Manifest = {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    return [pod_name, *({"name": name, "value": value} for name, value in values.items())]
