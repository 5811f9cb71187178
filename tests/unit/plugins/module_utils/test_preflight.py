# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What is refused before an install begins, and what is left to the cluster's own answer."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _api
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ApiError,
    InputError,
    MissingRightsError,
)
from ansible_collections.getporter.porter.plugins.module_utils._life import Observed
from ansible_collections.getporter.porter.plugins.module_utils._manifests import staging_claim
from ansible_collections.getporter.porter.plugins.module_utils._observe import observe
from ansible_collections.getporter.porter.plugins.module_utils._options import read_volume
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._preflight import refuse_what_cannot_be

from tests.unit.plugins.fake_cluster import FakeApi, FakeCluster


def wanted(**more: Any) -> PluginVolume:
    option = {
        "agent_config": "default",
        "namespace": "porter",
        "plugins": {"azure": {}},
        "volume_size": "1Gi",
        "agent": {"image": "i:1"},
        **more,
    }
    return read_volume(option)[0]


VOLUME = wanted()
NAMESPACE = {"metadata": {"name": "porter"}}
DEFAULT_CLASS = {
    "metadata": {"name": "fast", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
    "provisioner": "x",
}
OTHER_CLASS = {"metadata": {"name": "slow"}, "provisioner": "x"}


def static_volume(phase: str, storage_class: str = "") -> dict[str, Any]:
    return {"metadata": {"name": "pv"}, "spec": {"storageClassName": storage_class}, "status": {"phase": phase}}


class Answers:
    """An API that answers with these objects; an exception in their place is raised.

    ``allowed`` answers every access review, or is the set of those resources that anything may be done to.
    """

    def __init__(self, **answers: Any) -> None:
        usual = {"namespace": NAMESPACE, "classes": [DEFAULT_CLASS], "volumes": [], "allowed": True}
        given = {**usual, **answers}
        self._answers = {
            _api.NAMESPACES: given["namespace"],
            _api.STORAGE_CLASSES: given["classes"],
            _api.VOLUMES: given["volumes"],
            _api.ACCESS_REVIEWS: given["allowed"],
        }
        # Each kind of thing that was asked about, in the order of first questions; and how many reviews there were.
        self.asked: list[str] = []
        self.reviews = 0

    def create(self, resource: _api.Resource, body: Any) -> Any:
        self.reviews += 1
        allowed = self._answer(resource)
        what = body["spec"]["resourceAttributes"]["resource"]
        return {"status": {"allowed": what in allowed if isinstance(allowed, set) else allowed}}

    def get(self, resource: _api.Resource, name: str) -> Any:
        assert name == "porter"
        return self._answer(resource)

    def list_all(self, resource: _api.Resource) -> Any:
        return self._answer(resource)

    def _answer(self, resource: _api.Resource) -> Any:
        if resource.plural not in self.asked:
            self.asked.append(resource.plural)
        answer = self._answers[resource]
        if isinstance(answer, Exception):
            raise answer
        return answer


FORBIDDEN = ApiError(403, "Forbidden", "no")
BOTH_MANIFESTS = (
    "docs/rbac/namespace.yml and docs/rbac/cluster.yml of the collection getporter.porter hold all rules that it needs."
)
BROKEN = ApiError(500, "InternalError", "broken")


BOUND = {
    "metadata": {"name": VOLUME.identity.claim, "uid": "c", "namespace": "porter", "annotations": {}},
    "spec": {"volumeName": "pv"},
    "status": {"phase": "Bound"},
}
READY = Observed(
    claim=BOUND,
    volumes=(
        {
            "metadata": {"name": "pv", "annotations": {}},
            "spec": {"claimRef": {"uid": "c"}, "persistentVolumeReclaimPolicy": "Delete"},
            "status": {"phase": "Bound"},
        },
    ),
)


def check(**answers: Any) -> Answers:
    return check_with(VOLUME, Observed(), **answers)


def check_with(volume: PluginVolume, seen: Observed, **answers: Any) -> Answers:
    api = Answers(**answers)
    refuse_what_cannot_be(api, [volume], {volume.key: seen})  # type: ignore[arg-type]
    return api


def test_where_all_is_there_nothing_is_refused() -> None:
    assert check().asked == ["namespaces", "selfsubjectaccessreviews", "storageclasses"]


def test_nothing_is_asked_when_nothing_is_to_be_installed() -> None:
    assert check_with(VOLUME, READY).asked == []


def test_a_refresh_is_an_install() -> None:
    assert check_with(wanted(refresh=True), READY).asked == ["namespaces", "selfsubjectaccessreviews", "storageclasses"]


def test_storage_that_is_there_already_is_not_looked_for() -> None:
    """B14: the class of a staging claim that exists may be gone."""
    staging = staging_claim(VOLUME, None)
    staging["metadata"]["uid"] = "s"
    assert check_with(VOLUME, Observed(staging=staging)).asked == ["namespaces", "selfsubjectaccessreviews"]


def test_every_right_is_asked_for_once() -> None:
    """One review for each verb and resource of the table, whatever the number of volumes."""
    api, other = Answers(), wanted(plugins={"kubernetes": {}})
    refuse_what_cannot_be(api, [VOLUME, other], {VOLUME.key: Observed(), other.key: Observed()})  # type: ignore[arg-type]
    assert api.reviews == 21


def test_f07_missing_rights_come_all_at_once_and_before_storage() -> None:
    others = {"persistentvolumeclaims", "configmaps", "jobs", "pods", "events"}
    with pytest.raises(MissingRightsError) as caught:
        check(allowed=others, classes=BROKEN)
    assert caught.value.message == "\n".join(
        (
            "The account may not do all that is needed, so nothing was begun.",
            "Missing in a Role of namespace porter:",
            "- {apiGroups: [''], resources: [secrets], verbs: [create]}",
            "Missing in a ClusterRole:",
            "- {apiGroups: [''], resources: [persistentvolumes], verbs: [get, list, patch]}",
            BOTH_MANIFESTS,
        )
    )


def test_where_access_reviews_are_refused_the_run_goes_on() -> None:
    assert check(allowed=FORBIDDEN).asked == ["namespaces", "selfsubjectaccessreviews", "storageclasses"]


def test_a_missing_namespace_is_told_apart_from_missing_rights() -> None:
    with pytest.raises(InputError, match="There is no namespace porter"):
        check(namespace=None, allowed=False)


def test_f07_a_list_that_is_refused_tells_of_all_rights_that_are_missing() -> None:
    """The very first request of a run."""
    api = FakeApi(FakeCluster())
    api.refuse = lambda what: what in ("list persistentvolumes", "patch persistentvolumes", "create jobs")
    with pytest.raises(ApiError) as caught:
        observe(api, [VOLUME])  # type: ignore[arg-type]
    assert caught.value.message.splitlines() == [
        "list persistentvolumes is forbidden",
        "Missing in a Role of namespace porter:",
        "- {apiGroups: [batch], resources: [jobs], verbs: [create]}",
        "Missing in a ClusterRole:",
        "- {apiGroups: [''], resources: [persistentvolumes], verbs: [list, patch]}",
        BOTH_MANIFESTS,
    ]
    assert caught.value.status == 403


def test_a_list_that_is_refused_for_another_reason_keeps_the_clusters_words() -> None:
    api = FakeApi(FakeCluster())

    def refuse_once(what: str) -> bool:
        api.refuse = lambda _what: False
        return what == "list jobs"

    api.refuse = refuse_once
    with pytest.raises(ApiError) as caught:
        observe(api, [VOLUME])  # type: ignore[arg-type]
    assert caught.value.message == "list jobs is forbidden"


def test_e02_a_missing_namespace_is_refused_first() -> None:
    with pytest.raises(InputError, match="There is no namespace porter"):
        check(namespace=None, classes=BROKEN)


@pytest.mark.parametrize("what", ["namespace", "classes"])
def test_f07_what_may_not_be_read_is_passed_over(what: str) -> None:
    check(**{what: FORBIDDEN})


@pytest.mark.parametrize("what", ["namespace", "classes", "allowed"])
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
