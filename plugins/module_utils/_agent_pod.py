# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The pods of the Porter agent, whatever they run, as plain dictionaries. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Any, Dict, Sequence

from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import AgentSettings

Manifest = Dict[str, Any]

AGENT_CONTAINER = "porter-agent"
# Of an install's pod, after the agent has installed: lists what is on the volume.
LIST_CONTAINER = "list-plugins"
# Where the agent image reads its configuration, and where Porter keeps its plugins.
CONFIG_VOLUME = "porter-config"
CONFIG_MOUNT = "/porter-config"
PLUGINS_VOLUME = "porter-plugins"
PLUGINS_MOUNT = "/app/.porter/plugins"
PLUGINS_SUBPATH = "plugins"
# What bundles share with the agent, and where a container runtime's client looks for registries: of agent actions only.
SHARED_VOLUME = "porter-shared"
SHARED_MOUNT = "/porter-shared"
REGISTRY_VOLUME = "porter-registry"
REGISTRY_MOUNT = "/home/nonroot"
RESERVED_VOLUMES = (CONFIG_VOLUME, PLUGINS_VOLUME, SHARED_VOLUME, REGISTRY_VOLUME)


def plugins_volume(claim: str, read_only: bool = False) -> Manifest:
    """The volume of a pod that holds what is on the claim.

    ``read_only`` is for claims with the mode ReadOnlyMany, which some drivers attach for writing without it.
    """
    source: Manifest = {"claimName": claim, "readOnly": True} if read_only else {"claimName": claim}
    return {"name": PLUGINS_VOLUME, "persistentVolumeClaim": source}


def plugins_mount(read_only: bool = False) -> Manifest:
    """Where Porter looks for its plugins."""
    mount: Manifest = {"name": PLUGINS_VOLUME, "mountPath": PLUGINS_MOUNT, "subPath": PLUGINS_SUBPATH}
    return {**mount, "readOnly": True} if read_only else mount


def config_mount() -> Manifest:
    """Where the agent looks for files that it copies into Porter's home."""
    return {"name": CONFIG_VOLUME, "mountPath": CONFIG_MOUNT, "readOnly": True}


def pod_spec(
    agent: AgentSettings,
    *,
    args: Sequence[str],
    volumes: Sequence[Manifest],
    mounts: Sequence[Manifest],
    env: Sequence[Manifest] = (),
    token: bool | None = None,
    name: str = AGENT_CONTAINER,
    before: Sequence[Manifest] = (),
) -> Manifest:
    """The spec of a pod in which the agent runs Porter with these arguments, in the container ``name``.

    ``env`` comes before the settings' own variables. ``token``: whether the service account's token is mounted;
    None leaves it to the account. ``before``: containers that run first, one after another.
    """
    spec: Manifest = {
        # Never, so that failed pods and their logs stay.
        "restartPolicy": "Never",
        "containers": [agent_container(agent, args, mounts, env, name)],
    }
    optional: dict[str, Any] = {
        "initContainers": list(before),
        "volumes": list(volumes),
        "serviceAccountName": agent.service_account,
        "imagePullSecrets": [{"name": name} for name in agent.image_pull_secrets],
        "nodeSelector": agent.node_selector,
        "tolerations": agent.tolerations,
        "affinity": agent.affinity,
        "securityContext": agent.pod_security_context,
    }
    spec.update({key: value for key, value in optional.items() if value})
    if token is not None:
        spec["automountServiceAccountToken"] = token
    return spec


def agent_container(
    agent: AgentSettings,
    args: Sequence[str],
    mounts: Sequence[Manifest],
    env: Sequence[Manifest] = (),
    name: str = AGENT_CONTAINER,
) -> Manifest:
    """One container of the agent."""
    container: Manifest = {"name": name, "image": agent.image, "args": list(args)}
    optional: dict[str, Any] = {
        "volumeMounts": list(mounts),
        "imagePullPolicy": agent.pull_policy,
        "env": [*env, *agent.env],
        "envFrom": agent.env_from,
        "resources": agent.resources,
        "securityContext": agent.container_security_context,
    }
    container.update({key: value for key, value in optional.items() if value})
    return container
