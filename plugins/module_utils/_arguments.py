# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What results show of a module's arguments: nothing that may be a secret.

Private to the collection: not a public interface.
"""

from __future__ import annotations

import json
import re
from typing import Any, Mapping

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.getporter.porter.plugins.module_utils._action_secrets import Masking, secrets_in
from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError, PorterError
from ansible_collections.getporter.porter.plugins.module_utils._identity import (
    redacted_plugins_document,
    secret_urls,
)
from ansible_collections.getporter.porter.plugins.module_utils._input import structure
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import parse_plugins
from ansible_collections.getporter.porter.plugins.module_utils._record import settings_to_keep

# What Ansible's check of arguments quotes of a list or a map that stands where it cannot: all of it.
_QUOTED = re.compile(r"[\[{].*[\]}]", re.DOTALL)


class PorterModule(AnsibleModule):  # type: ignore[misc]  # Ansible has no types
    """An AnsibleModule whose failures show none of its arguments, unless they are given what to show.

    Ansible checks the arguments while the module is made, and shows all of them with what is wrong with one. At that
    time nothing is known of them, so that anything may be a URL with a password or an environment variable.
    """

    def fail_json(self, msg: str, **kwargs: Any) -> None:
        """As AnsibleModule does."""
        if "invocation" not in kwargs:
            msg = _QUOTED.sub("(not shown)", str(msg))
            self.no_log_values.update(secret_urls(msg))
            names = [option for option in self.argument_spec if option in self.params]
            kwargs["invocation"] = {"module_args": dict.fromkeys(names, "(not shown)")}
        super().fail_json(msg, **kwargs)


def invocation(module: AnsibleModule) -> dict[str, Any]:
    """The arguments, once they are checked, as results show them."""
    shown = dict(module.params)
    if "plugins" in shown:
        shown["plugins"] = _shown_plugins(shown["plugins"])
    if "args" in shown:
        return {"invocation": {"module_args": _shown_action(shown)}}
    if "volumes" in shown:
        shown["volumes"] = [_shown_volume(given) for given in shown["volumes"]]
    if "agent_configs" in shown:
        shown["agent_configs"] = [_with_shown_record(given) for given in shown["agent_configs"]]
    return {"invocation": {"module_args": shown}}


def _shown_action(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """An agent action with the names of its files, but not what is in them, and without secrets among its arguments."""
    if not given["secure_logging"]:
        return given
    args = [str(each) for each in given["args"]] if isinstance(given["args"], list) else []
    files = given["files"].values() if isinstance(given["files"], dict) else [given["files"] or ""]
    contents = [each if isinstance(each, str) else json.dumps(each, default=str) for each in files]
    agent = given["agent"] or {}
    mask = Masking(secrets_in(contents, _variables(agent), args))
    return {
        **given,
        "args": [mask(each) for each in args],
        "files": sorted(given["files"]) if isinstance(given["files"], dict) else "(not shown)",
        "agent": _shown_agent(agent),
    }


def _shown_volume(given: Mapping[str, Any]) -> dict[str, Any]:
    shown = {"plugins": _shown_plugins(given["plugins"]), "agent": _shown_agent(given["agent"])}
    return {**_with_shown_record(given), **shown}


def _with_shown_record(given: Mapping[str, Any]) -> dict[str, Any]:
    """A volume or agent config; of its record's agent what the record keeps."""
    record = given["record"]
    if not (record and record.get("agent")):
        return dict(given)
    return {**given, "record": {**record, "agent": settings_to_keep(record["agent"])}}


def _shown_agent(agent: Mapping[str, Any]) -> dict[str, Any]:
    """The agent's settings with the names, but not the values, of its environment variables."""
    return {**agent, "env": [each.get("name") for each in _variables(agent)]}


def _variables(agent: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The environment variables, also out of text; of what is none, nothing."""
    try:
        env = structure(agent.get("env"), "env")
    except InputError:
        return []
    return [each for each in env if isinstance(each, Mapping)] if isinstance(env, list) else []


def _shown_plugins(plugins: Any) -> Any:
    try:
        return redacted_plugins_document(parse_plugins(plugins))
    except PorterError:
        # The message tells what is wrong with it.
        return "(not shown: it is no valid plugin set)"
