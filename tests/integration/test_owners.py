# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""Owners of claims: joined, shared, replaced, gone; at once, and with the garbage collector beside."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._api import KubeApi
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._owner_references import Owner, Wish
from ansible_collections.getporter.porter.plugins.module_utils._ownership import Ownership, outcome
from kubernetes import client, config

from tests.support.cluster import Cluster, wait_for
from tests.support.playbook import OWNER, Outcome, Playbook

MANAGED = {"getporter.org/managed": "true"}


class Scene:
    """Claims and owners in the namespace of a test, and changes of them made in this process."""

    def __init__(self, cluster: Cluster, kubeconfig: str) -> None:
        self.cluster, self.namespace, self._kubeconfig = cluster, cluster.namespace, kubeconfig

    def make_owner(self, name: str) -> str:
        made = self.cluster.core.create_namespaced_config_map(self.namespace, {"metadata": {"name": name}})
        return str(made.metadata.uid)

    def delete_owner(self, name: str) -> None:
        self.cluster.core.delete_namespaced_config_map(name, self.namespace)

    def make_claim(self, name: str = "c", owners: Any = None, labels: Any = None) -> Any:
        body = {
            "metadata": {"name": name, "labels": MANAGED if labels is None else labels, "ownerReferences": owners},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}},
        }
        return self.cluster.core.create_namespaced_persistent_volume_claim(self.namespace, body)

    def claim(self, name: str = "c") -> Any:
        return self.cluster.core.read_namespaced_persistent_volume_claim(name, self.namespace)

    def is_gone(self, name: str = "c") -> bool:
        return name not in [claim.metadata.name for claim in self.cluster.claims()]

    def owners_of(self, name: str = "c") -> dict[str, str]:
        """Name to uid."""
        return {each.name: each.uid for each in self.claim(name).metadata.owner_references or []}

    def api(self) -> KubeApi:
        return KubeApi(config.new_client_from_config(self._kubeconfig).configuration)

    def change(self, *names: str, api: KubeApi | None = None, **wish: Any) -> dict[str, Any]:
        """What the module does, without the start of a play."""
        owners = [Owner("v1", "ConfigMap", name) for name in names]
        wanted = Wish(**{"namespace": self.namespace, "claims": ["c"], "owners": owners, **wish})
        return outcome(Ownership(api or self.api(), wanted).bring_about())


@pytest.fixture
def scene(cluster: Cluster, kubeconfig: str) -> Scene:
    return Scene(cluster, kubeconfig)


def reference(name: str, uid: str, **flags: bool) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": uid, **flags}


def task_of(playbook: Playbook) -> Callable[..., Outcome]:
    def run(owners: list[Any], **options: Any) -> Outcome:
        return playbook.run_task(
            OWNER, **{"namespace": playbook.namespace, "claims": ["c", "d"], "owners": owners, **options}
        )

    return run


def test_two_configs_share_claims_and_the_last_one_takes_them_along(playbook: Playbook, scene: Scene) -> None:
    """C03, C05: foreign owners keep their place and their flags."""
    task = task_of(playbook)
    uids = {name: scene.make_owner(name) for name in ("one", "two", "foreign")}
    foreign = reference("foreign", uids["foreign"], controller=True, blockOwnerDeletion=True)
    scene.make_claim("c")
    scene.make_claim("d", owners=[foreign])

    foreseen = task([{"name": "one"}, {"name": "two"}], arguments="--check --diff")
    assert foreseen.changed
    assert scene.owners_of("c") == {}
    done = task([{"name": "one"}, {"name": "two"}], arguments="--diff")
    assert done.of(OWNER)["claims"] == foreseen.of(OWNER)["claims"]
    assert done.of(OWNER)["diff"] == foreseen.of(OWNER)["diff"]
    assert scene.owners_of("c") == {"one": uids["one"], "two": uids["two"]}
    assert scene.owners_of("d") == uids
    version = scene.claim("c").metadata.resource_version
    assert not task([{"name": "one"}, {"name": "two"}]).changed
    assert scene.claim("c").metadata.resource_version == version

    left = task([{"name": "one"}], state="absent", delete_unowned=True)
    assert [[owner["name"] for owner in row["owners"]] for row in left.of(OWNER)["claims"]] == [
        ["two"],
        ["foreign", "two"],
    ]
    last = task([{"name": "two"}], state="absent", delete_unowned=True)
    assert [row["deleted"] for row in last.of(OWNER)["claims"]] == [True, False]
    wait_for(lambda: scene.is_gone("c"), "the end of the claim")
    (kept,) = scene.claim("d").metadata.owner_references
    assert (kept.name, kept.controller, kept.block_owner_deletion) == ("foreign", True, True)
    assert scene.claim("d").metadata.finalizers == ["kubernetes.io/pvc-protection"]
    assert not task([{"name": "two"}], state="absent", delete_unowned=True).changed


def test_an_owner_that_cannot_be_is_refused_before_any_claim_is_changed(playbook: Playbook, scene: Scene) -> None:
    """C01, C07, C08."""
    scene.make_owner("one")
    version = scene.make_claim("c").metadata.resource_version
    failed = task_of(playbook)([{"name": "one"}, {"name": "elsewhere"}], claims=["c"])
    assert failed.status == "failed"
    assert "There is no ConfigMap elsewhere in namespace" in failed.message
    for owner, words in (
        (Owner("v1", "PersistentVolume", "v"), "A PersistentVolume belongs to no namespace"),
        (Owner("v1", "configmap", "one"), "Did you mean ConfigMap?"),
        (Owner("nowhere.example/v1", "AgentConfig", "x"), "no API version nowhere.example/v1"),
        (Owner("v1", "ConfigMap", "one", "of-old"), "not of-old: it was made anew"),
    ):
        with pytest.raises(InputError) as caught:
            scene.change(owners=[owner])
        assert words in caught.value.message
    assert scene.claim("c").metadata.resource_version == version


def test_an_owner_of_any_kind_of_the_namespace(playbook: Playbook, scene: Scene, api: client.ApiClient) -> None:
    leases = client.CoordinationV1Api(api)
    lease = leases.create_namespaced_lease(scene.namespace, {"metadata": {"name": "one"}, "spec": {}})
    scene.make_claim("c")
    owner = {"api_version": "coordination.k8s.io/v1", "kind": "Lease", "name": "one"}
    assert task_of(playbook)([owner], claims=["c"]).changed
    assert scene.owners_of("c") == {"one": lease.metadata.uid}
    leases.delete_namespaced_lease("one", scene.namespace)
    wait_for(lambda: scene.is_gone("c"), "the end of the claim")


def test_c07_a_stale_uid_is_replaced_and_the_claim_stays(scene: Scene) -> None:
    """The garbage collector may drop the dangling reference first: the end is the same."""
    good, new = scene.make_owner("good"), scene.make_owner("one")
    made = scene.make_claim(owners=[reference("one", str(uuid.uuid4())), reference("good", good)])
    assert [each["uid"] for each in scene.change("one")["claims"][0]["owners"]] == [good, new]
    scene.delete_owner("good")
    wait_for(lambda: scene.owners_of() == {"one": new}, "the end of the reference to what was deleted")
    assert scene.claim().metadata.uid == made.metadata.uid
    assert scene.claim().metadata.deletion_timestamp is None


def test_c09_with_its_last_owner_object_the_claim_goes_by_itself(scene: Scene) -> None:
    uids = {name: scene.make_owner(name) for name in ("one", "two")}
    scene.make_claim()
    scene.change("one", "two")
    scene.delete_owner("one")
    wait_for(lambda: scene.owners_of() == {"two": uids["two"]}, "the end of the reference to what was deleted")
    assert scene.claim().metadata.deletion_timestamp is None
    scene.delete_owner("two")
    wait_for(scene.is_gone, "the end of the claim")


def test_c05_a_claim_whose_owners_left_is_kept_until_it_is_deleted(scene: Scene) -> None:
    scene.make_owner("one")
    scene.make_claim()
    scene.change("one")
    scene.change("one", present=False)
    scene.delete_owner("one")
    assert scene.owners_of() == {}
    assert scene.claim().metadata.deletion_timestamp is None
    assert scene.change(present=False, delete_unowned=True)["claims"][0]["deleted"]
    wait_for(scene.is_gone, "the end of the claim")


def test_c04_many_who_join_and_leave_at_once_lose_nothing(scene: Scene) -> None:
    """C04, E06: sixteen owners from eight threads; at the end the claim is gone."""
    names = [f"o{number}" for number in range(16)]
    uids = {name: scene.make_owner(name) for name in names}
    scene.make_claim("c")
    scene.make_claim("d")
    wish: dict[str, Any] = {"claims": ["c", "d"]}
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: scene.change(name, **wish), names))
        assert scene.owners_of("c") == scene.owners_of("d") == uids
        list(pool.map(lambda name: scene.change(name, present=False, **wish), names[:8]))
        assert scene.owners_of("c") == {name: uids[name] for name in names[8:]}
        rest = list(pool.map(lambda name: scene.change(name, present=False, delete_unowned=True, **wish), names[8:]))
    wait_for(lambda: scene.is_gone("c") and scene.is_gone("d"), "the end of the claims")
    assert sum(row["deleted"] for each in rest for row in each["claims"]) == 2


def test_c04_two_plays_that_leave_at_once_end_with_neither(playbook: Playbook, scene: Scene) -> None:
    for name in ("one", "two"):
        scene.make_owner(name)
    scene.make_claim("c")
    scene.change("one", "two")

    def leave(name: str) -> Outcome:
        return task_of(playbook)([{"name": name}], claims=["c"], state="absent")

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(leave, ("one", "two")))
    assert [each.status for each in outcomes] == ["successful"] * 2, [each.message for each in outcomes]
    assert scene.owners_of("c") == {}


class Beside(KubeApi):
    """Lets someone act between this run's read of a claim and its write, once."""

    act: Callable[[], object] | None = None

    def _json(self, method: str, path: str, **how: Any) -> Any:
        if self.act and method in ("PATCH", "DELETE"):
            act, self.act = self.act, None
            act()
        return super()._json(method, path, **how)


@pytest.fixture
def beside(kubeconfig: str) -> Beside:
    return Beside(config.new_client_from_config(kubeconfig).configuration)


def test_c05_a_claim_that_is_joined_at_the_last_moment_is_not_deleted(scene: Scene, beside: Beside) -> None:
    scene.make_owner("one")
    uid = scene.make_owner("two")
    scene.make_claim()
    scene.change("one")
    beside.act = lambda: scene.change("two")
    result = scene.change("one", api=beside, present=False, delete_unowned=True)
    assert (result["claims"][0]["deleted"], result["claims"][0]["changed"]) == (False, True)
    assert scene.owners_of() == {"two": uid}
    assert scene.claim().metadata.deletion_timestamp is None


@pytest.mark.parametrize("names", [[], ["zero"]], ids=["no-list", "a-list"])
def test_e06_a_write_on_what_changed_meanwhile_is_made_again(scene: Scene, beside: Beside, names: list[str]) -> None:
    """C04, E06: the API server refuses the patch, whether the claim had owner references or none."""
    uids = {name: scene.make_owner(name) for name in [*names, "one", "two"]}
    scene.make_claim()
    scene.change(*names)
    beside.act = lambda: scene.change("two")
    assert scene.change("one", api=beside)["changed"]
    assert scene.owners_of() == uids


def test_c05_a_claim_made_anew_meanwhile_is_not_deleted(scene: Scene, beside: Beside) -> None:
    scene.make_owner("one")
    uid = scene.make_owner("two")
    scene.make_claim()
    scene.change("one")

    def make_anew() -> None:
        scene.cluster.core.delete_namespaced_persistent_volume_claim("c", scene.namespace)
        wait_for(scene.is_gone, "the end of the old claim")
        scene.make_claim(owners=[reference("two", uid)])

    beside.act = make_anew
    assert not scene.change("one", api=beside, present=False, delete_unowned=True)["changed"]
    assert scene.owners_of() == {"two": uid}


def test_what_is_not_labelled_ours_is_not_deleted(playbook: Playbook, scene: Scene) -> None:
    scene.make_owner("one")
    scene.make_claim("c", labels={})
    scene.change("one")
    left = task_of(playbook)([{"name": "one"}], claims=["c"], state="absent", delete_unowned=True)
    assert left.changed
    assert "It is not labelled getporter.org/managed=true" in left.output
    assert scene.owners_of("c") == {}
    assert scene.claim("c").metadata.deletion_timestamp is None


def test_c02_few_rights_are_enough_where_references_are_guarded(
    playbook: Playbook, scene: Scene, api: client.ApiClient
) -> None:
    """C02: with OwnerReferencesPermissionEnforcement on; only blockOwnerDeletion needs a right to the owner."""
    scene.make_owner("one")
    scene.make_claim("c")
    rules = [
        {"apiGroups": [""], "resources": ["persistentvolumeclaims"], "verbs": ["get", "patch", "delete"]},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]},
    ]
    environment = {
        "K8S_AUTH_HOST": api.configuration.host,
        "K8S_AUTH_API_KEY": scene.cluster.token_with(rules),
        "K8S_AUTH_SSL_CA_CERT": api.configuration.ssl_ca_cert,
    }
    task = task_of(playbook)
    blocked = task([{"name": "one"}], claims=["c"], block_owner_deletion=True, environment=environment)
    assert blocked.status == "failed"
    assert "cannot set blockOwnerDeletion" in blocked.message
    assert scene.owners_of("c") == {}
    joined = task([{"name": "one"}], claims=["c"], environment=environment)
    assert joined.status == "successful", joined.output
    left = task([{"name": "one"}], claims=["c"], environment=environment, state="absent", delete_unowned=True)
    assert left.of(OWNER)["claims"][0]["deleted"]
    wait_for(lambda: scene.is_gone("c"), "the end of the claim")
