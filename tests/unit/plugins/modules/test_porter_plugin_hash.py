# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module porter_plugin_hash, run as Ansible runs it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible.module_utils import basic
from ansible_collections.getporter.porter.plugins.module_utils._identity import (
    document_digest,
    plugin_claim_name,
    salted_claim_name,
)
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import parse_plugins
from ansible_collections.getporter.porter.plugins.modules import porter_plugin_hash

PLUGINS = {"kubernetes": {"version": "v1.0.1"}, "azure": {"version": "v1.2.0"}}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the module with arguments and return its result."""

    def run_module(**arguments: Any) -> Any:
        content = json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode()
        monkeypatch.setattr(basic, "_ANSIBLE_ARGS", content)
        monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)
        # Where ansible's controller is loaded too, warnings go to its display and not to the result.
        warnings: list[str] = []
        monkeypatch.setattr(basic.AnsibleModule, "warn", lambda _self, warning: warnings.append(warning))
        with pytest.raises(SystemExit) as caught:
            porter_plugin_hash.main()
        result = json.loads(capsys.readouterr().out)
        assert bool(result.get("failed")) is bool(caught.value.code)
        return {**result, "warnings": warnings}

    return run_module


def warnings_of(result: Any) -> str:
    return json.dumps(result["warnings"])


@pytest.mark.parametrize("check_mode", [False, True])
def test_names(run: Any, check_mode: bool) -> None:
    result = run(plugins=PLUGINS, namespace="porter", _ansible_check_mode=check_mode)
    plugin_set = parse_plugins(PLUGINS)
    claim = plugin_claim_name(plugin_set, "porter")
    result.pop("invocation")
    assert result == {
        "changed": False,
        "warnings": [],
        "claim": claim,
        "salted_claim": salted_claim_name(plugin_set, "porter"),
        "staging_claim": claim + "-staging",
        "job": claim + "-install",
        "plugins_hash": "148b9bd5affdb010216cbe25590d3ce7",
        "label": "azure_v1.2.0_kubernetes_v1.0.1",
        "document": {"schemaType": "Plugins", "schemaVersion": "1.0.0", "plugins": PLUGINS},
        "document_digest": document_digest(plugin_set),
    }


@pytest.mark.parametrize(
    "namespace", [{}, {"namespace": ""}, {"namespace": "default"}], ids=["left-out", "F04", "same"]
)
def test_namespace_default(run: Any, namespace: Any) -> None:
    assert run(plugins=PLUGINS, **namespace)["claim"] == plugin_claim_name(parse_plugins(PLUGINS), "default")


@pytest.mark.parametrize(
    "plugins", [{}, {"plugins": None}, {"plugins": ""}, {"plugins": {}}, {"plugins": {"plugins": None}}]
)
def test_a07_no_plugins(run: Any, plugins: Any) -> None:
    result = run(**plugins)
    names = ("claim", "salted_claim", "staging_claim", "job", "plugins_hash", "label")
    assert {result[name] for name in names} == {""}
    assert result["document"]["plugins"] == {}


def test_f08_text(run: Any) -> None:
    assert run(plugins=json.dumps(PLUGINS))["claim"] == run(plugins=PLUGINS)["claim"]


def test_a08_warnings(run: Any) -> None:
    assert "No fixed version for kubernetes" in warnings_of(run(plugins={"kubernetes": {}}))
    assert warnings_of(run(plugins=PLUGINS)) == "[]"


def test_what_cannot_be_installed_has_a_name_and_a_warning(run: Any) -> None:
    result = run(plugins={"a": {"version": "v1", "url": "https://h/%zz"}})
    assert result["claim"]
    assert "not a URL that Porter can read" in warnings_of(result)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"plugins": [{"name": "a"}]}, "plugins: {a: {version: ...}}"),
        ({"plugins": {"a": {"version": 1.1}}}, "quote it"),
        ({"plugins": PLUGINS, "namespace": "My_Space"}, "For example: my-space"),
    ],
)
def test_wrong_input_fails_with_advice(run: Any, arguments: Any, words: str) -> None:
    result = run(**arguments)
    assert result["failed"]
    assert words in result["msg"]


@pytest.mark.parametrize("wrap", [lambda plugins: plugins, json.dumps], ids=["map", "text"])
@pytest.mark.parametrize("more", [{}, {"b": 1}], ids=["success", "failure"])
def test_secrets_are_in_no_result(run: Any, wrap: Any, more: Any) -> None:
    plugins = {"a": {"url": "https://user:hunter2@h/x?token=hunter3#hunter4", "version": "v1"}, **more}
    result = run(plugins=wrap(plugins))
    assert bool(result.get("failed")) is bool(more)
    assert "hunter" not in json.dumps(result)
    assert more or "v1" in json.dumps(result["invocation"])
