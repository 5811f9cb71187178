# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""A namespace of a real cluster, for one test: what is in it, and its removal."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from kubernetes import client
from kubernetes.client.exceptions import ApiException

from tests.support.playbook import AGENT_IMAGE

CLAIM_OF_VOLUME = "getporter.org/plugin-claim"
# Seconds that the cluster's controllers may take for anything here.
PATIENCE = 60


class Cluster:
    """One namespace, and the volumes that were made for it."""

    def __init__(self, api: client.ApiClient, namespace: str) -> None:
        self.core = client.CoreV1Api(api)
        self.batch = client.BatchV1Api(api)
        self.rbac = client.RbacAuthorizationV1Api(api)
        self.namespace = namespace

    def create_namespace(self) -> None:
        labels = {"pod-security.kubernetes.io/enforce": "restricted"}
        metadata = client.V1ObjectMeta(name=self.namespace, labels=labels)
        self.core.create_namespace(client.V1Namespace(metadata=metadata))
        wait_for(lambda: self.core.list_namespaced_service_account(self.namespace).items, "the default service account")

    def begin_removal(self) -> None:
        """Of the namespace with all in it."""
        if not self._is_gone():
            self.core.delete_namespace(self.namespace)

    def finish_removal(self) -> None:
        """Wait for the namespace, then for its volumes: those with the policy Retain do not go by themselves."""
        wait_for(self._is_gone, f"the end of namespace {self.namespace}")
        for volume in self.volumes():
            if volume.spec.persistent_volume_reclaim_policy == "Retain":
                self.core.delete_persistent_volume(volume.metadata.name)
        wait_for(lambda: not self.volumes(), "the end of the volumes")

    def _is_gone(self) -> bool:
        try:
            self.core.read_namespace(self.namespace)
        except ApiException as error:
            return bool(error.status == 404)
        return False

    def admin_token(self, seconds: int = 600) -> str:
        """A token of a service account that may do everything, for so long; it ends with the namespace."""
        name = f"{self.namespace}-admin"
        self.core.create_namespaced_service_account(self.namespace, {"metadata": {"name": name}})
        binding = {
            "metadata": {"name": name, "ownerReferences": [self.as_owner()]},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": self.namespace}],
        }
        self.rbac.create_cluster_role_binding(binding)
        return self.token_of(name, seconds)

    def token_with(self, rules: list[dict[str, Any]]) -> str:
        """A token of a service account that may do just this, in this namespace."""
        name = f"limited-{uuid.uuid4().hex[:8]}"
        self.core.create_namespaced_service_account(self.namespace, {"metadata": {"name": name}})
        self.rbac.create_namespaced_role(self.namespace, {"metadata": {"name": name}, "rules": rules})
        binding = {
            "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": self.namespace}],
        }
        self.rbac.create_namespaced_role_binding(self.namespace, binding)
        return self.token_of(name)

    def token_of(self, service_account: str, seconds: int = 600) -> str:
        request = {"spec": {"expirationSeconds": seconds}}
        answer = self.core.create_namespaced_service_account_token(service_account, self.namespace, request)
        return str(answer.status.token)

    def as_owner(self) -> dict[str, str]:
        """The owner reference that makes objects outside the namespace end with it."""
        namespace = self.core.read_namespace(self.namespace)
        return {"apiVersion": "v1", "kind": "Namespace", "name": self.namespace, "uid": namespace.metadata.uid}

    def claims(self) -> list[Any]:
        return list(self.core.list_namespaced_persistent_volume_claim(self.namespace).items)

    def volumes(self) -> list[Any]:
        """The PersistentVolumes of claims of this namespace, also those that were robbed of their reference to one."""
        return [
            each
            for each in self.core.list_persistent_volume().items
            if self.namespace
            in (
                each.spec.claim_ref and each.spec.claim_ref.namespace,
                (each.metadata.annotations or {}).get(CLAIM_OF_VOLUME, "").partition("/")[0],
            )
        ]

    def jobs(self) -> list[Any]:
        return list(self.batch.list_namespaced_job(self.namespace).items)

    def completed_jobs(self) -> set[str]:
        """The uids of all that ever completed: the Job controller tells of each in an event, which outlives it."""
        events = self.core.list_namespaced_event(
            self.namespace, field_selector="involvedObject.kind=Job,reason=Completed"
        )
        return {event.involved_object.uid for event in events.items}

    def records(self) -> dict[str, dict[str, str]]:
        """The data of the agent configs' records, by the configs' names."""
        return {each.data["name"]: each.data for each in self.record_maps()}

    def record_maps(self, component: str = "agent-config") -> list[Any]:
        selector = f"app.kubernetes.io/component={component}"
        return list(self.core.list_namespaced_config_map(self.namespace, label_selector=selector).items)

    def owners(self) -> dict[str, list[str]]:
        """The names of each claim's owners, by the claim's name."""
        return {
            claim.metadata.name: sorted(owner.name for owner in claim.metadata.owner_references or [])
            for claim in self.claims()
        }

    def wait_until_empty(self) -> None:
        """No record, claim, volume, Job, pod or Secret of ours."""
        wait_for(
            lambda: not (self.leftovers() or self.claims() or self.volumes() or self.records()),
            f"the end of {self.leftovers()}, {self.owners()}, {list(self.records())} and their volumes",
        )

    def wait_until_only_claims_are_left(self) -> None:
        """The Secret is collected with its owner, a moment after it."""
        wait_for(lambda: not self.leftovers(), f"the end of {self.leftovers()}")

    def leftovers(self) -> list[str]:
        """What is in the namespace besides plugin claims and what every namespace has."""
        pods = self.core.list_namespaced_pod(self.namespace).items
        secrets = self.core.list_namespaced_secret(self.namespace).items
        staging = [claim for claim in self.claims() if claim.metadata.name.endswith("-staging")]
        return [f"{type(item).__name__} {item.metadata.name}" for item in [*self.jobs(), *pods, *secrets, *staging]]

    def versions(self) -> dict[str, str]:
        """Name to resourceVersion of everything that a run could change."""
        secrets = self.core.list_namespaced_secret(self.namespace).items
        records = self.core.list_namespaced_config_map(
            self.namespace, label_selector="getporter.org/managed=true"
        ).items
        items = [*self.claims(), *self.volumes(), *self.jobs(), *secrets, *records]
        return {f"{type(item).__name__} {item.metadata.name}": item.metadata.resource_version for item in items}

    def plugins_on(self, claim: str) -> dict[str, str]:
        """Name to version, as Porter lists them in a pod that mounts the claim."""
        name = "list-" + claim[-8:]
        self.core.create_namespaced_pod(self.namespace, listing_pod(name, claim))
        wait_for(lambda: self.phase_of(name) in ("Succeeded", "Failed"), f"the end of pod {name}")
        log = self.core.read_namespaced_pod_log(name, self.namespace, _preload_content=False).data.decode()
        self.core.delete_namespaced_pod(name, self.namespace, grace_period_seconds=0)
        wait_for(lambda: not self.phase_of(name), f"the removal of pod {name}")
        # A pod's log mixes the list on stdout with what the agent says on stderr, before or after it.
        listed, _end = json.JSONDecoder().raw_decode(log[log.index("[") :])
        return {plugin["name"]: plugin["version"] for plugin in listed}

    def phase_of(self, pod: str) -> str:
        try:
            return str(self.core.read_namespaced_pod(pod, self.namespace).status.phase)
        except ApiException as error:
            if error.status == 404:
                return ""
            raise


@contextmanager
def awaited_removals() -> Iterator[list[Cluster]]:
    """For namespaces whose removal was begun. It takes seconds each, so it is awaited once, for all."""
    begun: list[Cluster] = []
    yield begun
    for each in begun:
        each.finish_removal()


def wait_for(condition: Callable[[], Any], what: str) -> None:
    """Until the condition holds, or fail."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"waited {PATIENCE} s in vain for {what}"
        time.sleep(0.1)


def listing_pod(name: str, claim: str) -> dict[str, Any]:
    """A pod in which Porter lists the plugins on a claim."""
    return mounting_pod(name, claim, args=["plugins", "list", "-o", "json"])


def mounting_pod(name: str, claim: str, **settings: Any) -> dict[str, Any]:
    """As an agent action mounts a plugin claim: read-only, and all that the namespace's pod security asks for.

    ``settings`` are those of the container.
    """
    container = {
        "name": "porter",
        "image": AGENT_IMAGE,
        **settings,
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [
            {"name": "plugins", "mountPath": "/app/.porter/plugins", "subPath": "plugins", "readOnly": True}
        ],
    }
    return {
        "metadata": {"name": name},
        "spec": {
            "restartPolicy": "Never",
            "automountServiceAccountToken": False,
            "securityContext": {"runAsNonRoot": True, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [container],
            "volumes": [{"name": "plugins", "persistentVolumeClaim": {"claimName": claim, "readOnly": True}}],
        },
    }
