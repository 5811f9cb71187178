# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The checks that Go brings along, for the programs of the images."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.images.build import SOURCE
from tools import go_build


@pytest.fixture(scope="module")
def go() -> str:
    """A Go command that will do for the module."""
    required = go_build.required_go(SOURCE)
    return str(go_build.find_go(required, go_build.cache_directory(), print))


def output(*command: str) -> str:
    env = {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local"}
    done = subprocess.run(command, cwd=SOURCE, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_go_vet_finds_nothing(go: str) -> None:
    output(go, "vet", "./...")


def test_go_tests_pass(go: str) -> None:
    # A run without tests would pass as well.
    assert "ok  \tgetporter.local/images/porter" in output(go, "test", "./...")


def test_go_sources_are_formatted(go: str) -> None:
    gofmt = Path(output(go, "env", "GOROOT").strip()) / "bin" / "gofmt"
    assert output(str(gofmt), "-l", ".") == ""
