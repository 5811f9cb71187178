# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Which objects are left over, and which of these must stay all the same."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._identity import plugin_claim_name
from ansible_collections.getporter.porter.plugins.module_utils._leftovers import Leftover, find_leftovers
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import parse_plugins

from tests.unit.plugins.objects import (
    AGENT_ACTION,
    AGENT_CONFIG,
    CLAIM,
    CONFIG_MAP,
    INSTALLED,
    MANAGED,
    NOTES,
    OPERATORS,
    SET,
    TEMPORARY,
    UNDER_WAY,
    WORK,
    agent_config,
    bound,
    claim,
    inventory,
    job,
    owned_by,
    pod,
    record,
    staging,
    volume,
)

DELETING: dict[str, Any] = {"deletionTimestamp": "2026-11-30T11:59:00Z"}
# Nobody owns it; a living owner; one that is gone; one of whom nobody can tell.
LIVING = {AGENT_CONFIG: frozenset({"AgentConfig-default"})}
GONE: dict[Any, Any] = {AGENT_CONFIG: frozenset()}
UNKNOWN: dict[Any, Any] = {AGENT_CONFIG: None}
BY_CONFIG: dict[str, Any] = {"ownerReferences": [owned_by(AGENT_CONFIG)]}
BY_ACTION: dict[str, Any] = {"ownerReferences": [owned_by(AGENT_ACTION, "default-x7k2p")]}
BY_RECORD: dict[str, Any] = {"ownerReferences": [owned_by(CONFIG_MAP, "porter-agent-config-default")]}
BY_STAGING: dict[str, Any] = {"ownerReferences": [owned_by(("v1", "PersistentVolumeClaim"), CLAIM + "-staging")]}
STAGING_THERE = {("v1", "PersistentVolumeClaim"): frozenset({f"PersistentVolumeClaim-{CLAIM}-staging"})}
STAGING_GONE: dict[Any, Any] = {("v1", "PersistentVolumeClaim"): frozenset()}
AGENT_JOB = {**WORK, keys.LABEL_JOB_TYPE: keys.JOB_TYPE_AGENT}

PLUGINS = {"azure": {"version": "v1.2.0"}}
CLAIM_OF_CONFIG = plugin_claim_name(parse_plugins(PLUGINS), "porter")

IN_USE: dict[str, dict[str, Any]] = {
    "a-record-wants-it": {"claims": [claim()], "records": [record()]},
    "a-record-that-is-not-ready-wants-it": {"claims": [claim()], "records": [record(ready="false")]},
    "a-damaged-record-may-want-it": {
        "claims": [claim()],
        "records": [{"metadata": {"name": "r", "namespace": "porter", "labels": SET}}],
    },
    "a-record-owns-it-and-wants-another": {
        "claims": [claim(**BY_RECORD)],
        "records": [record(claim_name="porter-" + "b" * 32)],
        "living": {CONFIG_MAP: frozenset({"ConfigMap-porter-agent-config-default"})},
    },
    "an-agent-config-owns-it": {"claims": [claim(labels=OPERATORS, **BY_CONFIG)], "living": LIVING},
    "one-of-two-owners-is-there": {
        "claims": [claim(ownerReferences=[owned_by(AGENT_CONFIG), owned_by(AGENT_ACTION)])],
        "living": {AGENT_CONFIG: frozenset({"AgentConfig-default"}), AGENT_ACTION: frozenset()},
    },
    "an-agent-config-wants-it-and-is-no-owner": {
        "claims": [claim(CLAIM_OF_CONFIG, OPERATORS)],
        "agent_configs": [agent_config(PLUGINS)],
    },
    "an-agent-config-of-an-older-shape-may-want-it": {
        "claims": [claim(labels=OPERATORS)],
        "agent_configs": [agent_config([{"name": "azure"}])],
    },
    "not-labelled": {"claims": [claim(labels={keys.LABEL_PLUGINS_HASH: "0"}), claim("a", None)]},
    "labelled-otherwise": {"claims": [claim(labels={**SET, keys.LABEL_MANAGED: "false"})]},
    "a-claim-for-something-else": {"claims": [claim("data", MANAGED), claim("porter-data", SET)]},
    "an-install-under-way": {"claims": [staging()], "jobs": [job(None)]},
    "an-install-that-a-record-wants": {"claims": [staging()], "jobs": [job()], "records": [record()]},
    "a-failed-install-that-a-record-wants": {"claims": [staging()], "jobs": [job("Failed")], "records": [record()]},
    "a-refresh-of-an-owned-claim": {
        "claims": [claim(labels=OPERATORS, **BY_CONFIG), staging()],
        "jobs": [job()],
        "living": LIVING,
    },
    "a-running-job-of-the-operator": {"jobs": [job(None, "action", AGENT_JOB, **BY_ACTION)]},
    "an-ended-job-of-the-operator-with-its-action": {
        "jobs": [job("Complete", "action", AGENT_JOB, **BY_ACTION)],
        "living": {AGENT_ACTION: frozenset({"AgentAction-default-x7k2p"})},
    },
    "an-ended-job-of-the-operator-whose-action-nobody-can-see": {
        "jobs": [job("Complete", "action", AGENT_JOB, **BY_ACTION)],
        "living": {AGENT_ACTION: None},
    },
    "an-ended-job-with-its-staging-claim": {"jobs": [job(**BY_STAGING)], "living": STAGING_THERE},
    "a-job-of-somebody": {"jobs": [job(labels=MANAGED)]},
    "a-bound-volume": {"claims": [claim()], "volumes": [bound()], "records": [record()]},
    "a-volume-that-a-record-can-take-up": {"volumes": [volume(annotations=INSTALLED)], "records": [record()]},
    "a-volume-that-is-reserved-for-a-record": {"volumes": [volume(uid=None, phase="Available")], "records": [record()]},
    "a-volume-that-a-record-names": {"volumes": [volume()], "records": [record(claim_name=None, volume="pv")]},
    "a-volume-that-the-cluster-reclaims": {"volumes": [volume(policy="Delete")]},
    "a-volume-on-its-way-out": {"volumes": [volume(**DELETING)]},
    "a-volume-without-the-label": {"volumes": [volume(labels={}, annotations=INSTALLED)]},
    "a-volume-that-was-never-anybody's": {"volumes": [{**volume(), "spec": {}, "status": {"phase": "Available"}}]},
    "a-volume-for-a-refresh-of-an-owned-claim": {
        "claims": [claim(labels=OPERATORS, **BY_CONFIG)],
        "volumes": [bound(), volume("new", CLAIM + "-staging", annotations=UNDER_WAY)],
        "living": LIVING,
    },
}


@pytest.mark.parametrize("case", IN_USE)
def test_what_somebody_needs_or_may_need_is_not_left_over(case: str) -> None:
    assert find_leftovers(inventory(**IN_USE[case])) == []


LEFT_OVER: dict[str, tuple[dict[str, Any], str, str]] = {
    "ours": ({"claims": [claim()]}, "plugin claim", "no agent config wants it"),
    "ours-without-its-labels-for-people": ({"claims": [claim(labels=SET, annotations=NOTES)]}, "plugin claim", ""),
    "the-operator's": ({"claims": [claim(labels=OPERATORS)]}, "plugin claim of the Porter Operator", ""),
    "the-owner-is-gone": ({"claims": [claim(**BY_CONFIG)], "living": GONE}, "plugin claim", ""),
    "a-record-wants-another": (
        {"claims": [claim()], "records": [record(claim_name="porter-" + "b" * 32), record("none", None)]},
        "plugin claim",
        "",
    ),
    "a-record-elsewhere-wants-one-of-the-name": (
        {"claims": [claim()], "records": [record(namespace="other")]},
        "plugin claim",
        "",
    ),
    "an-agent-config-wants-another": (
        {"claims": [claim(labels=OPERATORS)], "agent_configs": [agent_config(PLUGINS), agent_config(None, "none")]},
        "plugin claim of the Porter Operator",
        "",
    ),
    "a-failed-install": ({"claims": [staging()], "jobs": [job("Failed")]}, "staging claim", "that it is for"),
    "an-install-that-nobody-handed-over": ({"claims": [staging()], "jobs": [job()]}, "staging claim", ""),
    "a-staging-claim-alone": ({"claims": [staging()]}, "staging claim", ""),
    "a-lost-staging-claim": (
        {
            "claims": [staging(phase="Lost")],
            "jobs": [job(None)],
            "pods": [pod(CLAIM + "-staging", job_uid="Job-" + CLAIM + "-install")],
        },
        "staging claim",
        "it lost its volume",
    ),
    "a-temporary-claim": (
        {"claims": [claim("default-abcde", SET, annotations=TEMPORARY)]},
        "temporary claim of the Porter Operator",
        "plugins were installed through it",
    ),
    "a-lost-temporary-claim": (
        {"claims": [claim("default-abcde", SET, annotations=TEMPORARY, phase="Lost")]},
        "temporary claim of the Porter Operator",
        "it lost its volume",
    ),
    "a-work-volume": (
        {"claims": [claim("default-x7k2p-f2mzq", WORK)]},
        "work volume of the Porter Operator",
        "made for one AgentAction",
    ),
    "a-work-volume-held-by-the-ended-pod-of-an-ended-job": (
        {
            "claims": [claim("default-x7k2p-f2mzq", WORK)],
            "jobs": [job("Complete", "action", AGENT_JOB, writes_to="default-x7k2p-f2mzq")],
            "pods": [pod("default-x7k2p-f2mzq", job_uid="Job-action")],
        },
        "work volume of the Porter Operator",
        "",
    ),
    "an-install-job-alone": ({"jobs": [job("Failed")]}, "install Job", "nothing owns it"),
    "an-install-job-whose-owner-is-gone": ({"jobs": [job(**BY_STAGING)], "living": STAGING_GONE}, "install Job", ""),
    "a-job-of-the-operator": ({"jobs": [job("Failed", "action", AGENT_JOB)]}, "agent Job of the Porter Operator", ""),
    "a-released-volume": (
        {"volumes": [volume(annotations=INSTALLED)]},
        "volume",
        "Released, and no agent config wants",
    ),
    "a-reserved-volume": ({"volumes": [volume(uid=None, phase="Available")]}, "volume", "Available, and"),
    "an-old-volume-of-a-wanted-claim": (
        {"claims": [claim()], "volumes": [bound(), volume("old")], "records": [record(volume="pv")]},
        "volume",
        "",
    ),
    "an-operator's-volume": ({"volumes": [volume(labels=OPERATORS)]}, "volume", ""),
}


def only(lists: dict[str, Any]) -> Leftover:
    (found,) = find_leftovers(inventory(**lists))
    return found


@pytest.mark.parametrize("case", LEFT_OVER)
def test_what_nobody_needs_is_left_over_and_may_go(case: str) -> None:
    """A04, A12, C05: leaked claims, stray temporary claims, work volumes."""
    lists, what, reason = LEFT_OVER[case]
    found = only(lists)
    assert found.what == what
    assert reason in found.reason
    assert found.obstacle == ""


MUST_STAY: dict[str, tuple[dict[str, Any], str]] = {
    "mounted": ({"claims": [claim()], "pods": [pod(name="b"), pod(name="a")]}, "mounted by pod a, b"),
    "mounted-by-an-ended-pod-of-another-job": (
        {"claims": [staging()], "jobs": [job()], "pods": [pod(CLAIM + "-staging", job_uid="other")]},
        "mounted by pod a",
    ),
    "pods-may-not-be-listed": ({"claims": [claim()], "pods": None}, "may not list pods"),
    "being-deleted": ({"claims": [claim(**DELETING)]}, "being deleted"),
    "the-owner-cannot-be-seen": ({"claims": [claim(**BY_CONFIG)], "living": UNKNOWN}, "whether its owner AgentConfig"),
    "the-owner-cannot-be-seen-and-a-volume-waits": (
        {"claims": [claim(**BY_CONFIG)], "volumes": [volume("new", annotations=UNDER_WAY)], "living": UNKNOWN},
        "whether its owner AgentConfig",
    ),
    "the-kind-of-the-owner-was-not-listed": ({"claims": [claim(**BY_CONFIG)]}, "whether its owner AgentConfig default"),
    "agent-configs-cannot-be-seen": (
        {"claims": [claim(labels=OPERATORS)], "agent_configs": None},
        "this account may not list them",
    ),
    "agent-configs-cannot-be-seen-and-may-want-a-volume": (
        {"volumes": [volume(labels=OPERATORS)], "agent_configs": None},
        "this account may not list them",
    ),
    "a-work-volume-whose-action-is-there": (
        {
            "claims": [claim("default-x7k2p-f2mzq", WORK, **BY_ACTION)],
            "living": {AGENT_ACTION: frozenset({"AgentAction-default-x7k2p"})},
        },
        "owned by AgentAction default-x7k2p: delete that",
    ),
    "a-temporary-claim-whose-config-is-there": (
        {"claims": [claim("default-abcde", SET, annotations=TEMPORARY, phase="Lost", **BY_CONFIG)], "living": LIVING},
        "owned by AgentConfig default",
    ),
    "a-work-volume-that-a-running-job-uses": (
        {
            "claims": [claim("w", WORK)],
            "jobs": [job(None, "action", AGENT_JOB, writes_to="w")],
            "pods": [pod("w", job_uid="Job-action")],
        },
        "mounted by pod a",
    ),
    "an-owned-staging-claim": ({"claims": [staging(**BY_CONFIG)], "living": LIVING}, "owned by AgentConfig"),
    "the-cluster-could-not-reclaim-it": (
        {"volumes": [{**volume(policy="Delete"), "status": {"phase": "Failed", "message": "disk in use"}}]},
        "could not reclaim it: disk in use",
    ),
}


@pytest.mark.parametrize("case", MUST_STAY)
def test_a_leftover_that_must_stay_says_why(case: str) -> None:
    """E07: what could not be listed is no reason to remove anything."""
    lists, obstacle = MUST_STAY[case]
    assert obstacle in only(lists).obstacle


def test_a_job_is_not_told_twice() -> None:
    found = only({"claims": [staging()], "jobs": [job()], "volumes": [bound("pv", CLAIM + "-staging")]})
    assert [each["metadata"]["name"] for each in found.jobs] == [CLAIM + "-install"]
    assert found.volume
