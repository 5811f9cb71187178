# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Build the stand-in images: the Porter agent and a feed of plugins.

From the root of the repository: python -m tests.images.build --out DIR
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools import go_build, image_archive
from tools.image_archive import ImageDirectory, ImageFile, write_image_archive

Say = Callable[[str], None]

SOURCE = Path(__file__).resolve().parent
AGENT_IMAGE = "getporter.local/porter-agent:v1.6.1"
FEED_IMAGE = "getporter.local/plugin-feed:1"

PORTER_HOME = "/app/.porter"
NONROOT = 65532
# Root's group owns what the agent writes: a cluster may choose any user id.
OWNER = {"mode": 0o770, "uid": NONROOT, "gid": 0}

PASSWD = f"""\
root:x:0:0:root:/:/sbin/nologin
nonroot:x:{NONROOT}:{NONROOT}:nonroot:/home/nonroot:/sbin/nologin
"""
GROUP = f"""\
root:x:0:
nonroot:x:{NONROOT}:
"""


@dataclass(frozen=True)
class Image:
    """An image to be written: its archive's name and what goes in."""

    archive: str
    tag: str
    files: Sequence[ImageFile]
    directories: Sequence[ImageDirectory]
    entrypoint: Sequence[str]
    env: Mapping[str, str]
    workdir: str


def build_program(package: str, say: Say = print) -> Path:
    """Build one of the Go programs here (agent, porter, plugin, feed)."""
    return go_build.build(SOURCE, f"./{package}", name=f"stand-in-{package}", say=say)


def build_images(out: Path, say: Say = print) -> list[Path]:
    """Write the archives of all images into a directory, unless they are there."""
    images = [agent_image(say), feed_image(say)]
    return [_write(image, out, say) for image in images]


def agent_image(say: Say = print) -> Image:
    """Porter's agent: no shell, not root, a home that the user can write."""
    return Image(
        archive="porter-agent.tar",
        tag=AGENT_IMAGE,
        files=[
            ImageFile(f"{PORTER_HOME}/agent", build_program("agent", say), **OWNER),
            ImageFile(f"{PORTER_HOME}/porter", build_program("porter", say), **OWNER),
            *_accounts(),
        ],
        directories=[
            ImageDirectory("/app", **OWNER),
            ImageDirectory(PORTER_HOME, **OWNER),
            ImageDirectory(f"{PORTER_HOME}/plugins", **OWNER),
            ImageDirectory("/porter-config"),
            ImageDirectory("/home/nonroot", **OWNER),
            ImageDirectory("/tmp", mode=0o1777),  # noqa: S108 - a path of the image
        ],
        entrypoint=[f"{PORTER_HOME}/agent"],
        env={
            "HOME": "/home/nonroot",
            "PATH": f"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:{PORTER_HOME}",
            "PORTER_HOME": PORTER_HOME,
        },
        workdir="/app",
    )


def feed_image(say: Say = print) -> Image:
    """A server that publishes plugins."""
    return Image(
        archive="plugin-feed.tar",
        tag=FEED_IMAGE,
        files=[
            ImageFile("/feed", build_program("feed", say)),
            ImageFile("/plugin", build_program("plugin", say)),
            *_accounts(),
        ],
        directories=[],
        entrypoint=["/feed"],
        env={},
        workdir="/",
    )


def _accounts() -> list[ImageFile]:
    return [
        ImageFile("/etc/passwd", PASSWD.encode(), mode=0o644),
        ImageFile("/etc/group", GROUP.encode(), mode=0o644),
    ]


def _write(image: Image, out: Path, say: Say) -> Path:
    target = out / image.archive
    record = out / f"{image.archive}.inputs"
    inputs = _inputs(image)
    if target.exists() and record.exists() and record.read_text() == inputs:
        say(f"{image.tag} is in {target} already")
        return target
    # Without its record, an archive counts as unknown: a run that ends
    # between the two writes leaves nothing that looks finished.
    record.unlink(missing_ok=True)
    write_image_archive(
        target,
        tag=image.tag,
        files=image.files,
        directories=image.directories,
        entrypoint=image.entrypoint,
        user=f"{NONROOT}:0",
        env=image.env,
        workdir=image.workdir,
    )
    record.write_text(inputs)
    say(f"{image.tag} written to {target}")
    return target


def _inputs(image: Image) -> str:
    """A hash of everything that decides what is in an archive."""
    sha256 = hashlib.sha256(repr(image).encode())
    sources = [Path(__file__), Path(image_archive.__file__)]
    contents = [file.content for file in image.files]
    for path in [*sources, *(item for item in contents if isinstance(item, Path))]:
        sha256.update(hashlib.sha256(path.read_bytes()).digest())
    return sha256.hexdigest()


def main() -> None:
    """Build the images into a directory named on the command line."""
    parser = argparse.ArgumentParser(description="Build the stand-in images.")
    parser.add_argument("--out", type=Path, required=True, help="directory for the archives")
    for path in build_images(parser.parse_args().out):
        print(path)


if __name__ == "__main__":
    main()
