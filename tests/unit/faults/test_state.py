# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Equal runs end in equal states, and unequal ones do not."""

from __future__ import annotations

import uuid
from typing import Any

from tests.faults.state import difference, end_state


def claim_and_volume(namespace: str, digits: str) -> tuple[dict[str, Any], dict[str, Any]]:
    uid, volume = str(uuid.uuid4()), f"pvc-{uuid.uuid4()}"
    claim = {
        "metadata": {
            "name": f"porter-{digits * 32}",
            "namespace": namespace,
            "uid": uid,
            "resourceVersion": digits,
            "creationTimestamp": digits,
            "labels": {"plugins": f"kubernetes_v1.0.1_{digits * 10}", "managed": "true"},
            "annotations": {"digest": digits * 64, "document": f"http://feed/channel/case-{digits}/atom.xml"},
            "deletionTimestamp": None,
        },
        "spec": {"volumeName": volume},
        "status": {"phase": "Bound"},
    }
    persistent = {
        "metadata": {"name": volume, "uid": str(uuid.uuid4())},
        "spec": {"claimRef": {"namespace": namespace, "name": claim["metadata"]["name"], "uid": uid}},  # type: ignore[index]
        "status": {"phase": "Bound"},
    }
    return claim, persistent


def state_of(namespace: str, digits: str, *pairs: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
    names = {namespace: "NAMESPACE", f"case-{digits}": "CHANNEL"}
    return end_state([claim for claim, _volume in pairs], [volume for _claim, volume in pairs], [], [], names)


def test_names_and_ids_do_not_matter() -> None:
    one = state_of("faults-1", "1", claim_and_volume("faults-1", "1"))
    other = state_of("faults-22", "2", claim_and_volume("faults-22", "2"))
    assert one == other
    assert one["claims"][0]["metadata"] == {
        "name": "porter-MD5",
        "namespace": "NAMESPACE",
        "labels": {"plugins": "kubernetes_v1.0.1_DIGITS", "managed": "true"},
        "annotations": {"digest": "SHA256", "document": "http://feed/channel/CHANNEL/atom.xml"},
    }
    assert one["volumes"][0]["owner"] == "the uid of porter-MD5"


def test_a_volume_that_is_bound_to_another_claim_of_the_name_is_told_apart() -> None:
    claim, volume = claim_and_volume("faults-1", "1")
    good = state_of("faults-1", "1", (claim, volume))
    volume["spec"]["claimRef"]["uid"] = str(uuid.uuid4())
    assert state_of("faults-1", "1", (claim, volume)) != good


def test_an_owner_that_is_another_object_of_the_name_is_told_apart() -> None:
    claim, volume = claim_and_volume("faults-1", "1")
    record = {"metadata": {"name": "record", "uid": str(uuid.uuid4())}, "data": {"lastChange": "now"}}
    claim["metadata"]["ownerReferences"] = [{"name": "record", "uid": record["metadata"]["uid"]}]
    good = end_state([claim], [volume], [record], [], {})
    assert good["claims"][0]["owners"] == [["record", "the uid of record"]]
    record["data"]["lastChange"] = "later"
    assert end_state([claim], [volume], [record], [], {}) == good
    claim["metadata"]["ownerReferences"][0]["uid"] = str(uuid.uuid4())
    assert end_state([claim], [volume], [record], [], {}) != good


def test_labels_phases_and_leftovers_matter() -> None:
    claim, volume = claim_and_volume("faults-1", "1")
    good = end_state([claim], [volume], [], [], {})
    assert end_state([claim], [volume], [], ["V1Job porter-1-install"], {}) != good
    volume["status"]["phase"] = "Released"
    assert end_state([claim], [volume], [], [], {}) != good
    volume["status"]["phase"] = "Bound"
    claim["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert end_state([claim], [volume], [], [], {}) != good


def test_a_difference_is_shown_line_by_line() -> None:
    lines = difference({"a": 1, "b": 2}, {"b": 2, "a": 3}, ("model", "cluster")).splitlines()
    assert lines[:2] == ["--- model", "+++ cluster"]
    assert [line for line in lines[2:] if line[0] in "-+"] == ['- "a": 1,', '+ "a": 3,']
