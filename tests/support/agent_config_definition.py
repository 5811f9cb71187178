# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The Porter Operator's definition of AgentConfig resources, reduced to what the API server needs to keep them."""

from __future__ import annotations

import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kubernetes import client
from kubernetes.client.exceptions import ApiException

from tests.support.cluster import wait_for

NAME = "agentconfigs.getporter.org"
GROUP, VERSION, PLURAL = "getporter.org", "v1", "agentconfigs"

_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}
_PLUGIN = {"type": "object", "properties": dict.fromkeys(("version", "url", "feedURL", "mirror"), _TEXT)}
_SPEC = {
    "type": "object",
    "nullable": True,
    "properties": {
        "porterRepository": _TEXT,
        "porterVersion": _TEXT,
        "serviceAccount": _TEXT,
        "installationServiceAccount": _TEXT,
        "volumeSize": _TEXT,
        "storageClassName": _TEXT,
        "pullPolicy": _TEXT,
        "retryLimit": _NUMBER,
        "ttlSecondsAfterFinished": _NUMBER,
        "pluginConfigFile": {
            "type": "object",
            "properties": {
                "schemaVersion": _TEXT,
                "plugins": {"type": "object", "additionalProperties": _PLUGIN},
            },
        },
    },
}
_DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": NAME},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"kind": "AgentConfig", "listKind": "AgentConfigList", "plural": PLURAL, "singular": "agentconfig"},
        "versions": [
            {
                "name": VERSION,
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": _SPEC}}},
            }
        ],
    },
}


# Tests in other processes share the cluster: what one of them removes, another must not be using.
_LOCK = Path(tempfile.gettempdir()) / "getporter-agent-config-definition.lock"


@contextmanager
def reserved() -> Iterator[None]:
    """Only one at a time decides whether the cluster knows AgentConfig resources."""
    with _LOCK.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def defined(api: client.ApiClient) -> Iterator[None]:
    """The definition is there, and goes afterwards unless it was there before."""
    with reserved():
        mine = not exists(api)
        if mine:
            create(api)
        try:
            yield
        finally:
            if mine:
                remove(api)


def exists(api: client.ApiClient) -> bool:
    try:
        client.ApiextensionsV1Api(api).read_custom_resource_definition(NAME)
    except ApiException as error:
        if error.status == 404:
            return False
        raise
    return True


def create(api: client.ApiClient) -> None:
    client.ApiextensionsV1Api(api).create_custom_resource_definition(_DEFINITION)
    wait_for(lambda: _is_served(api), f"the API of {NAME}")


def remove(api: client.ApiClient) -> None:
    client.ApiextensionsV1Api(api).delete_custom_resource_definition(NAME)
    wait_for(lambda: not exists(api), f"the end of {NAME}")


def create_agent_config(api: client.ApiClient, namespace: str, name: str, spec: dict[str, Any]) -> str:
    """Its uid."""
    body = {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "AgentConfig",
        "metadata": {"name": name, "labels": {"getporter.org/testdata": "true"}},
        "spec": spec,
    }
    made = client.CustomObjectsApi(api).create_namespaced_custom_object(GROUP, VERSION, namespace, PLURAL, body)
    return str(made["metadata"]["uid"])


def _is_served(api: client.ApiClient) -> bool:
    try:
        client.CustomObjectsApi(api).list_cluster_custom_object(GROUP, VERSION, PLURAL)
    except ApiException as error:
        if error.status == 404:
            return False
        raise
    return True
