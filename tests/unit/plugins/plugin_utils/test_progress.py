# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The lines that a waiting task shows."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from ansible_collections.getporter.porter.plugins.plugin_utils._progress import follow


def test_lines_are_shown_once_as_they_come_and_whole(tmp_path: Path) -> None:
    path, done = tmp_path / "lines", threading.Event()
    shown: list[str] = []
    path.touch()
    reader = threading.Thread(target=follow, args=(str(path), done, shown.append))
    reader.start()
    with path.open("a") as stream:
        stream.write("porter/default: scheduled\nporter/default: inst")
        stream.flush()
        deadline = time.monotonic() + 60
        while not shown and time.monotonic() < deadline:
            time.sleep(0.01)
        assert shown == ["porter/default: scheduled"]
        stream.write("alling azure\nhalf a line")
    done.set()
    reader.join(5)
    assert not reader.is_alive()
    assert shown == ["porter/default: scheduled", "porter/default: installing azure"]


def test_what_was_written_before_the_end_is_shown(tmp_path: Path) -> None:
    path, done = tmp_path / "lines", threading.Event()
    shown: list[str] = []
    path.write_text("a\nb\n")
    done.set()
    follow(str(path), done, shown.append)
    assert shown == ["a", "b"]


def test_f06_a_line_that_nobody_takes_ends_the_wait(tmp_path: Path) -> None:
    """F06: ansible-playbook was killed, so that lines have nowhere to go."""
    path = tmp_path / "lines"
    path.write_text("a\n")

    def refuse(_line: str) -> None:
        raise BrokenPipeError

    follow(str(path), threading.Event(), refuse)
    assert not path.exists()
