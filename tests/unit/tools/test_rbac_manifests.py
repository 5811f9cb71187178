# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The shipped RBAC manifests: as they are made from the table of rights, and read as a user's kubectl reads them."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import Any

import pytest
import yaml
from ansible_collections.getporter.porter.plugins.module_utils._rights import (
    CLUSTER_MANIFEST,
    NAMESPACE_MANIFEST,
    RIGHTS,
)

from tools.rbac_manifests import (
    ACCOUNT,
    ACCOUNT_MANIFEST,
    ACCOUNT_NAMESPACE,
    NAMESPACED_ONLY_MANIFEST,
    ROOT,
    manifests,
)

Key = tuple[str, str, str]


def shipped(path: str) -> list[dict[str, Any]]:
    content = yaml.safe_load((ROOT / path).read_text())
    return list(content["items"]) if content["kind"] == "List" else [content]


def granted(path: str) -> set[Key]:
    """Group, resource and verb of everything that the role in this file allows."""
    role = shipped(path)[0]
    return {
        (group, resource, verb)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def in_table(**such: bool) -> set[Key]:
    rows = [right for right in RIGHTS if all(getattr(right, key) == value for key, value in such.items())]
    return {(right.group, right.resource, verb) for right in rows for verb in right.verbs}


def test_the_files_are_those_made_from_the_table() -> None:
    """Make them anew with `make rbac`."""
    files = sorted((ROOT / "docs" / "rbac").iterdir())
    assert {str(path.relative_to(ROOT)): path.read_text() for path in files} == manifests()


def test_they_grant_what_the_table_says() -> None:
    assert granted(NAMESPACE_MANIFEST) == in_table(namespaced=True)
    assert granted(CLUSTER_MANIFEST) == in_table(namespaced=False)
    assert granted(NAMESPACED_ONLY_MANIFEST) == in_table(namespaced=True, without_volumes=True)


def test_no_file_gives_more_than_it_must() -> None:
    """No Secret is read, nothing is a wildcard, and of PersistentVolumes none is made or deleted."""
    everything = granted(NAMESPACE_MANIFEST) | granted(CLUSTER_MANIFEST) | granted(NAMESPACED_ONLY_MANIFEST)
    assert {verb for _group, resource, verb in everything if resource == "secrets"} == {"create"}
    assert not [key for key in everything if "*" in "".join(key)]
    assert {verb for _group, resource, verb in everything if resource == "persistentvolumes"} == {
        "get",
        "list",
        "patch",
    }


@pytest.mark.parametrize("path", [NAMESPACE_MANIFEST, CLUSTER_MANIFEST, NAMESPACED_ONLY_MANIFEST])
def test_each_role_is_bound_to_the_account(path: str) -> None:
    role, binding = shipped(path)
    assert binding["kind"] == f"{role['kind']}Binding"
    assert binding["roleRef"]["kind"] == role["kind"]
    assert binding["roleRef"]["name"] == role["metadata"]["name"]
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": ACCOUNT_NAMESPACE}]


def test_the_account_is_there_and_no_object_has_a_namespace_of_its_own() -> None:
    assert shipped(ACCOUNT_MANIFEST)[0]["metadata"] == {"name": ACCOUNT}
    for path in manifests():
        assert all("namespace" not in document["metadata"] for document in shipped(path))


def test_all_objects_can_be_applied_side_by_side() -> None:
    """As by kubectl apply -f docs/rbac: none overwrites another."""
    names = [(document["kind"], document["metadata"]["name"]) for path in manifests() for document in shipped(path)]
    assert len(names) == len(set(names))


def test_they_are_in_the_artifact() -> None:
    ignored = yaml.safe_load((ROOT / "galaxy.yml").read_text())["build_ignore"]
    for path in manifests():
        assert not [
            pattern for pattern in ignored if any(fnmatch(part, pattern) for part in ("docs", "docs/rbac", path))
        ]
