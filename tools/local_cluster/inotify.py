# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The kernel's limit of inotify instances, which is one for all clusters of the machine.

A cluster holds some 20 instances and more for its pods. Kernels allow 128 to a user by default:
the kubelet of a third cluster would end with "too many open files".
"""

from __future__ import annotations

from pathlib import Path

from .driver import Say

LIMIT = Path("/proc/sys/fs/inotify/max_user_instances")
ENOUGH = 1024


def raise_limit(note: Path, say: Say, limit: Path = LIMIT) -> None:
    """Raise the limit where it is lower than enough, and note what it was.

    Args:
        note: the file for the earlier value.
        say: told of the change.
        limit: the kernel's setting.
    """
    before = int(limit.read_text(encoding="ascii"))
    if before >= ENOUGH:
        return
    note.write_text(f"{before}\n", encoding="ascii")
    limit.write_text(f"{ENOUGH}\n", encoding="ascii")
    say(f"raised fs.inotify.max_user_instances from {before} to {ENOUGH}, until the last cluster is removed")


def restore_limit(note: Path, limit: Path = LIMIT) -> None:
    """Give the limit its earlier value back, where one is noted."""
    if note.exists():
        limit.write_text(note.read_text(encoding="ascii"), encoding="ascii")
        note.unlink()
