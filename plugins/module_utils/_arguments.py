# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What results show of a module's arguments: nothing that may be a secret.

Private to the collection: not a public interface.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Mapping

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._identity import (
    redacted_plugins_document,
    secret_urls,
)
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import parse_plugins
from ansible_collections.getporter.porter.plugins.module_utils._pod_settings import shown_agent

# What Ansible's check of arguments quotes of a list or a map that stands where it cannot: all of it.
_QUOTED = re.compile(r"[\[{].*[\]}]", re.DOTALL)


class PorterModule(AnsibleModule):  # type: ignore[misc]  # Ansible has no types
    """An AnsibleModule whose failures show none of its arguments, unless they are given what to show.

    Ansible checks the arguments while the module is made, and shows all of them with what is wrong with one. At that
    time nothing is known of them, so that anything may be a URL with a password or an environment variable.
    ``shown`` makes of checked arguments what results show of them.
    """

    def __init__(self, shown: Callable[[Mapping[str, Any]], Mapping[str, Any]], **how: Any) -> None:
        self.shown = shown
        super().__init__(**how)

    def fail_json(self, msg: str, **kwargs: Any) -> None:
        """As AnsibleModule does."""
        if "invocation" not in kwargs:
            msg = _QUOTED.sub("(not shown)", str(msg))
            self.no_log_values.update(secret_urls(msg))
            names = [option for option in self.argument_spec if option in self.params]
            kwargs["invocation"] = {"module_args": dict.fromkeys(names, "(not shown)")}
        super().fail_json(msg, **kwargs)


def invocation(module: Any) -> dict[str, Any]:
    """The arguments, once they are checked, as results show them."""
    return {"invocation": {"module_args": module.shown(module.params)}}


def shown_arguments(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Those of plugin sets, plugin volumes and agent configs."""
    shown = dict(params)
    if "plugins" in shown:
        shown["plugins"] = _shown_plugins(shown["plugins"])
    if "volumes" in shown:
        shown["volumes"] = [_shown_volume(given) for given in shown["volumes"]]
    if "agent_configs" in shown:
        shown["agent_configs"] = [_with_shown_agent(given) for given in shown["agent_configs"]]
    return shown


def _shown_volume(given: Mapping[str, Any]) -> dict[str, Any]:
    return {**_with_shown_agent(given), "plugins": _shown_plugins(given["plugins"])}


def _with_shown_agent(given: Mapping[str, Any]) -> dict[str, Any]:
    return {**given, "agent": shown_agent(given["agent"])}


def _shown_plugins(plugins: Any) -> Any:
    try:
        return redacted_plugins_document(parse_plugins(plugins))
    except PorterError:
        # The message tells what is wrong with it.
        return "(not shown: it is no valid plugin set)"
