# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The image of a pod's first container, which holds the pod's namespaces."""

from __future__ import annotations

from pathlib import Path

from ..image_archive import ImageFile, write_image_archive
from .configs import PAUSE_IMAGE


def write_pause_image(target: Path, program: Path) -> None:
    """Write the image as a docker-archive tar.

    Args:
        target: the tar.
        program: the static executable that is the image's one file.
    """
    write_image_archive(
        target,
        tag=PAUSE_IMAGE,
        files=[ImageFile("/pause", program)],
        entrypoint=["/pause"],
        user="65535:65535",
    )
