# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Storage that cannot be had is refused with what to write instead."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._manifests import plugin_claim, reserve
from ansible_collections.getporter.porter.plugins.module_utils._options import read_volume
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._storage import (
    check_storage,
    no_default_class,
    unlike_wanted,
)


def wanted(**option: Any) -> PluginVolume:
    shared = {"agent_config": "default", "namespace": "porter", "plugins": {"azure": {}}, "volume_size": "1Gi"}
    return read_volume({**shared, "agent": {"image": "i:1"}, **option})[0]


def storage_class(
    name: str, provisioner: str = "nfs.example", default: bool = False, made: str = "1"
) -> dict[str, Any]:
    annotations = {"storageclass.kubernetes.io/is-default-class": "true"} if default else None
    metadata = {"name": name, "annotations": annotations, "creationTimestamp": made}
    return {"metadata": metadata, "provisioner": provisioner}


def test_b13_an_unknown_class_is_answered_with_those_that_are_there() -> None:
    with pytest.raises(InputError, match=r"there is no storage class fsat\. There are: fast, slow\."):
        check_storage(wanted(storage_class="fsat"), [storage_class("slow"), storage_class("fast")])


def test_b13_without_a_default_the_classes_are_named() -> None:
    classes = [storage_class("slow"), storage_class("fast")]
    assert not check_storage(wanted(), classes)
    assert "one of: fast, slow." in no_default_class(wanted(), classes).message
    assert "one of: none." in no_default_class(wanted(), []).message


def test_b13_blank_is_the_default_class() -> None:
    assert check_storage(wanted(storage_class=" "), [storage_class("slow"), storage_class("fast", default=True)])


def test_b13_of_two_defaults_the_newer_counts() -> None:
    classes = [
        storage_class("new", "ebs.csi.aws.com", default=True, made="2026-02-01"),
        storage_class("old", default=True, made="2026-01-01"),
    ]
    with pytest.raises(InputError, match="storage class new"):
        check_storage(wanted(access_mode="ReadOnlyMany"), classes)


@pytest.mark.parametrize(
    "provisioner",
    ["disk.csi.azure.com", "ebs.csi.aws.com", "pd.csi.storage.gke.io", "rancher.io/local-path"],
    ids=["A06", "B05", "B06", "B07"],
)
@pytest.mark.parametrize("mode", ["ReadOnlyMany", "ReadWriteMany"])
def test_sharing_is_refused_where_the_class_cannot_do_it(provisioner: str, mode: str) -> None:
    classes = [storage_class("disk", provisioner, default=True)]
    with pytest.raises(InputError, match=f"provisioner {provisioner}"):
        check_storage(wanted(access_mode=mode), classes)
    assert check_storage(wanted(), classes)
    assert check_storage(wanted(access_mode="ReadWriteOnce"), classes)


def test_an_unknown_provisioner_is_given_the_benefit_of_the_doubt() -> None:
    assert check_storage(wanted(access_mode="ReadWriteMany"), [storage_class("files", default=True)])


def test_a_mode_on_request_is_on_volume_and_claim() -> None:
    behind = {
        "metadata": {"name": "pv", "resourceVersion": "7"},
        "spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}},
    }
    shared, kept = wanted(access_mode="ReadOnlyMany"), wanted()
    assert reserve(shared, behind)["spec"]["accessModes"] == ["ReadWriteOnce", "ReadOnlyMany"]
    assert plugin_claim(shared, behind)["spec"]["accessModes"] == ["ReadOnlyMany"]
    assert "accessModes" not in reserve(kept, behind)["spec"]
    assert plugin_claim(kept, behind)["spec"]["accessModes"] == ["ReadWriteOnce"]


def claim(size: str = "64Mi", storage_class: str = "fast", *modes: str) -> dict[str, Any]:
    return {
        "spec": {
            "accessModes": list(modes) or ["ReadWriteOnce"],
            "resources": {"requests": {"storage": size}},
            "storageClassName": storage_class,
        }
    }


@pytest.mark.parametrize(
    ("settings", "there", "differences"),
    [
        pytest.param({}, claim(), None, id="same"),
        pytest.param({}, None, None, id="no-claim"),
        pytest.param({"volume_size": "65536Ki"}, claim(), None, id="E09-same-size"),
        pytest.param({"volume_size": "50M"}, claim(), None, id="X08-smaller"),
        pytest.param({"volume_size": "65Mi"}, claim(), "size 64Mi in place of 65Mi", id="larger"),
        pytest.param({"storage_class": "fast"}, claim(), None, id="same-class"),
        pytest.param({"storage_class": "slow"}, claim(), "storage class fast in place of slow", id="class"),
        pytest.param({"storage_class": "slow"}, claim("64Mi", ""), "storage class none in place of slow", id="none"),
        pytest.param({"access_mode": "ReadWriteOnce"}, claim(), None, id="same-mode"),
        pytest.param(
            {"access_mode": "ReadOnlyMany", "storage_class": "slow"},
            claim("64Mi", "fast", "ReadWriteOnce", "ReadWriteMany"),
            "storage class fast in place of slow; access mode ReadWriteOnce, ReadWriteMany in place of ReadOnlyMany",
            id="class-and-mode",
        ),
        pytest.param({"storage_class": "slow", "refresh": True}, claim(), None, id="refresh"),
    ],
)
def test_b14_a_claim_that_is_not_as_wanted_is_warned_of(
    settings: dict[str, Any], there: dict[str, Any] | None, differences: str | None
) -> None:
    warning = unlike_wanted(wanted(**{"volume_size": "64Mi", **settings}), there)
    assert (warning or "").partition("as it was made: ")[2].partition(". ")[0] == (differences or "")
    assert bool(warning) == bool(differences)
