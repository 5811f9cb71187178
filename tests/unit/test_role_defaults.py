# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Each default of a role has one home: defaults/main.yml. Specification and documentation say the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tools import role_defaults

ROLES = sorted((Path(__file__).resolve().parents[2] / "roles").iterdir())


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_argument_specs_have_the_defaults(role: Path) -> None:
    options = load(role / "meta" / "argument_specs.yml")["argument_specs"]["main"]["options"]
    assert {name: option.get("default") for name, option in options.items()} == load(role / "defaults" / "main.yml")


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_every_option_is_named_after_its_role(role: Path) -> None:
    assert [name for name in load(role / "defaults" / "main.yml") if not name.startswith(f"{role.name}_")] == []


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_every_entry_point_has_its_task_file(role: Path) -> None:
    for entry_point in load(role / "meta" / "argument_specs.yml")["argument_specs"]:
        assert (role / "tasks" / f"{entry_point}.yml").is_file()


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_defaults_are_values(role: Path) -> None:
    """The role reads them from the file for variables that are empty, where templates would stay as they are."""
    assert "{{" not in (role / "defaults" / "main.yml").read_text()


def test_the_documentation_has_the_defaults() -> None:
    assert role_defaults.PAGE.read_text() == role_defaults.page(), "docs/defaults.md is out of date: run `make docs`"


def test_the_page_is_made_of_the_specification(tmp_path: Path) -> None:
    meta = tmp_path / "a_role" / "meta"
    meta.mkdir(parents=True)
    options = {
        "a_role_x": {"description": ["One V(a|b).", "See P(c.d.e#lookup)."], "default": {"y": 1}},
        "a_role_z": {"description": "Two.", "required": True},
    }
    specs = {
        "main": {"options": options},
        "other": {"options": {}},
        "third": {"options": {"q": {"description": "Three."}}},
    }
    (meta / "argument_specs.yml").write_text(yaml.safe_dump({"argument_specs": specs}))
    page = role_defaults.page(tmp_path).splitlines()
    assert page[4:9] == [
        "## a_role",
        "",
        "| variable | default | what it is |",
        "| --- | --- | --- |",
        '| `a_role_x` | `{"y": 1}` | One `a\\|b`. See `c.d.e`. |',
    ]
    assert page[9] == "| `a_role_z` | required | Two. |"
    assert [line for line in page if line.startswith("#")][1:] == ["## a_role", "## a_role, third"]


def test_every_setting_of_agent_configs_has_its_variable() -> None:
    """The list in vars/main.yml names variables that there are, and each setting once."""
    role = next(role for role in ROLES if role.name == "porter_plugins")
    variables = load(role / "vars" / "main.yml")["__porter_plugins_variables"]
    assert set(variables.values()) <= set(load(role / "defaults" / "main.yml"))
    assert len(set(variables.values())) == len(variables)
