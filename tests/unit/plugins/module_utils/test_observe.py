# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What is refused before an install begins, and what is left to the cluster's own answer."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _api
from ansible_collections.getporter.porter.plugins.module_utils._errors import ApiError, InputError
from ansible_collections.getporter.porter.plugins.module_utils._module import read_volume
from ansible_collections.getporter.porter.plugins.module_utils._observe import refuse_what_cannot_be

VOLUME = read_volume(
    {
        "agent_config": "default",
        "namespace": "porter",
        "plugins": {"azure": {}},
        "volume_size": "1Gi",
        "agent": {"image": "i:1"},
    }
)[0]
NAMESPACE = {"metadata": {"name": "porter"}}
DEFAULT_CLASS = {
    "metadata": {"name": "fast", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
    "provisioner": "x",
}
OTHER_CLASS = {"metadata": {"name": "slow"}, "provisioner": "x"}


def static_volume(phase: str, storage_class: str = "") -> dict[str, Any]:
    return {"metadata": {"name": "pv"}, "spec": {"storageClassName": storage_class}, "status": {"phase": phase}}


class Answers:
    """An API that answers with these objects; an exception in their place is raised."""

    def __init__(self, **answers: Any) -> None:
        usual = {"namespace": NAMESPACE, "classes": [DEFAULT_CLASS], "volumes": []}
        namespace, classes, volumes = {**usual, **answers}.values()
        self._answers = {_api.NAMESPACES: namespace, _api.STORAGE_CLASSES: classes, _api.VOLUMES: volumes}
        self.asked: list[str] = []

    def get(self, resource: _api.Resource, name: str) -> Any:
        assert name == "porter"
        return self._answer(resource)

    def list_all(self, resource: _api.Resource) -> Any:
        return self._answer(resource)

    def _answer(self, resource: _api.Resource) -> Any:
        self.asked.append(resource.plural)
        answer = self._answers[resource]
        if isinstance(answer, Exception):
            raise answer
        return answer


FORBIDDEN = ApiError(403, "Forbidden", "no")
BROKEN = ApiError(500, "InternalError", "broken")


def check(**answers: Any) -> Answers:
    api = Answers(**answers)
    refuse_what_cannot_be(api, [VOLUME])  # type: ignore[arg-type]
    return api


def test_where_all_is_there_nothing_is_refused() -> None:
    assert check().asked == ["namespaces", "storageclasses"]


def test_nothing_is_asked_when_nothing_is_to_be_installed() -> None:
    api = Answers()
    refuse_what_cannot_be(api, [])  # type: ignore[arg-type]
    assert api.asked == []


def test_e02_a_missing_namespace_is_refused_first() -> None:
    with pytest.raises(InputError, match="There is no namespace porter"):
        check(namespace=None, classes=BROKEN)


@pytest.mark.parametrize("what", ["namespace", "classes"])
def test_f07_what_may_not_be_read_is_passed_over(what: str) -> None:
    check(**{what: FORBIDDEN})


@pytest.mark.parametrize("what", ["namespace", "classes"])
def test_e07_an_answer_that_failed_is_no_answer(what: str) -> None:
    with pytest.raises(ApiError, match="broken"):
        check(**{what: BROKEN})


def test_b13_without_a_default_class_a_volume_without_class_serves() -> None:
    check(classes=[OTHER_CLASS], volumes=[static_volume("Available")])


@pytest.mark.parametrize(
    "volumes",
    [[], [static_volume("Bound")], [static_volume("Available", "slow")]],
    ids=["none", "bound", "of-a-class"],
)
def test_b13_without_a_default_class_and_such_a_volume_it_is_refused(volumes: Any) -> None:
    with pytest.raises(InputError, match=r"no default one\. Set the storage class to one of: slow"):
        check(classes=[OTHER_CLASS], volumes=volumes)
