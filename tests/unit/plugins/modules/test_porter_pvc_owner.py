# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The module porter_pvc_owner, run as Ansible runs it, on a model of Kubernetes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible.module_utils import basic
from ansible_collections.getporter.porter.plugins.module_utils._errors import MissingLibraryError
from ansible_collections.getporter.porter.plugins.modules import porter_pvc_owner

from tests.unit.plugins.fake_cluster import FakeApi, FakeCluster


@pytest.fixture
def cluster() -> FakeCluster:
    """Claim c, which is not ours, and ConfigMap a in namespace n."""
    fresh = FakeCluster()
    for plural, name in (("configmaps", "a"), ("persistentvolumeclaims", "c")):
        fresh.create(plural, {"metadata": {"name": name, "namespace": "n"}})
    return fresh


@pytest.fixture
def run(cluster: FakeCluster, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the module with arguments and return its result."""
    monkeypatch.setattr(porter_pvc_owner, "connect", lambda _module: FakeApi(cluster))

    def run_module(**arguments: Any) -> Any:
        given = {"namespace": "n", "claims": ["c"], "owners": [{"name": "a"}], **arguments}
        monkeypatch.setattr(basic, "_ANSIBLE_ARGS", json.dumps({"ANSIBLE_MODULE_ARGS": given}).encode())
        monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)
        # Where ansible's controller is loaded too, warnings go to its display and not to the result.
        warnings: list[str] = []
        monkeypatch.setattr(basic.AnsibleModule, "warn", lambda _self, warning: warnings.append(warning))
        with pytest.raises(SystemExit) as caught:
            porter_pvc_owner.main()
        result = json.loads(capsys.readouterr().out)
        assert bool(result.get("failed")) is bool(caught.value.code)
        return {**result, "warnings": warnings}

    return run_module


def owners_in(cluster: FakeCluster) -> list[str]:
    claim = cluster.find("persistentvolumeclaims", "c", "n") or {}
    return [each["name"] for each in claim["metadata"].get("ownerReferences") or []]


def test_present_is_the_default_and_check_mode_writes_nothing(run: Any, cluster: FakeCluster) -> None:
    foreseen = run(_ansible_check_mode=True)
    assert (foreseen["changed"], owners_in(cluster)) == (True, [])
    done = run()
    assert (done["claims"], done["diff"]) == (foreseen["claims"], foreseen["diff"])
    assert owners_in(cluster) == ["a"]
    (owner,) = done["claims"][0]["owners"]
    uid = cluster.objects["configmaps", "n", "a"]["metadata"]["uid"]
    assert (owner["kind"], owner["uid"], owner["block_owner_deletion"]) == ("ConfigMap", uid, False)
    assert not run()["changed"]


def test_c02_the_flag_is_set_on_request(run: Any) -> None:
    assert run(block_owner_deletion=True)["claims"][0]["owners"][0]["block_owner_deletion"] is True


def test_a_claim_that_is_left_alone_draws_a_warning(run: Any, cluster: FakeCluster) -> None:
    run()
    result = run(state="absent", delete_unowned=True)
    assert (result["changed"], result["claims"][0]["deleted"], owners_in(cluster)) == (True, False, [])
    assert "not labelled getporter.org/managed=true" in result["warnings"][0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"owners": [{"name": "b"}]}, "There is no ConfigMap b in namespace n"),
        ({"owners": [{"name": "a", "namespace": "m"}]}, "cannot own claims of namespace n"),
        ({"claims": ["d"]}, "There is no claim n/d"),
        ({"namespace": "N"}, "RFC 1123"),
    ],
)
def test_what_cannot_be_fails_with_what_to_do(run: Any, arguments: dict[str, Any], words: str) -> None:
    """C01."""
    result = run(**arguments)
    assert result["failed"]
    assert words in result["msg"]


def test_a_missing_library_is_told_in_ansibles_words(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(_module: Any) -> None:
        raise MissingLibraryError("kubernetes", "Traceback")

    monkeypatch.setattr(porter_pvc_owner, "connect", connect)
    assert "Failed to import the required Python library (kubernetes)" in run()["msg"]
