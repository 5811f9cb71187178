# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Each kind is listed once, in an order that misses nothing, and what may not be listed is not taken for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _api
from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._errors import ApiError
from ansible_collections.getporter.porter.plugins.module_utils._inventory import Inventory
from ansible_collections.getporter.porter.plugins.module_utils._listing import take_inventory

from tests.unit.plugins.objects import (
    AGENT_ACTION,
    AGENT_CONFIG,
    CLAIM,
    CONFIG_MAP,
    NOW,
    OPERATORS,
    WORK,
    agent_config,
    bound,
    claim,
    owned_by,
    pod,
    record,
    volume,
)

Manifest = dict[str, Any]
OPERATORS_KINDS = {
    "AgentConfig": _api.Resource("/apis/getporter.org/v1", "agentconfigs"),
    "AgentAction": _api.Resource("/apis/getporter.org/v1", "agentactions"),
}
CORE = {"ConfigMap": _api.CONFIG_MAPS, "Node": _api.NODES}


class Answers:
    """An API with these objects by plural; an exception in their place is raised."""

    def __init__(self, operators_kinds: Any = ..., **lists: Any) -> None:
        self._kinds = {
            "": {"v1": CORE},
            "getporter.org": {"v1": OPERATORS_KINDS} if operators_kinds is ... else operators_kinds,
        }
        self._lists = lists
        self.asked: list[str] = []
        self.groups: list[str] = []

    def list_all(
        self,
        resource: _api.Resource,
        namespace: str | None = None,
        *,
        label_selector: str | None = None,
        metadata_only: bool = False,
    ) -> list[Manifest]:
        plural = resource.plural + (" metadata" if metadata_only else "")
        self.asked.append(plural + (f" in {namespace}" if namespace else ""))
        answer = self._lists.get(plural.replace(" ", "_"), [])
        if isinstance(answer, Exception):
            raise answer
        component = (label_selector or "").rpartition(f"{keys.LABEL_COMPONENT}=")[2]
        assert label_selector is None or label_selector.startswith(keys.MANAGED_SELECTOR)
        assert component == keys.COMPONENT_RECORD or plural != "configmaps"
        return [item for item in answer if not namespace or item["metadata"].get("namespace") in (None, namespace)]

    def kinds_of(self, group: str) -> Any:
        self.groups.append(group)
        return self._kinds[group]

    def cluster_time(self) -> Any:
        return NOW


def take(api: Answers, *namespaces: str) -> Inventory:
    return take_inventory(api, namespaces)  # type: ignore[arg-type]


def existence(found: Inventory, items: Sequence[Manifest]) -> list[bool | None]:
    return [owner.exists for item in items for owner in found.owners(item)]


FORBIDDEN = ApiError(403, "Forbidden", "no")
BROKEN = ApiError(500, "InternalError", "broken")
BY_RECORD = owned_by(CONFIG_MAP, "porter-agent-config-default")


def test_each_kind_is_listed_once_however_many_claims_there_are() -> None:
    claims = [claim(f"porter-{number:032x}", ownerReferences=[BY_RECORD]) for number in range(50)]
    api = Answers(persistentvolumeclaims=claims, configmaps=[record()])
    take(api)
    assert api.asked == ["jobs", "persistentvolumeclaims", "configmaps", "agentconfigs", "pods", "persistentvolumes"]


def test_or_once_in_each_namespace() -> None:
    api = Answers(persistentvolumeclaims=[claim()])
    take(api, "a", "porter")
    assert [each for each in api.asked if each.startswith("pods")] == ["pods in a", "pods in porter"]
    assert "persistentvolumes" in api.asked
    assert len(api.asked) == 11


def test_without_claims_pods_do_not_matter() -> None:
    api = Answers()
    take(api)
    assert "pods" not in api.asked


def test_owners_are_looked_up_by_kind_where_the_lists_so_far_do_not_have_them() -> None:
    owners = [BY_RECORD, owned_by(CONFIG_MAP, "other"), owned_by(AGENT_ACTION, "x"), owned_by(AGENT_ACTION, "y")]
    item = claim(ownerReferences=owners)
    api = Answers(
        persistentvolumeclaims=[item],
        configmaps=[record()],
        configmaps_metadata=[record(), {"metadata": {"uid": "ConfigMap-other", "namespace": "porter"}}],
        agentactions_metadata=[{"metadata": {"uid": "AgentAction-y", "namespace": "porter"}}],
    )
    assert existence(take(api), [item]) == [True, True, False, True]
    assert api.groups == ["getporter.org", ""]
    assert api.asked.count("agentactions metadata") == api.asked.count("configmaps metadata") == 1


def test_an_owner_of_the_same_name_is_another_object() -> None:
    """C07."""
    item = claim(ownerReferences=[{**BY_RECORD, "uid": "old"}])
    assert existence(take(Answers(persistentvolumeclaims=[item], configmaps=[record()])), [item]) == [False]


@pytest.mark.parametrize("kinds", [{}, {"v1": {"Installation": _api.PODS}}], ids=["group", "kind"])
def test_of_a_kind_that_the_cluster_does_not_know_nothing_is_there(kinds: Any) -> None:
    """The operator was removed, and its kinds with it."""
    item = claim(ownerReferences=[owned_by(AGENT_CONFIG), owned_by(AGENT_ACTION)])
    found = take(Answers(operators_kinds=kinds, persistentvolumeclaims=[item]))
    assert existence(found, [item]) == [False, False]
    assert found.listed.agent_configs == []


def test_of_a_kind_that_is_there_in_another_version_nobody_can_tell() -> None:
    item = claim(ownerReferences=[owned_by(AGENT_CONFIG)])
    found = take(Answers(operators_kinds={"v1": {}, "v2": OPERATORS_KINDS}, persistentvolumeclaims=[item]))
    assert existence(found, [item]) == [None]
    assert found.listed.agent_configs is None


def test_e07_what_may_not_be_listed_is_unknown() -> None:
    item = claim(ownerReferences=[owned_by(AGENT_CONFIG), owned_by(AGENT_ACTION)])
    api = Answers(
        persistentvolumeclaims=[item], agentconfigs=FORBIDDEN, agentactions_metadata=FORBIDDEN, pods=FORBIDDEN
    )
    found = take(api)
    assert existence(found, [item]) == [None, None]
    assert (found.listed.agent_configs, found.listed.pods) == (None, None)


@pytest.mark.parametrize("plural", ["jobs", "persistentvolumeclaims", "configmaps", "persistentvolumes"])
def test_what_one_cannot_do_without_must_be_listed(plural: str) -> None:
    with pytest.raises(ApiError, match="no"):
        take(Answers(**{plural: FORBIDDEN}), "porter")


@pytest.mark.parametrize("plural", ["agentconfigs", "agentactions_metadata", "pods"])
def test_e07_a_list_that_failed_otherwise_is_no_list(plural: str) -> None:
    item = claim(ownerReferences=[owned_by(AGENT_ACTION)])
    with pytest.raises(ApiError, match="broken"):
        take(Answers(persistentvolumeclaims=[item], **{plural: BROKEN}))


def test_who_may_not_list_in_the_whole_cluster_is_told_to_name_namespaces() -> None:
    """F07."""
    with pytest.raises(ApiError) as caught:
        take(Answers(jobs=ApiError(403, "Forbidden", "jobs is forbidden")))
    assert caught.value.message.endswith("Where an account has its rights in some namespaces only, name these.")


def test_volumes_are_those_behind_the_claims_and_ours_of_these_namespaces() -> None:
    volumes = [
        bound("behind", labels={}),
        volume("ours"),
        volume("of-nobody", labels={}),
        {**volume("elsewhere"), "spec": {"claimRef": {"namespace": "other", "name": CLAIM}}},
    ]
    lists = {"persistentvolumeclaims": [claim(volume="behind")], "persistentvolumes": volumes}
    assert set(take(Answers(**lists), "porter").volumes) == {"behind", "ours"}
    assert set(take(Answers(**lists)).volumes) == {"behind", "ours", "elsewhere"}


def test_the_operator_s_own_objects_are_read_whole() -> None:
    """They tell which claims they want."""
    plugins = {"azure": {"version": "v1.2.0"}}
    found = take(
        Answers(agentconfigs=[agent_config(plugins)], persistentvolumeclaims=[claim("w", WORK)], pods=[pod("w")])
    )
    assert found.listed.agent_configs == [agent_config(plugins)]
    assert found.mounted_by(claim("w", OPERATORS)) == ["a"]
