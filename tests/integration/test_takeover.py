# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Plugin claims that the Porter Operator made: joined and owned as they are, without another install."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from kubernetes import client

from tests.support import agent_config_definition as definition
from tests.support.account import Account
from tests.support.cluster import Cluster, wait_for
from tests.support.operator_leftovers import CLASS, Leftovers, is_there
from tests.support.playbook import AGENT_IMAGE, JOB, Outcome, Playbook, plugins_from

RECORD = "porter-agent-config-team"


@pytest.fixture
def defined(api: client.ApiClient) -> Iterator[None]:
    """A cluster that knows AgentConfig resources."""
    with definition.defined(api):
        yield


@pytest.fixture
def plugins(channel: str) -> dict[str, Any]:
    return plugins_from(channel, kubernetes="v1.0.1")


def manifest(plugins: dict[str, Any]) -> dict[str, Any]:
    """The agent config as the operator has it."""
    repository, _colon, version = AGENT_IMAGE.rpartition(":")
    return {
        "apiVersion": "getporter.org/v1",
        "kind": "AgentConfig",
        "metadata": {"name": "team"},
        "spec": {
            "porterRepository": repository,
            "porterVersion": version,
            "volumeSize": "64Mi",
            "storageClassName": CLASS,
            "pluginConfigFile": {"schemaVersion": "1.0.0", "plugins": plugins},
        },
    }


def create(api: client.ApiClient, cluster: Cluster, plugins: dict[str, Any]) -> dict[str, Any]:
    """The AgentConfig in the cluster, as an owner."""
    uid = definition.create_agent_config(api, cluster.namespace, "team", manifest(plugins)["spec"])
    return {"apiVersion": "getporter.org/v1", "kind": "AgentConfig", "name": "team", "uid": uid}


def succeed(outcome: Outcome) -> Outcome:
    assert outcome.status == "successful", outcome.output
    return outcome


def owners_of(leftovers: Leftovers) -> dict[str, Any]:
    """Kind to whether it is the controller."""
    return {owner.kind: owner.controller for owner in leftovers.claim.metadata.owner_references or []}


def test_a_claim_of_a_live_agent_config_is_shared_with_it(
    playbook: Playbook, cluster: Cluster, api: client.ApiClient, defined: None, plugins: dict[str, Any]
) -> None:
    """A03: and with no other set of its hash."""
    leftovers = Leftovers(cluster, "team", plugins)
    leftovers.make(create(api, cluster, plugins))
    claim, volume = leftovers.claim, leftovers.volume

    told = succeed(playbook.run(agent_configs=manifest(plugins), arguments="--check"))
    assert told.changed
    assert not told.used(JOB)
    outcome = succeed(playbook.run(agent_configs=manifest(plugins)))

    assert not outcome.used(JOB)
    assert "unknown" in outcome.table[1]
    record = cluster.records()["team"]
    assert (record["ready"], record["phase"], record["reason"]) == ("true", "Ready", "Adopted")
    assert (record["claim"], record["volume"]) == (claim.metadata.name, volume.metadata.name)
    assert json.loads(record["plugins"]) == {}
    assert "porter_plugins_refresh" in record["message"]
    assert owners_of(leftovers) == {"AgentConfig": True, "ConfigMap": None}
    assert (leftovers.claim.metadata.uid, leftovers.claim.spec) == (claim.metadata.uid, claim.spec)
    assert leftovers.volume.metadata.resource_version == volume.metadata.resource_version
    assert cluster.jobs() == []
    assert is_there(cluster, leftovers.work_volume)
    assert cluster.plugins_on(claim.metadata.name) == {"kubernetes": "v1.0.1"}
    assert not succeed(playbook.run(agent_configs=manifest(plugins))).changed
    assert json.loads(leftovers.claim.metadata.annotations["getporter.org/plugins-document"])["plugins"] == plugins
    same_hash = {"kubernetes": {"version": "v1.0.1", "mirror": plugins["kubernetes"]["feedURL"]}}
    refused = playbook.run(agent_configs={"name": "other", "plugins": same_hash})
    assert refused.status == "failed"
    assert "holds another plugin set" in refused.message
    assert (list(cluster.records()), owners_of(leftovers)) == (["team"], {"AgentConfig": True, "ConfigMap": None})

    succeed(playbook.run(agent_configs={"name": "team", "state": "absent"}))
    assert cluster.records() == {}
    assert owners_of(leftovers) == {"AgentConfig": True}
    assert is_there(cluster, claim.metadata.name)
    assert is_there(cluster, leftovers.work_volume)


def test_a_claim_that_nobody_owns_any_more_gets_an_owner_and_goes_with_it(
    playbook: Playbook, cluster: Cluster, plugins: dict[str, Any]
) -> None:
    """As older releases of the operator made it, on a volume that stays."""
    leftovers = Leftovers(cluster, "team", plugins)
    leftovers.make(None, mode="ReadWriteOnce", policy="Retain")
    claim, volume = leftovers.claim, leftovers.volume

    outcome = succeed(playbook.run(agent_configs=manifest(plugins)))

    assert not outcome.used(JOB)
    assert leftovers.claim.metadata.uid == claim.metadata.uid
    assert cluster.owners()[claim.metadata.name] == [RECORD]
    assert cluster.records()["team"]["ready"] == "true"

    left = succeed(playbook.run(agent_configs={"name": "team", "state": "absent"}))
    assert f"{volume.metadata.name} (kept)" in left.table[1]
    assert not is_there(cluster, claim.metadata.name)
    assert is_there(cluster, leftovers.work_volume)
    (kept,) = [each for each in cluster.volumes() if each.metadata.name == volume.metadata.name]
    assert kept.spec.persistent_volume_reclaim_policy == "Retain"


def test_the_volume_of_a_claim_that_goes_is_waited_for(
    playbook: Playbook, cluster: Cluster, plugins: dict[str, Any]
) -> None:
    leftovers = Leftovers(cluster, "team", plugins)
    leftovers.make(None, mode="ReadWriteOnce")
    claim, volume = leftovers.claim.metadata.name, leftovers.claim.spec.volume_name
    succeed(playbook.run(agent_configs=manifest(plugins)))
    succeed(playbook.run(agent_configs={"name": "team", "state": "absent"}))
    assert volume not in [each.metadata.name for each in cluster.volumes()]
    assert not is_there(cluster, claim)


def test_a_refresh_learns_the_versions_and_keeps_the_agent_config_as_owner(
    playbook: Playbook, cluster: Cluster, api: client.ApiClient, defined: None, plugins: dict[str, Any]
) -> None:
    """C02: with the shipped rights, which do not reach to setting blockOwnerDeletion anew."""
    account = Account(cluster, api)
    account.give("namespace.yml", "cluster.yml")
    leftovers = Leftovers(cluster, "team", plugins)
    leftovers.make(create(api, cluster, plugins))
    old = leftovers.volume.metadata.name
    succeed(playbook.run(agent_configs=manifest(plugins), environment=account.environment))

    refreshed = playbook.run(agent_configs=manifest(plugins), refresh=True, environment=account.environment)

    assert "v1.0.1" in succeed(refreshed).table[1]
    record = cluster.records()["team"]
    assert (record["ready"], record["reason"], record["message"]) == ("true", "Bound", "")
    assert json.loads(record["plugins"]) == {"kubernetes": "v1.0.1"}
    assert owners_of(leftovers) == {"AgentConfig": True, "ConfigMap": None}
    wait_for(lambda: old not in [each.metadata.name for each in cluster.volumes()], "the end of the old volume")
    assert is_there(cluster, leftovers.work_volume)
