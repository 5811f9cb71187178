# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What diff mode shows: the objects that will be, and nothing secret."""

from __future__ import annotations

import copy
import json
from typing import Any

from ansible_collections.getporter.porter.plugins.module_utils import _life as life
from ansible_collections.getporter.porter.plugins.module_utils._diff import volume_diff
from ansible_collections.getporter.porter.plugins.module_utils._options import read_volume

OPTION: dict[str, Any] = {
    "agent_config": "default",
    "namespace": "porter",
    "plugins": {"kubernetes": {"version": "v1.0.1", "feedURL": "https://me:passw0rd@feed.example/atom.xml"}},
    "volume_size": "16Mi",
    "storage_class": "fast",
    "agent": {"image": "agent:1", "env": [{"name": "TOKEN", "value": "t0ken"}, {"name": "REF", "valueFrom": {}}]},
}
VOLUME = read_volume(OPTION)[0]
CLAIM = VOLUME.identity.claim


def test_an_install_shows_what_it_creates_for_a_time() -> None:
    entry = volume_diff(VOLUME, "absent", "installed", life.INSTALL_COURSE, None)
    assert entry["before"] == {"state": "absent"}
    assert entry["after"]["state"] == "installed"
    kinds = [name.split()[0] for name in entry["after"] if name != "state"]
    assert kinds == ["PersistentVolumeClaim", "Secret", "Job"]
    staging = entry["after"][f"PersistentVolumeClaim {CLAIM}-staging"]
    assert staging["spec"]["resources"]["requests"]["storage"] == "16Mi"


def test_nothing_secret_is_shown_and_the_volume_keeps_it() -> None:
    before = copy.deepcopy(VOLUME.agent.env)
    shown = json.dumps(volume_diff(VOLUME, "absent", "installed", life.INSTALL_COURSE, None))
    assert "passw0rd" not in shown
    assert "t0ken" not in shown
    assert "REF" in shown
    assert VOLUME.agent.env == before


def test_a_hand_over_shows_the_plugin_claim() -> None:
    entry = volume_diff(VOLUME, "installed", "ready", life.HAND_OVER_COURSE, None)
    (name,) = [name for name in entry["after"] if name != "state"]
    assert name == f"PersistentVolumeClaim {CLAIM}"
    assert entry["after"][name]["spec"]["storageClassName"] == "fast"
    assert entry["after"][name]["spec"]["volumeName"] == "(known after the install)"


def test_a_known_volume_is_named() -> None:
    known = {"metadata": {"name": "pv-1"}, "spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}}}
    entry = volume_diff(VOLUME, "reserved", "ready", (life.CREATE_CLAIM,), known)
    spec = entry["after"][f"PersistentVolumeClaim {CLAIM}"]["spec"]
    assert (spec["volumeName"], spec["resources"]["requests"]["storage"]) == ("pv-1", "1Gi")


def test_tidying_creates_nothing() -> None:
    entry = volume_diff(VOLUME, "claimed", "ready", (life.GIVE_BACK_POLICY,), None)
    assert entry["after"] == {"state": "ready"}
