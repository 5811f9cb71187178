# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Every kind of public bug report that the project keeps has a test that names it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
PAGE = ROOT / "docs" / "testing.md"

CASES = re.findall(
    r"\S+",
    """
    A01 A02 A03 A04 A05 A06 A07 A08 A09 A10 A11 A12 A13 A14 A15 A16 A17
    B01 B02 B03 B04 B05 B06 B07 B08 B10 B11 B13 B14 B17 B18 B19 B20 B21 B22 B23
    C01 C02 C03 C04 C05 C07 C08 C09
    D01 D02 D04 D05 D06 D07 D08 D09 D10 D11
    E01 E02 E03 E04 E05 E06 E07 E08 E09 E10 E11 E12 E13 E14 E15
    F01 F02 F04 F05 F06 F07 F08
    G01 G02 G03 G04 G05
    X01 X02 X04 X05 X08 X09 X10 X11 X12 X13 X14 X15 X16 X17 X18 X19 X20 X21 X22 X23
    """,
)
ID = re.compile(r"\b[A-GX][0-9]{2}\b")
ID_IN_NAME = re.compile(r"(?<=_)[a-gx][0-9]{2}(?=_)")


def ids_in(path: Path) -> Iterator[str]:
    """The cases that a test file names: in names of tests, in docstrings, and where it names parameters."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            yield from (found.upper() for found in ID_IN_NAME.findall(node.name))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from ID.findall(node.value)


@pytest.fixture(scope="module")
def named() -> set[str]:
    return {case for path in TESTS.rglob("test_*.py") if path != Path(__file__) for case in ids_in(path)}


@pytest.mark.parametrize("case", CASES)
def test_a_case_is_named_by_a_test(case: str, named: set[str]) -> None:
    assert case in named


def test_only_known_cases_are_listed_as_unproven() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Cases")[2].partition("\n## ")[0]
    listed = set(ID.findall(section))
    assert listed
    assert listed <= set(CASES)
