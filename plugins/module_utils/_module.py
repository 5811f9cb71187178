# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the modules share: how they begin, report, and end.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from contextlib import suppress
from os import SEEK_END
from pathlib import Path
from typing import Any, Callable, Mapping

from ansible.module_utils.basic import AnsibleModule, missing_required_lib
from ansible.module_utils.common.parameters import remove_values
from ansible_collections.getporter.porter.plugins.module_utils._agent_action import AgentAction
from ansible_collections.getporter.porter.plugins.module_utils._api import AUTH_ARGUMENTS
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    MissingLibraryError,
    PorterError,
)
from ansible_collections.getporter.porter.plugins.module_utils._identity import (
    redacted_plugins_document,
)
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import parse_plugins
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume


def make_module(options: Mapping[str, Any]) -> AnsibleModule:
    """The module with the options of the connection and ``options``."""
    return AnsibleModule(
        argument_spec={
            **AUTH_ARGUMENTS,
            **options,
        },
        supports_check_mode=True,
        # Nothing of the arguments goes to the system log: feed URLs can hold credentials.
        no_log=True,
    )


def success(module: AnsibleModule, result: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments for ``exit_json``."""
    return {**result, **_invocation(module)}


def failure(module: AnsibleModule, error: PorterError) -> dict[str, Any]:
    """The keyword arguments for ``fail_json``."""
    return {**error_result(error), **_invocation(module)}


def error_result(error: PorterError) -> dict[str, Any]:
    """The error as keyword arguments; where a library is missing, in Ansible's words for that."""
    result = error.as_result()
    if isinstance(error, MissingLibraryError):
        result["msg"] = missing_required_lib(error.library)
    return result


def reporter(module: AnsibleModule) -> Callable[[PluginVolume | AgentAction, str], None] | None:
    """What appends lines to the progress file, None where there is none."""
    if not module.params["progress_file"]:
        return None
    path = Path(module.params["progress_file"])
    path.touch()

    def report(subject: PluginVolume | AgentAction, line: str) -> None:
        # In one write, so that a reader never sees half a line of two; masked as results are.
        shown = remove_values(line, module.no_log_values)
        # One that was removed is not made anew: nobody reads it any more.
        with suppress(FileNotFoundError), path.open("r+", encoding="utf-8") as stream:
            stream.seek(0, SEEK_END)
            stream.write("%s/%s: %s\n" % (subject.namespace, subject.agent_config, shown))

    return report


def _invocation(module: AnsibleModule) -> dict[str, Any]:
    """The arguments as results show them, with nothing in the plugins' URLs that may be a secret."""
    shown = dict(module.params)
    if "volumes" in shown:
        shown["volumes"] = [
            {**given, "plugins": _shown_plugins(given["plugins"]), "agent": _shown_agent(given["agent"])}
            for given in module.params["volumes"]
        ]
    return {"invocation": {"module_args": shown}}


def _shown_agent(agent: Mapping[str, Any]) -> dict[str, Any]:
    """The agent's settings with the names, but not the values, of its environment variables."""
    return {**agent, "env": [each.get("name") for each in agent.get("env") or []]}


def _shown_plugins(plugins: Any) -> Any:
    try:
        return redacted_plugins_document(parse_plugins(plugins))
    except PorterError:
        # The message tells what is wrong with it.
        return "(not shown: it is no valid plugin set)"
