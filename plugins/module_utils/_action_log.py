# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The log of an agent action: read piece by piece as it grows, and what Porter printed in it. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

import json
import re
from typing import Any, Sequence

# What is kept of a log, in characters; its beginning goes first.
MOST_CHARACTERS = 1 << 20
# 2026-11-30T12:00:00.123456789Z, or with an offset in place of Z, and a space; the fraction may be missing.
_STAMP = re.compile(r"(?P<second>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(?P<zone>Z|[+-]\d\d:\d\d) ")


class LogTail:
    """The part of one container's log that was read. It is asked for by whole seconds, so that pieces overlap."""

    def __init__(self) -> None:
        # The last whole second that lines were read of, and these lines with their times.
        self._second: str | None = None
        self._of_second: list[str] = []

    @property
    def since(self) -> str | None:
        """From when on the next piece is to be asked for; None: from the beginning."""
        return self._second

    def take(self, piece: str, is_last: bool) -> list[str]:
        """The lines of the piece that are new.

        One without an end is left for the next piece: more of it may come, or the API server cut the answer there. It
        is taken where the log has ended (``is_last``) and there is nothing else.
        """
        lines = piece.split("\n")
        known = self._of_second
        # An unfinished line is the last one known, if it was taken.
        overlap = len(known) if lines[: len(known)] == known else 0
        fresh, unfinished = lines[overlap:-1], lines[-1]
        if not fresh and is_last and unfinished and overlap < len(lines):
            fresh = [unfinished]
        for line in fresh:
            self._note(line)
        return [_STAMP.sub("", line, count=1) for line in fresh]

    def _note(self, line: str) -> None:
        stamp = _STAMP.match(line)
        second = stamp["second"] + stamp["zone"] if stamp else self._second
        if second != self._second:
            self._second, self._of_second = second, []
        self._of_second.append(line)


def asks_for_json(args: Sequence[str]) -> bool:
    """Whether the command is told to print JSON: -o json, -ojson, --output json or --output=json."""
    flags = [arg.lower() for arg in args]
    pairs = zip(flags, [*flags[1:], ""])
    return any(
        each in ("-ojson", "-o=json", "--output=json") or (each in ("-o", "--output") and after == "json")
        for each, after in pairs
    )


def json_in(lines: Sequence[str]) -> Any:
    """The JSON value that a command printed among other lines, the last where there are several; None for none.

    A pod's log mixes the value on standard output with what the agent says on standard error. A value begins a line.
    """
    text = "\n".join(lines)
    found, position = None, 0
    while position < len(text):
        end = None
        if text[position] in "[{":
            found, end = _decoded(text, position, found)
        # After a value, or else at the next line.
        following = text.find("\n", end or position)
        position = following + 1 if following >= 0 else len(text)
    return found


def _decoded(text: str, position: int, otherwise: Any) -> tuple[Any, int | None]:
    try:
        value, end = json.JSONDecoder().raw_decode(text, position)
    except (ValueError, RecursionError):
        return otherwise, None
    # More on its last line: it was none, but a line such as "[1] ...".
    return (value, end) if text[end : end + 1] in ("", "\n") else (otherwise, None)
