# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The limit of inotify instances is raised once, and given back when the last cluster goes."""

from __future__ import annotations

from pathlib import Path

from tools.local_cluster.inotify import ENOUGH, raise_limit, restore_limit
from tools.local_cluster.paths import ClusterPaths


def test_a_low_limit_is_raised_noted_and_restored(tmp_path: Path) -> None:
    limit, note = tmp_path / "limit", tmp_path / "note"
    limit.write_text("128\n")
    said: list[str] = []
    raise_limit(note, said.append, limit)
    raise_limit(note, said.append, limit)
    assert limit.read_text() == f"{ENOUGH}\n"
    assert len(said) == 1
    assert "from 128 to" in said[0]
    restore_limit(note, limit)
    restore_limit(note, limit)
    assert limit.read_text() == "128\n"
    assert not note.exists()


def test_a_limit_that_is_high_enough_stays(tmp_path: Path) -> None:
    limit, note = tmp_path / "limit", tmp_path / "note"
    limit.write_text("4096\n")
    raise_limit(note, lambda _line: None, limit)
    restore_limit(note, limit)
    assert limit.read_text() == "4096\n"


def test_other_clusters_are_directories_beside(tmp_path: Path) -> None:
    paths = ClusterPaths(tmp_path / "clusters" / "a")
    assert paths.others() == []
    paths.directory.mkdir(parents=True)
    paths.lock.touch()
    paths.inotify_note.touch()
    assert paths.others() == []
    (tmp_path / "clusters" / "b").mkdir()
    assert paths.others() == [tmp_path / "clusters" / "b"]
