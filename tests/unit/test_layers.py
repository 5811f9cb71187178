# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The layers: who may import what, and who may end a module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
UTILS = ROOT / "plugins" / "module_utils"
MODULES = ROOT / "plugins" / "modules"
ADAPTER = "_api.py"
# Files that may do I/O, through the adapter. All other utils are pure.
WITH_IO = {
    ADAPTER,
    "_access_review.py",
    "_action_runner.py",
    "_action_runs.py",
    "_action_watch.py",
    "_agent_config_list.py",
    "_arguments.py",
    "_cluster_module.py",
    "_executor.py",
    "_job_watch.py",
    "_listener.py",
    "_listing.py",
    "_module.py",
    "_namespaces.py",
    "_observe.py",
    "_owner_lookup.py",
    "_ownership.py",
    "_preflight.py",
    "_pruning.py",
    "_releaser.py",
    "_steps.py",
    "_writing.py",
}
# Says what a module that Ansible ends shows of its arguments, and hands on to Ansible.
AROUND_EXITS = "_arguments.py"
OWN_UTILS = "ansible_collections.getporter.porter.plugins.module_utils."


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.py"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def named(path: Path, name: str) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr == name for node in ast.walk(ast.parse(path.read_text())))


def own_imports(path: Path) -> set[str]:
    return {name.removeprefix(OWN_UTILS).split(".")[0] + ".py" for name in imports(path) if name.startswith(OWN_UTILS)}


@pytest.mark.parametrize("path", files(ROOT / "plugins" / "module_utils") + files(MODULES), ids=lambda path: path.name)
def test_only_the_adapter_imports_the_kubernetes_libraries(path: Path) -> None:
    foreign = [
        name
        for name in imports(path)
        if name.split(".")[0] in ("kubernetes", "urllib3") or name.startswith("ansible_collections.kubernetes")
    ]
    assert bool(foreign) == (path.name == ADAPTER), foreign


@pytest.mark.parametrize(
    "path", [path for path in files(UTILS) if path.name != AROUND_EXITS], ids=lambda path: path.name
)
def test_utils_raise_and_only_modules_exit(path: Path) -> None:
    assert not named(path, "exit_json")
    assert not named(path, "fail_json")


@pytest.mark.parametrize("path", files(MODULES), ids=lambda path: path.name)
def test_a_module_exits_and_fails_in_one_place_each(path: Path) -> None:
    calls = [
        node.func.attr
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    assert calls.count("exit_json") == 1
    assert calls.count("fail_json") == 1


@pytest.mark.parametrize(
    "path", [path for path in files(UTILS) if path.name not in WITH_IO], ids=lambda path: path.name
)
def test_pure_files_import_pure_files_only(path: Path) -> None:
    assert not own_imports(path) & WITH_IO
    assert not {name.split(".")[0] for name in imports(path)} & {"ansible", "socket", "subprocess", "requests", "time"}


def test_every_util_is_private_by_name() -> None:
    assert [path.name for path in files(UTILS) if not path.name.startswith("_")] == []


def test_the_action_group_names_the_modules_with_connection_options() -> None:
    runtime = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text())
    group = {entry for entry in runtime["action_groups"]["porter"] if isinstance(entry, str)}
    connected = {path.stem for path in files(MODULES) if "kubernetes.core.k8s_auth_options" in path.read_text()}
    assert group == connected
