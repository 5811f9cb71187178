# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The errors of this collection.

This file is private to the collection: not a public interface.

Everything below the modules and filters raises one of these; only a module's
or filter's outermost function turns one into a result (``as_result``).
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Iterator


class PorterError(Exception):
    """A failure with a message for people and further keys for the result."""

    def __init__(self, message: str, **result: Any) -> None:
        super().__init__(message)
        self.message = message
        self.result: dict[str, Any] = dict(result)

    def as_result(self) -> dict[str, Any]:
        """Give the keyword arguments for ``fail_json``."""
        return {**self.result, "msg": self.message}


class InputError(PorterError):
    """What the user wrote cannot be used; the message says what to write instead."""


class ApiError(PorterError):
    """The Kubernetes API answered a request with an error status."""

    def __init__(
        self, status: int, reason: str, message: str, advice: str = "", details: Any = None, **result: Any
    ) -> None:
        super().__init__(message + advice, **result)
        self.status = status
        self.reason = reason
        # The message as the cluster words it, without our advice.
        self.words = message
        # The object and the fields that the error is about, where the cluster named them.
        self.details = details

    def as_result(self) -> dict[str, Any]:
        """Give the keyword arguments for ``fail_json``, with status and reason."""
        return {**super().as_result(), "status": self.status, "reason": self.reason}


class ConflictError(ApiError):
    """Someone else created, changed or deleted the same object first (409)."""


class MissingRightsError(PorterError):
    """The account lacks rights; the message holds the missing rules."""


class MissingLibraryError(PorterError):
    """A Python library that the module needs cannot be imported."""

    def __init__(self, library: str, import_traceback: str) -> None:
        super().__init__("The Python library %s cannot be imported." % library, exception=import_traceback)
        self.library = library


class UnreachableError(PorterError):
    """The Kubernetes API did not answer at all."""


class CollisionError(PorterError):
    """A plugin claim of the wanted name holds a different plugin set."""


class JobFailedError(PorterError):
    """A Job ended without success."""


class JobGoneError(PorterError):
    """A Job that was watched was deleted before its end."""


class CancelledError(PorterError):
    """Whoever started the module is gone, or asked it to stop."""


class WaitTimeoutError(PorterError):
    """Something that was waited for did not happen in time."""


@contextmanager
def tolerated() -> Iterator[None]:
    """What is within may fail. A cancellation is no failure of it, and goes on."""
    try:
        yield
    except CancelledError:
        raise
    except PorterError:
        pass
