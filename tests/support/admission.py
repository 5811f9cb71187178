# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Admission that adds a container to the pods of one namespace, as service meshes do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from kubernetes import client

from tests.images.build import FEED_IMAGE
from tests.support.cluster import Cluster, listing_pod, wait_for

GROUP, VERSION = "admissionregistration.k8s.io", "v1"
POLICIES, BINDINGS = "mutatingadmissionpolicies", "mutatingadmissionpolicybindings"
SIDECAR = "proxy"
# It serves until it is stopped, and so never ends by itself.
_CONTAINER = f"""
[JSONPatch{{op: 'add', path: '/spec/containers/-', value: Object.spec.containers{{
  name: '{SIDECAR}',
  image: '{FEED_IMAGE}',
  securityContext: Object.spec.containers.securityContext{{
    allowPrivilegeEscalation: false,
    capabilities: Object.spec.containers.securityContext.capabilities{{drop: ['ALL']}}
  }}
}}}}]
"""


@contextmanager
def sidecars(api: client.ApiClient, cluster: Cluster) -> Iterator[None]:
    """Every pod of the namespace that is made meanwhile gets a second container, SIDECAR."""
    objects, name = client.CustomObjectsApi(api), cluster.namespace
    with ExitStack() as stack:
        for kind, body in ((POLICIES, _policy(name)), (BINDINGS, _binding(name))):
            objects.create_cluster_custom_object(GROUP, VERSION, kind, body)
            stack.callback(objects.delete_cluster_custom_object, GROUP, VERSION, kind, name)
        wait_for(lambda: len(_tried_pod(cluster).spec.containers) > 1, "the policy to be in force")
        yield


def _policy(name: str) -> dict[str, Any]:
    pods = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"]}
    spec = {
        "matchConstraints": {"resourceRules": [pods]},
        "failurePolicy": "Fail",
        "reinvocationPolicy": "Never",
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": _CONTAINER}}],
    }
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "MutatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": spec,
    }


def _binding(name: str) -> dict[str, Any]:
    selector = {"matchLabels": {"kubernetes.io/metadata.name": name}}
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "MutatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {"policyName": name, "matchResources": {"namespaceSelector": selector}},
    }


def _tried_pod(cluster: Cluster) -> Any:
    """What would come of a pod, without making it."""
    return cluster.core.create_namespaced_pod(cluster.namespace, listing_pod("tried", "none"), dry_run="All")
