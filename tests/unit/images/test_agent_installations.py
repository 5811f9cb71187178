# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Installations in the stand-in for Porter: applied, shown, listed, uninstalled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.images.local import LocalAgent, error_of

REFERENCE = "bundles.example/getporter/hello:v0.2.0"


def document(**changes: object) -> dict[str, object]:
    """An installation in its documented form."""
    plain = {
        "schemaType": "Installation",
        "schemaVersion": "1.0.2",
        "name": "hello",
        "namespace": "dev",
        "bundle": {"repository": "bundles.example/getporter/hello", "version": "0.2.0"},
        "parameters": {"text": 'grüße, "you"\n', "count": 3, "deep": {"list": [True, None]}},
    }
    return {**plain, **changes}


def apply(agent: LocalAgent, file: str = "installation.json", **changes: object) -> list[str]:
    """Apply an installation, and tell what Porter said after the agent's own lines."""
    done = agent.run("installation", "apply", agent.put(file, document(**changes)))
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    return lines[lines.index(f"porter installation apply {agent.home / file}") + 1 :]


def show(agent: LocalAgent, name: str = "hello", namespace: str = "dev") -> dict[str, Any]:
    shown: dict[str, Any] = agent.read("installations", "show", name, "-n", namespace)
    return shown


# Apply


def test_applied_installation_is_kept_and_shown(agent: LocalAgent) -> None:
    apply(agent, labels={"team": "a"})
    shown = show(agent)
    assert {key: shown[key] for key in document()} == document()
    assert shown["labels"] == {"team": "a"}
    status = shown["status"]
    assert (status["action"], status["resultStatus"], status["uninstalled"]) == ("install", "succeeded", None)
    assert (status["bundleReference"], status["bundleVersion"]) == (REFERENCE, "0.2.0")
    assert status["created"] <= status["installed"] == status["modified"]
    calculated = shown["_calculated"]
    assert (calculated["displayInstallationState"], calculated["displayInstallationStatus"]) == (
        "installed",
        "succeeded",
    )
    assert [(each["name"], each["type"]) for each in calculated["resolvedParameters"]] == [
        ("count", "integer"),
        ("deep", "object"),
        ("text", "string"),
    ]


def test_apply_says_what_it_does_and_what_the_bundle_says(agent: LocalAgent) -> None:
    done = agent.run("installation", "apply", agent.put("i.json", document()))
    assert done.stdout.splitlines() == [
        "executing install action from hello (installation: dev/hello)",
        "execution completed successfully!",
    ]
    assert done.stderr.splitlines()[-3:] == [
        "Creating a new installation",
        "Triggering because the installation has not completed successfully yet",
        "The installation is out-of-sync, running the install action...",
    ]


def test_yaml_is_read_like_json(agent: LocalAgent) -> None:
    # Every JSON document is YAML too.
    apply(agent, "installation.yaml")
    assert show(agent)["parameters"] == document()["parameters"]


def test_same_document_again_does_nothing(agent: LocalAgent) -> None:
    apply(agent)
    before = show(agent)
    assert apply(agent) == ["Updating dev/hello installation", "The installation is already up-to-date."]
    assert show(agent) == before


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"parameters": {"text": "x"}}, "Triggering because the parameters have changed"),
        ({"bundle": {"repository": "a/b", "tag": "t"}}, "Triggering because the bundle definition has changed"),
    ],
)
def test_changed_document_upgrades(agent: LocalAgent, changes: dict[str, Any], reason: str) -> None:
    apply(agent)
    before = show(agent)
    assert reason in apply(agent, **changes)
    after = show(agent)
    assert {key: after[key] for key in changes} == changes
    assert after["status"]["action"] == "upgrade"
    assert (after["id"], after["status"]["installed"]) == (before["id"], before["status"]["installed"])


def test_force_runs_again_and_dry_run_does_not_run(agent: LocalAgent) -> None:
    file = agent.put("i.json", document())
    dry = agent.run("installation", "apply", "--dry-run", file)
    assert dry.stderr.endswith("Skipping bundle execution because --dry-run was specified\n")
    assert agent.read("list", "--all-namespaces") is None
    assert agent.run("installation", "apply", file).stdout != ""
    assert agent.run("installation", "apply", file).stdout == ""
    assert agent.run("installation", "apply", file, "--force").stdout.startswith("executing upgrade action")


def test_document_can_ask_for_uninstall(agent: LocalAgent) -> None:
    assert "The installation is already up-to-date." in apply(agent, uninstalled=True)
    apply(agent)
    assert "The installation is out-of-sync, running the uninstall action..." in apply(agent, uninstalled=True)
    assert show(agent)["_calculated"]["displayInstallationState"] == "uninstalled"
    # It stays so, whatever is applied afterwards.
    assert "Ignoring because the installation is uninstalled" in apply(agent)


@pytest.mark.parametrize(
    ("changes", "flags", "namespace"),
    [
        ({}, ["-n", "other"], "dev"),
        ({"namespace": ""}, ["-n", "other"], ""),
        ({"namespace": None}, ["-n", "other"], None),
    ],
)
def test_namespace_of_the_document_wins(
    agent: LocalAgent, changes: dict[str, Any], flags: list[str], namespace: str | None
) -> None:
    done = agent.run("installation", "apply", agent.put("i.json", document(**changes)), *flags)
    if namespace is None:
        assert error_of(done) == "invalid namespace specified in file, must be a string"
    else:
        assert show(agent, namespace=namespace)["namespace"] == namespace


def test_namespace_can_come_from_the_command_line(agent: LocalAgent) -> None:
    without = document()
    del without["namespace"]
    agent.run("inst", "apply", agent.put("i.json", without), "--namespace=other")
    assert show(agent, namespace="other")["namespace"] == "other"


WRONG_VERSION = (
    "the schema version is 1.0.0 but the supported schema version is 1.0.2. See "
    "https://porter.sh/reference/file-formats/#supported-versions for more details: invalid schema version"
)
REFERENCE_ERROR = "could not determine the fully-qualified bundle reference: "


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schemaVersion": "1.0.0"}, WRONG_VERSION),
        ({"schemaVersion": ""}, "(none) is not a valid semantic version: invalid schema version"),
        ({"schemaType": "Bundle"}, "invalid schemaType Bundle, expected Installation"),
        ({"name": ""}, "no name was specified"),
        (
            {"bundle": {"repository": "a/b"}},
            REFERENCE_ERROR + "Invalid bundle reference, either Digest, Version, or Tag must be specified",
        ),
        (
            {"bundle": {"repository": "a/B", "tag": "t"}},
            REFERENCE_ERROR + "invalid bundle Repository a/B: invalid reference format",
        ),
        (
            {"bundle": {"repository": "a/b", "tag": "t t"}},
            REFERENCE_ERROR + "error joining the bundle Repository a/b and Tag t t: invalid tag format",
        ),
        (
            {"bundle": {"repository": "a/b", "digest": "sha256:12"}},
            REFERENCE_ERROR + "invalid bundle Digest sha256:12: invalid checksum digest format",
        ),
    ],
)
def test_bad_documents_are_refused(agent: LocalAgent, changes: dict[str, object], message: str) -> None:
    done = agent.run("installation", "apply", agent.put("i.json", document(**changes)))
    assert error_of(done) == f"invalid installation: {message}"
    assert agent.read("list", "--all-namespaces") is None


def test_installation_without_a_bundle_is_refused(agent: LocalAgent) -> None:
    done = agent.run("installation", "apply", agent.put("i.json", document(bundle={})))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "the installation does not define a valid bundle reference."


@pytest.mark.parametrize("kind", ["installation", "credentials", "parameters"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "a file argument is required"),
        (["a", "b"], "only one file argument may be specified"),
        (["/no.yaml"], "invalid file argument /no.yaml: stat /no.yaml: no such file or directory"),
        (["/"], "invalid file argument /, must be a file not a directory"),
        (["HOME/a.txt"], "invalid file 'HOME/a.txt': unsupported format txt. Supported formats are:"),
        (["HOME/a.json"], "invalid file 'HOME/a.json': unexpected end of JSON input"),
        (["HOME/a.yaml"], "invalid file 'HOME/a.yaml': yaml: line 1: "),
    ],
)
def test_unreadable_files_are_refused(agent: LocalAgent, kind: str, arguments: list[str], message: str) -> None:
    for name in ("a.txt", "a.json", "a.yaml"):
        agent.put(name, "{")
    home = str(agent.home)
    done = agent.run(kind, "apply", *[argument.replace("HOME", home) for argument in arguments])
    assert error_of(done).startswith(message.replace("HOME", home))


# Lists and single ones


def test_list_is_of_one_namespace_and_newest_first(agent: LocalAgent) -> None:
    for namespace, name in [("dev", "one"), ("", "two"), ("dev", "three")]:
        apply(agent, name=name, namespace=namespace)

    def names(*flags: str) -> list[str]:
        return [each["name"] for each in agent.read("installations", "list", *flags)]

    assert names() == ["two"]
    assert names("-n", "dev") == ["three", "one"]
    assert names("--all-namespaces") == names("-n", "*") == ["three", "two", "one"]
    assert names("-n", "dev", "--name", "thr") == ["three"]
    assert agent.read("list", "-n", "none") is None


def test_list_has_state_but_no_parameters(agent: LocalAgent) -> None:
    apply(agent)
    [listed] = agent.read("list", "-n", "dev")
    assert "parameters" not in listed
    assert listed["_calculated"]["displayInstallationState"] == "installed"
    table = [line.split() for line in agent.run("list", "-n", "dev").stdout.splitlines()]
    assert table[0] == ["NAMESPACE", "NAME", "VERSION", "STATE", "STATUS", "MODIFIED"]
    assert table[1][:5] == ["dev", "hello", "0.2.0", "installed", "succeeded"]


def test_show_without_json_is_for_people(agent: LocalAgent) -> None:
    apply(agent)
    shown = agent.run("show", "hello", "-n", "dev").stdout
    assert [line.split() for line in shown.splitlines()][:2] == [["Name:", "hello"], ["Namespace:", "dev"]]


def test_uninstalled_installation_stays_listed(agent: LocalAgent) -> None:
    apply(agent)
    done = agent.run("installation", "uninstall", "hello", "-n", "dev")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("executing uninstall action from hello (installation: dev/hello)\n")
    [listed] = agent.read("list", "-n", "dev")
    assert listed["status"]["action"] == "uninstall"
    assert listed["_calculated"]["displayInstallationState"] == "uninstalled"


def test_uninstall_can_remove_the_records(agent: LocalAgent) -> None:
    apply(agent)
    assert agent.run("uninstall", "hello", "-n", "dev", "--delete").returncode == 0
    assert agent.read("list", "-n", "dev") is None
    assert error_of(agent.run("installation", "outputs", "list", "-i", "hello", "-n", "dev")) == "Run not found"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("uninstall hello", "installation /hello not found: Installation not found"),
        ("installation uninstall hello -n prod", "installation prod/hello not found: Installation not found"),
        ("installation show hello", "Installation not found"),
        ("installation output list -i hello", "Run not found"),
        ("uninstall", "no installation name was specified"),
        ("installation show hello -n dev -o xml", "invalid format: xml"),
        ("list -o xml", "invalid format: xml"),
        ("installation frob", 'unknown command "frob" for "porter installations"'),
        ("installation output frob", 'unknown command "frob" for "porter installations output"'),
        ("installation", "no command was given to this stand-in for Porter"),
        (
            "show a b",
            "only one positional argument may be specified, the installation name, but multiple were received: [a b]",
        ),
        ("uninstall hello --delete=maybe", 'invalid argument "maybe" for "--delete" flag'),
    ],
)
def test_what_is_not_there_is_told(agent: LocalAgent, arguments: str, message: str) -> None:
    apply(agent)
    assert error_of(agent.run(*arguments.split())).startswith(message)


# Outputs


def test_outputs_echo_the_parameters(agent: LocalAgent) -> None:
    apply(agent)
    outputs = agent.read("installation", "outputs", "list", "-i", "hello", "-n", "dev")
    assert outputs == agent.read("installation", "output", "list", "hello", "-n", "dev")
    assert [(each["name"], each["type"], each["value"]) for each in outputs] == [
        ("echo-count", "integer", "3"),
        ("echo-deep", "object", '{"list":[true,null]}'),
        ("echo-text", "string", 'grüße, "you"\n'),
        ("reference", "string", REFERENCE),
    ]
    assert {each["sensitive"] for each in outputs} == {False}
    table = agent.run("installation", "outputs", "list", "-i", "hello", "-n", "dev").stdout
    assert [line.split() for line in table.splitlines()][:2] == [
        ["Name", "Type", "Value"],
        ["echo-count", "integer", "3"],
    ]


def test_one_output_is_printed_as_it_is(agent: LocalAgent) -> None:
    apply(agent)
    done = agent.run("installation", "output", "show", "echo-text", "-i", "hello", "-n", "dev")
    assert done.stdout == 'grüße, "you"\n\n'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("show nope -i hello -n dev", "unable to read output 'nope' for installation 'dev/hello':  not found"),
        ("show nope", "installation name must be provided via [--installation|-i INSTALLATION]"),
        ("show -i hello", "an output name must be provided"),
        ("list", "installation name must be provided"),
    ],
)
def test_outputs_that_are_not_there_are_told(agent: LocalAgent, arguments: str, message: str) -> None:
    apply(agent)
    assert error_of(agent.run("installation", "output", *arguments.split())) == message


# The store


def test_store_can_lie_elsewhere_and_outlive_the_home(tmp_path: Path) -> None:
    store = {"STANDIN_STORE": str(tmp_path / "store")}
    first, second = LocalAgent(tmp_path / "first"), LocalAgent(tmp_path / "second")
    for agent in (first, second):
        agent.prepare()
    done = first.run("installation", "apply", first.put("i.json", document()), env=store)
    assert done.returncode == 0, done.stderr
    assert [each["name"] for each in second.read("list", "-n", "dev", env=store)] == ["hello"]
    assert second.read("list", "-n", "dev") is None
    [record] = (tmp_path / "store" / "installations").iterdir()
    assert json.loads(record.read_text())["name"] == "hello"
