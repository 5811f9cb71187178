# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Where the role looks for files. There is no cluster: the closing table names what was found in them all the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
COLLECTION_PLAYBOOK = "getporter.porter.install_plugins"
PLAY = """\
- hosts: localhost
  connection: local
  gather_facts: false
  roles: [getporter.porter.porter_plugins]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder to run in, and below it a play; beside each of them lies a file."""
    (tmp_path / "plays").mkdir()
    (tmp_path / "plays" / "play.yml").write_text(PLAY)
    (tmp_path / "plays" / "beside.yaml").write_text("{name: beside, plugins: {}}")
    (tmp_path / "here.yaml").write_text("{name: here, plugins: {}}")
    return tmp_path


def run(folder: Path, playbook: str, files: str) -> str:
    without_connection = {name: value for name, value in os.environ.items() if not name.startswith(("K8S_", "KUBE"))}
    command = [str(Path(sys.executable).with_name("ansible-playbook")), playbook]
    done = subprocess.run(
        [*command, "-e", f"porter_plugins_agent_config_files={files}"],
        cwd=folder,
        env={**without_connection, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("playbook", "file", "config"),
    [
        (COLLECTION_PLAYBOOK, "here.yaml", "default/here"),
        ("plays/play.yml", "here.yaml", "default/here"),
        ("plays/play.yml", "beside.yaml", "default/beside"),
        (COLLECTION_PLAYBOOK, "~/here.yaml", "default/here"),
    ],
    ids=["where-it-runs", "where-it-runs-first", "beside-the-play", "home"],
)
def test_a_file_is_found(folder: Path, playbook: str, file: str, config: str) -> None:
    assert config in run(folder, playbook, file)


def test_a_file_that_is_nowhere_is_named(folder: Path) -> None:
    output = run(folder, "plays/play.yml", "there.yaml")
    assert "Unable to access the file 'there.yaml'" in output or "could not locate file in lookup: there.yaml" in output
    assert "CONFIG" not in output
