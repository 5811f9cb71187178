# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Writing files that appear complete or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_file(path: Path, content: str | bytes, mode: int = 0o600, durable: bool = False) -> None:
    """Write a file, with its directories, in one step: readers see the old content or the new.

    Args:
        path: the file.
        content: text (written as UTF-8) or bytes.
        mode: permissions; nobody else may read it by default, as most files here hold keys.
        durable: whether to wait until the content is on the disk.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink()
        raise
