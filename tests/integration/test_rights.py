# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The role under an account with the shipped rights, and with less."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from kubernetes import client
from kubernetes.client.exceptions import ApiException

from tests.support.account import Account, shipped
from tests.support.cluster import Cluster, wait_for
from tests.support.playbook import INFO, JOB, Outcome, Playbook, plugins_from

ALL = ("namespace.yml", "cluster.yml")
ARCHITECTURE = "getporter.org/architecture"


def shipped_rules() -> list[dict[str, Any]]:
    """Of both manifests, as users read them."""
    return [rule for file in ALL for rule in shipped(file)[0]["rules"]]


def subject(rule: dict[str, Any]) -> tuple[str, str]:
    return rule["apiGroups"][0], rule["resources"][0]


OPTIONAL = [
    ("getporter.org", "agentconfigs"),
    ("", "namespaces"),
    ("", "nodes"),
    ("storage.k8s.io", "storageclasses"),
]
NEEDED = [rule for rule in shipped_rules() if subject(rule) not in OPTIONAL]


@pytest.fixture
def account(cluster: Cluster, api: client.ApiClient) -> Account:
    return Account(cluster, api)


def missing_rules(outcome: Outcome) -> list[dict[str, Any]]:
    """What a user copies from the message."""
    lines = [line for line in outcome.message.splitlines() if line.startswith("- ")]
    return list(yaml.safe_load("\n".join(lines)) or [])


def assert_nothing_was_made(cluster: Cluster) -> None:
    config_maps = cluster.core.list_namespaced_config_map(cluster.namespace).items
    assert [item.metadata.name for item in config_maps] in ([], ["kube-root-ca.crt"])
    assert (cluster.versions(), cluster.leftovers()) == ({}, [])


def test_the_shipped_rights_are_enough_from_install_to_refresh(
    playbook: Playbook, cluster: Cluster, channel: str, account: Account
) -> None:
    """F01, F02, F07: connected as AWX does it. Secrets may only be created, so none is ever read."""
    account.give(*ALL)
    plugins = plugins_from(channel, kubernetes="v1.0.1")
    outcome = playbook.run(environment=account.environment, plugins=plugins)
    assert outcome.status == "successful", outcome.output
    (volume,) = cluster.volumes()
    assert volume.status.phase == "Bound"
    assert volume.metadata.annotations[ARCHITECTURE]

    again = playbook.run(environment=account.environment, plugins=plugins)
    assert again.status == "successful", again.output
    assert not again.changed

    refreshed = playbook.run(environment=account.environment, plugins=plugins, refresh=True)
    assert refreshed.status == "successful", refreshed.output
    (claim,) = cluster.claims()
    assert claim.spec.volume_name != volume.metadata.name
    cluster.wait_until_only_claims_are_left()


def test_the_shipped_rights_are_enough_to_clear_a_failed_install_away(
    playbook: Playbook, cluster: Cluster, channel: str, account: Account
) -> None:
    account.give(*ALL)
    plugins = plugins_from(channel, kubernetes="v9.9.9")
    outcome = playbook.run(environment=account.environment, plugins=plugins, retry_limit=0)
    assert "does not contain an entry for kubernetes @ v9.9.9" in outcome.message
    assert cluster.claims() == []
    cluster.wait_until_only_claims_are_left()
    wait_for(lambda: not cluster.volumes(), "the end of the staging volume")


def test_optional_rights_may_be_left_out(playbook: Playbook, cluster: Cluster, channel: str, account: Account) -> None:
    account.give(*ALL, without=OPTIONAL)
    outcome = playbook.run(environment=account.environment, plugins=plugins_from(channel, kubernetes="v1.0.1"))
    assert outcome.status == "successful", outcome.output
    (volume,) = cluster.volumes()
    assert volume.status.phase == "Bound"
    assert ARCHITECTURE not in volume.metadata.annotations


@pytest.mark.parametrize("rule", NEEDED, ids=lambda rule: subject(rule)[1].replace("/", "-"))
def test_f07_each_rule_taken_away_is_named_before_anything_is_made(
    playbook: Playbook, cluster: Cluster, channel: str, account: Account, rule: dict[str, Any]
) -> None:
    account.give(*ALL, without=[subject(rule)])
    outcome = playbook.run(environment=account.environment, plugins=plugins_from(channel, kubernetes="v1.0.1"))
    assert outcome.status == "failed"
    assert missing_rules(outcome) == [rule]
    assert_nothing_was_made(cluster)
    if subject(rule) == ("", "persistentvolumes"):
        assert "Missing in a ClusterRole:" in outcome.message
        assert "\ndocs/rbac/cluster.yml of the collection getporter.porter" in outcome.message
    else:
        assert f"Missing in a Role of namespace {cluster.namespace}:" in outcome.message
        assert "\ndocs/rbac/namespace.yml of the collection getporter.porter" in outcome.message


def test_f07_a_role_alone_is_answered_with_the_cluster_role_that_lacks(
    playbook: Playbook, cluster: Cluster, channel: str, account: Account
) -> None:
    account.give("namespace.yml")
    outcome = playbook.run(environment=account.environment, plugins=plugins_from(channel, kubernetes="v1.0.1"))
    assert outcome.status == "failed"
    assert not outcome.used(JOB)
    assert f'User "system:serviceaccount:{cluster.namespace}:{account.name}" cannot list' in outcome.message
    assert missing_rules(outcome) == [
        {"apiGroups": [""], "resources": ["persistentvolumes"], "verbs": ["get", "list", "patch"]}
    ]
    assert_nothing_was_made(cluster)


def test_an_account_without_any_rights_is_told_all_rules_at_once(
    playbook: Playbook, cluster: Cluster, channel: str, account: Account
) -> None:
    outcome = playbook.run(environment=account.environment, plugins=plugins_from(channel, kubernetes="v1.0.1"))
    assert outcome.status == "failed"
    assert missing_rules(outcome) == NEEDED
    assert "is the name right?" in outcome.message
    assert outcome.of(INFO)["failed"]
    assert_nothing_was_made(cluster)


def test_c02_owners_that_block_deletion_take_the_finalizers_verb(cluster: Cluster, account: Account) -> None:
    """What docs/rights.md says of OwnerReferencesPermissionEnforcement; owners that do not block need nothing more."""
    account.give("namespaced-only.yml")
    core = client.CoreV1Api(account.client)
    record = core.create_namespaced_config_map(cluster.namespace, {"metadata": {"name": "record"}})
    request = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}
    body = {"metadata": {"name": "claim"}, "spec": request}
    cluster.core.create_namespaced_persistent_volume_claim(cluster.namespace, body)
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "record", "uid": record.metadata.uid}

    def own(**more: bool) -> None:
        patch = {"metadata": {"ownerReferences": [{**owner, **more}]}}
        core.patch_namespaced_persistent_volume_claim("claim", cluster.namespace, patch)

    own()
    with pytest.raises(ApiException, match="cannot set blockOwnerDeletion"):
        own(blockOwnerDeletion=True)
    account.give_rule({"apiGroups": [""], "resources": ["configmaps/finalizers"], "verbs": ["update"]})
    own(blockOwnerDeletion=True)
