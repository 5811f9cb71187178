# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Report and prune on a real cluster: what there is, what the Porter Operator left, and what of that goes."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._api import KubeApi
from ansible_collections.getporter.porter.plugins.module_utils._executor import Executor
from ansible_collections.getporter.porter.plugins.module_utils._options import read_volume
from ansible_collections.getporter.porter.plugins.module_utils._progress import Settings
from kubernetes import client

from tests.support import leftovers
from tests.support.cluster import Cluster, wait_for
from tests.support.playbook import AGENT_IMAGE, PRUNE, REPORT, Outcome, Playbook, plugins_from


@pytest.fixture
def report(playbook: Playbook, cluster: Cluster) -> Any:
    """Run the report on the test's own namespace."""

    def run(**how: Any) -> Outcome:
        return playbook.run("getporter.porter.report", prefix="porter_report", namespaces=[cluster.namespace], **how)

    return run


@pytest.fixture
def prune(playbook: Playbook, cluster: Cluster) -> Any:
    """Prune the test's own namespace, without a grace: all is young in a test."""

    def run(**how: Any) -> Outcome:
        settings = {"grace": 0, "namespaces": [cluster.namespace], **how}
        return playbook.run_apart(playbook="getporter.porter.prune", prefix="porter_prune", **settings)

    return run


@pytest.fixture
def agent_configs(api: client.ApiClient, cluster: Cluster) -> Iterator[Any]:
    """A kind AgentConfig of the test's own, in a group of its own; gives its API version and a maker of objects."""
    group = f"{cluster.namespace}.example.com"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    definition = {
        "metadata": {"name": f"agentconfigs.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": "AgentConfig", "plural": "agentconfigs"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }
    extensions, objects = client.ApiextensionsV1Api(api), client.CustomObjectsApi(api)
    extensions.create_custom_resource_definition(definition)

    def is_established() -> bool:
        found = extensions.read_custom_resource_definition(f"agentconfigs.{group}").status
        return any(each.type == "Established" and each.status == "True" for each in found.conditions or [])

    wait_for(is_established, "the kind AgentConfig")

    def make(name: str) -> dict[str, str]:
        """An owner that is there."""
        body = {"apiVersion": f"{group}/v1", "kind": "AgentConfig", "metadata": {"name": name}}
        made = objects.create_namespaced_custom_object(group, "v1", cluster.namespace, "agentconfigs", body)
        return leftovers.reference("AgentConfig", name, f"{group}/v1", made["metadata"]["uid"])

    yield make
    extensions.delete_custom_resource_definition(f"agentconfigs.{group}")


def names(rows: list[dict[str, Any]], key: str = "name") -> set[str]:
    return {row[key] for row in rows}


def by_name(rows: list[dict[str, Any]], key: str = "name") -> dict[str, dict[str, Any]]:
    return {row[key]: row for row in rows}


def test_the_report_tells_of_volumes_configs_and_leftovers(
    playbook: Playbook, cluster: Cluster, channel: str, report: Any, agent_configs: Any, tmp_path: Path
) -> None:
    """What the operator made is recognised, and its owner with it."""
    assert playbook.run(plugins=plugins_from(channel, azure="v1.2.0")).status == "successful"
    (claim,) = cluster.claims()
    name, volume = claim.metadata.name, claim.spec.volume_name
    leftovers.record(cluster, "waiting", leftovers.plugin_claim_name("none"), ready="false", phase="Pending")
    operators = leftovers.plugin_claim_of_operator(cluster, "a0b1", ownerReferences=[agent_configs("legacy")])
    lost = leftovers.lost_temporary_claim(cluster)

    page = tmp_path / "report.md"
    checked = report(arguments="--check", file=str(page))
    assert checked.status == "successful", checked.output
    assert not page.exists()
    told = report(file=str(page))
    result = told.of(REPORT)
    assert not result["changed"]

    volumes = by_name(result["volumes"], "claim")
    assert set(volumes) == {name, operators.metadata.name}
    ours, theirs = volumes[name], volumes[operators.metadata.name]
    assert (ours["state"], ours["steps"], ours["stuck"]) == ("ready", [], False)
    assert (ours["persistent_volume"], ours["installed"]) == (volume, {"azure": "v1.2.0"})
    assert (ours["made_by"], ours["wanted_by"], ours["size"]) == ("getporter.porter", ["default"], "64Mi")
    assert [(owner["kind"], owner["name"], owner["exists"]) for owner in ours["owners"]] == [
        ("ConfigMap", "porter-agent-config-default", True)
    ]
    assert (theirs["state"], theirs["made_by"]) == ("ready", "Porter Operator")
    assert [(owner["name"], owner["exists"]) for owner in theirs["owners"]] == [("legacy", True)]

    configs = by_name(result["agent_configs"])
    assert (configs["default"]["ready"], configs["default"]["claim_state"]) == (True, "ready")
    assert (configs["default"]["phase"], configs["default"]["installed"]) == ("Ready", {"azure": "v1.2.0"})
    assert (configs["waiting"]["ready"], configs["waiting"]["claim_state"]) == (False, "absent")
    assert names(result["leftovers"]) == {lost.metadata.name}
    assert result["leftovers"][0]["reason"] == "it lost its volume"

    text = page.read_text()
    assert "```mermaid\ngraph LR\n" in text
    assert volume in text
    assert any(line.startswith(f"{cluster.namespace}/{name}  {volume}  ready") for line in told.table)
    as_json = tmp_path / "report.json"
    report(file=str(as_json))
    assert names(json.loads(as_json.read_text())["volumes"], "claim") == set(volumes)


def test_prune_removes_what_the_operator_left_and_nothing_else(
    cluster: Cluster, prune: Any, agent_configs: Any
) -> None:
    """A12, C05: what nobody owns goes with its volume; what is owned, wanted, mounted or not labelled stays."""
    owned = leftovers.plugin_claim_of_operator(cluster, "a0", ownerReferences=[agent_configs("legacy")])
    wanted = leftovers.plugin_claim_of_operator(cluster, "b1")
    leftovers.record(cluster, "default", wanted.metadata.name)
    mounted = leftovers.plugin_claim_of_operator(cluster, "c2")
    pod = leftovers.pod_that_mounts(cluster, mounted.metadata.name)
    leaked = leftovers.plugin_claim_of_operator(cluster, "d3")
    lost = leftovers.lost_temporary_claim(cluster)
    # The operator is gone, and its kinds with it: the garbage collector then leaves such a claim for ever.
    gone = leftovers.reference("AgentAction", "gone", f"gone.{cluster.namespace}.example.com/v1")
    work = leftovers.work_volume(cluster, "default-x7k2p", ownerReferences=[gone])
    unlabelled = leftovers.bound_claim(cluster, "data", {})
    stays = {each.metadata.name for each in (owned, wanted, mounted, unlabelled)}
    goes = {each.metadata.name for each in (leaked, lost, work)}

    before = cluster.versions()
    grace = prune(grace=3600)
    assert (grace.status, grace.changed) == ("successful", False), grace.output
    assert "the grace is 3600 s" in by_name(grace.of(PRUNE)["kept"])[leaked.metadata.name]["kept_because"]
    foretold = prune(arguments="--check")
    assert cluster.versions() == before
    made = prune()
    assert made.status == "successful", made.output
    assert made.changed
    assert made.of(PRUNE)["removed"] == foretold.of(PRUNE)["removed"]
    assert names(made.of(PRUNE)["removed"]) == goes
    assert by_name(made.of(PRUNE)["kept"])[mounted.metadata.name]["kept_because"] == f"mounted by pod {pod}"
    assert {each.metadata.name for each in cluster.claims()} == stays
    assert {each.spec.claim_ref.name for each in cluster.volumes()} == stays
    assert not prune().changed


def stopped_install(api: client.ApiClient, cluster: Cluster, channel: str, storage_class: str) -> None:
    """As a run leaves it that is killed after the install and before the hand-over."""
    volume, _warnings = read_volume(
        {
            "agent_config": "default",
            "namespace": cluster.namespace,
            "plugins": plugins_from(channel, azure="v1.2.0"),
            "volume_size": "16Mi",
            "storage_class": storage_class,
            "agent": {
                "image": AGENT_IMAGE,
                "pod_security_context": {
                    "runAsNonRoot": True,
                    "runAsUser": 65532,
                    "seccompProfile": {"type": "RuntimeDefault"},
                },
                "container_security_context": {
                    "allowPrivilegeEscalation": False,
                    "capabilities": {"drop": ["ALL"]},
                },
            },
        }
    )
    (end,) = Executor(KubeApi(api.configuration), Settings(90, 60)).install([volume])
    assert end.error is None, end.error


def test_prune_removes_what_a_stopped_run_left(
    api: client.ApiClient, cluster: Cluster, channel: str, prune: Any
) -> None:
    """Two at once: the volume follows its own policy again, though the hand-over had set Retain."""
    stopped_install(api, cluster, channel, "local")
    (volume,) = cluster.volumes()
    assert volume.spec.persistent_volume_reclaim_policy == "Retain"
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda _number: prune(), range(2)))
    assert [each.status for each in outcomes] == ["successful"] * 2, [each.message for each in outcomes]
    wait_for(lambda: not (cluster.leftovers() or cluster.claims() or cluster.volumes()), "the end of all")


def test_a_retained_volume_goes_only_when_it_is_asked_for(
    api: client.ApiClient, cluster: Cluster, channel: str, prune: Any
) -> None:
    """B19, and a volume that is reserved for a claim that nobody makes any more."""
    stopped_install(api, cluster, channel, "local-retain")
    reserved = leftovers.bound_claim(cluster, "reserved", leftovers.MANAGED).spec.volume_name
    notes = {"getporter.org/reclaim-policy": "Delete", "getporter.org/plugins-installed": "{}"}
    patch = {"metadata": {"labels": leftovers.MANAGED, "annotations": notes}}
    leftovers.patch_volume(cluster, reserved, {**patch, "spec": {"persistentVolumeReclaimPolicy": "Retain"}})
    cluster.core.delete_namespaced_persistent_volume_claim("reserved", cluster.namespace)
    wait_for(lambda: phase(cluster, reserved) == "Released", "the volume to be released")
    reference = {"name": leftovers.plugin_claim_name(uuid.uuid4().hex), "uid": None, "resourceVersion": None}
    leftovers.patch_volume(cluster, reserved, {"spec": {"claimRef": reference}})
    wait_for(lambda: phase(cluster, reserved) == "Available", "the volume to be reserved")

    made = prune()
    assert made.status == "successful", made.output
    (retained,) = cluster.volumes()
    assert retained.metadata.name != reserved
    assert cluster.claims() == []
    wait_for(lambda: phase(cluster, retained.metadata.name) == "Released", "the volume to be released")
    (kept,) = prune().of(PRUNE)["kept"]
    assert (kept["name"], "delete_retained" in kept["kept_because"]) == (retained.metadata.name, True)
    (removed,) = prune(delete_retained=True).of(PRUNE)["removed"]
    assert (removed["name"], "the disk behind it may remain" in removed["note"]) == (retained.metadata.name, True)
    assert cluster.volumes() == []


def phase(cluster: Cluster, volume: str) -> str:
    found = {each.metadata.name: each.status.phase for each in cluster.volumes()}
    return str(found.get(volume, ""))


def test_a_namespace_that_is_not_there_is_refused(playbook: Playbook) -> None:
    for name, prefix in (("report", "porter_report"), ("prune", "porter_prune")):
        outcome = playbook.run(f"getporter.porter.{name}", prefix=prefix, namespaces=["prter"])
        assert outcome.status == "failed"
        assert outcome.message == "There is no namespace prter. Name one that exists, or none for the whole cluster."
