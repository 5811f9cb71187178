# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Removing a cluster's directory."""

from __future__ import annotations

import shutil
from pathlib import Path


def remove_tree(directory: Path) -> bool:
    """Remove a directory with all in it; return whether it was there."""
    try:
        shutil.rmtree(directory)
    except FileNotFoundError:
        return False
    return True


def remove_empty(*directories: Path) -> None:
    """Remove directories, one after another, as far as they are empty."""
    for directory in directories:
        try:
            directory.rmdir()
        except OSError:
            return
