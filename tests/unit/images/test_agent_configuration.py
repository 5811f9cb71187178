# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Porter's configuration: the plugins that it names have to be installed."""

from __future__ import annotations

import json

import pytest

from tests.images.local import LocalAgent, LocalFeed, error_of, plugins_document

COMMANDS = ["list", "installation show a", "uninstall a", "credentials list", "parameters list"]


def missing(agent: LocalAgent, key: str) -> str:
    """What Porter says about a plugin that is not installed."""
    name = key.split(".")[1]
    program = agent.plugins / name / name
    return f"could not connect to the {key} plugin: fork/exec {program}: no such file or directory"


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_with_records_need_the_configured_plugin(agent: LocalAgent, command: str) -> None:
    agent.put("config.yaml", "default-secrets-plugin: kubernetes.secrets\n")
    assert error_of(agent.run(*command.split())) == missing(agent, "secrets.kubernetes.secrets")


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"default-secrets-plugin": "azure.keyvault"}, "secrets.azure.keyvault"),
        ({"default-storage-plugin": "azure.blob"}, "storage.azure.blob"),
        ({"default-storage-plugin": "storage.azure.blob"}, "storage.azure.blob"),
        (
            {"default-secrets": "mine", "secrets": [{"name": "mine", "plugin": "azure.keyvault", "config": {"a": 1}}]},
            "secrets.azure.keyvault",
        ),
        (
            {"default-storage": "mine", "storage": [{"name": "mine", "plugin": "azure.blob"}]},
            "storage.azure.blob",
        ),
    ],
)
@pytest.mark.parametrize("file", ["config.json", "config.yaml", "config.yml"])
def test_installed_plugin_is_used(
    agent: LocalAgent, feed: LocalFeed, settings: dict[str, object], key: str, file: str
) -> None:
    agent.put(file, json.dumps(settings))
    assert error_of(agent.run("credentials", "list")) == missing(agent, key)
    assert agent.install(plugins_document(azure={"mirror": feed.url})).returncode == 0
    assert agent.read("credentials", "list") == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"default-storage": "mine"}, "store 'mine' not defined"),
        ({"default-secrets": "mine"}, "secrets %q not defined"),
        (
            {"default-secrets-plugin": "a.b.c.d"},
            "invalid plugin key 'a.b.c.d', allowed format is [INTERFACE].BINARY.IMPLEMENTATION",
        ),
    ],
)
def test_bad_configuration_is_refused(agent: LocalAgent, settings: dict[str, object], message: str) -> None:
    agent.put("config.json", settings)
    assert error_of(agent.run("list")) == message


def test_unreadable_configuration_is_refused(agent: LocalAgent) -> None:
    file = agent.put("config.json", "{")
    assert error_of(agent.run("list")) == f'error reading config file at "{file}": unexpected end of JSON input'


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"default-storage-plugin": "mongodb", "default-secrets-plugin": "host"},
        {"default-storage": "mine", "storage": [{"name": "mine", "plugin": "mongodb"}]},
    ],
)
def test_what_is_part_of_porter_needs_no_plugin(agent: LocalAgent, settings: dict[str, object]) -> None:
    agent.put("config.json", settings)
    assert agent.read("credentials", "list") == []


def test_other_commands_need_no_plugin(agent: LocalAgent, feed: LocalFeed) -> None:
    agent.put("config.yaml", "default-secrets-plugin: kubernetes.secrets\n")
    assert agent.run("version").returncode == 0
    assert agent.install(plugins_document(kubernetes={"mirror": feed.url})).returncode == 0
    assert agent.versions() == {"kubernetes": "v1.0.1"}
