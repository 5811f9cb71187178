# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The module porter_agent_config_info, run as Ansible runs it, with a stand-in for the adapter."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible.module_utils import basic
from ansible_collections.getporter.porter.plugins.module_utils._errors import ApiError, MissingLibraryError
from ansible_collections.getporter.porter.plugins.modules import porter_agent_config_info

RESOURCE = {
    "apiVersion": "getporter.org/v1",
    "kind": "AgentConfig",
    "metadata": {"name": "a", "namespace": "n"},
    "spec": {"pluginConfigFile": {"plugins": {"azure": {"url": "https://u:geheim@h"}}}},
}


class Api:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def list_all(self, _resource: Any, _namespace: Any) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the module against an answer and return its result."""

    def run_module(answer: Any, **arguments: Any) -> Any:
        content = json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode()
        monkeypatch.setattr(basic, "_ANSIBLE_ARGS", content)
        monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy", raising=False)
        monkeypatch.setattr(porter_agent_config_info, "connect", lambda _module: Api(answer))
        with pytest.raises(SystemExit):
            porter_agent_config_info.main()
        return json.loads(capsys.readouterr().out)

    return run_module


@pytest.mark.parametrize(("unabridged", "shown"), [(None, False), (False, False), (True, True)])
def test_secrets_are_shown_only_when_asked_for(run: Any, unabridged: Any, shown: bool) -> None:
    result = run([RESOURCE], namespaces=["n"], **({} if unabridged is None else {"unabridged": unabridged}))
    assert (result["changed"], len(result["agent_configs"])) == (False, 1)
    assert ("geheim" in json.dumps(result)) is shown


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ApiError(404, "NotFound", "no such path"), "knows no AgentConfig resources"),
        (ApiError(403, "Forbidden", "cannot list"), "cannot list"),
        (MissingLibraryError("kubernetes", "Traceback"), "Failed to import the required Python library (kubernetes)"),
    ],
    ids=["E07-unknown-kind", "forbidden", "E13-library"],
)
def test_failures(run: Any, error: Exception, words: str) -> None:
    result = run(error, namespaces=["*"])
    assert result["failed"]
    assert words in result["msg"]
