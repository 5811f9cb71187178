# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The two images: what they hold, and when they are written anew."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.images import build
from tools.image_archive import ImageDirectory, ImageFile


@pytest.fixture(scope="module")
def agent_image() -> build.Image:
    return build.agent_image(say=lambda _line: None)


def image_config(archive: Path) -> dict[str, Any]:
    """What `docker inspect` calls Config."""
    with tarfile.open(archive) as tar:
        manifest = tar.extractfile("manifest.json")
        assert manifest is not None
        config = tar.extractfile(json.load(manifest)[0]["Config"])
        assert config is not None
        found: dict[str, Any] = json.load(config)["config"]
    return found


def modes(image: build.Image) -> dict[str, tuple[int, int, int]]:
    entries: list[ImageFile | ImageDirectory] = [*image.files, *image.directories]
    return {entry.path: (entry.mode, entry.uid, entry.gid) for entry in entries}


def test_agent_owns_and_can_write_its_home(agent_image: build.Image) -> None:
    owned = (0o770, 65532, 0)
    expected = dict.fromkeys(["/app", "/app/.porter", "/app/.porter/agent", "/app/.porter/porter"], owned)
    assert expected.items() <= modes(agent_image).items()
    assert modes(agent_image)["/tmp"] == (0o1777, 0, 0)  # noqa: S108 - a path of the image


def test_agent_image_has_no_shell(agent_image: build.Image) -> None:
    # Nothing but Porter itself can be run, as in the real image.
    programs = [file.path for file in agent_image.files if file.mode & 0o111]
    assert programs == ["/app/.porter/agent", "/app/.porter/porter"]


def test_agent_finds_porter_on_its_path(agent_image: build.Image) -> None:
    assert agent_image.env["PATH"].endswith(":/app/.porter")
    assert agent_image.entrypoint == ["/app/.porter/agent"]


def test_archives_say_who_runs_the_images(tmp_path: Path) -> None:
    archives = build.build_images(tmp_path, say=lambda _line: None)
    configs = [image_config(archive) for archive in archives]
    # Numbers, so that a cluster can tell that the user is not root.
    assert [config["User"] for config in configs] == ["65532:0", "65532:0"]
    assert [config["Entrypoint"] for config in configs] == [["/app/.porter/agent"], ["/feed"]]
    assert "PORTER_HOME=/app/.porter" in configs[0]["Env"]


def test_programs_are_static(agent_image: build.Image) -> None:
    for name in ("agent", "porter", "plugin", "feed"):
        program = build.build_program(name).read_bytes()
        assert program.startswith(b"\x7fELF")
        # The images have no dynamic loader.
        assert b"/ld-linux" not in program, name


def test_plugin_program_is_small() -> None:
    # Every install downloads it twice for each plugin.
    assert build.build_program("plugin").stat().st_size < 3_000_000


def test_images_are_written_once(tmp_path: Path) -> None:
    lines: list[str] = []
    first = build.build_images(tmp_path, say=lines.append)
    assert [path.name for path in first] == ["porter-agent.tar", "plugin-feed.tar"]
    times = [path.stat().st_mtime_ns for path in first]
    assert build.build_images(tmp_path, say=lines.append) == first
    assert [path.stat().st_mtime_ns for path in first] == times
    assert sum("already" in line for line in lines) == len(first)


def test_archive_without_its_record_is_written_again(tmp_path: Path) -> None:
    [archive, _feed] = build.build_images(tmp_path, say=lambda _line: None)
    content = archive.read_bytes()
    archive.write_bytes(b"half")
    (tmp_path / f"{archive.name}.inputs").unlink()
    build.build_images(tmp_path, say=lambda _line: None)
    assert archive.read_bytes() == content


def test_changed_image_is_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [archive, _feed] = build.build_images(tmp_path, say=lambda _line: None)
    old = archive.read_bytes()
    monkeypatch.setattr(build, "AGENT_IMAGE", "getporter.local/porter-agent:v9")
    build.build_images(tmp_path, say=lambda _line: None)
    assert archive.read_bytes() != old
