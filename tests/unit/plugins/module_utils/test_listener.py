# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Whether somebody still waits for a module's end."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from ansible_collections.getporter.porter.plugins.module_utils._listener import Listener

HOLD = """
import fcntl, sys, time
stream = open(sys.argv[1])
fcntl.flock(stream, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)
"""


def test_f06_a_reader_that_is_killed_is_gone(tmp_path: Path) -> None:
    """F06: whatever ends it."""
    path = tmp_path / "progress"
    path.touch()
    reader = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE)
    assert reader.stdout
    reader.stdout.readline()
    listener = Listener(str(path))
    assert not listener.is_gone()
    reader.send_signal(signal.SIGKILL)
    reader.wait()
    reader.stdout.close()
    assert listener.is_gone()


def test_a_file_that_is_removed_has_no_reader(tmp_path: Path) -> None:
    path = tmp_path / "progress"
    path.touch()
    listener = Listener(str(path))
    assert not listener.is_gone()
    path.unlink()
    assert listener.is_gone()


def test_without_a_file_nobody_is_missed() -> None:
    assert not Listener(None).is_gone()
