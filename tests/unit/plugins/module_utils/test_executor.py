# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The life of a plugin volume on a model of Kubernetes: stopped anywhere, side by side, and failing."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _api
from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    CollisionError,
    JobFailedError,
    PorterError,
    WaitTimeoutError,
)
from ansible_collections.getporter.porter.plugins.module_utils._executor import Executor, Progress, Settings
from ansible_collections.getporter.porter.plugins.module_utils._manifests import staging_claim
from ansible_collections.getporter.porter.plugins.module_utils._module import read_volume
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.plugins.fake_cluster import FakeApi, FakeCluster, Killed

POLICIES = ("Delete", "Retain")
# More requests than any undisturbed run makes.
ENOUGH = 60


def wanted(**plugins: Any) -> PluginVolume:
    option = {
        "agent_config": "default",
        "namespace": "porter",
        "plugins": plugins or {"kubernetes": {"version": "v1.0.1"}},
        "volume_size": "64Mi",
        "agent": {"image": "agent:1"},
    }
    return read_volume(option)[0]


VOLUME = wanted()


class Run:
    """An executor on a fake cluster whose clock advances, and whose controllers act, while it sleeps."""

    def __init__(self, cluster: FakeCluster, api: FakeApi | None = None, ticks: int = 2, **limits: Any) -> None:
        self.cluster, self.now, self.ticks = cluster, 0.0, ticks
        self.api = api or FakeApi(cluster)
        options = Settings(**{"timeout": 300, "progress_deadline": 60, **limits})
        self.executor = Executor(self.api, options, clock=lambda: self.now, sleep=self.sleep)  # type: ignore[arg-type]

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        for _count in range(self.ticks):
            self.cluster.tick()

    def to_the_end(self, *volumes: PluginVolume) -> list[Progress]:
        targets = volumes or (VOLUME,)
        everyone = self.executor.install(targets)
        if not any(each.error for each in everyone):
            everyone = self.executor.make_ready(targets)
        self.cluster.settle()
        return everyone


def assert_ready(cluster: FakeCluster, policy: str) -> None:
    """One claim, one volume, bound to each other and labelled, the policy as it was, and nothing else."""
    cluster.settle()
    kinds = sorted(plural for plural, _namespace, _name in cluster.objects)
    assert kinds == ["persistentvolumeclaims", "persistentvolumes"]
    (claim,), (volume,) = cluster.of("persistentvolumeclaims"), cluster.of("persistentvolumes")
    assert claim["metadata"]["name"] == VOLUME.identity.claim
    assert claim["status"]["phase"] == volume["status"]["phase"] == "Bound"
    assert volume["spec"]["claimRef"]["uid"] == claim["metadata"]["uid"]
    assert volume["spec"]["persistentVolumeReclaimPolicy"] == policy
    assert keys.ANNOTATION_RECLAIM_POLICY not in volume["metadata"]["annotations"]
    assert volume["metadata"]["annotations"][keys.ANNOTATION_INSTALLED] == '{"kubernetes": "v1.0.1"}'
    for item in (claim, volume):
        assert item["metadata"]["labels"][keys.LABEL_PLUGINS_HASH] == VOLUME.identity.plugins_hash


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("immediate", [False, True], ids=["wait-for-first-consumer", "immediate"])
def test_from_nothing_to_ready(policy: str, immediate: bool) -> None:
    cluster = FakeCluster(policy, immediate)
    (end,) = Run(cluster).to_the_end()
    assert end.error is None
    assert end.state == "ready"
    assert_ready(cluster, policy)


def test_a_second_run_writes_nothing() -> None:
    cluster = FakeCluster()
    Run(cluster).to_the_end()
    again = Run(cluster)
    (end,) = again.to_the_end()
    assert (end.state, end.done, again.api.writes, cluster.completed_jobs) == ("ready", [], [], 1)


def test_labels_of_others_stay() -> None:
    cluster = FakeCluster(immediate=True)
    staging = cluster.create("persistentvolumeclaims", staging_claim(VOLUME))
    cluster.settle()
    (volume,) = cluster.of("persistentvolumes")
    volume["metadata"]["labels"] = {"topology.kubernetes.io/zone": "a"}
    Run(cluster).to_the_end()
    (volume,) = cluster.of("persistentvolumes")
    assert volume["metadata"]["name"] == f"pvc-{staging['metadata']['uid']}"
    assert volume["metadata"]["labels"]["topology.kubernetes.io/zone"] == "a"
    assert volume["metadata"]["labels"][keys.LABEL_MANAGED] == "true"


@pytest.mark.parametrize("answered", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("policy", POLICIES)
def test_killed_at_any_request_the_next_run_finishes(policy: str, answered: bool) -> None:
    killed = 0
    for request in range(1, ENOUGH):
        cluster = FakeCluster(policy)
        try:
            Run(cluster, FakeApi(cluster, kill_at=request, answered=answered)).to_the_end()
        except Killed:
            killed += 1
        done_before = cluster.completed_jobs
        (end,) = Run(cluster).to_the_end()
        assert end.error is None, request
        assert_ready(cluster, policy)
        assert cluster.completed_jobs == max(done_before, 1), f"a second Job after request {request}"
    assert 15 < killed < ENOUGH - 1, "the kills must cover a whole run"


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_killed_again_and_again_it_still_ends_ready(data: st.DataObject) -> None:
    policy = data.draw(st.sampled_from(POLICIES))
    cluster = FakeCluster(policy, data.draw(st.booleans()))
    kills = data.draw(st.lists(st.tuples(st.integers(1, 25), st.booleans(), st.integers(0, 8)), max_size=6))
    for request, answered, ticks in kills:
        api = FakeApi(cluster, kill_at=request, answered=answered)
        with suppress(Killed):
            Run(cluster, api, ticks=ticks).executor.make_ready([VOLUME])
    (end,) = Run(cluster).to_the_end()
    assert end.error is None
    assert_ready(cluster, policy)


class Interleaved:
    """Two runs on one cluster: each sleep of the first lets the second do a bounded number of requests."""

    def __init__(self, cluster: FakeCluster, slices: list[int]) -> None:
        self.cluster, self.slices = cluster, iter(itertools.chain(slices, itertools.repeat(3)))

    def run(self) -> Progress:
        first = Run(self.cluster)
        plain_sleep = first.sleep

        def sleep_and_let_the_other_work(seconds: float) -> None:
            plain_sleep(seconds)
            api = FakeApi(self.cluster, kill_at=next(self.slices), answered=True)
            with suppress(Killed):
                Run(self.cluster, api).executor.make_ready([VOLUME])

        first.executor._sleep = sleep_and_let_the_other_work
        return first.executor.make_ready([VOLUME])[0]


@settings(max_examples=150, deadline=None)
@given(slices=st.lists(st.integers(1, 12), max_size=30), policy=st.sampled_from(POLICIES))
def test_beside_another_run_both_end_in_one_volume(slices: list[int], policy: str) -> None:
    cluster = FakeCluster(policy)
    end = Interleaved(cluster, slices).run()
    assert end.error is None
    (end,) = Run(cluster).to_the_end()
    assert_ready(cluster, policy)


def failing() -> FakeCluster:
    cluster = FakeCluster()
    cluster.jobs_succeed = False
    return cluster


def test_a_failed_install_says_what_porter_said_and_leaves_nothing() -> None:
    cluster = failing()
    (end,) = Run(cluster).to_the_end()
    assert isinstance(end.error, JobFailedError)
    assert "no such plugin" in end.error.message
    assert cluster.objects == {}


def test_a_failed_install_can_be_kept_and_the_next_run_starts_afresh() -> None:
    cluster = failing()
    (end,) = Run(cluster, keep_failed=True).to_the_end()
    assert isinstance(end.error, JobFailedError)
    assert len(cluster.of("jobs")) == len(cluster.of("pods")) == 1
    cluster.jobs_succeed = True
    (end,) = Run(cluster).to_the_end()
    assert end.error is None
    assert_ready(cluster, "Delete")


def test_one_failure_does_not_stop_the_others() -> None:
    cluster = FakeCluster()
    taken = {"metadata": {"name": wanted(azure={}).identity.staging_claim, "namespace": "porter"}, "spec": {}}
    cluster.create("persistentvolumeclaims", taken)
    first, second = Run(cluster).executor.make_ready([wanted(azure={}), VOLUME])
    assert isinstance(first.error, PorterError)
    assert "is not labelled getporter.org/managed=true" in first.error.message
    assert (second.error, second.state) == (None, "ready")


def test_many_volumes_advance_side_by_side() -> None:
    cluster = FakeCluster()
    volumes = [wanted(kubernetes={"version": f"v1.0.{number}"}) for number in range(10)]
    one, ten = Run(FakeCluster(), ticks=50), Run(cluster, ticks=50)
    one.to_the_end()
    assert [each.state for each in ten.to_the_end(*volumes)] == ["ready"] * 10
    assert ten.now == one.now


def test_another_set_of_the_same_name_is_never_shared() -> None:
    """A03: the operator's hash gives both sets one claim name."""
    url = "https://plugins.example/feed"
    feed, mirror = wanted(kubernetes={"feedURL": url}), wanted(kubernetes={"mirror": url})
    assert feed.identity.claim == mirror.identity.claim
    cluster = FakeCluster()
    assert Run(cluster).to_the_end(feed)[0].error is None
    run = Run(cluster)
    (end,) = run.to_the_end(mirror)
    assert isinstance(end.error, CollisionError)
    assert run.api.writes == []


def test_a_lost_plugin_claim_is_made_anew() -> None:
    cluster = FakeCluster()
    Run(cluster).to_the_end()
    (volume,) = cluster.of("persistentvolumes")
    del cluster.objects["persistentvolumes", "", volume["metadata"]["name"]]
    cluster.settle()
    assert cluster.of("persistentvolumeclaims")[0]["status"]["phase"] == "Lost"
    (end,) = Run(cluster).to_the_end()
    assert end.error is None
    assert_ready(cluster, "Delete")


def test_a_retained_volume_is_taken_up_again_without_a_job() -> None:
    cluster = FakeCluster("Retain")
    Run(cluster).to_the_end()
    (claim,) = cluster.of("persistentvolumeclaims")
    cluster.delete("persistentvolumeclaims", claim["metadata"]["name"], "porter", claim["metadata"]["uid"])
    cluster.settle()
    (end,) = Run(cluster).to_the_end()
    assert end.error is None
    assert_ready(cluster, "Retain")
    assert cluster.completed_jobs == 1


def test_a_claim_remade_by_hand_gets_its_volume_back() -> None:
    cluster = FakeCluster("Retain")
    Run(cluster).to_the_end()
    (claim,) = cluster.of("persistentvolumeclaims")
    cluster.delete("persistentvolumeclaims", claim["metadata"]["name"], "porter", claim["metadata"]["uid"])
    cluster.settle()
    cluster.create("persistentvolumeclaims", {**claim, "status": {"phase": "Pending"}})
    cluster.find("persistentvolumeclaims", claim["metadata"]["name"], "porter").pop("status")  # type: ignore[union-attr]
    (end,) = Run(cluster).to_the_end()
    assert end.error is None
    assert_ready(cluster, "Retain")


def test_a_job_that_never_ends_is_a_timeout_that_says_where_it_stands() -> None:
    cluster = FakeCluster()
    (end,) = Run(cluster, ticks=0, timeout=20).to_the_end()
    assert isinstance(end.error, WaitTimeoutError)
    assert "not there after 20 s, state installing: pending" in end.error.message


def test_a_stuck_job_fails_after_the_progress_deadline_with_the_clusters_words() -> None:
    cluster = FakeCluster()
    run = Run(cluster, ticks=0, progress_deadline=10)
    event = {"type": "Warning", "reason": "FailedCreate", "message": "exceeded quota", "lastTimestamp": "1"}
    lists: Callable[..., Any] = run.api.list_all
    run.api.list_all = lambda resource, *names, **how: (  # type: ignore[method-assign]
        [event] if resource is _api.EVENTS else lists(resource, *names, **how)
    )
    (end,) = run.to_the_end()
    assert isinstance(end.error, JobFailedError)
    assert "FailedCreate: exceeded quota" in end.error.message
    assert run.now < 15
