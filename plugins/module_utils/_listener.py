# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether somebody still waits for a module's end.

Private to the collection: not a public interface.

The task's own process holds a lock on the progress file as long as it lives, however it ends; and it removes the file
where ansible-playbook is gone before it.
"""

from __future__ import annotations

import fcntl
from pathlib import Path


class Listener:
    """Of a progress file; one that nobody had locked at the beginning needs no reader."""

    def __init__(self, path: str | None) -> None:
        self._path = Path(path) if path else None
        self._was_held = bool(path) and _is_held(Path(str(path)))

    def is_gone(self) -> bool:
        """Whether there was a reader, and is none any more; or the file was removed."""
        if not self._path:
            return False
        return not self._path.exists() or (self._was_held and not _is_held(self._path))


def _is_held(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
