# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the AgentConfig resources of a cluster that has, or had, the Porter Operator.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Any, Dict, Sequence

from ansible_collections.getporter.porter.plugins.module_utils._api import AGENT_CONFIGS, KubeApi
from ansible_collections.getporter.porter.plugins.module_utils._errors import ApiError, InputError
from ansible_collections.getporter.porter.plugins.module_utils._identity import redacted_plugins_document
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import parse_plugins

Manifest = Dict[str, Any]

EVERY_NAMESPACE = "*"


def list_agent_configs(api: KubeApi, namespaces: Sequence[str]) -> list[Manifest]:
    """The AgentConfig resources of these namespaces, as manifests of name, namespace and spec.

    A namespace that is named and has none is an InputError: the API does not tell it from a misspelt one.
    """
    if EVERY_NAMESPACE in namespaces:
        found = _listed(api, None)
    else:
        found = []
        for namespace in sorted(set(namespaces)):
            inside = _listed(api, namespace)
            if not inside:
                raise InputError(
                    "There is no AgentConfig in namespace %s. Look whether the name is right, or leave it out."
                    % namespace
                )
            found += inside
    return [_manifest(resource) for resource in found]


def without_secrets(manifest: Manifest) -> Manifest:
    """The manifest with what may be secret taken out of its plugins' URLs."""
    spec = dict(manifest["spec"])
    if spec.get("pluginConfigFile"):
        try:
            spec["pluginConfigFile"] = redacted_plugins_document(parse_plugins(spec["pluginConfigFile"]))
        except InputError:
            spec["pluginConfigFile"] = "(not shown: it is no valid plugin set)"
    return {**manifest, "spec": spec}


def _listed(api: KubeApi, namespace: str | None) -> list[Manifest]:
    try:
        return api.list_all(AGENT_CONFIGS, namespace)
    except ApiError as error:
        if error.status == 404:
            raise InputError(
                "This cluster knows no AgentConfig resources: the Porter Operator's definition of them, "
                "agentconfigs.getporter.org in version v1, is not there. Write the agent configs in variables or files."
            ) from error
        raise


def _manifest(resource: Manifest) -> Manifest:
    metadata = resource["metadata"]
    return {
        "apiVersion": resource["apiVersion"],
        "kind": resource["kind"],
        "metadata": {"name": metadata["name"], "namespace": metadata["namespace"]},
        "spec": resource.get("spec") or {},
    }
