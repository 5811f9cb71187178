# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Write docs/defaults.md from the roles' argument specifications: python -m tools.role_defaults"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "defaults.md"

_HEAD = """\
# Variables of the roles and their defaults

Made by `make docs` from the argument specifications.
"""


def page(roles: Path = ROOT / "roles") -> str:
    """Return the page: a section for each role with variables, and in it a table."""
    return "\n".join([_HEAD, *(section for role in sorted(roles.iterdir()) for section in _sections(role))])


def _sections(role: Path) -> Iterator[str]:
    points = yaml.safe_load((role / "meta" / "argument_specs.yml").read_text())["argument_specs"]
    for name, point in points.items():
        if point.get("options"):
            yield f"## {role.name}{'' if name == 'main' else ', ' + name}\n\n{_table(point['options'])}\n"


def _table(options: Mapping[str, Mapping[str, Any]]) -> str:
    rows = (f"| `{name}` | {_default(option)} | {_description(option)} |" for name, option in options.items())
    return "\n".join(["| variable | default | what it is |", "| --- | --- | --- |", *rows])


def _default(option: Mapping[str, Any]) -> str:
    if "default" not in option:
        return "required" if option.get("required") else ""
    return f"`{json.dumps(option['default'])}`"


def _description(option: Mapping[str, Any]) -> str:
    written = option["description"]
    paragraphs: Iterable[str] = [written] if isinstance(written, str) else written
    return _markdown(" ".join(paragraphs)).replace("|", "\\|")


def _markdown(text: str) -> str:
    """Turn Ansible's markup into Markdown's: V(x), C(x) and O(x) are code, of M(x#role) and P(x#filter) the name is."""
    return re.sub(r"\b[VCOMP]\(([^)#]*)(?:#[a-z]+)?\)", r"`\1`", text)


if __name__ == "__main__":
    PAGE.write_text(page())
