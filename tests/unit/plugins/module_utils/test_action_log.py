# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The log of an agent action, read in overlapping pieces, and the JSON in it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._action_log import LogTail, asks_for_json, json_in
from hypothesis import given
from hypothesis import strategies as st

START = datetime(2026, 11, 30, 12, 59, 58, tzinfo=UTC)


class Log:
    """A container's log as the kubelet keeps it: times of lines, and the lines, the last maybe unfinished."""

    def __init__(self, lines: list[tuple[int, str]], zone: timedelta, digits: list[int], unfinished: bool) -> None:
        self.moments: list[str] = []
        self.entries: list[str] = []
        self.words = [words for _gap, words in lines]
        at = 0
        for number, (gap, words) in enumerate(lines):
            # Nanoseconds; each line has its own.
            at += gap + 1
            moment = START + timedelta(seconds=at // 10**9)
            fraction = f"{at % 10**9:09d}"
            if digits[number % len(digits)]:
                fraction = fraction.rstrip("0")
            stamp = (
                (moment + zone).strftime("%Y-%m-%dT%H:%M:%S") + ("." + fraction if fraction else "") + zone_text(zone)
            )
            self.moments.append(moment.strftime("%Y-%m-%dT%H:%M:%S"))
            self.entries.append(f"{stamp} {words}\n")
        if unfinished and self.entries:
            self.entries[-1] = self.entries[-1][:-1]

    def since(self, since: str | None, until: int, most: int | None = None) -> str:
        """What the API answers when so many characters are written."""
        text, beginning = "".join(self.entries)[:until], 0
        if since is not None:
            second = datetime.fromisoformat(since.replace("Z", "+00:00")).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
            before = [entry for entry, moment in zip(self.entries, self.moments, strict=True) if moment < second]
            beginning = len("".join(before))
        return text[beginning:][:most]


def zone_text(zone: timedelta) -> str:
    minutes = int(zone.total_seconds() // 60)
    return "Z" if not minutes else f"{'+' if minutes > 0 else '-'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=12)
LOGS = st.builds(
    Log,
    st.lists(st.tuples(st.sampled_from([0, 1, 5 * 10**8, 10**9 - 1, 10**9, 3 * 10**9]), WORDS), max_size=12),
    st.sampled_from([timedelta(0), timedelta(hours=2), timedelta(hours=-3, minutes=-30)]),
    st.lists(st.integers(0, 1), min_size=1, max_size=3),
    st.booleans(),
)


def to_the_end(tail: LogTail, log: Log, size: int, most: int | None = None) -> list[str]:
    """As a watch reads a container that has ended: until nothing new comes."""
    shown: list[str] = []
    while True:
        lines = tail.take(log.since(tail.since, size, most), is_last=True)
        if not lines:
            return shown
        shown += lines


@given(LOGS, st.lists(st.integers(0, 600), max_size=6))
def test_lines_come_once_each_and_in_order_however_the_log_is_cut(log: Log, looks: list[int]) -> None:
    tail, shown = LogTail(), list[str]()
    size = len("".join(log.entries))
    for until in sorted(min(look, size) for look in looks):
        shown += tail.take(log.since(tail.since, until), is_last=False)
        assert shown == log.words[: len(shown)]
    shown += to_the_end(tail, log, size)
    # An unfinished line with nothing on it is none.
    assert shown == log.words


@given(LOGS, st.integers(0, 60))
def test_a_long_log_that_comes_in_limited_pieces(log: Log, more: int) -> None:
    """The API server cuts an answer after so many bytes, in the midst of a line. A second's lines fit."""
    most = more + max(
        (len(log.since(moment + "Z", 10**6)) and of_second(log, moment) for moment in log.moments), default=0
    )
    shown = to_the_end(LogTail(), log, len("".join(log.entries)), most or None)
    assert shown == log.words


def of_second(log: Log, second: str) -> int:
    """The characters of a second's lines and the line after it."""
    entries = [len(entry) for entry, moment in zip(log.entries, log.moments, strict=True) if moment == second]
    later = [len(entry) for entry, moment in zip(log.entries, log.moments, strict=True) if moment > second]
    return sum(entries) + sum(later[:1])


def test_an_unfinished_line_waits_for_its_end() -> None:
    tail = LogTail()
    assert tail.take("2026-11-30T12:00:00.1Z a\n2026-11-30T12:00:00.2Z b", is_last=False) == ["a"]
    assert tail.since == "2026-11-30T12:00:00Z"
    assert tail.take("2026-11-30T12:00:00.1Z a\n2026-11-30T12:00:00.2Z bc\n", is_last=False) == ["bc"]


def test_nothing_is_asked_for_from_the_beginning() -> None:
    tail = LogTail()
    assert (tail.since, tail.take("", is_last=True), tail.since) == (None, [], None)


def test_what_looks_like_a_time_within_a_line_stays() -> None:
    line = "2026-11-30T12:00:00Z 2026-11-30T12:00:00Z started\n"
    assert LogTail().take(line, is_last=False) == ["2026-11-30T12:00:00Z started"]


@pytest.mark.parametrize(
    ("args", "asks"),
    [
        (["plugins", "list", "-o", "json"], True),
        (["plugins", "list", "-ojson"], True),
        (["plugins", "list", "-o=json"], True),
        (["plugins", "list", "--output", "json"], True),
        (["plugins", "list", "--output=JSON"], True),
        (["plugins", "list"], False),
        (["plugins", "list", "-o", "yaml"], False),
        (["plugins", "list", "json"], False),
        (["plugins", "list", "-o"], False),
        (["show", "json", "-o", "plaintext"], False),
    ],
)
def test_who_asks_for_json(args: list[str], asks: bool) -> None:
    assert asks_for_json(args) is asks


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
).filter(lambda value: isinstance(value, (dict, list)))
# What the agent and Porter say beside it.
TALK = st.lists(
    st.sampled_from(
        [
            "porter version v1.6.1",
            "porter plugins list -o json",
            "[1] a note",
            "{not json",
            "",
            "  }",
            "]]",
            "{}x",
            "ü",
        ]
    ),
    max_size=4,
)


@given(JSON, TALK, TALK, st.sampled_from([None, 0, 2]))
def test_the_value_is_found_among_other_lines(
    value: Any, before: list[str], after: list[str], indent: int | None
) -> None:
    lines = [*before, *json.dumps(value, indent=indent).split("\n"), *after]
    assert json_in(lines) == value


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        ([], None),
        (["porter version v1"], None),
        (["{}", "[1]"], [1]),
        (['{"a": 1}', "[2] b"], {"a": 1}),
        (["x {}"], None),
        (["3"], None),
        (["[" * 100_000], None),
    ],
)
def test_the_last_value_that_begins_a_line(lines: list[str], value: Any) -> None:
    assert json_in(lines) == value
