# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What the modules share: reading options, rows of results, and the one way to end."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils import _life as life
from ansible_collections.getporter.porter.plugins.module_utils import _options
from ansible_collections.getporter.porter.plugins.module_utils._arguments import shown_arguments
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ApiError,
    InputError,
    JobFailedError,
    MissingLibraryError,
    PorterError,
)
from ansible_collections.getporter.porter.plugins.module_utils._executor import Executor
from ansible_collections.getporter.porter.plugins.module_utils._job_status import JobStatus
from ansible_collections.getporter.porter.plugins.module_utils._module import failure, success
from ansible_collections.getporter.porter.plugins.module_utils._observe import observe
from ansible_collections.getporter.porter.plugins.module_utils._options import read_volume, wanted_volumes
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import AgentSettings
from ansible_collections.getporter.porter.plugins.module_utils._progress import Progress, Settings
from ansible_collections.getporter.porter.plugins.module_utils._results import end_of, foresee, progress_row
from ansible_collections.getporter.porter.plugins.module_utils._volume_rows import (
    config_row,
    observed_row,
    steps_of_course,
)

from tests.unit.plugins.fake_cluster import FakeApi, FakeCluster

FEED = "https://user:geheim@feed.example/atom.xml"


def option(
    agent_config: str = "default", namespace: str = "porter", plugins: Any = None, **more: Any
) -> dict[str, Any]:
    return {
        "agent_config": agent_config,
        "namespace": namespace,
        "plugins": {"kubernetes": {"version": "v1.0.1"}} if plugins is None else plugins,
        "volume_size": "64Mi",
        "storage_class": None,
        "access_mode": None,
        "salted": False,
        "refresh": False,
        "spec": None,
        "owners": [],
        "agent": {"image": "agent:1", "pull_policy": None},
        **more,
    }


class FakeModule:
    """As much of a PorterModule as the shared parts need."""

    shown = staticmethod(shown_arguments)

    def __init__(self, *volumes: dict[str, Any]) -> None:
        self.params: dict[str, Any] = {"volumes": list(volumes), "host": "h"}
        self.no_log_values: set[str] = set()
        self.warnings: list[str] = []

    def warn(self, warning: str) -> None:
        self.warnings.append(warning)


VOLUME = read_volume(option())[0]


def test_sets_that_are_the_same_come_once_and_in_order() -> None:
    other = option("second", plugins={"azure": {"version": "v1"}})
    module = FakeModule(other, option("third"), option("fourth"), option("fifth", namespace="elsewhere"))
    found = wanted_volumes(module)
    assert [volume.agent_config for volume in found] == ["second", "third", "fifth"]


def test_a03_two_sets_with_one_claim_name_are_refused_before_any_request() -> None:
    first = option("first", plugins={"kubernetes": {"feedURL": "https://a.example"}})
    second = option("second", plugins={"kubernetes": {"mirror": "https://a.example"}})
    with pytest.raises(InputError, match="first and second in namespace porter are different"):
        wanted_volumes(FakeModule(first, second))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (option(plugins={}), "Agent config default has no plugins"),
        (option(namespace="Porter"), "The namespace of agent config default cannot be"),
        (option(volume_size="64MB"), "Write 64M or 64Mi"),
    ],
    ids=["no-plugins", "namespace", "B17-size"],
)
def test_what_cannot_be_used_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        wanted_volumes(FakeModule(given))


def test_secrets_are_marked_and_warnings_given() -> None:
    module = FakeModule(option(plugins={"azure": {"feedURL": FEED}}))
    wanted_volumes(module)
    assert "geheim" in module.no_log_values
    assert any("azure" in warning for warning in module.warnings), "A08: no version is pinned"


@pytest.mark.parametrize(
    "plugins",
    [
        {"azure": {"feedURL": FEED, "version": "v1"}},
        json.dumps({"azure": {"feedURL": FEED, "version": "v1"}}),
        # Not valid, so it cannot be known which part of it is a secret.
        {"azure": {"feedUrll": FEED}},
        "azure: [" + FEED,
        [FEED],
    ],
    ids=["map", "text", "unknown-key", "broken-text", "list"],
)
def test_the_invocation_shows_no_secret(plugins: Any) -> None:
    module = FakeModule(option(plugins=plugins), option("other"))
    given = copy.deepcopy(module.params)
    for result in (success(module, {}), failure(module, InputError("x"))):
        shown = result["invocation"]["module_args"]
        assert "geheim" not in json.dumps(shown)
        assert shown["volumes"][1]["plugins"]["plugins"] == {"kubernetes": {"version": "v1.0.1"}}
        assert (shown["host"], shown["volumes"][0]["volume_size"]) == ("h", "64Mi")
    assert module.params == given, "the arguments themselves are not touched"


def test_the_invocation_shows_no_environment() -> None:
    env = [{"name": "TOKEN", "value": "geheim"}, {"name": "KEY", "valueFrom": {"secretKeyRef": {}}}]
    agent = {"image": "agent:1", "env": env}
    module = FakeModule(option(agent=agent))
    module.params["agent_configs"] = [{"name": "a", "agent": agent}, {"name": "b", "agent": {}}]
    shown = success(module, {})["invocation"]["module_args"]
    assert "geheim" not in json.dumps(shown)
    assert shown["volumes"][0]["agent"]["env"] == ["TOKEN", "KEY"]
    assert [each["agent"] for each in shown["agent_configs"]] == [
        {"image": "agent:1", "env": ["TOKEN", "KEY"]},
        {"env": []},
    ]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (PorterError("m", pod="p"), {"msg": "m", "pod": "p"}),
        (ApiError(403, "Forbidden", "m"), {"msg": "m", "status": 403, "reason": "Forbidden"}),
    ],
    ids=["plain", "api"],
)
def test_a_failure_carries_the_errors_details(error: PorterError, expected: dict[str, Any]) -> None:
    result = failure(FakeModule(), error)
    del result["invocation"]
    assert result == expected


def test_e13_a_missing_library_is_told_as_ansible_does() -> None:
    result = failure(FakeModule(), MissingLibraryError("kubernetes", "the traceback"))
    assert "Failed to import the required Python library (kubernetes)" in result["msg"]
    assert result["exception"] == "the traceback"


def bound(installed: str | None) -> dict[str, Any]:
    notes = {keys.ANNOTATION_INSTALLED: installed} if installed else {}
    return {"metadata": {"name": "pv", "annotations": notes}}


def test_the_row_of_a_run() -> None:
    status = JobStatus("succeeded", "R", "M", pod="p", pods=2, exit_code=0)
    log = "\n".join(str(number) for number in range(30))
    each = Progress(
        VOLUME,
        state="ready",
        done=["step"],
        status=status,
        log=log,
        seconds=1.26,
        persistent_volume=bound('{"a": "v1"}'),
    )
    assert progress_row(each) == {
        "agent_config": "default",
        "namespace": "porter",
        "claim": VOLUME.identity.claim,
        "persistent_volume": "pv",
        "installed": {"a": "v1"},
        "state": "ready",
        "steps": ["step"],
        "seconds": 1.3,
        "error": None,
        "job": {
            "name": VOLUME.identity.job,
            "phase": "succeeded",
            "reason": "R",
            "message": "M",
            "pod": "p",
            "pods": 2,
            "exit_code": 0,
            "log": [str(number) for number in range(10, 30)],
        },
    }


def test_the_row_of_a_run_that_saw_little() -> None:
    row = progress_row(Progress(VOLUME, error=PorterError("why"), persistent_volume=bound(None)))
    assert (row["job"], row["error"], row["installed"], row["state"]) == (None, "why", {}, "absent")
    stuck = progress_row(Progress(VOLUME, status=JobStatus("pending", stuck="FailedCreate: m")))
    assert (stuck["job"]["message"], stuck["job"]["log"]) == ("FailedCreate: m", [])


@pytest.mark.parametrize(("done", "changed"), [([], False), (["step"], True)])
def test_the_end_of_a_run(done: list[str], changed: bool) -> None:
    result = end_of([Progress(VOLUME, done=[]), Progress(VOLUME, done=done)])
    assert (result["changed"], len(result["volumes"])) == (changed, 2)


def test_the_end_of_a_run_names_everything_that_failed() -> None:
    one = Progress(VOLUME, error=JobFailedError("first.", exit_code=1), done=["step"])
    two = Progress(VOLUME, error=PorterError("second."))
    with pytest.raises(PorterError, match=r"^first\. second\.$") as caught:
        end_of([one, Progress(VOLUME), two])
    assert caught.value.result["changed"] is True
    assert [row["error"] for row in caught.value.result["volumes"]] == ["first.", None, "second."]
    assert "exit_code" not in caught.value.result
    with pytest.raises(PorterError, match=r"^first\.$") as caught:
        end_of([one])
    assert caught.value.result["exit_code"] == 1


INSTALL, HAND_OVER = list(life.INSTALL_COURSE), list(life.HAND_OVER_COURSE)


@pytest.mark.parametrize(
    ("state", "steps", "install", "hand_over"),
    [
        (life.ABSENT, INSTALL + HAND_OVER, INSTALL, HAND_OVER),
        (life.ABSENT, [life.DELETE_OLD_JOB, *INSTALL, *HAND_OVER], [life.DELETE_OLD_JOB, *INSTALL], HAND_OVER),
        (
            life.ABSENT,
            [life.WAIT_OLD_STAGING_GONE, *INSTALL, *HAND_OVER],
            [life.WAIT_OLD_STAGING_GONE, *INSTALL],
            HAND_OVER,
        ),
        (life.FAILED, [life.CLEAR_FAILED, *INSTALL, *HAND_OVER], [life.CLEAR_FAILED, *INSTALL], HAND_OVER),
        (life.INSTALLING, INSTALL[2:] + HAND_OVER, INSTALL[2:], HAND_OVER),
        (life.INSTALLED, HAND_OVER, [], HAND_OVER),
        (life.INSTALLED, [life.KEEP_VOLUME, *HAND_OVER], [], [life.KEEP_VOLUME, *HAND_OVER]),
        (life.READY, [life.DELETE_JOB], [], [life.DELETE_JOB]),
        (life.READY, [life.DISOWN], [], [life.DISOWN]),
        (life.READY, [], [], []),
        (life.CLAIMED, [life.BLOCKED], [], [life.BLOCKED]),
    ],
    ids=[
        "absent",
        "old-job",
        "old-staging",
        "failed",
        "installing",
        "installed",
        "policy",
        "ready-with-job",
        "ready-with-another",
        "ready",
        "blocked",
    ],
)
def test_steps_of_a_course(state: str, steps: list[str], install: list[str], hand_over: list[str]) -> None:
    row = {"state": state, "steps": steps}
    assert steps_of_course(row, life.INSTALL_COURSE) == install
    assert steps_of_course(row, life.HAND_OVER_COURSE) == hand_over


def at(cluster: FakeCluster) -> Any:
    return FakeApi(cluster)


def ready_cluster() -> FakeCluster:
    cluster = FakeCluster()
    executor = Executor(at(cluster), Settings(60, 60), sleep=lambda _seconds: cluster.settle())
    (end,) = executor.make_ready([VOLUME])
    assert end.state == "ready"
    return cluster


def test_e02_check_mode_tells_each_course_and_writes_nothing() -> None:
    api = at(FakeCluster())
    for course in (life.INSTALL_COURSE, life.HAND_OVER_COURSE):
        result = foresee([VOLUME], observe(api, [VOLUME]), course)
        expected = [action for action in course if action not in (life.JOIN, life.NOTE_READY)]
        assert (result["changed"], result["volumes"][0]["steps"]) == (True, expected)
    assert api.writes == []


def test_e02_check_mode_of_what_is_ready_changes_nothing() -> None:
    cluster = ready_cluster()
    for course in (life.INSTALL_COURSE, life.HAND_OVER_COURSE):
        assert foresee([VOLUME], observe(at(cluster), [VOLUME]), course)["changed"] is False


def row_of(api: Any) -> dict[str, Any]:
    return observed_row(VOLUME, observe(api, [VOLUME])[VOLUME.key])


def blocked_cluster() -> FakeCluster:
    cluster = FakeCluster()
    metadata = {"name": VOLUME.identity.claim, "namespace": "porter", "labels": {keys.LABEL_MANAGED: "true"}}
    cluster.create("persistentvolumeclaims", {"metadata": metadata, "spec": {}, "status": {"phase": "Pending"}})
    return cluster


def test_what_is_blocked_is_seen_by_all_and_fails_in_check_mode_too() -> None:
    api = at(blocked_cluster())
    seen = observe(api, [VOLUME])
    row = observed_row(VOLUME, seen[VOLUME.key])
    assert steps_of_course(row, life.HAND_OVER_COURSE), "the hand-over must be asked for, or nobody is told"
    assert foresee([VOLUME], seen, life.INSTALL_COURSE)["changed"] is False
    with pytest.raises(PorterError, match="Delete it if nothing needs it") as caught:
        foresee([VOLUME], seen, life.HAND_OVER_COURSE)
    assert caught.value.result["changed"] is False


def test_a_row_of_what_is_observed_shows_the_volume_that_is_bound() -> None:
    cluster = ready_cluster()
    (volume,) = cluster.of("persistentvolumes")
    twin = copy.deepcopy(volume)
    twin["metadata"].update(name="another")
    twin["metadata"]["annotations"].update({keys.ANNOTATION_RECLAIM_POLICY: "Retain", keys.ANNOTATION_INSTALLED: "{}"})
    twin["spec"]["claimRef"]["uid"] = "gone"
    twin["spec"]["persistentVolumeReclaimPolicy"] = "Retain"
    twin["status"]["phase"] = "Released"
    cluster.create("persistentvolumes", twin)
    row = row_of(at(cluster))
    assert (row["persistent_volume"], row["installed"]) == (volume["metadata"]["name"], {"kubernetes": "v1.0.1"})
    assert (row["state"], row["steps"], row["reason"]) == ("ready", [life.DISOWN], None)


def test_a_row_of_nothing() -> None:
    row = row_of(at(FakeCluster()))
    assert (row["state"], row["persistent_volume"], row["installed"], row["reason"]) == ("absent", None, {}, None)


def test_the_shared_options_are_those_that_a_volume_is_read_from() -> None:
    assert set(_options._VOLUME_OPTIONS) == set(option())
    every = dict.fromkeys(_options._AGENT_OPTIONS) | {"image": "agent:1"}
    assert read_volume(option(agent=every))[0].agent == VOLUME.agent


def agent_configs_of(*volumes: dict[str, Any], agent_configs: Sequence[dict[str, Any]] = ()) -> list[dict[str, Any]]:
    module = FakeModule(*volumes)
    module.params["agent_configs"] = [{"state": "present", "spec": {}, "agent": {}, **each} for each in agent_configs]
    configs = _options.wanted_configs(module, _options.share_volumes(read_volume(each)[0] for each in volumes))
    return [config_row(config) for config in configs]


def test_agent_configs_come_in_their_order_and_those_without_a_volume_last() -> None:
    other = {"azure": {"version": "v1"}}
    wishes = [option("b", spec={}), option("c", plugins=other, spec={}), option("a", spec={}), option("unrecorded")]
    rows = agent_configs_of(
        *wishes,
        agent_configs=[{"name": "e", "namespace": "porter"}, {"name": "d", "namespace": "n", "state": "absent"}],
    )
    assert [row["name"] for row in rows] == ["b", "c", "a", "e", "d"]
    assert [row["state"] for row in rows] == ["present"] * 4 + ["absent"]
    assert rows[0]["claim"] == rows[2]["claim"] != rows[1]["claim"]
    assert [row["claim"] for row in rows[3:]] == ["", ""]


@pytest.mark.parametrize(
    ("volumes", "agent_configs"),
    [
        ([option("a", spec={}), option("a", plugins={"azure": {"version": "v1"}}, spec={})], []),
        ([option("a", spec={})], [{"name": "a", "namespace": "porter", "state": "absent"}]),
        ([], [{"name": "a", "namespace": "porter"}] * 2),
    ],
    ids=["two-volumes", "both-options", "twice-without"],
)
def test_an_agent_config_is_named_once(volumes: list[dict[str, Any]], agent_configs: list[dict[str, Any]]) -> None:
    with pytest.raises(InputError, match="Agent config a in namespace porter is named twice"):
        agent_configs_of(*volumes, agent_configs=agent_configs)


def test_an_action_may_replace_each_setting_and_fills_in_none() -> None:
    assert (
        set(_options.AGENT_OVERRIDES) == set(_options._AGENT_OPTIONS) == {each.name for each in fields(AgentSettings)}
    )
    given = ArgumentSpecValidator(_options.AGENT_OVERRIDES).validate({})
    assert not given.error_messages
    assert set(given.validated_parameters.values()) == {None}


@pytest.mark.parametrize("setting", ["backoff_limit", "active_deadline_seconds", "ttl_seconds_after_finished"])
def test_f05_numbers_of_an_action_that_are_text_become_numbers(setting: str) -> None:
    """F05"""
    given = ArgumentSpecValidator(_options.AGENT_OVERRIDES).validate({setting: "3"})
    assert given.validated_parameters[setting] == 3
    assert ArgumentSpecValidator(_options.AGENT_OVERRIDES).validate({setting: "three"}).error_messages
