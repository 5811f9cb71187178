# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The secrets that people write into an agent action: found, and hidden."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._action_secrets import (
    HIDDEN,
    SHORTEST,
    Masking,
    secrets_in,
)
from ansible_collections.getporter.porter.plugins.module_utils._agent_action import read_action, shown_action
from hypothesis import assume, given
from hypothesis import strategies as st

S = "hunter2"
WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="*"), max_size=20)
SECRETS = st.lists(WORDS.filter(lambda word: len(word.strip()) >= SHORTEST and len(word.splitlines()) == 1), max_size=4)


@given(SECRETS, st.lists(WORDS, max_size=4), st.randoms(use_true_random=False))
def test_no_secret_comes_through(secrets: list[str], words: list[str], random: Any) -> None:
    pieces = [*secrets, *secrets, *words]
    random.shuffle(pieces)
    shown = Masking(secrets)("".join(pieces))
    for secret in secrets:
        assert secret.strip() not in shown


@given(SECRETS, WORDS)
def test_text_without_secrets_is_left_alone(secrets: list[str], words: str) -> None:
    assume(not any(secret.strip() in words for secret in secrets))
    assert Masking(secrets)(words) == words


@given(st.text("ab", max_size=2), WORDS)
def test_what_is_too_short_is_no_secret(short: str, words: str) -> None:
    assert Masking([short])(words) == words


def test_each_line_of_a_secret_is_hidden() -> None:
    """Logs come line by line."""
    key = "-----BEGIN KEY-----\n  MIIabc\nab\n-----END KEY-----\n"
    mask = Masking([key])
    assert [mask(line) for line in key.splitlines()] == [HIDDEN, "  " + HIDDEN, "ab", HIDDEN]


@pytest.mark.parametrize("secret", ['a"quoted"b', "back\\slash", "tab\there", "ünï"])
def test_a_secret_in_json_is_hidden_too(secret: str) -> None:
    """Porter prints values so with -o json."""
    mask = Masking([secret])
    for ascii_only in (True, False):
        assert mask(json.dumps({"v": secret}, ensure_ascii=ascii_only)) == '{"v": "%s"}' % HIDDEN


@pytest.mark.parametrize(
    "content",
    [
        "password: hunter2",
        '{"password": "hunter2"}',
        "a:\n  - db_password: hunter2",
        "apiKey: hunter2",
        "client-secret: hunter2",
        "account_key: hunter2",
        "connectionString: hunter2",
        "tokens: [hunter2]",
        "credentials:\n  - name: x\n    source:\n      value: hunter2",
        "parameters:\n  - name: x\n    source: {value: hunter2}",
        "a: 1\n---\npassword: hunter2",
        # TOML, of which YAML makes one text, or nothing.
        'password = "hunter2"',
        "a = 1\nclient-secret = 'hunter2'\n",
        '[secrets]\nname = "x"\ntoken = "hunter2"  # of the day\n',
        # A file of environment variables.
        "PASSWORD=hunter2\n",
        "A=1\nexport DB_PASSWORD='hunter2'\n",
        # No YAML: a key stands there twice; a template.
        "password: hunter2\na: 1\na: 2\n",
        "a: {{ x }}\n  b: %\npassword: 'hunter2'",
    ],
)
def test_secrets_of_files(content: str) -> None:
    assert secrets_in([content], [], []) == {S}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "name: hunter2",
        "credentials:\n  - name: password\n    source:\n      secret: hunter2",
        "default-secrets: hunter2",
        "secrets:\n  - name: hunter2\n    plugin: kubernetes.secrets",
        "password: null",
        "use_token: true",
        "hunter2",
        'name = "hunter2"',
        "compassion: hunter2",
        "passthrough: hunter2",
    ],
)
def test_what_is_no_secret_of_a_file(content: str) -> None:
    """Names of secrets in a store are none: they tell people what went wrong."""
    assert secrets_in([content], [], []) == set()


@pytest.mark.parametrize(
    ("args", "found"),
    [
        (["--password", S], {S}),
        (["--password=" + S], {S}),
        (["--param", "password=" + S], {S}),
        (["--param=password=" + S], {S}),
        (["--param", "token=a=b=c"], {"a=b=c"}),
        (["--client-secret", S, "x"], {S}),
        (["--param", "name=" + S], set()),
        (["--secrets", S], set()),
        (["--token", "--output"], set()),
        (["token", S], set()),
        (["--token"], set()),
    ],
)
def test_secrets_of_arguments(args: list[str], found: set[str]) -> None:
    assert secrets_in([], [], args) == found


@pytest.mark.parametrize(
    ("variable", "found"),
    [
        ({"name": "AZURE_CLIENT_SECRET", "value": S}, {S}),
        ({"name": "GITHUB_TOKEN", "value": 1234}, {"1234"}),
        ({"name": "PWD", "value": S}, {S}),
        ({"name": "LEVEL", "value": S}, set()),
        ({"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}, set()),
        ({"name": "TOKEN", "value": ""}, set()),
        ({}, set()),
    ],
)
def test_secrets_of_the_environment(variable: Any, found: set[str]) -> None:
    assert secrets_in([], [variable], []) == found


def action_of(**more: Any) -> dict[str, Any]:
    given = {"namespace": "porter", "agent_config": "default", "secure_logging": True, "files": None, "agent": None}
    return {**given, "args": ["list", "--token", S], **more}


def test_secure_logging_can_be_switched_off() -> None:
    assert read_action(action_of()).masking(f"a {S}") == f"a {HIDDEN}"
    assert read_action(action_of(secure_logging=False)).masking(f"a {S}") == f"a {S}"


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"args": json.dumps(["--token", S])},
        {"args": [f"--param=token={S}"]},
        {"files": {"config.yaml": {"password": S}}, "args": ["show", S]},
        {"files": {"config.yaml": f"password: {S}"}, "args": ["show", S]},
        {"files": json.dumps({"config.yaml": {"password": S}})},
        {"agent": {"env": [{"name": "TOKEN", "value": S}]}, "args": ["show", S]},
    ],
)
def test_the_arguments_that_results_show_hold_no_secret(more: dict[str, Any]) -> None:
    shown = shown_action(action_of(**more))
    assert S not in json.dumps(shown)
    assert shown["namespace"] == "porter"


def test_the_arguments_that_results_show_are_those_written_but_for_secrets() -> None:
    agent = {"image": "x", "env": [{"name": "LEVEL", "value": "1"}]}
    shown = shown_action(action_of(files={"b.yaml": "x", "a.yaml": "y"}, agent=agent))
    assert shown["args"] == ["list", "--token", HIDDEN]
    assert shown["files"] == ["a.yaml", "b.yaml"]
    assert shown["agent"] == {"image": "x", "env": ["LEVEL"]}


def test_nothing_is_hidden_where_people_look_for_mistakes() -> None:
    assert shown_action(action_of(secure_logging=False))["args"] == ["list", "--token", S]
