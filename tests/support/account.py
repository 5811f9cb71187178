# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""An account that has the rights of the collection's manifests, or some of them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from kubernetes import client

from tests.support.cluster import Cluster, wait_for

RBAC = Path(__file__).resolve().parents[2] / "docs" / "rbac"
BY_HAND = "by-hand"
# A rule's group and resource.
Subject = tuple[str, str]


def awx_environment(api: client.ApiClient, token: str) -> dict[str, str]:
    """What the AWX credential for Kubernetes sets; the file that the caller's own kubectl uses is out of reach."""
    return {
        "K8S_AUTH_HOST": api.configuration.host,
        "K8S_AUTH_API_KEY": token,
        "K8S_AUTH_SSL_CA_CERT": api.configuration.ssl_ca_cert,
        "K8S_AUTH_VERIFY_SSL": "True",
        "KUBECONFIG": "/nonexistent",
    }


class Account:
    """The shipped service account in a test's namespace. All of it ends with the namespace."""

    def __init__(self, cluster: Cluster, api: client.ApiClient) -> None:
        self._cluster = cluster
        self._api = api
        self._reviews = client.AuthorizationV1Api(api)
        (account,) = shipped("service-account.yml")
        self.name = account["metadata"]["name"]
        cluster.core.create_namespaced_service_account(cluster.namespace, account)

    @property
    def environment(self) -> dict[str, str]:
        return awx_environment(self._api, self._cluster.token_of(self.name))

    @property
    def client(self) -> client.ApiClient:
        configuration = client.Configuration()
        configuration.host = self._api.configuration.host
        configuration.ssl_ca_cert = self._api.configuration.ssl_ca_cert
        configuration.api_key = {"authorization": "Bearer " + self._cluster.token_of(self.name)}
        return client.ApiClient(configuration)

    def give(self, *files: str, without: Iterable[Subject] = ()) -> None:
        """The rights of these manifests, less the rules about some resources. They hold when this returns."""
        for file in files:
            role, binding = shipped(file)
            role["rules"] = [rule for rule in role["rules"] if not set(_subjects(rule)) & set(without)]
            self._create(role, binding)

    def give_rule(self, rule: dict[str, Any]) -> None:
        """One rule more, in the namespace."""
        _role, binding = shipped("namespace.yml")
        binding["roleRef"]["name"] = BY_HAND
        self._create(
            {"kind": "Role", "metadata": {"name": BY_HAND}, "rules": [rule]}, {**binding, "metadata": {"name": BY_HAND}}
        )

    def _create(self, role: dict[str, Any], binding: dict[str, Any]) -> None:
        namespace, rbac = self._cluster.namespace, self._cluster.rbac
        binding["subjects"][0]["namespace"] = namespace
        if role["kind"] == "Role":
            rbac.create_namespaced_role(namespace, role)
            rbac.create_namespaced_role_binding(namespace, binding)
        else:
            # Other tests have theirs.
            name = f"{namespace}-{role['metadata']['name']}"
            role["metadata"] = binding["metadata"] = {"name": name, "ownerReferences": [self._cluster.as_owner()]}
            binding["roleRef"]["name"] = name
            rbac.create_cluster_role(role)
            rbac.create_cluster_role_binding(binding)
        for rule in role["rules"]:
            for group, resource in _subjects(rule):
                for verb in rule["verbs"]:
                    wait_for(partial(self._may, verb, group, resource), f"the right to {verb} {resource}")

    def _may(self, verb: str, group: str, resource: str) -> bool:
        """The API server learns of roles and bindings a moment after they are made."""
        namespace = self._cluster.namespace
        plural, _slash, subresource = resource.partition("/")
        attributes = {"verb": verb, "group": group, "resource": plural, "subresource": subresource}
        review = {
            "spec": {
                "user": f"system:serviceaccount:{namespace}:{self.name}",
                "resourceAttributes": {**attributes, "namespace": namespace},
            }
        }
        return bool(self._reviews.create_subject_access_review(review).status.allowed)


def shipped(file: str) -> list[dict[str, Any]]:
    """The objects of a manifest."""
    content = yaml.safe_load((RBAC / file).read_text())
    return list(content["items"]) if content["kind"] == "List" else [content]


def _subjects(rule: dict[str, Any]) -> list[Subject]:
    return [(group, resource) for group in rule["apiGroups"] for resource in rule["resources"]]
