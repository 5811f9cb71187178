# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The table of rights: what a run asks for is in it and nothing else, and what is missing in words."""

from __future__ import annotations

from typing import cast

import pytest
import yaml
from ansible_collections.getporter.porter.plugins.module_utils._agent_config_list import list_agent_configs
from ansible_collections.getporter.porter.plugins.module_utils._api import KubeApi
from ansible_collections.getporter.porter.plugins.module_utils._executor import Executor
from ansible_collections.getporter.porter.plugins.module_utils._job_watch import EVENTS_INTERVAL
from ansible_collections.getporter.porter.plugins.module_utils._life import Observed
from ansible_collections.getporter.porter.plugins.module_utils._manifests import install_job, staging_claim
from ansible_collections.getporter.porter.plugins.module_utils._options import read_volume
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._preflight import refuse_what_cannot_be
from ansible_collections.getporter.porter.plugins.module_utils._progress import Settings
from ansible_collections.getporter.porter.plugins.module_utils._release import ReleasingConfig
from ansible_collections.getporter.porter.plugins.module_utils._releaser import Releaser
from ansible_collections.getporter.porter.plugins.module_utils._rights import (
    RIGHTS,
    Access,
    Right,
    access_review,
    is_allowed,
    missing_in_words,
    needed_accesses,
    refused_access,
    rules_for,
)

from tests.unit.plugins.fake_cluster import FakeApi, FakeCluster

AGENT_CONFIG = {"apiVersion": "getporter.org/v1", "kind": "AgentConfig"}
IN_TABLE = {f"{verb} {right.resource}" for right in RIGHTS for verb in right.verbs}


def refusal(verb: str, resource: str, group: str, where: str) -> str:
    """As the API server words it."""
    return f'x "y" is forbidden: User "u" cannot {verb} resource "{resource}" in API group "{group}" {where}'


@pytest.mark.parametrize(
    "message, expected",
    [
        (refusal("create", "jobs", "batch", 'in the namespace "n"'), Access("batch", "jobs", "create", "n")),
        (refusal("get", "pods/log", "", 'in the namespace "n"'), Access("", "pods/log", "get", "n")),
        (refusal("list", "persistentvolumes", "", "at the cluster scope"), Access("", "persistentvolumes", "list")),
        (refusal("impersonate", "users", "", "at the cluster scope"), Access("", "users", "impersonate")),
        ('pods "p" is forbidden: violates PodSecurity "restricted:latest"', None),
        ("exceeded quota: q, requested: count/jobs.batch=1", None),
        ("", None),
    ],
)
def test_what_was_refused_is_read_from_the_clusters_words(message: str, expected: Access | None) -> None:
    assert refused_access(message) == expected


def test_an_access_review_asks_for_a_subresource_apart() -> None:
    review = access_review(Access("", "pods/log", "get", "n"))
    asked = {"resource": "pods", "subresource": "log", "verb": "get", "namespace": "n"}
    assert review["spec"] == {"resourceAttributes": asked}
    assert review["kind"] == "SelfSubjectAccessReview"


def test_an_access_review_of_the_cluster_names_no_namespace() -> None:
    asked = {"group": "storage.k8s.io", "resource": "storageclasses", "verb": "list"}
    assert access_review(Access("storage.k8s.io", "storageclasses", "list"))["spec"] == {"resourceAttributes": asked}


@pytest.mark.parametrize(
    "answer, allowed",
    [
        ({"status": {"allowed": True}}, True),
        ({"status": {"allowed": False, "denied": True}}, False),
        ({"status": {}}, False),
        ({}, False),
    ],
)
def test_only_a_clear_yes_is_a_yes(answer: dict[str, object], allowed: bool) -> None:
    assert is_allowed(answer) == allowed


def test_optional_rights_are_never_needed() -> None:
    needed = {access.resource for access in needed_accesses(["n"])}
    assert not needed & {right.resource for right in RIGHTS if not right.required}
    assert {right.resource for right in RIGHTS if not right.required} == {
        "agentconfigs",
        "namespaces",
        "nodes",
        "storageclasses",
    }


def test_rights_of_the_cluster_are_needed_once_however_many_namespaces() -> None:
    needed = needed_accesses(["b", "a", "b"])
    assert len(needed) == len(set(needed))
    assert [access.namespace for access in needed if access.resource == "secrets"] == ["a", "b"]
    assert [access.namespace for access in needed if access.resource == "persistentvolumes"] == [None, None, None]


@pytest.mark.parametrize(
    "right, verb",
    [pytest.param(right, verb, id=f"{verb}-{right.resource}") for right in RIGHTS for verb in right.verbs],
)
def test_each_missing_right_is_a_rule_to_paste_and_names_its_manifest(right: Right, verb: str) -> None:
    access = Access(right.group, right.resource, verb, "n" if right.namespaced else None)
    heading, rule, manifest = missing_in_words([access]).splitlines()
    pasted = {"apiGroups": [access.group], "resources": [access.resource], "verbs": [verb]}
    assert yaml.safe_load(rule) == [pasted]
    assert heading == ("Missing in a Role of namespace n:" if access.namespace else "Missing in a ClusterRole:")
    assert manifest.startswith("docs/rbac/namespace.yml" if access.namespace else "docs/rbac/cluster.yml")


def test_namespaces_that_lack_the_same_are_named_together() -> None:
    def jobs(namespace: str) -> list[Access]:
        return [Access("batch", "jobs", verb, namespace) for verb in ("delete", "get")]

    words = missing_in_words([*jobs("a"), *jobs("b"), Access("", "secrets", "create", "c")])
    assert words.splitlines()[:4] == [
        "Missing in a Role of each of the namespaces a, b:",
        "- {apiGroups: [batch], resources: [jobs], verbs: [get, delete]}",
        "Missing in a Role of namespace c:",
        "- {apiGroups: [''], resources: [secrets], verbs: [create]}",
    ]


def test_where_all_is_missing_the_namespace_may_be_the_wrong_one() -> None:
    """An account that may not read namespaces cannot tell one that is missing."""
    assert "namespace n (all that is needed there; is the name right?):" in missing_in_words(needed_accesses(["n"]))


@pytest.mark.parametrize(
    "access",
    [Access("", "users", "impersonate"), Access("apps", "deployments", "get", "n"), Access("", "secrets", "get", "n")],
)
def test_a_right_that_no_manifest_holds_names_none(access: Access) -> None:
    assert "docs/rbac" not in missing_in_words([access])


def test_rules_are_merged_by_resource() -> None:
    rules = rules_for(needed_accesses(["n"]))
    assert len({rule[:2] for rule in rules}) == len(rules) == 8


# --- the table against what runs ask for ---


def wanted(refresh: bool = False, agent_config: str = "default") -> PluginVolume:
    option = {
        "refresh": refresh,
        "agent_config": agent_config,
        "spec": {},
        "namespace": "porter",
        "plugins": {"kubernetes": {"version": "v1.0.1"}},
        "volume_size": "64Mi",
        "agent": {"image": "agent:1"},
    }
    return read_volume(option)[0]


class Watched:
    """A fake cluster, slow enough for a run to ask why, and all that runs ask it for."""

    def __init__(self) -> None:
        self.cluster = FakeCluster()
        self.asked: set[str] = set()
        self.now = 0.0

    def run(self, volume: PluginVolume) -> None:
        executor = Executor(self.api(), Settings(300, 60), clock=lambda: self.now, sleep=self.sleep)
        if not any(each.error for each in executor.install([volume])):
            executor.make_ready([volume])
        self.cluster.settle()

    def release(self, *volumes: PluginVolume) -> None:
        configs = [ReleasingConfig(volume.records[0], present=False) for volume in volumes]
        Releaser(self.api(), 300, clock=lambda: self.now, sleep=self.sleep).run(configs)

    def api(self) -> KubeApi:
        api = FakeApi(self.cluster)
        api.before = lambda what: self.asked.add("get pods/log" if what == "log" else what)
        return cast(KubeApi, api)

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        if self.now > 2 * EVENTS_INTERVAL:
            self.cluster.tick()


def test_the_table_holds_what_runs_ask_for_and_no_more() -> None:
    watched = Watched()
    add_what_preflight_reads(watched.cluster)
    refuse_what_cannot_be(watched.api(), [wanted()], {wanted().key: Observed()})
    watched.cluster.jobs_succeed = False
    watched.run(wanted())
    watched.cluster.jobs_succeed = True
    watched.run(wanted())
    watched.run(wanted(refresh=True))
    watched.run(wanted(agent_config="another"))
    watched.release(wanted())
    metadata = {"name": "a", "namespace": "porter"}
    watched.cluster.create("agentconfigs", {**AGENT_CONFIG, "metadata": metadata})
    list_agent_configs(watched.api(), ["porter"])
    for foreign in ("persistentvolumeclaims", "jobs"):
        watched.cluster = cluster_with_a_taken_name(foreign)
        watched.run(wanted())
    assert watched.asked == IN_TABLE


def cluster_with_a_taken_name(plural: str) -> FakeCluster:
    """An object of ours has lost its labels, so that lists do not show it, and a run must look at it by its name."""
    cluster = FakeCluster()
    staging = cluster.create("persistentvolumeclaims", staging_claim(wanted()))
    cluster.create("jobs", install_job(wanted(), staging))
    for item in cluster.of(plural):
        item["metadata"]["labels"] = {}
    return cluster


def add_what_preflight_reads(cluster: FakeCluster) -> None:
    cluster.create("namespaces", {"metadata": {"name": "porter"}})
    notes = {"storageclass.kubernetes.io/is-default-class": "true"}
    cluster.create("storageclasses", {"metadata": {"name": "fast", "annotations": notes}})
