# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""RFC 6902, as much of it as the collection uses: test, add, remove. A path that is missing compares as null."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any


class DoesNotApplyError(Exception):
    """A test failed, or there is nothing at a path."""


def applied(document: Any, operations: Sequence[dict[str, Any]]) -> Any:
    """The document after all operations; the one that was given stays as it is."""
    result = copy.deepcopy(document)
    for operation in operations:
        parts = operation["path"].split("/")[1:]
        *parents, last = [part.replace("~1", "/").replace("~0", "~") for part in parts]
        place = result
        for part in parents:
            place = _at(place, part)
        _ACTIONS[operation["op"]](place, last, copy.deepcopy(operation.get("value")))
    return result


def _at(place: Any, part: str) -> Any:
    if isinstance(place, list):
        if not part.isdigit() or int(part) >= len(place):
            raise DoesNotApplyError(f"there is no item {part}")
        return place[int(part)]
    if part not in place:
        raise DoesNotApplyError(f"there is no {part}")
    return place[part]


def _test(place: Any, last: str, value: Any) -> None:
    found = place.get(last) if isinstance(place, dict) else _at(place, last)
    if found != value:
        raise DoesNotApplyError(f"{last} is {found}, not {value}")


def _add(place: Any, last: str, value: Any) -> None:
    if isinstance(place, dict):
        place[last] = value
    elif last == "-":
        place.append(value)
    else:
        raise NotImplementedError("adding in the middle of a list")


def _remove(place: Any, last: str, _value: Any) -> None:
    _at(place, last)
    place.pop(int(last) if isinstance(place, list) else last)


_ACTIONS = {"test": _test, "add": _add, "remove": _remove}
