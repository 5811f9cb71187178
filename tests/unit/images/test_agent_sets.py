# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Credential and parameter sets in the stand-in for Porter."""

from __future__ import annotations

import pytest

from tests.images.local import LocalAgent, error_of

KINDS = [("credentials", "CredentialSet", "credential set"), ("parameters", "ParameterSet", "parameter set")]
SOURCES = [{"name": "token", "source": {"secret": "a-secret"}}, {"name": "file", "source": {"path": "/a b"}}]


def document(kind: str, schema: str, **changes: object) -> dict[str, object]:
    """A set in its documented form."""
    plain = {"schemaType": schema, "schemaVersion": "1.0.1", "name": "mine", "namespace": "dev", kind: SOURCES}
    return {**plain, **changes}


@pytest.mark.parametrize(("kind", "schema", "title"), KINDS)
@pytest.mark.parametrize("name", ["set.json", "set.yaml"])
def test_applied_set_is_listed(agent: LocalAgent, kind: str, schema: str, title: str, name: str) -> None:
    assert agent.read(kind, "list", "-n", "dev") == []
    done = agent.run(kind, "apply", agent.put(name, document(kind, schema, labels={"a": "b"})))
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith(f"Applied dev/mine {title}\n")
    [listed] = agent.read(kind, "list", "-n", "dev")
    assert listed.pop("status")["modified"] > "2000"
    assert listed == document(kind, schema, labels={"a": "b"})
    table = [line.split() for line in agent.run(kind, "list", "--all-namespaces").stdout.splitlines()]
    assert table[0] == ["NAMESPACE", "NAME", "MODIFIED"]
    assert table[1][:2] == ["dev", "mine"]


@pytest.mark.parametrize(("kind", "schema"), [kind[:2] for kind in KINDS])
def test_applied_again_it_is_replaced(agent: LocalAgent, kind: str, schema: str) -> None:
    agent.run(kind, "apply", agent.put("a.json", document(kind, schema)))
    agent.run(kind, "apply", agent.put("a.json", document(kind, schema, **{kind: SOURCES[:1]})))
    assert [each[kind] for each in agent.read(kind, "list", "-n", "dev")] == [SOURCES[:1]]


@pytest.mark.parametrize(("kind", "schema", "title"), KINDS)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schemaVersion": "1.0.0"}, "the schema version is 1.0.0 but the supported schema version is 1.0.1."),
        ({"schemaType": "Installation"}, "invalid schemaType Installation, expected SCHEMA"),
        ({"name": ""}, "no name was specified"),
    ],
)
def test_bad_sets_are_refused(
    agent: LocalAgent, kind: str, schema: str, title: str, changes: dict[str, object], message: str
) -> None:
    done = agent.run(kind, "apply", agent.put("a.json", document(kind, schema, **changes)))
    assert error_of(done).startswith(f"invalid {title}: " + message.replace("SCHEMA", schema))
    assert agent.read(kind, "list", "--all-namespaces") == []


@pytest.mark.parametrize(("kind", "schema", "title"), KINDS)
def test_file_of_another_shape_is_refused(agent: LocalAgent, kind: str, schema: str, title: str) -> None:
    file = agent.put("a.json", document(kind, schema, **{kind: "token"}))
    assert error_of(agent.run(kind, "apply", file)).startswith(f"could not load {file} as a {title}: ")


@pytest.mark.parametrize("alias", ["cred", "creds", "credential"])
def test_commands_have_other_names(agent: LocalAgent, alias: str) -> None:
    assert agent.read(alias, "ls") == []


INSTALLATION = {
    "schemaVersion": "1.0.2",
    "name": "hello",
    "namespace": "dev",
    "bundle": {"repository": "bundles.example/hello", "tag": "v1"},
}


@pytest.mark.parametrize(
    ("kind", "schema", "key", "message"),
    [
        ("credentials", "CredentialSet", "credentialSets", "could not load credentials: mine not found"),
        ("parameters", "ParameterSet", "parameterSets", "mine not found"),
    ],
)
@pytest.mark.parametrize("namespace", ["dev", ""])
def test_installation_needs_the_sets_that_it_names(
    agent: LocalAgent, kind: str, schema: str, key: str, message: str, namespace: str
) -> None:
    file = agent.put("i.json", {**INSTALLATION, key: ["mine"]})
    agent.run(kind, "apply", agent.put("a.json", document(kind, schema, namespace="other")))
    failed = agent.run("installation", "apply", file)
    assert (failed.returncode, failed.stdout, failed.stderr.splitlines()[-1]) == (1, "", message)
    shown = agent.read("show", "hello", "-n", "dev")
    assert shown["_calculated"]["displayInstallationState"] == "defined"

    agent.run(kind, "apply", agent.put("a.json", document(kind, schema, namespace=namespace)))
    assert agent.run("installation", "apply", file).returncode == 0
    assert agent.read("show", "hello", "-n", "dev")[key] == ["mine"]
