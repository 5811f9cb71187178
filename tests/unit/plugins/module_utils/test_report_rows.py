# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The rows of a report."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._report import report_on

from tests.unit.plugins.objects import (
    AGENT_CONFIG,
    CLAIM,
    CONFIG_MAP,
    INSTALLED,
    NOTES,
    OLD,
    OPERATORS,
    UNDER_WAY,
    YOUNG,
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

OF_STAGING: dict[str, Any] = {
    "ownerReferences": [owned_by(("v1", "PersistentVolumeClaim"), CLAIM + "-staging")],
}


def report(**lists: Any) -> dict[str, Any]:
    return report_on(inventory(**lists), stuck_after=600)


def only_volume(**lists: Any) -> dict[str, Any]:
    (row,) = report(**lists)["volumes"]
    return dict(row)


def test_a_ready_volume() -> None:
    owners = [owned_by(CONFIG_MAP, "porter-agent-config-default"), owned_by(AGENT_CONFIG, "legacy")]
    found = report(
        claims=[claim(annotations=NOTES, ownerReferences=owners)],
        volumes=[bound(annotations=INSTALLED)],
        records=[record()],
        pods=[pod()],
        living={CONFIG_MAP: frozenset({"ConfigMap-porter-agent-config-default"}), AGENT_CONFIG: None},
    )
    assert found["taken_at"] == "2026-11-30T12:00:00Z"
    assert found["leftovers"] == []
    assert found["volumes"] == [
        {
            "namespace": "porter",
            "claim": CLAIM,
            "persistent_volume": "pv",
            "made_by": "getporter.porter",
            "agent_config": "default",
            "plugins": "azure_v1.2.0",
            "installed": {"azure": "v1.2.0"},
            "owners": [
                {"api_version": "v1", "kind": "ConfigMap", "name": "porter-agent-config-default", "exists": True},
                {"api_version": "getporter.org/v1", "kind": "AgentConfig", "name": "legacy", "exists": None},
            ],
            "wanted_by": ["default"],
            "mounted_by": ["a"],
            "size": "1Gi",
            "storage_class": "fast",
            "age": OLD,
            "state": "ready",
            "steps": [],
            "reason": None,
            "stuck": False,
        }
    ]


def test_a_claim_that_the_operator_made_is_ready_as_it_is() -> None:
    """Taking over: no note of ours on it, and no step is left."""
    row = only_volume(
        claims=[claim(labels=OPERATORS, ownerReferences=[owned_by(AGENT_CONFIG)])],
        volumes=[bound(labels=OPERATORS)],
        living={AGENT_CONFIG: frozenset({"AgentConfig-default"})},
    )
    assert (row["made_by"], row["state"], row["steps"]) == ("Porter Operator", "ready", [])
    assert (row["plugins"], row["installed"], row["agent_config"]) == (None, {}, "default")
    assert row["owners"][0]["exists"] is True


STATES: dict[str, tuple[dict[str, Any], str, bool]] = {
    "installing": ({"claims": [staging()], "jobs": [job(None, **OF_STAGING)]}, "installing", True),
    "installing-for-a-minute": (
        {"claims": [staging(age=YOUNG)], "jobs": [job(None, age=YOUNG, **OF_STAGING)]},
        "installing",
        False,
    ),
    "a-new-job-for-an-old-claim": (
        {"claims": [staging()], "jobs": [job(None, age=YOUNG, **OF_STAGING)]},
        "installing",
        False,
    ),
    "failed": ({"claims": [staging()], "jobs": [job("Failed", **OF_STAGING)]}, "failed", True),
    "released": ({"volumes": [volume(claim_name=CLAIM + "-staging", annotations=UNDER_WAY)]}, "released", True),
    "reserved": ({"volumes": [volume(uid=None, phase="Available", annotations=UNDER_WAY)]}, "reserved", True),
    "claimed": ({"claims": [claim()], "volumes": [bound(policy="Retain", annotations=UNDER_WAY)]}, "claimed", True),
    "lost": ({"claims": [claim(phase="Lost")]}, "absent", True),
}


@pytest.mark.parametrize("case", STATES)
def test_where_a_volume_is_and_whether_it_is_stuck(case: str) -> None:
    lists, state, stuck = STATES[case]
    row = only_volume(**lists)
    assert (row["state"], row["stuck"], row["claim"]) == (state, stuck, CLAIM)
    assert row["steps"]


def test_two_sets_of_one_name_are_told_as_blocked() -> None:
    """A03."""
    other = {**INSTALLED, keys.ANNOTATION_DIGEST: "e"}
    row = only_volume(claims=[claim(annotations=NOTES)], volumes=[bound(annotations=other)])
    assert (row["state"], row["steps"]) == ("blocked", ["blocked"])
    assert "holds another plugin set" in row["reason"]


def test_where_pods_may_not_be_listed_nobody_knows_who_mounts_it() -> None:
    assert only_volume(claims=[claim()], volumes=[bound()], pods=None)["mounted_by"] is None


def test_the_size_of_what_is_not_there_yet_is_what_was_asked_for() -> None:
    row = only_volume(claims=[staging(phase="Pending", volume="")], jobs=[job(None, **OF_STAGING)])
    assert (row["size"], row["persistent_volume"], row["storage_class"]) == ("64Mi", None, None)


def test_a_config_is_told_as_its_record_says_with_the_state_of_its_volume_as_it_is() -> None:
    """A15: phase, reason and message are always there."""
    stands = record(
        ready="false", phase="Failed", reason="JobFailed", message="no such version", plugins='{"azure": "v1.2.0"}'
    )
    (row,) = report(records=[stands], claims=[staging()], jobs=[job("Failed", **OF_STAGING)])["agent_configs"]
    assert row == {
        "namespace": "porter",
        "name": "default",
        "ready": False,
        "phase": "Failed",
        "reason": "JobFailed",
        "message": "no such version",
        "claim": CLAIM,
        "claim_state": "failed",
        "persistent_volume": None,
        "installed": {"azure": "v1.2.0"},
        "last_change": None,
        "age": OLD,
    }


def test_a07_a_config_without_plugins_wants_no_claim() -> None:
    (row,) = report(records=[record(claim_name=None)])["agent_configs"]
    assert (row["ready"], row["claim"], row["claim_state"]) == (True, None, None)


@pytest.mark.parametrize("plugins", ["", "no JSON", "[]", "null", '"text"'])
def test_a_record_that_people_wrote_to_is_told_as_far_as_it_goes(plugins: str) -> None:
    (row,) = report(records=[record(plugins=plugins)])["agent_configs"]
    assert row["installed"] == {}


def test_a_record_that_was_emptied_is_not_ready() -> None:
    emptied = {**record(), "data": None}
    (row,) = report(records=[emptied])["agent_configs"]
    assert (row["name"], row["ready"], row["claim"]) == ("porter-agent-config-default", False, None)


def test_a_leftover() -> None:
    (row,) = report(claims=[claim()], volumes=[bound()], pods=[pod()])["leftovers"]
    assert row == {
        "kind": "PersistentVolumeClaim",
        "namespace": "porter",
        "name": CLAIM,
        "what": "plugin claim",
        "reason": "no agent config wants it",
        "kept_because": "mounted by pod a",
        "owners": [],
        "mounted_by": ["a"],
        "persistent_volume": "pv",
        "size": "1Gi",
        "age": OLD,
    }


def test_leftovers_that_are_no_claims_have_what_they_can_have() -> None:
    job_row, volume_row = report(jobs=[job()], volumes=[volume()])["leftovers"]
    assert (job_row["kind"], job_row["size"]) == ("Job", None)
    assert (volume_row["kind"], volume_row["size"], volume_row["namespace"]) == ("PersistentVolume", "1Gi", None)
