# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What the tool asks of, and writes to, the API server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import urllib3.exceptions
from kubernetes import client, config

from .errors import ClusterError

DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
NOT_FOUND = 404
CONFLICT = 409


@dataclass(frozen=True)
class StorageClass:
    """A storage class of a cluster.

    Attributes:
        name: its name.
        provisioner: who makes its volumes.
        binding: `Immediate` or `WaitForFirstConsumer`.
        reclaim: `Delete` or `Retain`.
        default: whether claims that name no class get this one.
    """

    name: str
    provisioner: str
    binding: str
    reclaim: str
    default: bool = False


def storage_classes(provisioner: str, *, immediate: bool) -> list[StorageClass]:
    """Return the storage classes that every cluster is to have.

    Args:
        provisioner: who makes the volumes.
        immediate: whether it can do so before a pod is there to say on which node.
    """
    classes = [
        StorageClass("local", provisioner, "WaitForFirstConsumer", "Delete", default=True),
        StorageClass("local-retain", provisioner, "WaitForFirstConsumer", "Retain"),
    ]
    if immediate:
        classes.append(StorageClass("local-immediate", provisioner, "Immediate", "Delete"))
    return classes


class Api:
    """The API server of one cluster, as its administrator. All methods raise ClusterError if it refuses."""

    def __init__(self, kubeconfig: Path, *, direct: bool) -> None:
        """Read a kubeconfig; nothing is asked yet.

        Args:
            kubeconfig: the file.
            direct: whether to pass by the proxies of the environment, as with a server on this machine.

        Raises:
            ClusterError: the file cannot be used.
        """
        configuration = client.Configuration()
        try:
            config.load_kube_config(str(kubeconfig), client_configuration=configuration)
        except (config.ConfigException, OSError) as error:
            raise ClusterError(f"cannot use the kubeconfig {kubeconfig}: {error}") from error
        configuration.retries = False  # who waits asks again anyway
        if direct:
            configuration.proxy = None
        self._client = client.ApiClient(configuration)
        self._core = client.CoreV1Api(self._client)
        self._storage = client.StorageV1Api(self._client)

    def version(self) -> str:
        """Return the version of Kubernetes, such as `v1.36.3`."""
        with _explained("asking for the version"):
            return str(client.VersionApi(self._client).get_code(_request_timeout=10).git_version)

    def node_is_ready(self, name: str) -> bool:
        """Return whether a node is Ready and pods can be scheduled to it."""
        node = _found(lambda: self._core.read_node(name))
        return node is not None and is_schedulable(node)

    def has_default_service_account(self) -> bool:
        """Return whether pods can be made in the namespace `default`: they need that account."""
        return _found(lambda: self._core.read_namespaced_service_account("default", "default")) is not None

    def create_storage_classes(self, classes: Sequence[StorageClass]) -> None:
        """Create storage classes; those that are there already stay as they are."""
        for each in classes:
            with _explained(f"creating the storage class {each.name}", accept=CONFLICT):
                self._storage.create_storage_class(storage_class_body(each))

    def only_default_class(self, name: str) -> None:
        """Take the mark of the default from all storage classes but one."""
        unmarked = {"metadata": {"annotations": {DEFAULT_CLASS: "false"}}}
        with _explained("changing the default storage class"):
            for each in self._storage.list_storage_class().items:
                if each.metadata.name != name and (each.metadata.annotations or {}).get(DEFAULT_CLASS) == "true":
                    self._storage.patch_storage_class(each.metadata.name, unmarked)


@contextmanager
def _explained(doing: str, *, accept: int | None = None) -> Iterator[None]:
    """Turn the client's errors into one that says what was being done.

    Args:
        doing: names the action.
        accept: status code of HTTP that is no error.
    """
    try:
        yield
    except client.ApiException as error:
        if error.status != accept:
            raise ClusterError(f"{doing}: the API server says {error.status} {error.reason}") from error
    except urllib3.exceptions.HTTPError as error:
        raise ClusterError(f"{doing}: the API server does not answer: {error}") from error


def _found(read: Callable[[], Any]) -> Any:
    """Return an object, or None if it is not there yet."""
    with _explained("waiting for the cluster", accept=NOT_FOUND):
        return read()
    return None


def is_schedulable(node: Any) -> bool:
    """Return whether a V1Node is Ready and lets any pod be scheduled."""
    ready = any(each.type == "Ready" and each.status == "True" for each in node.status.conditions or [])
    return ready and not node.spec.unschedulable and not node.spec.taints


def storage_class_body(wanted: StorageClass) -> dict[str, Any]:
    """Return the object to create."""
    annotations = {DEFAULT_CLASS: "true"} if wanted.default else {}
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": wanted.name, "annotations": annotations},
        "provisioner": wanted.provisioner,
        "volumeBindingMode": wanted.binding,
        "reclaimPolicy": wanted.reclaim,
    }
