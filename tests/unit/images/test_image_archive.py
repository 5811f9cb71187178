# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Archives of images: what is in them, and that nothing else decides it."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tools import image_archive
from tools.image_archive import (
    ImageArchiveError,
    ImageDirectory,
    ImageFile,
    write_image_archive,
)

TAG = "getporter.local/sample:1"
FILES = [
    ImageFile("/app/deep/tool", b"program", mode=0o770, uid=7, gid=8),
    ImageFile("/etc/text", b"text", mode=0o644),
]
DIRECTORIES = [ImageDirectory("/app", mode=0o1777, uid=7)]


def write(
    target: Path,
    files: Sequence[ImageFile] | None = None,
    directories: Sequence[ImageDirectory] | None = None,
    **other: Any,
) -> Path:
    settings = {"tag": TAG, "entrypoint": ["/app/deep/tool"], **other}
    write_image_archive(
        target,
        files=FILES if files is None else files,
        directories=DIRECTORIES if directories is None else directories,
        **settings,
    )
    return target


def read_json(archive: tarfile.TarFile, name: str) -> Any:
    member = archive.extractfile(name)
    assert member is not None
    return json.load(member)


def manifest_and_config(target: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    with tarfile.open(target) as archive:
        [manifest] = read_json(archive, "manifest.json")
        return manifest, read_json(archive, manifest["Config"])


def layer_bytes(target: Path) -> bytes:
    manifest, _config = manifest_and_config(target)
    with tarfile.open(target) as archive:
        member = archive.extractfile(manifest["Layers"][0])
        assert member is not None
        return member.read()


def layer_members(target: Path) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(layer_bytes(target))) as layer:
        return {member.name: member for member in layer.getmembers()}


def test_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    first = write(tmp_path / "a.tar", env={"A": "1", "B": "2"})
    second = write(tmp_path / "b.tar", files=FILES[::-1], env={"B": "2", "A": "1"})
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        {"user": "1"},
        {"cmd": ["x"]},
        {"env": {"A": "1"}},
        {"workdir": "/app"},
        {"tag": "getporter.local/sample:2"},
        {"entrypoint": ["/etc/text"]},
        {"directories": []},
        {"files": FILES[:1]},
    ],
    ids=lambda change: next(iter(change)),
)
def test_other_input_gives_other_bytes(tmp_path: Path, change: dict[str, Any]) -> None:
    plain = write(tmp_path / "a.tar").read_bytes()
    assert write(tmp_path / "b.tar", **change).read_bytes() != plain


def test_config_says_how_to_run_the_image(tmp_path: Path) -> None:
    target = write(
        tmp_path / "a.tar",
        cmd=["serve"],
        user="65532:0",
        env={"B": "2", "A": "1"},
        workdir="/app",
    )
    manifest, config = manifest_and_config(target)
    assert manifest["RepoTags"] == [TAG]
    assert config["os"] == "linux"
    assert config["architecture"] == image_archive.go_architecture()
    assert config["config"] == {
        "Entrypoint": ["/app/deep/tool"],
        "Cmd": ["serve"],
        "User": "65532:0",
        "Env": ["A=1", "B=2"],
        "WorkingDir": "/app",
    }


def test_digests_are_those_of_the_content(tmp_path: Path) -> None:
    target = write(tmp_path / "a.tar")
    manifest, config = manifest_and_config(target)
    layer = hashlib.sha256(layer_bytes(target)).hexdigest()
    assert config["rootfs"] == {"type": "layers", "diff_ids": [f"sha256:{layer}"]}
    with tarfile.open(target) as archive:
        member = archive.extractfile(manifest["Config"])
        assert member is not None
        config_digest = hashlib.sha256(member.read()).hexdigest()
    assert manifest["Config"] == f"{config_digest}.json"


def test_layer_has_files_and_directories_with_mode_and_owner(tmp_path: Path) -> None:
    members = layer_members(write(tmp_path / "a.tar"))
    facts = {name: (member.isdir(), member.mode, member.uid, member.gid) for name, member in members.items()}
    assert facts == {
        "app": (True, 0o1777, 7, 0),
        "app/deep": (True, 0o755, 0, 0),
        "app/deep/tool": (False, 0o770, 7, 8),
        "etc": (True, 0o755, 0, 0),
        "etc/text": (False, 0o644, 0, 0),
    }
    # Whoever unpacks in order needs every directory before what is in it.
    assert list(members) == sorted(members)
    assert {member.mtime for member in members.values()} == {0}
    assert {member.uname + member.gname for member in members.values()} == {""}


def test_content_can_come_from_a_file(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"from disk" * 1000)
    from_disk = write(tmp_path / "a.tar", files=[ImageFile("/f", source)])
    from_memory = write(tmp_path / "b.tar", files=[ImageFile("/f", source.read_bytes())])
    assert from_disk.read_bytes() == from_memory.read_bytes()


@pytest.mark.parametrize("path", ["relative", "/", "/a/../b", "/a//b", "/a/", "/../b", "//b"])
def test_paths_that_are_not_plain_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(ImageArchiveError, match=r"not a plain absolute path|leads out"):
        write(tmp_path / "a.tar", files=[ImageFile(path, b"")])
    assert list(tmp_path.iterdir()) == []


def test_a_path_cannot_be_there_twice(tmp_path: Path) -> None:
    with pytest.raises(ImageArchiveError, match="/app is in the image twice"):
        write(tmp_path / "a.tar", files=[ImageFile("/app", b"")])


def test_a_file_cannot_hold_others(tmp_path: Path) -> None:
    files = [ImageFile("/a", b""), ImageFile("/a/b", b"")]
    with pytest.raises(ImageArchiveError, match="/a is both a file and a directory"):
        write(tmp_path / "a.tar", files=files)


@pytest.mark.parametrize("tag", ["sample", "registry:5000/sample"])
def test_a_name_without_a_tag_is_refused(tmp_path: Path, tag: str) -> None:
    with pytest.raises(ImageArchiveError, match="has no tag"):
        write(tmp_path / "a.tar", tag=tag)


def test_a_failed_write_leaves_the_old_archive_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = write(tmp_path / "a.tar")
    old = target.read_bytes()

    def fail(*_arguments: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write(target, user="1")
    assert target.read_bytes() == old
    assert list(tmp_path.iterdir()) == [target]


def test_archive_can_be_read_by_others(tmp_path: Path) -> None:
    # A temporary file is private; the archive that it becomes must not be.
    assert write(tmp_path / "new" / "a.tar").stat().st_mode & 0o777 == 0o644
