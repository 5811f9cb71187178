# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""When a task shows lines, and when its module learns that nobody waits any more."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.plugin_utils import _progress
from ansible_collections.getporter.porter.plugins.plugin_utils._progress import ProgressAction, follow


def test_f06_the_file_goes_when_the_parent_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F06: ansible-playbook was killed. The module sees that its file is gone."""
    path, shown = tmp_path / "lines", list[str]()
    path.write_text("one\n")
    parents = iter([11, 11, 1])
    monkeypatch.setattr(_progress, "INTERVAL", 0)
    monkeypatch.setattr(os, "getppid", lambda: next(parents))
    follow(str(path), threading.Event(), shown.append)
    assert not path.exists()
    assert shown == ["one"]


def test_the_file_stays_while_the_parent_lives(tmp_path: Path) -> None:
    path, done = tmp_path / "lines", threading.Event()
    path.write_text("one\n")
    follow(str(path), done, lambda _line: done.set())
    assert path.exists()


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    lines: list[str] = []
    monkeypatch.setattr(_progress, "Display", lambda: SimpleNamespace(display=lines.append))
    return lines


def action_of(**task: Any) -> ProgressAction:
    action = ProgressAction.__new__(ProgressAction)
    context: Any = {"no_log": False, "check_mode": False, "async_val": 0, **task}
    become, transport = context.pop("become", False), context.pop("transport", "local")
    action._task = SimpleNamespace(**context)
    action._connection = SimpleNamespace(transport=transport)
    action._play_context = SimpleNamespace(become=become)
    return action


@pytest.mark.parametrize(("no_log", "lines"), [(False, ["scheduled"]), (True, [])])
def test_nothing_is_shown_of_what_is_not_to_be_logged(no_log: bool, lines: list[str], displayed: list[str]) -> None:
    arguments: dict[str, Any] = {}
    with action_of(no_log=no_log)._lines(arguments):
        path = Path(arguments["progress_file"])
        # A task that is not to be logged can be cancelled all the same.
        assert path.exists()
        with path.open("a") as stream:
            stream.write("scheduled\n")
    assert displayed == lines
    assert not path.exists()


@pytest.mark.parametrize("task", [{"check_mode": True}, {"async_val": 60}, {"become": True}, {"transport": "ssh"}])
def test_where_lines_cannot_be_shown_the_module_gets_no_file(task: dict[str, Any], displayed: list[str]) -> None:
    arguments: dict[str, Any] = {}
    with action_of(**task)._lines(arguments):
        assert arguments == {}
    assert displayed == []


def test_a_file_of_ones_own_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.touch()
    arguments = {"progress_file": str(path)}
    with action_of()._lines(arguments):
        assert arguments == {"progress_file": str(path)}
    assert path.exists()


def test_f06_signals_are_left_to_the_main_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """F06: the thread that reads lines would take them and do nothing."""
    masks: list[set[int]] = []

    def look(*_arguments: Any) -> None:
        masks.append(set(signal.pthread_sigmask(signal.SIG_BLOCK, ())))

    monkeypatch.setattr(_progress, "follow", look)
    with action_of()._lines({}):
        mine = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    (theirs,) = masks
    assert {signal.SIGINT, signal.SIGTERM, signal.SIGHUP} <= theirs
    assert not {signal.SIGINT, signal.SIGTERM, signal.SIGHUP} & set(mine)


def test_a_file_that_somebody_removed_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments, shown = dict[str, Any](), threading.Event()
    monkeypatch.setattr(_progress, "Display", lambda: SimpleNamespace(display=lambda _line: shown.set()))
    with action_of()._lines(arguments):
        path = Path(arguments["progress_file"])
        path.write_text("scheduled\n")
        assert shown.wait(60)
        path.unlink()
