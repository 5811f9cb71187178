# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Agent configs on a model of Kubernetes: added, changed, sharing, removed; stopped anywhere and side by side."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils import _release as release
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    CollisionError,
    InputError,
    JobFailedError,
    WaitTimeoutError,
)
from ansible_collections.getporter.porter.plugins.module_utils._executor import Executor
from ansible_collections.getporter.porter.plugins.module_utils._life import JOIN, remaining_steps
from ansible_collections.getporter.porter.plugins.module_utils._names import record_name
from ansible_collections.getporter.porter.plugins.module_utils._objects import Listing
from ansible_collections.getporter.porter.plugins.module_utils._observe import list_namespaces, observe
from ansible_collections.getporter.porter.plugins.module_utils._options import read_volume, share_volumes
from ansible_collections.getporter.porter.plugins.module_utils._owner_lookup import with_owners
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._progress import Progress, Settings
from ansible_collections.getporter.porter.plugins.module_utils._record import AgentConfigRecord
from ansible_collections.getporter.porter.plugins.module_utils._release import (
    ReleasingConfig,
    foresee_released,
    foresee_releases,
)
from ansible_collections.getporter.porter.plugins.module_utils._releaser import Releaser
from ansible_collections.getporter.porter.plugins.module_utils._results import kept_warnings, released_result
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.plugins.fake_cluster import FakeApi, FakeCluster, Killed

A, B = {"kubernetes": {"version": "v1.0.1"}}, {"azure": {"version": "v1.2.0"}}
NONE: dict[str, Any] = {}
ABSENT = None
Wishes = Mapping[str, "dict[str, Any] | None"]
# More requests than any undisturbed run of three configs makes.
ENOUGH = 150


def volume_of(name: str, plugins: dict[str, Any], **more: Any) -> PluginVolume:
    option = {
        "agent_config": name,
        "namespace": "porter",
        "plugins": plugins,
        "volume_size": "64Mi",
        "agent": {"image": "agent:1"},
        "spec": {"plugins": sorted(plugins)},
        **more,
    }
    return read_volume(option)[0]


def releasing(name: str, plugins: dict[str, Any] | None) -> ReleasingConfig:
    if plugins:
        return ReleasingConfig(volume_of(name, plugins).records[0], present=True)
    return ReleasingConfig(AgentConfigRecord(name, "porter", "{}"), present=plugins is not None)


class Role:
    """What the role does with some agent configs, on a fake cluster whose controllers act while it sleeps."""

    def __init__(self, cluster: FakeCluster, api: FakeApi | None = None, ticks: int = 2, timeout: float = 300) -> None:
        self.cluster, self.api, self.now, self.ticks, self.timeout = (
            cluster,
            api or FakeApi(cluster),
            0.0,
            ticks,
            timeout,
        )

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        for _count in range(self.ticks):
            self.cluster.tick()

    def run(self, wishes: Wishes, **options: Any) -> list[Progress]:
        volumes = share_volumes(volume_of(name, plugins, **options) for name, plugins in wishes.items() if plugins)
        limits = Settings(self.timeout, progress_deadline=60)
        executor = Executor(self.api, limits, clock=lambda: self.now, sleep=self.sleep)  # type: ignore[arg-type]
        ends = executor.install(volumes, hand_over=True)
        configs = [releasing(name, plugins) for name, plugins in wishes.items()]
        Releaser(self.api, self.timeout, clock=lambda: self.now, sleep=self.sleep).run(configs)  # type: ignore[arg-type]
        return ends


def assert_is(cluster: FakeCluster, wishes: Wishes) -> None:
    """Just the claims that are wanted, each owned by just the records that want it, and nothing else."""
    cluster.settle()
    present = {name: plugins for name, plugins in wishes.items() if plugins is not ABSENT}
    records = {each["data"]["name"]: each for each in cluster.of("configmaps")}
    assert sorted(records) == sorted(present)
    claims = {each["metadata"]["name"]: each for each in cluster.of("persistentvolumeclaims")}
    owners: dict[str, set[str]] = {}
    for name, plugins in present.items():
        data = records[name]["data"]
        assert (data["ready"], data["phase"]) == ("true", "Ready")
        assert data["claim"] == (volume_of(name, plugins).identity.claim if plugins else "")
        if plugins:
            owners.setdefault(data["claim"], set()).add(records[name]["metadata"]["uid"])
            assert data["volume"] == claims[data["claim"]]["spec"]["volumeName"]
            assert json.loads(data["plugins"]) == {"kubernetes": "v1.0.1"}  # what the fake agent logs
    assert {
        name: {each["uid"] for each in claim["metadata"]["ownerReferences"]} for name, claim in claims.items()
    } == owners
    assert len(cluster.of("persistentvolumes")) == len(claims)
    assert {plural for plural, _namespace, _name in cluster.objects} <= {
        "configmaps",
        "persistentvolumeclaims",
        "persistentvolumes",
    }


def after(*states: Wishes) -> FakeCluster:
    cluster = FakeCluster()
    for wishes in states:
        Role(cluster).run(wishes)
        assert_is(cluster, wishes)
    return cluster


def test_one_config() -> None:
    cluster = after({"a": A})
    (record,) = cluster.of("configmaps")
    assert record["metadata"]["name"] == "porter-agent-config-a"
    (claim,) = cluster.of("persistentvolumeclaims")
    assert claim["metadata"]["ownerReferences"] == [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": record_name("a"), "uid": record["metadata"]["uid"]}
    ]


def test_a_second_run_writes_nothing() -> None:
    cluster = after({"a": A, "b": NONE, "c": ABSENT})
    again = Role(cluster)
    again.run({"a": A, "b": NONE, "c": ABSENT})
    assert again.api.writes == []


def test_a_config_that_joins_starts_no_job_and_owns_before_it_is_ready() -> None:
    cluster = after({"a": A})
    joiner = Role(cluster)
    joiner.run({"b": A})
    assert_is(cluster, {"a": A, "b": A})
    assert cluster.started_jobs == 1
    assert joiner.api.writes == ["create configmaps", "patch persistentvolumeclaims", "patch configmaps"]


def test_a04_there_and_back_again_installs_once_more_only_what_was_gone() -> None:
    after({"a": A}, {"a": B}, {"a": A})
    shared = after({"a": A, "b": A})
    Role(shared).run({"a": B})
    assert_is(shared, {"a": B, "b": A})
    Role(shared).run({"a": A})
    assert_is(shared, {"a": A, "b": A})
    assert shared.started_jobs == 2


def test_the_new_set_is_ready_and_owned_before_the_old_one_goes() -> None:
    cluster = after({"a": A})
    changing = Role(cluster)

    def look(what: str) -> None:
        if what == "delete persistentvolumeclaims" and len(cluster.of("jobs")) == 0:
            phases = [each["data"]["phase"] for each in cluster.of("configmaps")]
            names = {each["metadata"]["name"] for each in cluster.of("persistentvolumeclaims")}
            seen.append((phases, volume_of("a", B).identity.claim in names))

    seen: list[Any] = []
    changing.api.before = look
    changing.run({"a": B})
    assert seen[-1] == (["Ready"], True)


def test_a_config_whose_new_set_cannot_be_installed_keeps_the_old_one() -> None:
    cluster = after({"a": A})
    cluster.jobs_succeed = False
    (end,) = Role(cluster).run({"a": B})
    assert isinstance(end.error, JobFailedError)
    (record,), (claim,) = cluster.of("configmaps"), cluster.of("persistentvolumeclaims")
    assert (record["data"]["ready"], record["data"]["phase"]) == ("false", "Failed")
    assert "no such plugin" in record["data"]["message"]
    assert claim["metadata"]["name"] == volume_of("a", A).identity.claim
    assert claim["metadata"]["ownerReferences"][0]["uid"] == record["metadata"]["uid"]
    cluster.jobs_succeed = True
    Role(cluster).run({"a": B})
    assert_is(cluster, {"a": B})


@pytest.mark.parametrize("wish", [ABSENT, NONE, A], ids=["removed", "no-plugins", "back"])
def test_a_config_whose_install_failed_can_still(wish: dict[str, Any] | None) -> None:
    cluster = after({"a": A})
    cluster.jobs_succeed = False
    Role(cluster).run({"a": B})
    cluster.jobs_succeed = True
    Role(cluster).run({"a": wish})
    assert_is(cluster, {"a": wish})


@pytest.mark.parametrize("count", [1, 2, 20])
@pytest.mark.parametrize("together", [True, False], ids=["at-once", "one-by-one"])
def test_configs_of_one_set_come_and_go(count: int, together: bool) -> None:
    """C05: the last one takes the claim along."""
    names = [f"c{number}" for number in range(count)]
    cluster = after(dict.fromkeys(names, A))
    assert cluster.started_jobs == 1
    steps = [names] if together else [[name] for name in reversed(names)]
    left = set(names)
    for leaving in steps:
        Role(cluster).run(dict.fromkeys(leaving, ABSENT))
        left -= set(leaving)
        assert_is(cluster, dict.fromkeys(left, A))
    assert cluster.objects == {}


def test_records_that_are_deleted_by_hand_are_the_same_as_a_removal() -> None:
    """C09: the garbage collector does it, config by config."""
    cluster = after({"a": A, "b": A})
    for name in ("a", "b"):
        record = cluster.find("configmaps", record_name(name), "porter")
        assert record
        cluster.delete("configmaps", record_name(name), "porter", record["metadata"]["uid"])
        cluster.settle()
    assert cluster.objects == {}
    Role(cluster).run({"a": ABSENT})
    assert cluster.objects == {}


def test_a_record_deleted_by_hand_comes_back_and_takes_the_place_of_its_predecessor() -> None:
    """C07: an owner of the same name with a stale uid."""
    cluster = after({"a": A})
    record = cluster.objects.pop(("configmaps", "porter", record_name("a")))
    Role(cluster, ticks=0).run({"a": A})
    assert_is(cluster, {"a": A})
    assert cluster.of("configmaps")[0]["metadata"]["uid"] != record["metadata"]["uid"]
    assert cluster.started_jobs == 1


def test_a_claim_without_owner_goes_with_the_config_that_it_was_made_for() -> None:
    cluster = after({"a": A})
    cluster.objects.pop(("configmaps", "porter", record_name("a")))
    (claim,) = cluster.of("persistentvolumeclaims")
    cluster.objects["persistentvolumeclaims", "porter", claim["metadata"]["name"]]["metadata"]["ownerReferences"] = []
    Role(cluster).run({"b": ABSENT})
    assert len(cluster.of("persistentvolumeclaims")) == 1
    Role(cluster).run({"a": ABSENT})
    assert cluster.objects == {}


def test_other_owners_stay_and_keep_the_claim() -> None:
    cluster = after({"a": A})
    other = cluster.create("secrets", {"metadata": {"name": "other", "namespace": "porter"}})
    (claim,) = cluster.of("persistentvolumeclaims")
    foreign = {
        "apiVersion": "v1",
        "kind": "Secret",
        "name": "other",
        "uid": other["metadata"]["uid"],
        "controller": True,
    }
    cluster.objects["persistentvolumeclaims", "porter", claim["metadata"]["name"]]["metadata"][
        "ownerReferences"
    ].append(foreign)
    Role(cluster).run({"a": A}, refresh=True)
    Role(cluster).run({"a": ABSENT})
    cluster.settle()
    (claim,) = cluster.of("persistentvolumeclaims")
    assert claim["metadata"]["ownerReferences"] == [foreign]
    assert cluster.of("configmaps") == []
    assert cluster.started_jobs == 2


URL = "https://user:geheim@plugins.example/feed"
FEED, MIRROR = {"kubernetes": {"feedURL": URL}}, {"kubernetes": {"mirror": URL}}


def made_by_the_operator(policy: str = "Delete", **metadata: Any) -> FakeCluster:
    """A plugin claim as the Porter Operator makes it: with its labels and without notes, on a bound volume."""
    cluster = FakeCluster(policy)
    identity = volume_of("a", FEED).identity
    labels = {keys.LABEL_MANAGED: "true", keys.LABEL_PLUGINS_HASH: identity.plugins_hash}
    reference = {"namespace": "porter", "name": identity.claim}
    volume: dict[str, Any] = {
        "kind": "PersistentVolume",
        "metadata": {"name": "pv", "labels": labels},
        "spec": {"persistentVolumeReclaimPolicy": policy, "claimRef": reference},
        "status": {"phase": "Bound"},
    }
    claim = {
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": identity.claim, "namespace": "porter", "labels": labels, **metadata},
        "spec": {"volumeName": "pv"},
        "status": {"phase": "Bound"},
    }
    reference["uid"] = cluster.create("persistentvolumeclaims", claim)["metadata"]["uid"]
    cluster.create("persistentvolumes", volume)
    return cluster


def test_a03_the_first_set_that_joins_a_claim_of_the_operator_keeps_others_of_its_hash_out() -> None:
    assert volume_of("a", FEED).identity.claim == volume_of("b", MIRROR).identity.claim
    cluster = made_by_the_operator()
    Role(cluster).run({"a": FEED})
    (claim,) = cluster.of("persistentvolumeclaims")
    assert claim["metadata"]["annotations"] == {
        keys.ANNOTATION_DIGEST: volume_of("a", FEED).identity.document_digest,
        keys.ANNOTATION_DOCUMENT: volume_of("a", FEED).redacted_document,
    }
    assert "geheim" not in json.dumps(claim)
    before = copy.deepcopy(cluster.objects)
    api = FakeApi(cluster)
    (end,) = Role(cluster, api).run({"b": MIRROR})
    assert isinstance(end.error, CollisionError)
    assert (api.writes, cluster.objects) == ([], before)
    Role(cluster, api).run({"a": FEED})
    assert api.writes == []
    (end,) = Role(cluster, api).run({"c": FEED})
    assert (end.error, len(cluster.of("persistentvolumeclaims")[0]["metadata"]["ownerReferences"])) == (None, 2)


def test_a03_of_two_sets_that_join_a_claim_of_the_operator_at_once_one_is_refused() -> None:
    cluster = made_by_the_operator()
    api = FakeApi(cluster)

    def let_the_other_join(what: str) -> None:
        if what == "patch persistentvolumeclaims":
            api.before = lambda _what: None
            Role(cluster).run({"b": MIRROR})

    api.before = let_the_other_join
    (end,) = Role(cluster, api).run({"a": FEED})
    assert isinstance(end.error, CollisionError)
    (claim,) = cluster.of("persistentvolumeclaims")
    assert [each["name"] for each in claim["metadata"]["ownerReferences"]] == [record_name("b")]
    assert claim["metadata"]["annotations"][keys.ANNOTATION_DOCUMENT] == volume_of("b", MIRROR).redacted_document


def test_a03_a_claim_of_the_operator_that_was_joined_without_a_note_gets_one() -> None:
    cluster = made_by_the_operator()
    Role(cluster).run({"a": FEED})
    (claim,) = cluster.of("persistentvolumeclaims")
    del claim["metadata"]["annotations"]
    api = FakeApi(cluster)
    Role(cluster, api).run({"a": FEED})
    assert api.writes == ["patch persistentvolumeclaims"]
    assert keys.ANNOTATION_DIGEST in cluster.of("persistentvolumeclaims")[0]["metadata"]["annotations"]


@pytest.mark.parametrize("policy", ["Delete", "Retain"])
def test_the_volume_of_a_claim_of_the_operator_is_waited_for(policy: str) -> None:
    """As one of ours, though nothing on it tells which claim it was for."""
    cluster = made_by_the_operator(policy)
    Role(cluster).run({"a": FEED})
    Role(cluster, ticks=1).run({"a": ABSENT})
    phases = [each["status"]["phase"] for each in cluster.of("persistentvolumes")]
    assert phases == ([] if policy == "Delete" else ["Released"])
    assert (cluster.of("persistentvolumeclaims"), cluster.of("configmaps")) == ([], [])


def test_a_volume_is_waited_for_in_the_namespace_of_its_claim_alone() -> None:
    """Another namespace does not show whether the claim is there: in the end it may have been joined, and stay."""
    cluster = made_by_the_operator()
    (claim,), (volume,) = cluster.of("persistentvolumeclaims"), cluster.of("persistentvolumes")
    here = releasing("a", ABSENT)
    elsewhere = ReleasingConfig(AgentConfigRecord("a", "elsewhere", "{}"), present=False)
    going = {claim["metadata"]["uid"]: [here.wanted]}
    (step,) = release.releases([here], Listing(volumes=[volume]), going=going)
    assert step.action == release.WAIT_GONE
    assert release.releases([here], Listing(claims={"porter/c": claim}, volumes=[volume]), going=going) == []
    assert release.releases([elsewhere], Listing(volumes=[volume]), going=going) == []


def test_a_volume_that_was_made_for_another_config_is_waited_for() -> None:
    cluster = after({"a": A, "b": A}, {"a": ABSENT, "b": A})
    Role(cluster, ticks=1).run({"b": ABSENT})
    assert cluster.objects == {}


def test_named_owners_join_and_stay_when_the_agent_config_goes() -> None:
    """C02: such as an AgentConfig resource, without blockOwnerDeletion."""
    cluster = after({"a": A})
    cluster.create("configmaps", {"metadata": {"name": "app", "namespace": "porter"}})
    api = FakeApi(cluster)
    named = {"kind": "ConfigMap", "name": "app"}
    (volume,) = with_owners(api, [volume_of("a", A, owners=[named])])  # type: ignore[arg-type]
    executor = Executor(api, Settings(300, 60), sleep=lambda _seconds: cluster.settle())  # type: ignore[arg-type]
    (end,) = executor.make_ready([volume])
    assert (end.state, end.done) == ("ready", [JOIN])
    (end,) = executor.make_ready([volume])
    assert end.done == []
    Role(cluster).run({"a": ABSENT})
    (claim,) = cluster.of("persistentvolumeclaims")
    (reference,) = claim["metadata"]["ownerReferences"]
    assert (reference["name"], set(reference)) == ("app", {"apiVersion", "kind", "name", "uid"})


def test_a_named_owner_that_is_not_there_is_an_error_before_anything_is_made() -> None:
    cluster = FakeCluster()
    with pytest.raises(InputError, match="There is no ConfigMap app in namespace porter"):
        with_owners(FakeApi(cluster), [volume_of("a", A, owners=[{"name": "app"}])])  # type: ignore[arg-type]
    assert cluster.objects == {}


def test_an_install_that_is_under_way_goes_with_its_config() -> None:
    cluster = FakeCluster()

    def stop(_what: str) -> None:
        if cluster.of("jobs"):
            raise Killed

    killed = Role(cluster, ticks=0)
    killed.api.before = stop
    with pytest.raises(Killed):
        killed.run({"a": A})
    Role(cluster).run({"a": ABSENT})
    cluster.settle()
    assert cluster.objects == {}


def test_an_install_that_another_config_waits_for_goes_on() -> None:
    cluster = FakeCluster()

    def stop(_what: str) -> None:
        if cluster.of("jobs"):
            raise Killed

    killed = Role(cluster, ticks=0)
    killed.api.before = stop
    with pytest.raises(Killed):
        killed.run({"a": A, "b": A})
    Role(cluster).run({"a": ABSENT})
    Role(cluster).run({"b": A})
    assert_is(cluster, {"b": A})
    assert cluster.started_jobs == 1


def test_pods_that_mount_the_claim_finish_first_and_are_named() -> None:
    cluster = after({"a": A})
    (claim,) = cluster.of("persistentvolumeclaims")
    name = claim["metadata"]["name"]
    pod = {
        "metadata": {"name": "user", "namespace": "porter", "ownerReferences": [{"uid": "nobody"}]},
        "spec": {"claim": name, "volumes": [{"persistentVolumeClaim": {"claimName": name}}]},
    }
    cluster.create("pods", pod)
    with pytest.raises(WaitTimeoutError, match="these pods mount it and finish first: user"):
        Role(cluster, timeout=10).run({"a": ABSENT})
    del cluster.objects["pods", "porter", "user"]
    Role(cluster).run({"a": ABSENT})
    assert cluster.objects == {}


def test_a_joiner_is_not_robbed_by_a_removal() -> None:
    """C05: somebody joined between the list and the delete."""
    cluster = after({"a": A})
    removal = Role(cluster)

    def join(what: str) -> None:
        if what == "delete persistentvolumeclaims" and len(cluster.of("configmaps")) == 1:
            Role(cluster).run({"b": A})

    removal.api.before = join
    removal.run({"a": ABSENT})
    assert_is(cluster, {"b": A})
    assert cluster.started_jobs == 1


@pytest.mark.parametrize("answered", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("before", "then"),
    [
        ({}, {"a": A, "b": A}),
        ({"a": A}, {"b": A}),
        ({"a": A, "b": A}, {"a": B}),
        ({"a": A, "b": A}, {"a": ABSENT}),
        ({"a": A, "b": A}, {"a": ABSENT, "b": ABSENT}),
        ({"a": A}, {"a": NONE}),
        ({"a": A}, {"a": B}),
    ],
    ids=["install", "join", "leave-for-another", "remove-one", "remove-all", "no-plugins", "change"],
)
def test_killed_at_any_request_the_next_run_finishes(before: Wishes, then: Wishes, answered: bool) -> None:
    killed = 0
    for request in range(1, ENOUGH):
        cluster = after(before)
        try:
            Role(cluster, FakeApi(cluster, kill_at=request, answered=answered)).run(then)
        except Killed:
            killed += 1
        else:
            break
        Role(cluster).run(then)
        assert_is(cluster, {**before, **then})
    assert 5 < killed < ENOUGH - 2, "the kills must cover a whole run"


@pytest.mark.parametrize("answered", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("wish", [ABSENT, NONE], ids=["removed", "no-plugins"])
def test_an_install_killed_at_any_request_goes_with_its_config(wish: dict[str, Any] | None, answered: bool) -> None:
    """Also a volume that is reserved for a claim that never came."""
    for request in range(1, ENOUGH):
        cluster = FakeCluster()
        try:
            Role(cluster, FakeApi(cluster, kill_at=request, answered=answered)).run({"a": A})
        except Killed:
            Role(cluster).run({"a": wish})
            assert_is(cluster, {"a": wish})
        else:
            break
    assert 15 < request < ENOUGH - 2, "the kills must cover a whole run"


WISH = st.sampled_from([A, B, NONE, ABSENT])


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_whatever_was_and_whatever_was_killed_the_last_clean_run_counts(data: st.DataObject) -> None:
    cluster = FakeCluster()
    truth: dict[str, Any] = {}
    for _round in range(data.draw(st.integers(1, 5))):
        wishes = data.draw(st.dictionaries(st.sampled_from("abc"), WISH, min_size=1))
        api = FakeApi(cluster, kill_at=data.draw(st.integers(1, 60)), answered=data.draw(st.booleans()))
        with suppress(Killed):
            Role(cluster, api, ticks=data.draw(st.integers(0, 8))).run(wishes)
        if data.draw(st.booleans()):
            Role(cluster).run(wishes)
            truth.update(wishes)
            continue
        # What was killed is not taken back, but done again.
        truth.update(wishes)
        Role(cluster).run(truth)
    Role(cluster).run(truth)
    assert_is(cluster, {name: plugins for name, plugins in truth.items() if plugins is not ABSENT})


@settings(max_examples=150, deadline=None)
@given(
    before=st.dictionaries(st.sampled_from("ab"), WISH),
    first=WISH,
    second=WISH,
    slices=st.lists(st.integers(1, 14), max_size=40),
)
def test_beside_the_run_of_another_config(
    before: Wishes, first: dict[str, Any] | None, second: dict[str, Any] | None, slices: list[int]
) -> None:
    """Between any two requests another run may act: each config ends as it was told to."""
    cluster = after(before)
    turns = iter(slices)

    def let_the_other_work(_what: str) -> None:
        api = FakeApi(cluster, kill_at=next(turns, 1), answered=True)
        with suppress(Killed):
            Role(cluster, api).run({"b": second})

    run = Role(cluster)
    run.api.before = let_the_other_work
    run.run({"a": first})
    Role(cluster).run({"b": second})
    Role(cluster).run({"a": first, "b": second})
    assert_is(cluster, {"a": first, "b": second})


def test_the_steps_that_are_left_are_told_before() -> None:
    """E02: those of a change, too, before the new set is there."""
    cluster = after({"a": A})
    api = FakeApi(cluster)
    listing = list_namespaces(api, ["porter"])  # type: ignore[arg-type]
    steps = foresee_releases([releasing("a", B)], listing, settled=True)
    assert [step.action for step in steps] == [release.DELETE_CLAIM]
    volume = volume_of("b", A)
    seen = observe(api, [volume], listing)[volume.key]  # type: ignore[arg-type]
    assert remaining_steps(volume, seen) == [
        "write the records of the agent configs",
        "add what needs the plugin claim to its owners",
        "note in the records that the agent configs are ready",
    ]
    assert api.writes == []
    assert keys.ANNOTATION_CLAIM in cluster.of("persistentvolumes")[0]["metadata"]["annotations"]


@pytest.mark.parametrize("policy", ["Retain", "Delete"])
def test_b19_a_volume_that_stays_is_named(policy: str) -> None:
    """B19, C09: foreseen and done, to both who let it go; and said once."""
    cluster = FakeCluster(policy)
    role = Role(cluster)
    role.run({"a": A, "b": A})
    (volume,) = cluster.of("persistentvolumes")
    kept = [volume["metadata"]["name"]] if policy == "Retain" else []
    leavers = [releasing("a", ABSENT), releasing("b", ABSENT)]
    foreseen = foresee_released(leavers, list_namespaces(role.api, ["porter"]))  # type: ignore[arg-type]
    done = Releaser(role.api, 300, clock=lambda: role.now, sleep=role.sleep).run(leavers)  # type: ignore[arg-type]
    assert [each.kept_volumes for each in (*foreseen, *done)] == [kept] * 4
    assert [kept[0] in warning for warning in kept_warnings(released_result(done))] == [True] * len(kept)


def test_b19_a_hand_over_that_is_let_go_gives_the_class_its_say() -> None:
    """B19: the policy Retain of a hand-over is not the volume's own."""
    notes = {keys.ANNOTATION_RECLAIM_POLICY: "Delete", keys.ANNOTATION_AGENT_CONFIG: "a"}
    spec = {"persistentVolumeReclaimPolicy": "Retain", "claimRef": {"namespace": "porter", "name": "c"}}
    metadata = {"name": "v", "annotations": {**notes, keys.ANNOTATION_CLAIM: "porter/c"}}
    volume = {"metadata": metadata, "spec": spec, "status": {"phase": "Available"}}
    (step,) = release.releases([releasing("a", ABSENT)], Listing(volumes=[volume]))
    assert (step.action, step.kept_volume) == (release.GIVE_BACK_POLICY, "")
    notes[keys.ANNOTATION_RECLAIM_POLICY] = "Retain"
    metadata["annotations"] = {**notes, keys.ANNOTATION_CLAIM: "porter/c"}
    (step,) = release.releases([releasing("a", ABSENT)], Listing(volumes=[volume]))
    assert (step.action, step.kept_volume) == (release.GIVE_BACK_POLICY, "v")
