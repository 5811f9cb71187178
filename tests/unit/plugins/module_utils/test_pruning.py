# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Removals on a model of Kubernetes: what stopped runs left, beside other runs, stopped themselves, refused."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._errors import ApiError, PorterError, UnreachableError
from ansible_collections.getporter.porter.plugins.module_utils._listing import take_inventory
from ansible_collections.getporter.porter.plugins.module_utils._options import read_volume
from ansible_collections.getporter.porter.plugins.module_utils._prune import Plan, plan_removals
from ansible_collections.getporter.porter.plugins.module_utils._pruning import Pruning, foreseen

from tests.unit.plugins.fake_cluster import FakeApi, FakeCluster, Killed
from tests.unit.plugins.module_utils.test_executor import Run

Manifest = dict[str, Any]
VOLUME = read_volume(
    {
        "agent_config": "default",
        "namespace": "porter",
        "plugins": {"kubernetes": {"version": "v1.0.1"}},
        "volume_size": "64Mi",
        "agent": {"image": "agent:1"},
    }
)[0]
RECORD = {
    "kind": "ConfigMap",
    "metadata": {
        "name": "porter-agent-config-default",
        "namespace": "porter",
        "labels": {keys.LABEL_MANAGED: "true", keys.LABEL_COMPONENT: keys.COMPONENT_RECORD},
    },
    "data": {"name": "default", "claim": VOLUME.identity.claim},
}
# More requests than an undisturbed install makes.
REQUESTS = range(1, 60)


def plan(api: FakeApi, delete_retained: bool = True) -> Plan:
    return plan_removals(take_inventory(api, []), 0, delete_retained)  # type: ignore[arg-type]


class Prune:
    """One prune on a fake cluster, whose clock advances, and whose controllers act, while it waits."""

    def __init__(self, cluster: FakeCluster, api: FakeApi | None = None) -> None:
        self.cluster, self.now = cluster, 0.0
        self.api = api or FakeApi(cluster)

    def make(self, delete_retained: bool = True, timeout: float = 60) -> dict[str, Any]:
        pruning = Pruning(self.api, timeout, clock=lambda: self.now, sleep=self._sleep)  # type: ignore[arg-type]
        return pruning.make(plan(self.api, delete_retained))

    def _sleep(self, seconds: float) -> None:
        self.now += seconds
        self.cluster.tick()


def stopped_install(policy: str, request: int, answered: bool = True, succeeds: bool = True) -> FakeCluster:
    """What a run leaves that is killed at this request; its Job, if there is one, ends."""
    cluster = FakeCluster(policy)
    cluster.jobs_succeed = succeeds
    with contextlib.suppress(Killed):
        Run(cluster, FakeApi(cluster, request, answered)).to_the_end()
    cluster.settle()
    return cluster


def names(cluster: FakeCluster) -> list[str]:
    return sorted(f"{plural} {name}" for plural, _namespace, name in cluster.objects)


def unlabelled_volumes(cluster: FakeCluster) -> list[str]:
    volumes = cluster.of("persistentvolumes")
    return [f"persistentvolumes {each['metadata']['name']}" for each in volumes if "labels" not in each["metadata"]]


@pytest.mark.parametrize("policy", ["Delete", "Retain"])
@pytest.mark.parametrize("answered", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("succeeds", [True, False], ids=["installed", "failed"])
def test_whatever_a_stopped_install_leaves_is_removed(policy: str, answered: bool, succeeds: bool) -> None:
    """At each of its requests. A retained volume stays where the install was not noted on it: it has no label yet."""
    for request in REQUESTS:
        cluster = stopped_install(policy, request, answered, succeeds)
        unlabelled = [] if policy == "Delete" else unlabelled_volumes(cluster)
        Prune(cluster).make()
        cluster.settle()
        assert [each for each in names(cluster) if each not in unlabelled] == [], request


def test_without_the_wish_for_it_a_retained_volume_stays() -> None:
    """B19."""
    cluster = stopped_install("Retain", 1000)
    result = Prune(cluster).make(delete_retained=False)
    cluster.settle()
    (volume,) = cluster.of("persistentvolumes")
    assert volume["status"]["phase"] == "Released"
    assert names(cluster) == [f"persistentvolumes {volume['metadata']['name']}"]
    assert [row["name"] for row in result["removed"]] == [VOLUME.identity.claim]
    (kept,) = Prune(cluster).make(delete_retained=False)["kept"]
    assert "delete_retained is not set" in kept["kept_because"]


def test_what_a_record_wants_is_never_touched_at_any_request_of_a_run() -> None:
    """The record is written first. Without any grace a prune between two requests of the run finds nothing to do."""
    cluster = FakeCluster()
    cluster.create("configmaps", RECORD)
    beside = FakeApi(cluster)
    removed: list[Any] = []

    def prune(_what: str) -> None:
        removed.extend(plan(beside).removals)

    api = FakeApi(cluster)
    api.before = prune
    (end,) = Run(cluster, api).to_the_end()
    assert (end.state, removed) == ("ready", [])
    assert beside.requests > 100


@pytest.mark.parametrize("answered", [False, True], ids=["before", "after"])
def test_a_prune_that_is_stopped_is_finished_by_the_next_one(answered: bool) -> None:
    """F06: at each of its requests, on what a stopped hand-over left."""
    for request in REQUESTS:
        cluster = stopped_install("Delete", 12)
        try:
            Prune(cluster, FakeApi(cluster, request, answered)).make()
        except Killed:
            cluster.settle()
            Prune(cluster).make()
        cluster.settle()
        assert names(cluster) == [], request


def test_check_mode_foretells_what_a_run_does() -> None:
    for request in REQUESTS:
        cluster = stopped_install("Delete", request)
        api = FakeApi(cluster)
        expected = foreseen(plan(api))
        assert api.writes == []
        assert Prune(cluster).make() == expected, request


@pytest.mark.parametrize("plural", ["persistentvolumes", "jobs", "persistentvolumeclaims"])
def test_what_changes_between_the_list_and_the_request_is_left_with_what_needs_it(plural: str) -> None:
    """Somebody joins: the version is another one."""
    cluster = handed_over_halfway()
    api = FakeApi(cluster)

    def join(what: str) -> None:
        if what.split()[0] in ("delete", "patch"):
            for item in cluster.of(plural):
                item["metadata"]["resourceVersion"] += "0"

    api.before = join
    result = Prune(cluster, api).make()
    left = {row["kind"]: row["kept_because"] for row in result["kept"]}
    assert "PersistentVolumeClaim" in left
    assert "somebody changed it meanwhile, so it may be needed again" in left.values()
    assert VOLUME.identity.staging_claim in [each["metadata"]["name"] for each in cluster.of("persistentvolumeclaims")]


def handed_over_halfway() -> FakeCluster:
    """The install is noted on the volume; Job and staging claim are there still."""
    cluster = FakeCluster()
    Run(cluster).executor.install([VOLUME])
    cluster.settle()
    assert [each.action for each in plan(FakeApi(cluster)).removals] == [
        "let it follow its reclaim policy",
        "delete",
        "delete",
    ]
    return cluster


def test_one_refusal_does_not_stop_the_others_and_is_told_with_what_was_done() -> None:
    cluster = handed_over_halfway()
    orphan = {"kind": "PersistentVolumeClaim", "metadata": {"name": "porter-" + "b" * 32, "namespace": "porter"}}
    orphan["metadata"]["labels"] = {keys.LABEL_MANAGED: "true"}  # type: ignore[index]
    cluster.create("persistentvolumeclaims", {**orphan, "spec": {}, "status": {"phase": "Pending"}})
    api = FakeApi(cluster)
    api.refuse = lambda what: what == "delete jobs"
    with pytest.raises(PorterError, match="delete jobs is forbidden") as caught:
        Prune(cluster, api).make()
    result = caught.value.result
    assert result["changed"]
    assert "porter-" + "b" * 32 in [row["name"] for row in result["removed"]]
    assert {row["kind"]: row["kept_because"] for row in result["kept"]} == {
        "Job": "delete jobs is forbidden",
        "PersistentVolumeClaim": "something that had to go before it stayed",
    }


@pytest.mark.parametrize("what", ["jobs", "persistentvolumeclaims", "configmaps", "persistentvolumes"])
def test_e07_nothing_is_removed_on_the_strength_of_a_list_that_failed(what: str) -> None:
    cluster = handed_over_halfway()
    api = FakeApi(cluster)
    api.refuse = lambda request: request == f"list {what}"
    with pytest.raises(ApiError, match="forbidden"):
        Prune(cluster, api).make()
    assert api.writes == []


def test_where_pods_may_not_be_listed_no_claim_goes() -> None:
    cluster = stopped_install("Delete", 1000)
    api = FakeApi(cluster)
    api.refuse = lambda request: request == "list pods"
    result = Prune(cluster, api).make()
    assert (result["changed"], api.writes) == (False, [])
    assert "may not list pods" in result["kept"][0]["kept_because"]


def test_what_does_not_go_in_time_is_a_failure_that_names_it() -> None:
    cluster = stopped_install("Delete", 1000)
    prune = Prune(cluster)
    cluster.tick = lambda: False  # type: ignore[method-assign]
    with pytest.raises(
        PorterError, match=r"Still there after 60 s: PersistentVolume pvc-.*PersistentVolumeClaim porter/"
    ):
        prune.make()


def test_an_api_that_does_not_answer_ends_the_run() -> None:
    cluster = handed_over_halfway()
    api = FakeApi(cluster)

    def cut(what: str) -> None:
        if what == "delete jobs":
            raise UnreachableError("no answer")

    api.before = cut
    with pytest.raises(UnreachableError):
        Prune(cluster, api).make()


def test_a_volume_that_is_taken_up_after_its_claim_is_not_deleted() -> None:
    cluster = stopped_install("Retain", 1000)
    api = FakeApi(cluster)

    def take_up(what: str) -> None:
        if what == "get persistentvolumes":
            cluster.settle()
            (volume,) = cluster.of("persistentvolumes")
            volume["spec"]["claimRef"].pop("uid", None)

    api.before = take_up
    result = Prune(cluster, api).make()
    assert len(cluster.of("persistentvolumes")) == 1
    assert [row["kept_because"] for row in result["kept"]] == [
        "somebody changed it meanwhile, so it may be needed again"
    ]
