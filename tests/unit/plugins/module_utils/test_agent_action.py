# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Agent actions as a user writes them: what is read, what is refused, and what makes it another one."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._agent_action import (
    MOST_FILE_BYTES,
    AgentAction,
    read_action,
)
from ansible_collections.getporter.porter.plugins.module_utils._agent_pod import RESERVED_VOLUMES
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from hypothesis import given
from hypothesis import strategies as st

LIST = ["plugins", "list"]
LABEL = re.compile("[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
NAMES = st.from_regex("[a-z0-9]([a-z0-9.-]{0,120}[a-z0-9])?", fullmatch=True).filter(
    lambda name: not re.search(r"[.-]\.|\.-", name)
)


def read(**more: Any) -> AgentAction:
    return read_action({"namespace": "porter", "agent_config": "default", "args": LIST, **more})


def test_the_shortest_action() -> None:
    assert read() == AgentAction("porter", "default", ("plugins", "list"))


@pytest.mark.parametrize("blank", [None, "", "  "])
@pytest.mark.parametrize(
    "option", ["name", "retry", "files", "installation_service_account", "registry_secret", "agent", "volumes"]
)
def test_f04_blank_is_not_set(option: str, blank: Any) -> None:
    if option in ("agent", "volumes"):
        blank = None  # the argument specification lets no text through
    assert read(**{option: blank}) == read()


@pytest.mark.parametrize(
    ("written", "args"),
    [
        (["list"], ("list",)),
        (["a", 3, " x ", "", " "], ("a", "3", " x ", "", " ")),
        ('["plugins", "list"]', ("plugins", "list")),
        ("- plugins\n- list", ("plugins", "list")),
        (["a b", "c"], ("a b", "c")),
        (
            ["line\nbreak", "'\"", "ünïcode ✓", "$(HOME) $$ $HOME"],
            ("line\nbreak", "'\"", "ünïcode ✓", "$(HOME) $$ $HOME"),
        ),
        (["install", "porter"], ("install", "porter")),
    ],
)
def test_arguments(written: Any, args: tuple[str, ...]) -> None:
    assert read(args=written).args == args


@pytest.mark.parametrize(
    ("files", "content"),
    [
        ({"config.yaml": "a: 1\n"}, "a: 1\n"),
        ({"config.yaml": ""}, ""),
        ({"config.toml": "a = 1"}, "a = 1"),
        ({"ü y.json": {"a": [1, "ü"]}}, '{\n  "a": [\n    1,\n    "ü"\n  ]\n}\n'),
        ('{"config.yml": {"a": 1}}', '{\n  "a": 1\n}\n'),
    ],
)
def test_files(files: Any, content: str) -> None:
    assert list(read(files=files).files.values()) == [content]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    ).filter(lambda value: isinstance(value, (dict, list)))
)
def test_what_is_written_as_a_map_reaches_porter_unchanged(value: Any) -> None:
    assert json.loads(read(files={"config.json": value}).files["config.json"]) == value


def test_settings_that_are_not_given_stay_the_agent_configs() -> None:
    agent = read(agent={"image": "x", "env": [], "backoff_limit": 0, "pull_policy": None, "service_account": " "}).agent
    assert agent == {"image": "x", "env": [], "backoff_limit": 0}


def test_f08_lists_and_maps_may_be_text() -> None:
    """F08: as surveys hand them over, which cannot hold any."""
    agent = {"env": '[{"name": "a", "value": "b"}]', "resources": "limits: {cpu: '1'}", "image_pull_secrets": "a, b"}
    action = read(
        agent=agent,
        files_from="- secret: {name: x}",
        volumes='[{"name": "v", "emptyDir": {}}]',
        volume_mounts="[{name: v, mountPath: /v}]",
        pod_failure_policy="rules: []",
    )
    assert action.agent == {
        "env": [{"name": "a", "value": "b"}],
        "resources": {"limits": {"cpu": "1"}},
        "image_pull_secrets": ["a", "b"],
    }
    assert action.files_from == ({"secret": {"name": "x"}},)
    assert action.volumes == ({"name": "v", "emptyDir": {}},)
    assert action.volume_mounts == ({"name": "v", "mountPath": "/v"},)
    assert action.pod_failure_policy == {"rules": []}


def test_d11_a_file_that_begins_with_a_dot_is_refused() -> None:
    """The agent passes over it, so that Porter would go without."""
    with pytest.raises(InputError, match=r"begin with a dot\. Mount it with volumes"):
        read(files={".hidden": "x"})


# What is refused, and words of what to write instead.
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"args": []}, r"Write one entry for each, as in '\[plugins, list"),
    ({"args": None}, r"Write one entry for each"),
    ({"args": ""}, r"Write one entry for each"),
    ({"args": "plugins list"}, r"Write one entry for each"),
    ({"args": {"plugins": "list"}}, r"Write one entry for each"),
    ({"args": ["plugins list"]}, r"one entry with spaces in it. Write one entry for each"),
    ({"args": ["porter", "list"]}, r"begin with porter: leave that out"),
    ({"args": ["list", None]}, r"Argument 2 of the action is null. Write '' for an empty argument"),
    ({"args": ["list", True]}, r"Argument 2 of the action must be text.*quote it"),
    ({"args": ["list", 1.1]}, r"Argument 2 .*quote it"),
    ({"args": ["list", ["a"]]}, r"Argument 2 of the action must be text, not a list"),
    ({"args": ["list", "\ud800"]}, r"Argument 2 of the action contains characters"),
    ({"namespace": "Porter"}, r"The namespace of the action cannot be.*For example: porter"),
    ({"namespace": ""}, r"The namespace of the action cannot be.*write at most 63 lower-case"),
    ({"agent_config": "My_Config"}, r"The agent config name cannot be.*For example: my-config"),
    ({"agent_config": ""}, r"The agent config name cannot be.*write at most 253"),
    ({"name": "A b"}, r"The name of the action cannot be.*For example: a-b"),
    ({"name": 3}, r"The name of the action must be text.*quote it"),
    ({"retry": 3}, r"retry must be text.*quote it"),
    ({"registry_secret": "a_b"}, r"registry_secret cannot be.*For example: a-b"),
    ({"installation_service_account": "a_b"}, r"installation_service_account cannot be.*For example: a-b"),
    ({"files": ["config.yaml"]}, r"must be a map from file name to content, not a list. Write it as in"),
    ({"files": {"/etc/x": "a"}}, r"cannot be named '/etc/x': the agent does not copy folders. Write a name"),
    ({"files": {"../x": "a"}}, r"Write a name without '/'"),
    ({"files": {"a/b": "a"}}, r"Write a name without '/'"),
    ({"files": {"": "a"}}, r"must have 1 to 255 bytes"),
    ({"files": {"ü" * 128: "a"}}, r"must have 1 to 255 bytes"),
    ({"files": {".b": "a"}}, r"Mount it with volumes and volume_mounts"),
    ({"files": {"plugins": "a"}}, r"Porter's own folder.*[Ww]rite another"),
    ({"files": {"a": None}}, r"The content of the file a must be text, a map or a list, not null"),
    ({"files": {"a": 3}}, r"must be text, a map or a list, not a number"),
    ({"files": {"a.toml": {"a": 1}}}, r"must be text: only YAML and JSON can be written as a map"),
    ({"files": {"a.yaml": {"a": float("nan")}}}, r"JSON has no form for.*quote it"),
    ({"files": {"a.yaml": {"a": {1, 2}}}}, r"JSON has no form for.*quote it"),
    ({"files": {"a.yaml": {"a": 1, 2: 3}}}, r"JSON has no form for.*quote it"),
    ({"files": {"a.yaml": "\ud800"}}, r"The content of the file a.yaml contains characters"),
    ({"files": {"a.yaml": {"a": "\ud800"}}}, r"The content of the file a.yaml contains characters"),
    ({"files": {"a": "x" * (MOST_FILE_BYTES + 1)}}, r"Put large ones on a volume"),
    ({"files": {"a": "ü" * (MOST_FILE_BYTES // 2), "b": "x"}}, r"Put large ones on a volume"),
    ({"agent": {"env": "A=b"}}, r"env of the action must be a list, not text"),
    ({"agent": {"env": ["A=b"]}}, r"Entry 1 of env of the action must be a map, not text"),
    ({"agent": {"resources": []}}, r"resources of the action must be a map, not a list"),
    ({"volumes": {"name": "v"}}, r"volumes of the action must be a list, not a map"),
    ({"volume_mounts": [None]}, r"Entry 1 of volume_mounts of the action must be a map, not null"),
    ({"pod_failure_policy": "x"}, r"pod_failure_policy of the action must be a map, not text"),
    *(
        ({"volumes": [{"name": name, "emptyDir": {}}]}, r"cannot be named %s.*[Ww]rite another name" % name)
        for name in RESERVED_VOLUMES
    ),
    (
        {"volume_mounts": [{"name": "x", "mountPath": "/app/.porter/plugins"}]},
        r"where the plugins are.*[Ww]rite another",
    ),
    ({"volume_mounts": [{"name": "x", "mountPath": "/app/.porter/plugins/"}]}, r"[Ww]rite another path"),
]


@pytest.mark.parametrize(("written", "words"), REFUSED)
def test_what_is_refused_says_what_to_write_instead(written: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        read(**written)
    assert re.search(words, caught.value.message, re.DOTALL), caught.value.message


# Another value for each field: those that decide what runs, and those that do not.
DECISIVE: dict[str, Any] = {
    "agent_config": "other",
    "args": ("plugins", "list", "-o", "json"),
    "files": {"config.yaml": "a: 1"},
    "files_from": ({"secret": {"name": "x"}},),
    "agent": {"image": "x"},
    "volumes": ({"name": "x", "emptyDir": {}},),
    "volume_mounts": ({"name": "x", "mountPath": "/x"},),
    "pod_failure_policy": {"rules": []},
    "bundles": True,
    "installation_service_account": "x",
    "registry_secret": "x",
}
INDIFFERENT: dict[str, Any] = {
    "namespace": "other",
    "name": "other",
    "retry": "again",
    "wait_for_plugins": False,
    "secure_logging": False,
}


@pytest.mark.parametrize("field", [each.name for each in fields(AgentAction)])
def test_the_generation_changes_with_all_that_decides_what_runs(field: str) -> None:
    value = {**DECISIVE, **INDIFFERENT}[field]
    changed = replace(read(name="x"), **{field: value})
    assert getattr(changed, field) != getattr(read(name="x"), field)
    assert (changed.generation != read(name="x").generation) is (field in DECISIVE)


def test_the_order_in_which_files_are_written_does_not_decide() -> None:
    files = {"a": "1", "b": "2"}
    assert read(files=files).generation == read(files=dict(reversed(files.items()))).generation


@given(NAMES, NAMES, st.sampled_from(["1", "12", "0123456789"]), st.booleans())
def test_names_of_jobs_are_valid_and_differ(one: str, other: str, run: str, named: bool) -> None:
    def job(name: str) -> str:
        action = AgentAction("porter", "default" if named else name, ("list",), name=name if named else "")
        assert len(action.record_name) <= 253
        return action.job_name(run)

    assert len(job(one)) <= 63
    assert LABEL.fullmatch(job(one))
    assert job(one).endswith("-" + run)
    assert (job(one) == job(other)) is (one == other)


@given(st.from_regex("[a-z0-9]{54,120}", fullmatch=True))
def test_long_names_that_differ_at_the_end_do_not_meet(name: str) -> None:
    jobs = {
        AgentAction("porter", "default", ("list",), name=each).job_name("1") for each in (name, name + "a", name + "b")
    }
    assert len(jobs) == 3


def test_repr_shows_no_content() -> None:
    """What a traceback may show."""
    shown = repr(read(files={"a": "geheim"}, agent={"env": [{"name": "X", "value": "geheim"}]}))
    assert "geheim" not in shown
