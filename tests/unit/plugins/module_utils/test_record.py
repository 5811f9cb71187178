# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What an agent action reads out of the record of its agent config, and what an install keeps there for it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._options import read_volume
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import AgentSettings
from ansible_collections.getporter.porter.plugins.module_utils._record import (
    RecordStatus,
    read_record,
    record_manifest,
    settings_to_keep,
)

METADATA = {"name": "porter-agent-config-default", "namespace": "porter", "uid": "u"}
SECRET = {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}


def test_what_an_install_writes_an_action_reads() -> None:
    agent = {"image": "agent:1", "backoff_limit": 0, "env": [SECRET, {"name": "LEVEL", "value": "geheim"}]}
    option = {"agent_config": "default", "namespace": "porter", "plugins": {"azure": {"version": "v1"}}, "agent": agent}
    volume = read_volume({**option, "volume_size": "64Mi", "spec": {"storageClassName": "fast"}})[0]
    status = RecordStatus("Failed", "R", "M", "pv", {"azure": "v1"})
    record = record_manifest(volume.records[0], status, "now")
    record["metadata"]["uid"] = "u"
    assert "geheim" not in json.dumps(record)
    view = read_record(record)
    assert (view.spec, view.claim, view.status) == ({"storageClassName": "fast"}, volume.identity.claim, status)
    assert view.agent == {"image": "agent:1", "backoff_limit": 0, "env": [SECRET]}
    assert AgentSettings(**view.agent).backoff_limit == 0
    assert view.as_owner == {"apiVersion": "v1", "kind": "ConfigMap", "name": METADATA["name"], "uid": "u"}


@pytest.mark.parametrize(
    ("agent", "kept"),
    [
        (
            {"image": "x", "backoff_limit": 0, "service_account": None, "tolerations": []},
            {"image": "x", "backoff_limit": 0},
        ),
        ({"env": []}, {}),
        ({"env": [{"name": "A", "value": ""}, {"name": "B", "value": None}]}, {}),
        ({"env": [{"name": "A", "value": "x"}, SECRET]}, {"env": [SECRET]}),
        ({"env_from": [{"secretRef": {"name": "s"}}]}, {"env_from": [{"secretRef": {"name": "s"}}]}),
    ],
)
def test_settings_are_kept_but_for_plain_variables(agent: dict[str, Any], kept: dict[str, Any]) -> None:
    before = json.dumps(agent)
    assert settings_to_keep(agent) == kept
    assert json.dumps(agent) == before


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"spec": "{}"},
        {"agent": '{"image": "x"}'},
        {"spec": "{}", "agent": "{}"},
        {"spec": "{}", "agent": "[]"},
        {"spec": "{}", "agent": "null"},
        {"spec": "3", "agent": '{"image": "x"}'},
        {"spec": "[1]", "agent": '{"image": "x"}'},
        {"spec": "", "agent": '{"image": "x"}'},
        {"spec": None, "agent": '{"image": "x"}'},
    ],
)
def test_a_record_of_an_earlier_release_is_refused_in_words(data: Any) -> None:
    with pytest.raises(InputError, match=r"does not say how its pods run\. Run the role porter_plugins for it"):
        read_record({"metadata": METADATA, "data": data})


def test_what_is_missing_of_the_status_is_empty() -> None:
    view = read_record({"metadata": METADATA, "data": {"spec": "{}", "agent": '{"image": "x"}', "plugins": "[1"}})
    assert (view.claim, view.status) == ("", RecordStatus(""))
