# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Each default of a role has one home: defaults/main.yml. The argument specification says the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

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
