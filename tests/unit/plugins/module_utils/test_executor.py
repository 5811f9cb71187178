# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The life of a plugin volume on a model of Kubernetes: stopped anywhere, side by side, and failing."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _api
from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._agent_pod import AGENT_CONTAINER
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    CollisionError,
    ConflictError,
    JobFailedError,
    PorterError,
    WaitTimeoutError,
)
from ansible_collections.getporter.porter.plugins.module_utils._executor import Executor
from ansible_collections.getporter.porter.plugins.module_utils._manifests import plugin_claim, staging_claim
from ansible_collections.getporter.porter.plugins.module_utils._options import read_volume
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._progress import Progress, Settings
from ansible_collections.getporter.porter.plugins.module_utils._results import end_of
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.unit.plugins.fake_cluster import FakeApi, FakeCluster, Killed

POLICIES = ("Delete", "Retain")
# More requests than any undisturbed run makes.
ENOUGH = 60


def wanted(refresh: bool = False, **plugins: Any) -> PluginVolume:
    option = {
        "refresh": refresh,
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

    def __init__(
        self,
        cluster: FakeCluster,
        api: FakeApi | None = None,
        ticks: int = 2,
        report: Callable[[PluginVolume, str], None] | None = None,
        **limits: Any,
    ) -> None:
        self.cluster, self.now, self.ticks = cluster, 0.0, ticks
        self.api = api or FakeApi(cluster)
        options = Settings(**{"timeout": 300, "progress_deadline": 60, **limits})
        self.executor = Executor(self.api, options, lambda: self.now, self.sleep, report)  # type: ignore[arg-type]

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


@pytest.mark.parametrize(
    ("listed", "noted"),
    [
        ('[{"name": "kubernetes", "version": "v1.0.2"}]', '{"kubernetes": "v1.0.2"}'),
        ('[{"name": "other", "version": "v1"}, {"name": ""}]', '{"other": "v1"}'),
        ("[]", "{}"),
        ("", '{"kubernetes": "v1.0.1"}'),
    ],
    ids=["listed", "another", "none", "unknown"],
)
def test_the_installed_versions_are_what_porter_lists(listed: str, noted: str) -> None:
    cluster = FakeCluster()
    cluster.listed = listed
    (end,) = Run(cluster).to_the_end()
    (volume,) = cluster.of("persistentvolumes")
    assert (end.error, volume["metadata"]["annotations"][keys.ANNOTATION_INSTALLED]) == (None, noted)


def test_a_plugin_that_porter_does_not_list_is_told() -> None:
    cluster = FakeCluster()
    cluster.listed = '[{"name": "other", "version": "v1"}]'
    result = end_of(Run(cluster).executor.install([VOLUME]))
    (warning,) = result["warnings"]
    assert "Porter installed kubernetes, but lists only other" in warning


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


@pytest.mark.parametrize("only_lists", [True, False], ids=["between-lists", "anywhere"])
@settings(max_examples=200, deadline=None)
@given(slices=st.lists(st.integers(1, 14), max_size=40), policy=st.sampled_from(POLICIES))
@example(slices=[7, 1, 1, 7, 6], policy="Delete")
def test_between_any_two_requests_another_run_may_act(only_lists: bool, slices: list[int], policy: str) -> None:
    """A05: also between two lists of one observation, which then show different times.

    A run that is held up between its lists and its write can start a second Job. That one is
    cleared away; it takes a whole install to fit in between.
    """
    cluster = FakeCluster(policy)
    turns = iter(slices)

    def let_the_other_work(what: str) -> None:
        if not only_lists or what.startswith("list"):
            api = FakeApi(cluster, kill_at=next(turns, 1), answered=True)
            with suppress(Killed):
                Run(cluster, api).executor.make_ready([VOLUME])

    run = Run(cluster)
    run.api.before = let_the_other_work
    (end,) = run.executor.make_ready([VOLUME])
    assert (end.error, end.state) == (None, "ready")
    Run(cluster).to_the_end()
    if policy == "Delete" or only_lists:
        assert_ready(cluster, policy)
    assert cluster.started_jobs == 1 or not only_lists


@pytest.mark.parametrize("answered", [False, True], ids=["before", "after"])
def test_killed_at_any_request_of_a_take_up_the_next_run_finishes(answered: bool) -> None:
    killed = 0
    for request in range(1, ENOUGH):
        cluster = FakeCluster("Retain")
        Run(cluster).to_the_end()
        delete_by_hand(cluster, "persistentvolumeclaims", VOLUME.identity.claim)
        cluster.settle()
        try:
            Run(cluster, FakeApi(cluster, kill_at=request, answered=answered)).to_the_end()
        except Killed:
            killed += 1
        (end,) = Run(cluster).to_the_end()
        assert end.error is None, request
        assert_ready(cluster, "Retain")
        assert cluster.started_jobs == 1, request
    assert 9 < killed < ENOUGH - 1, "the kills must cover a whole run"


def delete_by_hand(cluster: FakeCluster, plural: str, name: str) -> None:
    namespace = "" if plural == "persistentvolumes" else "porter"
    item = cluster.find(plural, name, namespace)
    assert item
    cluster.delete(plural, name, namespace, item["metadata"]["uid"])


def half_way(condition: Callable[[FakeCluster], bool], policy: str = "Delete") -> FakeCluster:
    """A cluster as a run left it that was killed once the condition held."""
    cluster = FakeCluster(policy)

    def look(_what: str) -> None:
        if condition(cluster):
            raise Killed

    run = Run(cluster, ticks=1)
    run.api.before = look
    with pytest.raises(Killed):
        run.executor.make_ready([VOLUME])
    return cluster


def has_job(cluster: FakeCluster) -> bool:
    return bool(cluster.of("jobs"))


def has_ended_job(cluster: FakeCluster) -> bool:
    return any(job.get("status") for job in cluster.of("jobs"))


def has_note(cluster: FakeCluster) -> bool:
    return any(keys.ANNOTATION_INSTALLED in notes_of(volume) for volume in cluster.of("persistentvolumes"))


def notes_of(item: dict[str, Any]) -> dict[str, str]:
    found: dict[str, str] = item["metadata"].get("annotations") or {}
    return found


def is_reserved(cluster: FakeCluster) -> bool:
    references = [volume["spec"].get("claimRef") or {} for volume in cluster.of("persistentvolumes")]
    return any(reference.get("name") == VOLUME.identity.claim for reference in references)


def is_bound(cluster: FakeCluster) -> bool:
    claim = cluster.find("persistentvolumeclaims", VOLUME.identity.claim, "porter")
    return bool(claim) and (claim or {}).get("status", {}).get("phase") == "Bound"


STAGES = [has_job, has_ended_job, has_note, is_reserved, is_bound]
JOB, STAGING, CLAIM = VOLUME.identity.job, VOLUME.identity.staging_claim, VOLUME.identity.claim


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.__name__)
@pytest.mark.parametrize(
    ("plural", "name"), [("jobs", JOB), ("persistentvolumeclaims", STAGING), ("persistentvolumeclaims", CLAIM)]
)
def test_what_a_person_deletes_half_way_is_made_up_for(
    stage: Callable[[FakeCluster], bool], plural: str, name: str, policy: str
) -> None:
    cluster = half_way(stage, policy)
    if cluster.find(plural, name, "porter") is None:
        cluster.settle()
    else:
        delete_by_hand(cluster, plural, name)
    (end,) = Run(cluster).to_the_end()
    assert end.error is None
    leftover = [each for each in cluster.of("persistentvolumes") if each["status"]["phase"] != "Bound"]
    for volume in leftover:
        # A class with the policy Retain keeps the volume of a staging claim whose install was not finished.
        assert policy == "Retain"
        del cluster.objects["persistentvolumes", "", volume["metadata"]["name"]]
    assert_ready(cluster, policy)
    assert cluster.started_jobs <= 2


def test_d09_an_install_whose_job_expired_after_the_note_is_not_repeated() -> None:
    cluster = half_way(has_note)
    cluster.expire_jobs = True
    cluster.settle()
    assert cluster.of("jobs") == []
    (end,) = Run(cluster).to_the_end()
    assert (end.error, cluster.started_jobs) == (None, 1)
    assert_ready(cluster, "Delete")


def test_d09_an_install_whose_job_expired_before_the_note_is_repeated_on_the_same_staging_claim() -> None:
    cluster = half_way(has_ended_job)
    cluster.expire_jobs = True
    cluster.settle()
    assert cluster.of("jobs") == []
    cluster.expire_jobs = False
    (end,) = Run(cluster).to_the_end()
    assert (end.error, cluster.started_jobs) == (None, 2)
    assert_ready(cluster, "Delete")


def test_the_install_alone_ends_with_the_volume_and_its_versions() -> None:
    (end,) = Run(FakeCluster()).executor.install([VOLUME])
    assert (end.error, end.state) == (None, "installed")
    assert end.persistent_volume
    assert notes_of(end.persistent_volume)[keys.ANNOTATION_INSTALLED] == '{"kubernetes": "v1.0.1"}'


@pytest.mark.parametrize(
    "what", ["delete jobs", "delete persistentvolumeclaims", "get persistentvolumes", "list pods", "create secrets"]
)
def test_a_forbidden_request_ends_the_run_with_the_clusters_words_and_mends(what: str) -> None:
    cluster = FakeCluster()
    run = Run(cluster)
    run.api.refuse = lambda request: request == what
    (end,) = run.executor.make_ready([VOLUME])
    assert end.error
    assert f"{what} is forbidden" in end.error.message
    (end,) = Run(cluster).to_the_end()
    assert (end.error, cluster.started_jobs) == (None, 1)
    assert_ready(cluster, "Delete")


def test_a_failure_is_told_though_its_rest_may_not_be_deleted() -> None:
    run = Run(failing())
    run.api.refuse = lambda what: what == "delete jobs"
    (end,) = run.to_the_end()
    assert isinstance(end.error, JobFailedError)
    assert "no such plugin What it left could not be removed: delete jobs is forbidden" in end.error.message


def test_a_failure_is_told_though_another_run_clears_its_rest_at_the_same_time() -> None:
    cluster = failing()
    run = Run(cluster)
    conflicts = iter([True, True])
    delete = run.api.delete

    def delete_once_too_late(*names: Any, **options: Any) -> None:
        if next(conflicts, False):
            raise ConflictError(409, "Conflict", "another uid")
        delete(*names, **options)

    run.api.delete = delete_once_too_late  # type: ignore[method-assign]
    (end,) = run.to_the_end()
    assert isinstance(end.error, JobFailedError)
    assert "no such plugin" in end.error.message
    assert cluster.objects == {}


def test_a_volume_lost_under_the_running_install_is_told_as_such() -> None:
    cluster = FakeCluster()
    run = Run(cluster, ticks=1)

    def lose_the_volume(_what: str) -> None:
        if has_ended_job(cluster) and not has_note(cluster):
            for volume in cluster.of("persistentvolumes"):
                del cluster.objects["persistentvolumes", "", volume["metadata"]["name"]]

    run.api.before = lose_the_volume
    (end,) = run.to_the_end()
    assert isinstance(end.error, JobFailedError)
    assert "the staging claim lost its volume" in end.error.message
    assert "installed kubernetes" not in end.error.message


def test_a_namespace_that_is_being_deleted_is_told_in_the_clusters_words() -> None:
    cluster = FakeCluster()
    cluster.terminating = True
    (end,) = Run(cluster).to_the_end()
    assert end.error
    assert "namespace porter is being terminated" in end.error.message


def test_a_plugin_claim_deleted_while_in_use_is_waited_for_and_made_anew() -> None:
    cluster = FakeCluster()
    Run(cluster).to_the_end()
    action = {"name": "action", "namespace": "porter", "ownerReferences": [{"uid": "action"}]}
    cluster.create("pods", {"metadata": action, "spec": {"claim": CLAIM}})
    delete_by_hand(cluster, "persistentvolumeclaims", CLAIM)
    (end,) = Run(cluster, timeout=20).to_the_end()
    assert isinstance(end.error, WaitTimeoutError)
    assert "pods that mount it finish first" in end.error.message
    delete_by_hand(cluster, "pods", "action")
    (end,) = Run(cluster).to_the_end()
    assert (end.error, cluster.started_jobs) == (None, 2)
    assert_ready(cluster, "Delete")


def test_a_claim_made_again_without_its_volume_is_replaced() -> None:
    """B21: a tool that restores manifests makes the claim, but no volume."""
    cluster = FakeCluster()
    Run(cluster).to_the_end()
    (claim,) = cluster.of("persistentvolumeclaims")
    delete_by_hand(cluster, "persistentvolumeclaims", CLAIM)
    cluster.settle()
    assert cluster.objects == {}
    cluster.create("persistentvolumeclaims", {key: claim[key] for key in ("metadata", "spec", "kind")})
    cluster.find("persistentvolumeclaims", CLAIM, "porter")["metadata"].pop("deletionTimestamp")  # type: ignore[index]
    (end,) = Run(cluster).to_the_end()
    assert end.error is None
    assert_ready(cluster, "Delete")


def test_the_plugin_claim_is_made_only_when_the_binder_has_seen_the_reservation() -> None:
    """It would look at a claim that comes before that in its next full pass only, up to 15 seconds later."""
    cluster = FakeCluster()
    run = Run(cluster, ticks=1)
    phases: list[str] = []

    def look(what: str) -> None:
        if what == "create persistentvolumeclaims":
            phases.extend(volume["status"]["phase"] for volume in cluster.of("persistentvolumes"))

    run.api.before = look
    run.to_the_end()
    assert phases == ["Available"]
    assert_ready(cluster, "Delete")


def test_a_claim_made_by_hand_before_the_reservation_gets_the_volume() -> None:
    cluster = half_way(lambda now: any(item["status"]["phase"] == "Released" for item in now.of("persistentvolumes")))
    (volume,) = cluster.of("persistentvolumes")
    cluster.create("persistentvolumeclaims", plugin_claim(VOLUME, volume))
    (end,) = Run(cluster).to_the_end()
    assert end.error is None
    assert_ready(cluster, "Delete")


@pytest.mark.parametrize("plural", ["persistentvolumes", "persistentvolumeclaims"])
def test_a_label_taken_off_by_hand_changes_nothing(plural: str) -> None:
    cluster = FakeCluster()
    Run(cluster).to_the_end()
    (item,) = cluster.of(plural)
    item["metadata"]["labels"] = {}
    again = Run(cluster)
    (end,) = again.to_the_end()
    assert (end.error, end.state, again.api.writes) == (None, "ready", [])


def test_a_job_whose_component_label_was_taken_off_is_told_and_not_tried_for_ever() -> None:
    cluster = half_way(has_job)
    del cluster.of("jobs")[0]["metadata"]["labels"][keys.LABEL_COMPONENT]
    run = Run(cluster, ticks=0)
    (end,) = run.to_the_end()
    assert end.error
    assert "is not labelled getporter.org/managed=true,app.kubernetes.io/component=plugin-install" in end.error.message
    assert run.now < 5


def retained(cluster: FakeCluster) -> dict[str, Any]:
    """The volume of a plugin claim that is gone."""
    Run(cluster).to_the_end()
    delete_by_hand(cluster, "persistentvolumeclaims", CLAIM)
    cluster.settle()
    (volume,) = cluster.of("persistentvolumes")
    return volume


@pytest.mark.parametrize(
    "change",
    [
        lambda volume: volume["status"].update(phase="Failed"),
        lambda volume: volume["spec"]["claimRef"].update(name="someone-elses"),
        lambda volume: volume["spec"]["claimRef"].update(namespace="elsewhere"),
        lambda volume: volume["spec"].update(persistentVolumeReclaimPolicy="Delete"),
        lambda volume: volume["metadata"]["annotations"].pop(keys.ANNOTATION_INSTALLED),
    ],
    ids=["failed", "other-claim", "other-namespace", "about-to-be-deleted", "no-note"],
)
def test_a_volume_that_cannot_be_trusted_is_not_taken_up_again(change: Callable[[dict[str, Any]], object]) -> None:
    cluster = FakeCluster("Retain")
    old = retained(cluster)
    change(old)
    (end,) = Run(cluster).to_the_end()
    assert (end.error, cluster.started_jobs) == (None, 2)
    assert end.persistent_volume
    assert end.persistent_volume["metadata"]["name"] != old["metadata"]["name"]


def test_of_two_marked_volumes_the_one_on_its_way_is_taken_and_the_other_follows_its_policy() -> None:
    cluster = half_way(is_reserved)
    (volume,) = cluster.of("persistentvolumes")
    twin = {**copy.deepcopy(volume), "status": {"phase": "Released"}}
    twin["metadata"]["name"] = "zzz"
    twin["spec"]["claimRef"] = {"name": STAGING, "namespace": "porter", "uid": "an older one"}
    cluster.create("persistentvolumes", twin)
    (end,) = Run(cluster).to_the_end()
    assert (end.error, cluster.started_jobs) == (None, 1)
    assert end.persistent_volume
    assert end.persistent_volume["metadata"]["name"] == volume["metadata"]["name"]
    assert_ready(cluster, "Delete")


def test_a_claim_that_is_not_ours_blocks_and_says_what_to_do() -> None:
    cluster = FakeCluster()
    body = {"metadata": {"name": CLAIM, "namespace": "porter", "labels": {keys.LABEL_MANAGED: "true"}}, "spec": {}}
    cluster.create("persistentvolumeclaims", {**body, "status": {"phase": "Pending"}})
    run = Run(cluster)
    (end,) = run.to_the_end()
    assert end.error
    assert "Delete it if nothing needs it, and run again" in end.error.message
    assert run.api.writes == []


REFRESH = wanted(refresh=True)


def ready(policy: str = "Delete") -> FakeCluster:
    cluster = FakeCluster(policy)
    Run(cluster).to_the_end()
    return cluster


def only_one_volume_is_ours(cluster: FakeCluster) -> None:
    """A retained volume that was replaced stays with its data, but tells of no claim any more."""
    for each in cluster.of("persistentvolumes"):
        if each["status"]["phase"] != "Bound":
            assert keys.ANNOTATION_CLAIM not in each["metadata"]["annotations"]
            del cluster.objects["persistentvolumes", "", each["metadata"]["name"]]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_refresh_installs_anew_and_swaps_the_volume(policy: str) -> None:
    cluster = ready(policy)
    (before,) = cluster.of("persistentvolumes")
    (end,) = Run(cluster).to_the_end(REFRESH)
    assert (end.error, end.state) == (None, "ready")
    assert end.persistent_volume["metadata"]["name"] != before["metadata"]["name"]  # type: ignore[index]
    assert keys.ANNOTATION_REFRESH_OF not in end.persistent_volume["metadata"]["annotations"]  # type: ignore[index]
    Run(cluster).to_the_end()
    only_one_volume_is_ours(cluster)
    assert_ready(cluster, policy)
    assert cluster.completed_jobs == 2


def test_a_refresh_where_there_is_nothing_is_an_install() -> None:
    cluster = FakeCluster()
    Run(cluster).to_the_end(REFRESH)
    assert_ready(cluster, "Delete")
    assert cluster.completed_jobs == 1


def test_a_refresh_that_fails_leaves_the_old_volume_in_use() -> None:
    cluster = ready()
    before = cluster.of("persistentvolumes")
    cluster.jobs_succeed = False
    (end,) = Run(cluster).to_the_end(REFRESH)
    assert isinstance(end.error, JobFailedError)
    assert_ready(cluster, "Delete")
    assert [each["metadata"]["name"] for each in cluster.of("persistentvolumes")] == [before[0]["metadata"]["name"]]


def test_pods_on_the_old_volume_finish_before_the_swap() -> None:
    cluster = ready()
    (claim,) = cluster.of("persistentvolumeclaims")
    pod = {"metadata": {"name": "user", "namespace": "porter", "ownerReferences": [{"uid": "x"}]}}
    cluster.create("pods", {**pod, "spec": {"claim": claim["metadata"]["name"]}, "status": {"phase": "Running"}})
    run = Run(cluster, timeout=30)
    (end,) = run.to_the_end(REFRESH)
    assert isinstance(end.error, WaitTimeoutError)
    assert "pods that mount it finish first" in end.error.message
    assert cluster.find("persistentvolumes", claim["spec"]["volumeName"])
    del cluster.objects["pods", "porter", "user"]
    (end,) = Run(cluster).to_the_end()
    assert end.error is None
    assert_ready(cluster, "Delete")
    assert cluster.completed_jobs == 2


@pytest.mark.parametrize("answered", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("policy", POLICIES)
def test_a_refresh_killed_at_any_request_is_finished_or_undone(policy: str, answered: bool) -> None:
    killed = 0
    for request in range(1, ENOUGH + 30):
        cluster = ready(policy)
        try:
            Run(cluster, FakeApi(cluster, kill_at=request, answered=answered)).to_the_end(REFRESH)
        except Killed:
            killed += 1
        done_before = cluster.completed_jobs
        for _count in range(2):
            (end,) = Run(cluster).to_the_end()
            assert end.error is None, request
        only_one_volume_is_ours(cluster)
        assert_ready(cluster, policy)
        assert cluster.completed_jobs <= max(done_before, 2), f"one Job too many after request {request}"
    assert 20 < killed < ENOUGH + 29, "the kills must cover a whole run"


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


def test_a_failed_install_is_told_where_its_log_may_not_be_read() -> None:
    cluster = failing()
    run = Run(cluster)
    run.api.refuse = lambda what: what == "log"
    (end,) = run.to_the_end()
    assert isinstance(end.error, JobFailedError)
    assert end.error.message.startswith(f"porter/{VOLUME.identity.claim}: the install Job {VOLUME.identity.job} failed")
    assert end.error.message.endswith("is in the log of its pod, which may not be read: log is forbidden")
    result = end.error.as_result()
    assert (result["phase"], result["reason"], result["pod"]) == ("failed", "R", VOLUME.identity.job + "-pod")
    assert "failed (R): M. Why" in end.error.message
    assert cluster.objects == {}


def test_a_running_install_is_waited_for_where_its_log_may_not_be_read() -> None:
    cluster = FakeCluster()
    lines: list[str] = []
    run = Run(cluster, ticks=0, timeout=20, report=lambda _volume, line: lines.append(line))
    run.api.refuse = lambda what: what == "log"
    lists: Callable[..., Any] = run.api.list_all

    def with_pod(resource: _api.Resource, *names: Any, **how: Any) -> Any:
        if resource is not _api.PODS:
            return lists(resource, *names, **how)
        owners = [{"uid": job["metadata"]["uid"]} for job in cluster.of("jobs")]
        running = {"name": AGENT_CONTAINER, "state": {"running": {}}}
        metadata = {"name": "p", "namespace": "porter", "ownerReferences": owners}
        return [{"metadata": metadata, "status": {"containerStatuses": [running]}}]

    run.api.list_all = with_pod  # type: ignore[method-assign]
    (end,) = run.to_the_end()
    assert isinstance(end.error, WaitTimeoutError)
    assert lines == ["installing kubernetes"]


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
