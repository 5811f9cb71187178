# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Kubernetes quantities: reading them, comparing them by value, and volume sizes.

This file is private to the collection: not a public interface.

The Porter Operator silently makes 64Mi of a size that it cannot read. Here it
is refused, with what to write instead.
"""

from __future__ import annotations

import re
from decimal import ROUND_UP, Context, Decimal
from typing import Any

from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._input import describe, is_blank, plain, yaml_word

_DECIMAL_SUFFIXES = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY_SUFFIXES = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}

_QUANTITY = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))([KMGTPE]i|[numkMGTPE]?|[eE][+-]?[0-9]{1,2})")
_NEARLY = re.compile(r"([0-9]+(?:[.,][0-9]+)?)\s*([kmgtpe])(i?)(?:b|byte|bytes)?", re.IGNORECASE)

_MAX_LENGTH = 64
_MAX_SIZE = 2**63 - 1
# Kubernetes keeps nothing finer than this and rounds up to it.
_FINEST = Decimal("1e-9")
_EXACT = Context(prec=200)


def parse_quantity(value: Any, what: str = "The quantity") -> Decimal:
    """Return the value of a Kubernetes quantity, such as 64Mi, 1.5Gi, 500m, 1e3 or a number.

    Equal quantities have one value, however they are written: 65536Ki is 64Mi.
    """
    written = _written(value, what)
    match = _QUANTITY.fullmatch(written) if len(written) <= _MAX_LENGTH else None
    if not match:
        raise InputError(f'{what} is not a Kubernetes quantity: "{written[:40]}".{_advice(written)}')
    number, suffix = Decimal(match.group(1)), match.group(2)
    if suffix in _BINARY_SUFFIXES:
        number = _EXACT.multiply(number, Decimal(2 ** _BINARY_SUFFIXES[suffix]))
    elif suffix in _DECIMAL_SUFFIXES:
        number = _EXACT.scaleb(number, _DECIMAL_SUFFIXES[suffix])
    else:
        number = _EXACT.scaleb(number, int(suffix[1:]))
    return number.quantize(_FINEST, rounding=ROUND_UP, context=_EXACT)


def volume_size(value: Any, what: str = "The volume size") -> str:
    """Return the text of a size for a volume claim: a quantity of at least one byte."""
    number = parse_quantity(value, what)
    written = _written(value, what)
    if number <= 0:
        raise InputError(f"{what} must be more than 0, not {written}. Write it as in 64Mi.")
    if number < 1:
        raise InputError(f"{what} must be at least one byte, not {written}.{_advice(written)}")
    if number > _MAX_SIZE:
        raise InputError(f"{what} is more than Kubernetes can ask for: {written}.")
    return written


def _written(value: Any, what: str) -> str:
    """Give the quantity as text; numbers are fine, Python's other ideas of a number are not."""
    value = plain(value)
    if is_blank(value) or isinstance(value, bool) or not isinstance(value, (str, int, float)):
        shown = "empty" if is_blank(value) else describe(value)
        raise InputError(f"{what} must be a Kubernetes quantity, as in 64Mi, but is {shown}.")
    return value if isinstance(value, str) else yaml_word(value)


def _advice(written: str) -> str:
    """Say what to write in place of sizes as other tools write them, such as 64MB or '64 Mi'."""
    match = _NEARLY.fullmatch(written.strip())
    if not match:
        return " Write it as in 64Mi (binary), 64M (decimal) or 67108864 (bytes)."
    number, letter, binary = match.group(1).replace(",", "."), match.group(2).upper(), match.group(3)
    if binary:
        return f" Write {number}{letter}i."
    return " Write {0}{1} or {0}{2}i.".format(number, "k" if letter == "K" else letter, letter)
