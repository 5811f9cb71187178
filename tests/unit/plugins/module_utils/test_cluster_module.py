# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What report and prune share: which namespaces, numbers of seconds, the one way to fail."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _api
from ansible_collections.getporter.porter.plugins.module_utils._cluster_module import (
    chosen_namespaces,
    refuse_missing,
    seconds,
)
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ApiError,
    InputError,
    MissingLibraryError,
    PorterError,
)
from ansible_collections.getporter.porter.plugins.module_utils._module import error_result


def module(**params: Any) -> Any:
    return SimpleNamespace(params=params)


@pytest.mark.parametrize(
    "named, chosen", [([], []), ([""], []), (["b", " a", "b"], ["a", "b"])], ids=["none", "blank", "some"]
)
def test_f04_each_namespace_once_and_a_blank_answer_names_none(named: list[str], chosen: list[str]) -> None:
    assert chosen_namespaces(module(namespaces=named)) == chosen


def test_g05_a_name_that_no_namespace_can_have_is_refused() -> None:
    with pytest.raises(InputError, match="porter_test"):
        chosen_namespaces(module(namespaces=["porter_test"]))


def test_seconds() -> None:
    assert seconds(module(grace=0), "grace") == 0
    with pytest.raises(InputError, match="grace is a number of seconds and cannot be less than 0, as -1 is"):
        seconds(module(grace=-1), "grace")


class Answers:
    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def get(self, resource: _api.Resource, name: str) -> Any:
        assert (resource, name) == (_api.NAMESPACES, "porter")
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


def test_a_namespace_that_is_not_there_is_refused_and_one_that_may_not_be_read_is_not() -> None:
    def ask(answer: Any) -> None:
        refuse_missing(Answers(answer), ["porter"])  # type: ignore[arg-type]

    ask({"metadata": {}})
    ask(ApiError(403, "Forbidden", "no"))
    with pytest.raises(InputError, match="There is no namespace porter"):
        ask(None)
    with pytest.raises(ApiError, match="broken"):
        ask(ApiError(500, "InternalError", "broken"))


def test_a_failure_keeps_what_was_done() -> None:
    assert error_result(PorterError("no", removed=[1])) == {"msg": "no", "removed": [1]}
    assert "kubernetes" in error_result(MissingLibraryError("kubernetes", "trace"))["msg"]
