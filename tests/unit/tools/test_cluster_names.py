# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Names and paths of a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.local_cluster import names
from tools.local_cluster.errors import ClusterError
from tools.local_cluster.paths import ClusterPaths


@pytest.mark.parametrize("name", ["porter", "a", "0", "it-a", "a" * 49])
def test_good_names(name: str) -> None:
    assert names.check_name(name) == name


@pytest.mark.parametrize("name", ["", "-a", "a-", "A", "a.b", "a_b", "../a", "a/b", "a\n", "a" * 50, "ä"])
def test_bad_names(name: str) -> None:
    with pytest.raises(ClusterError, match="is no name for a cluster"):
        names.check_name(name)


def test_an_interface_has_a_name_that_the_kernel_takes() -> None:
    assert len(names.interface(Path("/state") / ("a" * 49))) <= 15


def test_the_same_name_in_two_state_directories_is_two_clusters() -> None:
    one, two = Path("/one/porter"), Path("/two/porter")
    assert names.interface(one) != names.interface(two)
    assert names.cgroup("porter", one) != names.cgroup("porter", two)
    assert names.interface(one) == names.interface(Path("/one/porter"))


def test_state_is_where_xdg_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert ClusterPaths.of("a").directory == tmp_path / "getporter-porter" / "clusters" / "a"


@pytest.mark.parametrize("value", ["", "relative"])
def test_state_is_in_the_home_directory_by_default(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", value)
    monkeypatch.setenv("HOME", str(tmp_path))
    expected = tmp_path / ".local" / "state" / "getporter-porter" / "clusters" / "a"
    assert ClusterPaths.of("a").directory == expected


def test_the_lock_is_no_name_of_a_cluster_and_outside_its_directory(tmp_path: Path) -> None:
    paths = ClusterPaths(tmp_path / "a")
    assert paths.lock.parent == tmp_path
    with pytest.raises(ClusterError):
        names.check_name(paths.lock.name)
