# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Errors and their results."""

from __future__ import annotations

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _errors
from ansible_collections.getporter.porter.plugins.module_utils._errors import ApiError, InputError, PorterError


def test_result_has_message_and_details() -> None:
    error = InputError("write this", job="j", log="l")
    assert error.as_result() == {"msg": "write this", "job": "j", "log": "l"}
    assert str(error) == error.message == "write this"


def test_api_error_tells_status_and_reason() -> None:
    error = ApiError(409, "AlreadyExists", "there is one", name="x")
    assert error.as_result() == {"msg": "there is one", "name": "x", "status": 409, "reason": "AlreadyExists"}


def test_result_is_a_copy() -> None:
    error = PorterError("m", key="v")
    error.as_result()["key"] = "changed"
    assert error.as_result()["key"] == "v"


@pytest.mark.parametrize(
    "name",
    [
        "InputError",
        "ApiError",
        "ConflictError",
        "UnreachableError",
        "CollisionError",
        "JobFailedError",
        "WaitTimeoutError",
    ],
)
def test_one_except_is_enough(name: str) -> None:
    assert issubclass(getattr(_errors, name), PorterError)
