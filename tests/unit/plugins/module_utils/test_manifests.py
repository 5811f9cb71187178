# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The Kubernetes objects of a plugin volume."""

from __future__ import annotations

import copy
import dataclasses
import json
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils import _manifests as manifests
from ansible_collections.getporter.porter.plugins.module_utils._options import read_volume
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume

Manifest = dict[str, Any]


def wanted(*, plugins: Any = None, agent_config: str = "default", agent: Any = None, **option: Any) -> PluginVolume:
    return read_volume(
        {
            "agent_config": agent_config,
            "namespace": "porter",
            "plugins": plugins or {"kubernetes": {"version": "v1.0.1"}},
            "volume_size": "64Mi",
            "agent": {"image": "agent:1", **(agent or {})},
            **option,
        }
    )[0]


VOLUME = wanted()
CLAIM = VOLUME.identity.claim
STAGING = {"metadata": {"name": VOLUME.identity.staging_claim, "uid": "0a1b2c3d-4e5f-6789"}}
BEHIND: Manifest = {
    "metadata": {"name": "pv", "resourceVersion": "7", "annotations": {"others": "note"}},
    "spec": {
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": "1Gi"},
        "persistentVolumeReclaimPolicy": "Delete",
        "claimRef": {"name": "staging", "namespace": "porter", "uid": "u", "resourceVersion": "6"},
    },
}


def behind(annotations: dict[str, str] | None = None, **spec: Any) -> Manifest:
    found = copy.deepcopy(BEHIND)
    found["metadata"]["annotations"].update(annotations or {})
    found["spec"].update(spec)
    return found


OWN_OBJECTS = {
    "staging": manifests.staging_claim(VOLUME),
    "secret": manifests.document_secret(VOLUME, STAGING),
    "job": manifests.install_job(VOLUME, STAGING),
    "pod": manifests.install_job(VOLUME, STAGING)["spec"]["template"],
    "claim": manifests.plugin_claim(VOLUME, BEHIND),
    "volume": manifests.mark_installed(VOLUME, BEHIND, {}, None),
}


@pytest.mark.parametrize("kind", OWN_OBJECTS)
def test_every_object_carries_the_operators_labels_and_our_notes(kind: str) -> None:
    metadata = OWN_OBJECTS[kind]["metadata"]
    expected = {
        "getporter.org/managed": "true",
        "getporter.org/plugins-hash": VOLUME.identity.plugins_hash,
        "getporter.org/resourceName": "default",
        "getporter.org/plugins": "kubernetes_v1.0.1",
        "app.kubernetes.io/component": "plugin-volume" if kind in ("claim", "volume") else "plugin-install",
        "app.kubernetes.io/managed-by": "getporter.porter",
    }
    assert metadata["labels"] == expected
    notes = metadata["annotations"]
    assert notes[keys.ANNOTATION_CLAIM] == f"porter/{CLAIM}"
    assert json.loads(notes[keys.ANNOTATION_DOCUMENT])["plugins"] == {"kubernetes": {"version": "v1.0.1"}}
    assert notes[keys.ANNOTATION_DIGEST] == VOLUME.identity.document_digest


@pytest.mark.parametrize("kind", OWN_OBJECTS)
def test_credentials_are_in_the_secret_alone(kind: str) -> None:
    volume = wanted(plugins={"azure": {"feedURL": "https://user:geheim@feed.example/atom.xml"}})
    made = {
        "staging": manifests.staging_claim(volume),
        "secret": manifests.document_secret(volume, STAGING),
        "job": manifests.install_job(volume, STAGING),
        "pod": manifests.install_job(volume, STAGING)["spec"]["template"],
        "claim": manifests.plugin_claim(volume, BEHIND),
        "volume": manifests.mark_installed(volume, BEHIND, {}, None),
    }[kind]
    document = made.pop("stringData", {}).get("plugins.json", "")
    assert "geheim" not in json.dumps(made)
    assert ("geheim" in document) == (kind == "secret")


def test_g02_a_long_agent_config_name_is_whole_in_the_note() -> None:
    name = "a" * 64
    metadata = manifests.staging_claim(wanted(agent_config=name))["metadata"]
    assert metadata["annotations"][keys.ANNOTATION_AGENT_CONFIG] == name
    assert len(metadata["labels"]["getporter.org/resourceName"]) <= 63


@pytest.mark.parametrize(
    ("storage_class", "expected"),
    [(None, {}), ("", {}), (" ", {}), ("fast", {"storageClassName": "fast"})],
    ids=["none", "B13-empty", "blank", "named"],
)
def test_the_staging_claim(storage_class: str | None, expected: dict[str, str]) -> None:
    claim = manifests.staging_claim(wanted(storage_class=storage_class))
    assert (claim["kind"], claim["metadata"]["name"]) == ("PersistentVolumeClaim", VOLUME.identity.staging_claim)
    assert claim["spec"] == {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "64Mi"}},
        **expected,
    }


def test_a_secret_belongs_to_one_staging_claim() -> None:
    secret = manifests.document_secret(VOLUME, STAGING)
    assert secret["metadata"]["name"] == f"{CLAIM}-0a1b2c3d"
    assert secret["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "name": VOLUME.identity.staging_claim,
            "uid": "0a1b2c3d-4e5f-6789",
        }
    ]
    assert secret["immutable"] is True
    other = manifests.document_secret(VOLUME, {"metadata": {"name": "s", "uid": "ffffffff-1"}})
    assert other["metadata"]["name"] != secret["metadata"]["name"]


def test_a01_a02_the_document_is_json_with_the_keys_that_porter_reads() -> None:
    plugins = {"azure": {"mirror": "https://m.example"}, "aws": {"feedURL": "https://f.example/atom.xml"}}
    secret = manifests.document_secret(wanted(plugins=plugins), STAGING)
    document = json.loads(secret["stringData"]["plugins.json"])
    assert document == {"schemaType": "Plugins", "schemaVersion": "1.0.0", "plugins": plugins}


def test_the_job() -> None:
    job = manifests.install_job(VOLUME, STAGING)
    assert job["metadata"]["name"] == VOLUME.identity.job
    assert job["metadata"]["ownerReferences"][0]["uid"] == STAGING["metadata"]["uid"]
    assert job["spec"]["backoffLimit"] == 6
    assert "activeDeadlineSeconds" not in job["spec"]
    assert "ttlSecondsAfterFinished" not in job["spec"]
    pod = job["spec"]["template"]["spec"]
    assert pod == {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "initContainers": [
            {
                "name": "porter-agent",
                "image": "agent:1",
                "args": ["plugins", "install", "-f", "/porter-config/plugins.json"],
                "volumeMounts": [
                    {"name": "porter-plugins", "mountPath": "/app/.porter/plugins", "subPath": "plugins"},
                    {"name": "porter-config", "mountPath": "/porter-config", "readOnly": True},
                ],
            }
        ],
        "containers": [
            {
                "name": "list-plugins",
                "image": "agent:1",
                "args": ["plugins", "list", "-o", "json"],
                "volumeMounts": [
                    {
                        "name": "porter-plugins",
                        "mountPath": "/app/.porter/plugins",
                        "subPath": "plugins",
                        "readOnly": True,
                    },
                ],
            }
        ],
        "volumes": [
            {"name": "porter-plugins", "persistentVolumeClaim": {"claimName": VOLUME.identity.staging_claim}},
            {"name": "porter-config", "secret": {"secretName": f"{CLAIM}-0a1b2c3d"}},
        ],
    }


def test_d05_an_eviction_is_no_failure() -> None:
    (rule,) = manifests.install_job(VOLUME, STAGING)["spec"]["podFailurePolicy"]["rules"]
    assert rule == {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}


@pytest.mark.parametrize(
    ("setting", "key", "expected"),
    [
        ({"backoff_limit": 0}, "backoffLimit", 0),
        ({"active_deadline_seconds": 0}, "activeDeadlineSeconds", 0),
        ({"active_deadline_seconds": 9}, "activeDeadlineSeconds", 9),
        ({"ttl_seconds_after_finished": 86400}, "ttlSecondsAfterFinished", 86400),
        ({"ttl_seconds_after_finished": 600}, "ttlSecondsAfterFinished", 600),
        # The Job must not go before a run has seen how it ended.
        ({"ttl_seconds_after_finished": 0}, "ttlSecondsAfterFinished", 600),
    ],
    ids=["A11-no-retry", "deadline-0", "deadline", "long-ttl", "ttl", "D09-ttl-0"],
)
def test_limits_of_the_job(setting: dict[str, int], key: str, expected: int) -> None:
    assert manifests.install_job(wanted(agent=setting), STAGING)["spec"][key] == expected


POD = {
    "service_account": ("serviceAccountName", "agent", "agent"),
    "image_pull_secrets": ("imagePullSecrets", ["a", "b"], [{"name": "a"}, {"name": "b"}]),
    "node_selector": ("nodeSelector", {"kubernetes.io/arch": "amd64"}, {"kubernetes.io/arch": "amd64"}),
    "tolerations": ("tolerations", [{"operator": "Exists"}], [{"operator": "Exists"}]),
    "affinity": ("affinity", {"nodeAffinity": {}}, {"nodeAffinity": {}}),
    "pod_security_context": ("securityContext", {"fsGroup": 0}, {"fsGroup": 0}),
}
CONTAINER = {
    "pull_policy": ("imagePullPolicy", "Never", "Never"),
    "env": ("env", [{"name": "A", "value": "b"}], [{"name": "A", "value": "b"}]),
    "env_from": ("envFrom", [{"secretRef": {"name": "s"}}], [{"secretRef": {"name": "s"}}]),
    "resources": ("resources", {"limits": {"cpu": "1"}}, {"limits": {"cpu": "1"}}),
    "container_security_context": ("securityContext", {"runAsNonRoot": True}, {"runAsNonRoot": True}),
}


@pytest.mark.parametrize("setting", [*POD, *CONTAINER])
def test_settings_of_the_pod_are_passed_on_and_empty_ones_are_left_out(setting: str) -> None:
    key, value, expected = {**POD, **CONTAINER}[setting]
    for given, there in ((value, True), (type(value)(), False), (None, False)):
        job = manifests.install_job(wanted(agent={setting: given}), STAGING)
        pod = job["spec"]["template"]["spec"]
        places = [pod] if setting in POD else [*pod["initContainers"], *pod["containers"]]
        assert [key in place for place in places] == [there] * len(places)
        assert not there or [place[key] for place in places] == [expected] * len(places)


def test_d07_labels_and_annotations_of_the_pod_do_not_replace_ours() -> None:
    agent = {
        "pod_labels": {"sidecar.istio.io/inject": "false", keys.LABEL_COMPONENT: "mine"},
        "pod_annotations": {"a": "b", keys.ANNOTATION_CLAIM: "mine"},
    }
    job = manifests.install_job(wanted(agent=agent), STAGING)
    metadata = job["spec"]["template"]["metadata"]
    assert metadata["labels"] == {"sidecar.istio.io/inject": "false", **job["metadata"]["labels"]}
    assert metadata["annotations"] == {"a": "b", **job["metadata"]["annotations"]}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, {"storageClassName": "", "volumeMode": "Filesystem"}),
        ({"storageClassName": "fast"}, {"storageClassName": "fast", "volumeMode": "Filesystem"}),
        (
            {"volumeMode": "Block", "volumeAttributesClassName": "gold"},
            {"storageClassName": "", "volumeMode": "Block", "volumeAttributesClassName": "gold"},
        ),
    ],
    ids=["B13-no-class", "class", "B22-attributes-class"],
)
def test_b08_the_plugin_claim_names_its_volume(spec: Manifest, expected: Manifest) -> None:
    claim = manifests.plugin_claim(VOLUME, behind(**spec))
    assert (claim["kind"], claim["metadata"]["name"], claim["metadata"]["namespace"]) == (
        "PersistentVolumeClaim",
        CLAIM,
        "porter",
    )
    assert claim["spec"] == {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "volumeName": "pv",
        **expected,
    }


def test_the_plugin_claim_tells_what_is_installed_and_nothing_of_the_hand_over() -> None:
    notes = {
        keys.ANNOTATION_INSTALLED: "{}",
        keys.ANNOTATION_AGENT_IMAGE: "agent:1",
        keys.ANNOTATION_ARCHITECTURE: "arm64",
        keys.ANNOTATION_RECLAIM_POLICY: "Delete",
    }
    annotations = manifests.plugin_claim(VOLUME, behind(notes))["metadata"]["annotations"]
    assert {key: annotations.get(key) for key in notes} == {**notes, keys.ANNOTATION_RECLAIM_POLICY: None}
    assert "others" not in annotations


@pytest.mark.parametrize("volume", [behind(persistentVolumeReclaimPolicy="Retain"), behind()], ids=["Retain", "Delete"])
@pytest.mark.parametrize("noted", [None, "Delete", "Retain"])
def test_the_note_keeps_the_first_policy(volume: Manifest, noted: str | None) -> None:
    given = copy.deepcopy(volume)
    if noted:
        given["metadata"]["annotations"][keys.ANNOTATION_RECLAIM_POLICY] = noted
    patch = manifests.mark_installed(VOLUME, given, {"b": "v2", "a": "v1"}, "arm64")
    annotations = patch["metadata"]["annotations"]
    assert annotations[keys.ANNOTATION_RECLAIM_POLICY] == (noted or volume["spec"]["persistentVolumeReclaimPolicy"])
    assert annotations[keys.ANNOTATION_INSTALLED] == '{"a": "v1", "b": "v2"}'
    assert annotations[keys.ANNOTATION_ARCHITECTURE] == "arm64"
    assert annotations[keys.ANNOTATION_AGENT_IMAGE] == "agent:1"
    assert patch["spec"] == {"persistentVolumeReclaimPolicy": "Retain"}
    assert patch["metadata"]["resourceVersion"] == "7"


@pytest.mark.parametrize(
    ("installed", "expected"), [({}, '{"a": "v1"}'), (None, '{"a": "v1"}'), ({"a": "v2"}, '{"a": "v2"}')]
)
def test_versions_that_are_noted_are_not_lost_with_the_log(installed: dict[str, str] | None, expected: str) -> None:
    noted = behind({keys.ANNOTATION_INSTALLED: '{"a": "v1"}'})
    annotations = manifests.mark_installed(VOLUME, noted, installed, None)["metadata"]["annotations"]
    assert annotations[keys.ANNOTATION_INSTALLED] == expected


def test_the_note_without_a_log_or_architecture() -> None:
    annotations = manifests.mark_installed(VOLUME, BEHIND, None, None)["metadata"]["annotations"]
    assert annotations[keys.ANNOTATION_INSTALLED] == "{}"
    assert keys.ANNOTATION_ARCHITECTURE not in annotations


def test_b01_the_reservation_drops_the_old_claim_in_the_same_write() -> None:
    assert manifests.reserve(VOLUME, BEHIND) == {
        "metadata": {"resourceVersion": "7"},
        "spec": {
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": "porter",
                "name": CLAIM,
                "uid": None,
                "resourceVersion": None,
            }
        },
    }


def test_giving_back_the_policy_and_disowning() -> None:
    volume = behind({keys.ANNOTATION_RECLAIM_POLICY: "Delete"})
    assert manifests.give_back_policy(volume) == {
        "metadata": {
            "resourceVersion": "7",
            "annotations": {
                keys.ANNOTATION_RECLAIM_POLICY: None,
                keys.ANNOTATION_REFRESH_OF: None,
                keys.ANNOTATION_OWNERS: None,
            },
        },
        "spec": {"persistentVolumeReclaimPolicy": "Delete"},
    }
    assert manifests.disown(volume) == {
        "metadata": {
            "resourceVersion": "7",
            "annotations": {
                keys.ANNOTATION_RECLAIM_POLICY: None,
                keys.ANNOTATION_REFRESH_OF: None,
                keys.ANNOTATION_OWNERS: None,
                keys.ANNOTATION_CLAIM: None,
                keys.ANNOTATION_INSTALLED: None,
            },
        },
        "spec": {"persistentVolumeReclaimPolicy": "Delete"},
    }


def test_nothing_given_is_changed() -> None:
    agent = {"pod_labels": {"a": "b"}, "pod_annotations": {"c": "d"}, "resources": {"limits": {}}}
    volume, given = wanted(agent=agent), behind({keys.ANNOTATION_RECLAIM_POLICY: "Delete"})
    before = copy.deepcopy((dataclasses.asdict(volume), given, STAGING))
    manifests.install_job(volume, STAGING)
    manifests.document_secret(volume, STAGING)
    manifests.mark_installed(volume, given, {}, None)
    manifests.plugin_claim(volume, given)
    manifests.reserve(volume, given)
    manifests.disown(given)
    assert (dataclasses.asdict(volume), given, STAGING) == before
