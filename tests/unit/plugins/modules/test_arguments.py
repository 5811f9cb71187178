# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""What a module that refuses its arguments shows of them, run as Ansible runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils import basic
from ansible_collections.getporter.porter.plugins.modules import (
    porter_agent_action,
    porter_agent_config,
    porter_agent_job,
    porter_plugin_hash,
    porter_plugin_volume,
    porter_plugin_volume_info,
)

URL = "https://user:geheim1@feed.example/atom.xml?token=geheim2"
PLUGINS = {"azure": {"feedURL": URL, "version": "v1"}}
ENV = [{"name": "TOKEN", "value": "geheim3"}]
AGENT = {"image": "agent:1", "env": ENV}
VOLUME = {"agent_config": "default", "namespace": "porter", "plugins": PLUGINS, "agent": AGENT}
OF_VOLUMES = [porter_agent_job, porter_plugin_volume, porter_plugin_volume_info]
MODULES = Path(porter_agent_job.__file__).parent


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a module with arguments that it refuses, and return its result and what it wrote to the system log."""
    logged: list[str] = []
    monkeypatch.setattr(basic.AnsibleModule, "log", lambda _self, message, **_more: logged.append(str(message)))

    def run(module: Any, **arguments: Any) -> Any:
        monkeypatch.setattr(basic, "_ANSIBLE_ARGS", json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode())
        monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)
        with pytest.raises(SystemExit) as caught:
            module.main()
        out = capsys.readouterr().out
        assert caught.value.code == 1
        for shown in (out, *logged):
            assert not re.search("geheim", shown), shown
        return json.loads(out)

    return run


@pytest.mark.parametrize("module", OF_VOLUMES, ids=lambda module: module.__name__.rpartition(".")[2])
@pytest.mark.parametrize(
    ("volumes", "words"),
    [
        ([{**VOLUME, "plugin": PLUGINS}], "volumes.plugin. Supported"),
        ([{**VOLUME, "env": ENV}], "volumes.env. Supported"),
        ([{"plugins": PLUGINS, "agent": AGENT}], "agent_config, namespace found in volumes"),
        ([{**VOLUME, "agent": {"env": ENV}}], "missing required arguments: image found in volumes -> agent"),
        ([{**VOLUME, "agent": {**AGENT, "env": "TOKEN geheim3"}}], "Elements value for option 'env'"),
        ([{**VOLUME, "agent": {**AGENT, "env": ["TOKEN: geheim3"]}}], "Elements value for option 'env'"),
        ([{**VOLUME, "agent": {**AGENT, "backoff_limit": ENV}}], '"(not shown)" cannot be converted to an int'),
        ([{**VOLUME, "agent": {**AGENT, "pull_policy": ENV}}], "value of pull_policy must be one of: Always"),
        ([{**VOLUME, "access_mode": PLUGINS}], "value of access_mode must be one of: ReadWriteOnce"),
        ([{**VOLUME, "salted": PLUGINS}], "unable to convert to bool"),
        ([{**VOLUME, "spec": json.dumps(PLUGINS)[:-1]}], "unable to evaluate string as dictionary"),
        ([{**VOLUME, "agent": [AGENT, ENV]}], "'(not shown)' in the sub parameter field 'agent' must be a dict"),
        ([[PLUGINS, ENV]], "'(not shown)' in the sub parameter field 'volumes' must be a list"),
        (json.dumps([VOLUME]), 'unable to evaluate string in the "key=value" format'),
        ("plugins=%s" % URL, "missing required arguments"),
        (URL, "missing required arguments"),
        ([{**VOLUME, URL: "v1"}], "******** Supported parameters include: access_mode, agent"),
        (["TOKEN: geheim3"], "dictionary requested"),
    ],
)
def test_a_volume_that_is_refused_is_not_shown(module: Any, volumes: Any, words: str, refuse: Any) -> None:
    result = refuse(module, volumes=volumes)
    assert words in result["msg"]
    assert result["invocation"]["module_args"]["volumes"] == "(not shown)"


@pytest.mark.parametrize(
    ("module", "arguments", "words"),
    [
        (porter_agent_action, {"namespace": "n", "args": ["install"], "env": ENV}, "env. Supported"),
        (porter_agent_action, {"args": ["--param", "password=geheim3"], "agent": AGENT}, "arguments: namespace"),
        (porter_agent_action, {"namespace": "n", "args": [], "agent": [ENV]}, "'(not shown)' in the sub parameter"),
        (porter_agent_config, {"agent_configs": [{"name": "a", "agent": {"env": ENV}}]}, "namespace found in"),
        (porter_agent_config, {"agent_configs": [PLUGINS]}, "name, namespace found in agent_configs"),
        (porter_agent_config, {"volume": [VOLUME]}, "volume. Supported"),
        (porter_agent_job, {"timeout": 5}, "missing required arguments: volumes"),
        (porter_agent_job, {"volumes": [VOLUME], "env": ENV}, "env. Supported"),
        (porter_agent_job, {"volumes": [VOLUME], "until": "done"}, "value of until must be one of: installed, ready"),
        (porter_plugin_hash, {"plugins": PLUGINS, "feedURL": URL}, "feedURL. Supported"),
        (porter_plugin_hash, {"plugins": PLUGINS, "plugin": PLUGINS}, "plugin. Supported"),
    ],
)
def test_other_arguments_that_are_refused_are_not_shown(module: Any, arguments: Any, words: str, refuse: Any) -> None:
    assert words in refuse(module, **arguments)["msg"]


def test_no_module_that_takes_secrets_is_forgotten() -> None:
    """Those are tested above; one that takes plugin sets or agents under other names belongs there too."""
    taking = {
        path.stem
        for path in MODULES.glob("*.py")
        if re.search(r"VOLUMES_OPTION|AGENT_CONFIGS_OPTION|\"(plugins|env|agent)\": \{\"type\"", path.read_text())
    }
    tested = [*OF_VOLUMES, porter_agent_action, porter_agent_config, porter_plugin_hash]
    assert taking == {module.__name__.rpartition(".")[2] for module in tested}
