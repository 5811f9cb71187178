# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An action that shows a module's lines while it waits.

Private to the collection: not a public interface.

The module appends a line to a file at each change of phase; the action reads the file beside it,
in a thread, and prints. Nothing is started for that, and nothing outlives the module. It needs the
file on the controller, so it works for local connections, which is how clusters are managed;
elsewhere the module runs as any other and only its result is shown.
"""

from __future__ import annotations

import fcntl
import os
import signal
import tempfile
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Callable, Iterator

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

# Seconds between two looks into the file.
INTERVAL = 0.2


class ProgressAction(ActionBase):
    """Runs the module of its own name, with the lines shown."""

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        arguments = dict(self._task.args)
        with self._lines(arguments):
            result.update(
                self._execute_module(module_args=arguments, task_vars=task_vars, wrap_async=self._task.async_val)
            )
        return result

    @contextmanager
    def _lines(self, arguments: dict[str, Any]) -> Iterator[None]:
        """Show lines as long as the context lasts, where that can be done and is wanted."""
        if not self._can_follow(arguments):
            yield
            return
        show = _ignore if self._task.no_log else Display().display
        handle, path = tempfile.mkstemp(prefix="porter-progress-")
        # Held as long as this process lives, however it ends: so the module knows that somebody waits for it.
        fcntl.flock(handle, fcntl.LOCK_EX)
        arguments["progress_file"] = path
        done = threading.Event()
        reader = threading.Thread(target=follow, args=(path, done, show), daemon=True)
        # Signals are for the main thread. While that waits for the module, one that another thread took would be
        # acted upon only when the module ends.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        reader.start()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        try:
            yield
        finally:
            done.set()
            reader.join()
            _remove(path)
            os.close(handle)

    def _can_follow(self, arguments: dict[str, Any]) -> bool:
        context = self._task
        plain = not (context.check_mode or context.async_val or arguments.get("progress_file"))
        # Another user could not write to the file.
        return plain and self._connection.transport == "local" and not self._play_context.become


def follow(path: str, done: threading.Event, show: Callable[[str], Any]) -> None:
    """Show each whole line of the file, until ``done`` and the file is read to its end.

    Where ansible-playbook is killed, this process and the module's go on. Then the file is removed, which tells the
    module that nobody waits for it; so it is whatever else ends this, such as a line that nobody takes.
    """
    with suppress(OSError):
        if _show_to_the_end(path, done, show):
            return
    _remove(path)


def _show_to_the_end(path: str, done: threading.Event, show: Callable[[str], Any]) -> bool:
    """Whether the end was reached; not where the parent process was gone before."""
    begun = ""
    parent = os.getppid()
    with Path(path).open(encoding="utf-8") as stream:
        while os.getppid() == parent:
            # Asked before the read: what was written before ``done`` is then surely read.
            last = done.is_set()
            begun += stream.read()
            *lines, begun = begun.split("\n")
            for line in lines:
                show(line)
            if last:
                return True
            done.wait(INTERVAL)
    return False


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        Path(path).unlink()


def _ignore(line: str) -> None:
    """What is not to be logged is not shown either."""
