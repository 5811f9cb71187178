# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Locks between processes, which end with the process that holds them."""

from __future__ import annotations

import fcntl
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

POLL_SECONDS = 0.05


@contextmanager
def cluster_lock(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock of one cluster; its file is gone afterwards.

    Args:
        path: the lock's file; its directory is made.
        waiting: called once, when another process holds the lock.
    """
    descriptor = _acquire(path, waiting)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)  # while it is held: see _acquire
        os.close(descriptor)


def _acquire(path: Path, waiting: Callable[[], None]) -> int:
    told = False
    while True:
        descriptor = _open(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not told:
                waiting()
                told = True
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if _is_open_at(descriptor, path):
            return descriptor
        # The holder before removed the file: what is locked now is not what others will open.
        os.close(descriptor)


def _open(path: Path) -> int:
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            continue  # the directory has just been removed by the end of another cluster


def _is_open_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


@contextmanager
def network_lock() -> Iterator[None]:
    """Hold the lock for choosing addresses on this machine.

    An abstract socket's name belongs to the network namespace, and so to exactly what is to be
    locked, whatever user or state directory the other cluster has; and it leaves no file.
    """
    holder = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    with holder:
        while True:
            try:
                holder.bind("\0getporter-porter-network")
                break
            except OSError:
                time.sleep(POLL_SECONDS)
        yield
