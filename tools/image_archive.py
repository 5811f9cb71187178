# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Write a container image as a docker-archive tar, without Docker.

The result has one layer and is made for `ctr images import`,
`kind load image-archive` and `docker load`. The same input always gives the
same bytes: no clock, no user names and no file order of the machine get in.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import platform
import posixpath
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

# An image has to carry a date; this one says "no date" and never changes.
CREATED = "1970-01-01T00:00:00Z"

# What Python calls a machine, in Go's (and so the image format's) terms.
GO_ARCHITECTURES = {
    "x86_64": "amd64",
    "amd64": "amd64",
    "aarch64": "arm64",
    "arm64": "arm64",
    "armv7l": "arm",
    "i686": "386",
}


@dataclass(frozen=True)
class ImageFile:
    """A regular file of the image; a Path as content is read from disk."""

    path: str
    content: bytes | Path
    mode: int = 0o755
    uid: int = 0
    gid: int = 0


@dataclass(frozen=True)
class ImageDirectory:
    """A directory of the image, for when its mode or owner matters."""

    path: str
    mode: int = 0o755
    uid: int = 0
    gid: int = 0


class ImageArchiveError(ValueError):
    """The wanted image cannot be written as described."""


def go_architecture() -> str:
    """The architecture of this machine as Go names it."""
    machine = platform.machine().lower()
    return GO_ARCHITECTURES.get(machine, machine)


def write_image_archive(
    target: Path,
    *,
    tag: str,
    files: Sequence[ImageFile],
    entrypoint: Sequence[str],
    cmd: Sequence[str] = (),
    user: str = "",
    env: Mapping[str, str] | None = None,
    workdir: str = "/",
    directories: Sequence[ImageDirectory] = (),
) -> None:
    """Write a one-layer image called `tag` to the file `target`.

    `target` appears complete or not at all. Parent directories of files and
    directories are added with mode 0755, owned by root.
    """
    if ":" not in tag.rpartition("/")[2]:
        raise ImageArchiveError(f"the image name {tag!r} has no tag")
    entries = _layer_entries(files, directories)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=target.parent) as layer:
        _write_layer(layer, entries)
        layer_digest = _digest(layer)
        config = _json_bytes(
            _image_config(
                layer_digest,
                entrypoint=entrypoint,
                cmd=cmd,
                user=user,
                env=env or {},
                workdir=workdir,
            )
        )
        config_name = f"{hashlib.sha256(config).hexdigest()}.json"
        layer_name = f"{layer_digest}/layer.tar"
        manifest = _json_bytes([{"Config": config_name, "RepoTags": [tag], "Layers": [layer_name]}])
        with _replacing(target) as out, _open_tar(out) as archive:
            _add_bytes(archive, config_name, config)
            _add_directory(archive, layer_digest)
            _add_stream(archive, layer_name, layer)
            _add_bytes(archive, "manifest.json", manifest)


def _layer_entries(
    files: Sequence[ImageFile], directories: Sequence[ImageDirectory]
) -> list[ImageFile | ImageDirectory]:
    """All entries of the layer, parents first, each path once."""
    entries: dict[str, ImageFile | ImageDirectory] = {}
    given: list[ImageFile | ImageDirectory] = [*directories, *files]
    for entry in given:
        name = _member_name(entry.path)
        if name in entries:
            raise ImageArchiveError(f"{entry.path} is in the image twice")
        entries[name] = entry
    for name in list(entries):
        for parent in _parents(name):
            if isinstance(entries.get(parent), ImageFile):
                raise ImageArchiveError(f"/{parent} is both a file and a directory")
            entries.setdefault(parent, ImageDirectory("/" + parent))
    return [entries[name] for name in sorted(entries)]


def _member_name(path: str) -> str:
    """The name inside the tar for an absolute path of the image."""
    name = path.removeprefix("/")
    if not path.startswith("/") or not name or posixpath.normpath(name) != name:
        raise ImageArchiveError(f"{path!r} is not a plain absolute path")
    if name.split("/")[0] == "..":
        raise ImageArchiveError(f"{path!r} leads out of the image")
    return name


def _parents(name: str) -> list[str]:
    parts = name.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def _write_layer(out: IO[bytes], entries: Sequence[ImageFile | ImageDirectory]) -> None:
    with _open_tar(out) as layer:
        for entry in entries:
            owner = {"mode": entry.mode, "uid": entry.uid, "gid": entry.gid}
            name = _member_name(entry.path)
            if isinstance(entry, ImageDirectory):
                _add_directory(layer, name, **owner)
            elif isinstance(entry.content, bytes):
                _add_bytes(layer, name, entry.content, **owner)
            else:
                with entry.content.open("rb") as content:
                    _add_stream(layer, name, content, **owner)


def _image_config(
    layer_digest: str,
    *,
    entrypoint: Sequence[str],
    cmd: Sequence[str],
    user: str,
    env: Mapping[str, str],
    workdir: str,
) -> dict[str, Any]:
    return {
        "architecture": go_architecture(),
        "os": "linux",
        "created": CREATED,
        "config": {
            "User": user,
            "Env": [f"{name}={value}" for name, value in sorted(env.items())],
            "Entrypoint": list(entrypoint),
            "Cmd": list(cmd),
            "WorkingDir": workdir,
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer_digest}"]},
        "history": [{"created": CREATED, "created_by": "image_archive"}],
    }


def _json_bytes(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _digest(stream: IO[bytes]) -> str:
    """The SHA-256 of a whole stream, which is then at its end."""
    stream.seek(0)
    sha256 = hashlib.sha256()
    while block := stream.read(1 << 20):
        sha256.update(block)
    return sha256.hexdigest()


def _open_tar(out: IO[bytes]) -> tarfile.TarFile:
    return tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT)


def _member(name: str, *, mode: int, uid: int, gid: int) -> tarfile.TarInfo:
    # A new TarInfo has mtime 0 and no user or group names.
    member = tarfile.TarInfo(name)
    member.mode, member.uid, member.gid = mode, uid, gid
    return member


def _add_directory(
    archive: tarfile.TarFile,
    name: str,
    *,
    mode: int = 0o755,
    uid: int = 0,
    gid: int = 0,
) -> None:
    member = _member(name, mode=mode, uid=uid, gid=gid)
    member.type = tarfile.DIRTYPE
    archive.addfile(member)


def _add_bytes(
    archive: tarfile.TarFile,
    name: str,
    content: bytes,
    *,
    mode: int = 0o644,
    uid: int = 0,
    gid: int = 0,
) -> None:
    _add_stream(archive, name, io.BytesIO(content), mode=mode, uid=uid, gid=gid)


def _add_stream(
    archive: tarfile.TarFile,
    name: str,
    content: IO[bytes],
    *,
    mode: int = 0o644,
    uid: int = 0,
    gid: int = 0,
) -> None:
    member = _member(name, mode=mode, uid=uid, gid=gid)
    member.size = content.seek(0, io.SEEK_END)
    content.seek(0)
    archive.addfile(member, content)


@contextlib.contextmanager
def _replacing(target: Path) -> Iterator[IO[bytes]]:
    """A file that takes the place of `target` once it is complete."""
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as out:
        try:
            yield out
            out.flush()
            Path(out.name).chmod(0o644)
            Path(out.name).replace(target)
        except BaseException:
            Path(out.name).unlink()
            raise
