# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Kubernetes quantities."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._quantity import parse_quantity, volume_size
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("64Mi", 64 * 2**20),
        ("1.5Gi", 3 * 2**29),
        (".5Ki", 512),
        ("5.", 5),
        ("65536", 65536),
        (67108864, 67108864),
        (0.5, Decimal("0.5")),
        ("1e3", 1000),
        ("1E3", 1000),
        ("1e+3", 1000),
        ("15e-1", Decimal("1.5")),
        ("1E", 10**18),
        ("1Ei", 2**60),
        ("50M", 50 * 10**6),
        ("1k", 1000),
        ("100m", Decimal("0.1")),
        ("1u", Decimal("1e-6")),
        ("1n", Decimal("1e-9")),
        ("0.1n", Decimal("1e-9")),
        ("-1.5", Decimal("-1.5")),
        ("+1", 1),
        ("007", 7),
        ("1.23456789012345678901234567890E", Decimal("1234567890123456789.012345679")),
    ],
)
def test_quantities(value: Any, number: Any) -> None:
    assert parse_quantity(value) == number


@pytest.mark.parametrize(
    "value",
    ["64MB", "64 Mi", " 64Mi", "64mi", "64K", "64ki", "Mi", "", ".", "1e", "1e1.5", "0x10", "1_000", "1,5Gi", "٣"],
)
def test_what_is_no_quantity(value: str) -> None:
    with pytest.raises(InputError, match="Kubernetes quantity"):
        parse_quantity(value)


@pytest.mark.parametrize("value", [True, None, [], {}, float("nan"), float("inf"), "9" * 65, "1e400"])
def test_what_is_no_quantity_in_other_types(value: Any) -> None:
    with pytest.raises(InputError, match="Kubernetes quantity"):
        parse_quantity(value)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        pytest.param("65536Ki", "64Mi", True, id="E09-size"),
        pytest.param("1000m", "1", True, id="E09-cpu"),
        pytest.param(0.5, "500m", True, id="E09-number"),
        pytest.param("64Mi", "64M", False, id="binary-and-decimal"),
        pytest.param("1", "1.000000001", False, id="finest-difference"),
    ],
)
def test_quantities_are_compared_by_value(first: Any, second: Any, same: bool) -> None:
    assert (parse_quantity(first) == parse_quantity(second)) is same


@given(st.integers(0, 10**12), st.sampled_from(["Ki", "Mi", "Gi", "Ti"]))
def test_binary_suffixes_are_powers_of_1024(number: int, suffix: str) -> None:
    power = ["Ki", "Mi", "Gi", "Ti"].index(suffix) + 1
    assert parse_quantity(f"{number}{suffix}") == number * 1024**power


@pytest.mark.parametrize(
    ("value", "written"),
    [("64Mi", "64Mi"), ("1.5Gi", "1.5Gi"), ("65536", "65536"), (67108864, "67108864"), ("50M", "50M")],
)
def test_b17_volume_sizes(value: Any, written: str) -> None:
    result = volume_size(value)
    assert result == written
    assert {type(result)} == {str}


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        ("64MB", "Write 64M or 64Mi."),
        ("64 MB", "Write 64M or 64Mi."),
        ("64 Mi", "Write 64Mi."),
        ("64mib", "Write 64Mi."),
        ("64gi", "Write 64Gi."),
        ("64K", "Write 64k or 64Ki."),
        ("1,5Gi", "Write 1.5Gi."),
        ("64m", "Write 64M or 64Mi."),
        ("much", "Write it as in 64Mi (binary), 64M (decimal) or 67108864 (bytes)."),
        ("0", "must be more than 0"),
        (0, "must be more than 0"),
        ("0Mi", "must be more than 0"),
        ("-64Mi", "must be more than 0"),
        ("9Ei", "more than Kubernetes can ask for"),
        ("", "is empty"),
        (None, "is empty"),
        (True, "is a boolean"),
    ],
)
def test_b17_wrong_sizes_are_refused_with_advice(value: Any, advice: str) -> None:
    with pytest.raises(InputError) as caught:
        volume_size(value, "volume_size of x")
    assert advice in caught.value.message
    assert caught.value.message.startswith("volume_size of x ")
