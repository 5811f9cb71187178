# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What is remembered of a cluster, and who a process is."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.local_cluster import cgroups, tree
from tools.local_cluster.errors import ClusterError
from tools.local_cluster.files import write_file
from tools.local_cluster.locks import cluster_lock
from tools.local_cluster.processes import ProcessIdentity, boot_identifier, start_time
from tools.local_cluster.record import Driver, Record, load
from tools.local_cluster.waiting import wait_for


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sleep", "60"])
    yield process
    process.kill()
    process.wait()


def test_a_process_is_itself(sleeper: subprocess.Popen[bytes]) -> None:
    identity = ProcessIdentity.of(sleeper.pid)
    assert identity.alive()
    assert identity.boot == boot_identifier()


@pytest.mark.parametrize("changed", [{"start": 1}, {"boot": "another"}, {"pid": 2**22 + 1}])
def test_another_process_is_not_it(changed: dict[str, object], sleeper: subprocess.Popen[bytes]) -> None:
    other = dataclasses.replace(ProcessIdentity.of(sleeper.pid), **changed)  # type: ignore[arg-type]
    assert not other.alive()
    other.kill(1)
    assert sleeper.poll() is None


def test_it_is_killed_and_waited_for(sleeper: subprocess.Popen[bytes]) -> None:
    identity = ProcessIdentity.of(sleeper.pid)
    assert identity.alive()

    identity.kill(10)

    assert not identity.alive()
    identity.kill(10)  # again is no error
    assert sleeper.wait() == -signal.SIGKILL


def test_what_cannot_be_killed_in_time_is_an_error(
    sleeper: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signal, "pidfd_send_signal", lambda *_: None)
    with pytest.raises(ClusterError, match="still there"):
        ProcessIdentity.of(sleeper.pid).kill(0.1)


def test_a_missing_process_has_no_identity() -> None:
    with pytest.raises(ClusterError, match="is gone"):
        ProcessIdentity.of(2**22 + 1)


@pytest.mark.parametrize("command", ["sleep", "a b", "a) S 1 (b", ")"])
def test_the_start_time_is_read_whatever_the_command_is_called(command: str, tmp_path: Path) -> None:
    fields = ["S", *(str(number) for number in range(4, 22)), "12345", "23"]
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "stat").write_text(f"7 ({command}) {' '.join(fields)}\n")
    assert start_time(7, tmp_path) == 12345


@pytest.mark.parametrize("state", ["Z", "X"])
def test_an_ended_process_is_none(state: str, tmp_path: Path) -> None:
    fields = [state, *(str(number) for number in range(4, 22)), "12345"]
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "stat").write_text(f"7 (name) {' '.join(fields)}\n")
    assert start_time(7, tmp_path) is None


def test_the_start_time_is_that_of_the_kernel(sleeper: subprocess.Popen[bytes]) -> None:
    started = start_time(sleeper.pid)
    assert started is not None
    seconds_ago = float(Path("/proc/uptime").read_text().split()[0]) - started / os.sysconf("SC_CLK_TCK")
    assert 0 <= seconds_ago < 30


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    record = Record(Driver.LOCAL, "/a/kubeconfig", True, ProcessIdentity(1, 2, "boot"), "10.213.0.2")
    record.save(tmp_path / "cluster.json")
    assert load(tmp_path / "cluster.json") == record


def test_a_record_needs_no_supervisor(tmp_path: Path) -> None:
    record = Record(Driver.KIND, "/a/kubeconfig")
    record.save(tmp_path / "cluster.json")
    assert load(tmp_path / "cluster.json") == record


def test_no_record_is_none(tmp_path: Path) -> None:
    assert load(tmp_path / "cluster.json") is None


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"driver": "other", "supervisor": null}'])
def test_a_broken_record_is_an_error(content: str, tmp_path: Path) -> None:
    (tmp_path / "cluster.json").write_text(content)
    with pytest.raises(ClusterError, match="is not the record of a cluster"):
        load(tmp_path / "cluster.json")


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    write_file(path, "old")
    with path.open() as reader:
        write_file(path, b"new", mode=0o640)
        assert reader.read() == "old"
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(path.parent.iterdir()) == [path]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_file(path, "old")
    with pytest.raises(TypeError):
        write_file(path, 1)  # type: ignore[arg-type]
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


HOLD = """
import sys, time
from pathlib import Path
from tools.local_cluster.locks import cluster_lock
with cluster_lock(Path(sys.argv[1]), lambda: None):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def hold(path: Path, seconds: float) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path), str(seconds)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_lock_is_waited_for_and_its_file_goes(tmp_path: Path) -> None:
    path = tmp_path / "clusters" / ".a.lock"
    told: list[bool] = []
    with hold(path, 0.5) as holder, cluster_lock(path, lambda: told.append(True)):
        holder.wait(5)
        assert path.exists()  # this process's own: the other has removed its file
    assert told == [True]
    assert not path.exists()


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / ".a.lock"
    with hold(path, 60) as holder:
        holder.kill()
        holder.wait()
    with cluster_lock(path, lambda: pytest.fail("nobody holds it")):
        assert path.exists()


def test_no_two_processes_have_the_lock(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from tools.local_cluster.locks import cluster_lock
directory = Path(sys.argv[1])
for _ in range(100):
    with cluster_lock(directory / "locks" / ".a.lock", lambda: None):
        (directory / "inside").mkdir()
        (directory / "inside").rmdir()
"""
    racing = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stderr=subprocess.PIPE, text=True)
        for _number in range(4)
    ]
    assert [(process.communicate()[1], process.returncode) for process in racing] == [("", 0)] * 4


def test_waiting_ends_when_the_condition_holds() -> None:
    answers = iter([False, False, True])
    checks: list[bool] = []
    wait_for("it", lambda: next(answers), timeout=5, check=lambda: checks.append(True))
    assert len(checks) == 2


def test_waiting_ends_with_the_time() -> None:
    with pytest.raises(ClusterError, match="after 0 s still waiting: it"):
        wait_for("it", lambda: False, timeout=0)


def test_waiting_ends_with_the_hope() -> None:
    def check() -> None:
        raise ClusterError("no hope")

    with pytest.raises(ClusterError, match="no hope"):
        wait_for("it", lambda: False, timeout=60, check=check)


def version_1(mount: Path) -> list[Path]:
    controllers = [mount / "cpuset", mount / "memory"]
    for each in controllers:
        each.mkdir(parents=True)
        (each / "cgroup.procs").touch()
    (mount / "cpuset" / "cpuset.cpus").write_text("0-1\n")
    (mount / "alias").symlink_to("memory")
    (mount / "no-controller").mkdir()
    return controllers


def test_the_hierarchies_of_version_1(tmp_path: Path) -> None:
    assert cgroups.hierarchies(tmp_path) == [] != version_1(tmp_path)
    assert cgroups.hierarchies(tmp_path) == [tmp_path / "cpuset", tmp_path / "memory"]


def test_the_hierarchy_of_version_2(tmp_path: Path) -> None:
    version_1(tmp_path)
    (tmp_path / "cgroup.procs").touch()
    assert cgroups.hierarchies(tmp_path) == [tmp_path]


def test_a_control_group_is_made_and_removed_everywhere(tmp_path: Path) -> None:
    controllers = version_1(tmp_path)
    cgroups.create("group", tmp_path)
    assert all((each / "group" / "system").is_dir() for each in controllers)
    (controllers[1] / "group" / "kubepods" / "pod1").mkdir(parents=True)

    cgroups.remove("group", 0, tmp_path)

    assert not any((each / "group").exists() for each in controllers)
    cgroups.remove("group", 0, tmp_path)  # again is no error


def test_a_control_group_that_stays_is_an_error(tmp_path: Path) -> None:
    controllers = version_1(tmp_path)
    cgroups.create("group", tmp_path)
    (controllers[0] / "group" / "stubborn").touch()
    with pytest.raises(ClusterError, match="cannot remove the control group"):
        cgroups.remove("group", 0.05, tmp_path)


def test_processes_enter_the_group_of_the_system(tmp_path: Path) -> None:
    controllers = version_1(tmp_path)
    cgroups.create("group", tmp_path)
    cgroups.enter("group", [42], tmp_path)
    assert all((each / "group" / "system" / "cgroup.procs").read_text() == "42" for each in controllers)


def test_a_tree_is_removed(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert tree.remove_tree(tmp_path / "a")
    assert not tree.remove_tree(tmp_path / "a")


def test_only_empty_directories_are_removed(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "file").touch()
    tree.remove_empty(tmp_path / "a" / "b", tmp_path / "a", tmp_path)
    assert not (tmp_path / "a" / "b").exists()
    assert (tmp_path / "a" / "file").exists()
