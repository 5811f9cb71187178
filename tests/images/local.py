# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Run the stand-ins as processes of this machine, without any container."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.images.build import build_program

ANSWER_SECONDS = 30


@functools.cache
def _program(name: str) -> Path:
    return build_program(name)


@dataclass(frozen=True)
class Answer:
    """What an HTTP server answered."""

    status: int
    body: bytes


@dataclass(frozen=True)
class LocalFeed:
    """A running feed."""

    port: int

    @property
    def url(self) -> str:
        """The address of the feed, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def requests(self) -> dict[str, int]:
        """How often each path was asked for."""
        counts: dict[str, int] = json.loads(self.ask("/requests").body)
        return counts

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send one request; an error status is an answer like any other."""
        request = urllib.request.Request(  # noqa: S310 - always our own http address
            self.url + path, method=method, headers=dict(headers or {})
        )
        # No proxy of the environment may come between.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=ANSWER_SECONDS) as response:
                return Answer(response.status, response.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.read())


@contextlib.contextmanager
def running_feed() -> Iterator[LocalFeed]:
    """A feed on a free port of this machine, for as long as the block lasts."""
    command = [
        str(_program("feed")),
        *("-address", "127.0.0.1", "-port", "0"),
        *("-plugin", str(_program("plugin"))),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            yield LocalFeed(int(line.rpartition(":")[2]))
        finally:
            process.terminate()


@dataclass(frozen=True)
class LocalAgent:
    """The agent with a home and a configuration of its own below a directory."""

    directory: Path

    @property
    def home(self) -> Path:
        """What PORTER_HOME is set to."""
        return self.directory / "home"

    @property
    def config(self) -> Path:
        """What stands for /porter-config."""
        return self.directory / "config"

    @property
    def plugins(self) -> Path:
        """Where plugins are installed."""
        return self.home / "plugins"

    def prepare(self, *, copy: bool = False) -> None:
        """Make the directories and put the programs (or links to them) into the home."""
        self.config.mkdir(parents=True)
        self.home.mkdir()
        for name in ("agent", "porter"):
            if copy:
                shutil.copy(_program(name), self.home / name)
            else:
                (self.home / name).symlink_to(_program(name))

    def run(
        self, *arguments: str, env: Mapping[str, str] | None = None, user: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run the agent as its image does, with nothing of this environment."""
        settings = {"PORTER_HOME": str(self.home), "PORTER_CONFIG": str(self.config)}
        return subprocess.run(
            [str(self.home / "agent"), *arguments],
            env={**settings, **(env or {})},
            user=user,
            # The mode of new files must not depend on who runs this.
            umask=0o022,
            capture_output=True,
            text=True,
            check=False,
            timeout=ANSWER_SECONDS,
        )

    def install(
        self,
        document: str | Mapping[str, object],
        *flags: str,
        name: str = "plugins.json",
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Install from a plugins file that lies in the configuration."""
        return self.run("plugins", "install", "-f", self.put(name, document), *flags, env=env)

    def put(self, name: str, document: str | Mapping[str, object]) -> str:
        """Write a file into the configuration, and tell where the agent will copy it to."""
        text = document if isinstance(document, str) else json.dumps(document)
        (self.config / name).write_text(text)
        return str(self.home / name)

    def read(self, *arguments: str, env: Mapping[str, str] | None = None) -> Any:
        """Run a command that prints JSON, and parse that."""
        done = self.run(*arguments, "-o", "json", env=env)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def versions(self) -> dict[str, str]:
        """The installed plugins and their versions, as Porter lists them."""
        return {each["name"]: each["version"] for each in self.read("plugins", "list")}


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    """The one line with which a command failed, after the agent's own lines."""
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    command = max(i for i, line in enumerate(lines) if line.startswith("porter "))
    [error] = lines[command + 1 :]
    return error


def plugins_document(**plugins: Mapping[str, str]) -> dict[str, object]:
    """A plugins file in its documented form."""
    return {"schemaType": "Plugins", "schemaVersion": "1.0.0", "plugins": plugins}


def needs_other_user() -> int | None:
    """A user whom file modes stop: another one for root, else this one."""
    return 65532 if os.geteuid() == 0 else None
