# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The settings of the agent's pods beyond the AgentConfig resource's own, as users write them. Pure.

Private to the collection: not a public interface.

The parts that Kubernetes defines are passed on as they are.
"""

from __future__ import annotations

from typing import Any, Mapping

from ansible_collections.getporter.porter.plugins.module_utils._errors import InputError
from ansible_collections.getporter.porter.plugins.module_utils._input import describe, structure, whole_number

POD_LISTS = ("image_pull_secrets", "tolerations", "env", "env_from")
POD_MAPS = (
    "node_selector",
    "affinity",
    "resources",
    "pod_labels",
    "pod_annotations",
    "pod_security_context",
    "container_security_context",
)
_POD_NUMBERS = ("active_deadline_seconds",)
POD_KEYS = (*POD_LISTS, *POD_MAPS, *_POD_NUMBERS)


def pod_setting(key: str, written: Any, what: str) -> Any:
    """The setting, also out of text; None where nothing is set. ``what`` names it in messages."""
    if key in _POD_NUMBERS:
        return whole_number(written, what)
    value = structure(written, what)
    if key == "image_pull_secrets":
        return a_list([name.strip() for name in value.split(",")] if isinstance(value, str) else value, what)
    return a_map(value, what) if key in POD_MAPS else a_list_of_maps(value, what)


def a_map(value: Any, what: str) -> Any:
    """The value, which is to be a map or nothing."""
    return _of_kind(value, "a map", what)


def a_list(value: Any, what: str) -> Any:
    """The value, which is to be a list or nothing."""
    return _of_kind(value, "a list", what)


def a_list_of_maps(value: Any, what: str) -> Any:
    """The value, which is to be a list of maps or nothing."""
    for number, each in enumerate(a_list(value, what) or [], 1):
        if describe(each) != "a map":
            raise InputError("Entry %d of %s must be a map, not %s." % (number, what, describe(each)))
    return value


def _of_kind(value: Any, kind: str, what: str) -> Any:
    if value is not None and describe(value) != kind:
        raise InputError("%s must be %s, not %s." % (what, kind, describe(value)))
    return value


def shown_agent(agent: Mapping[str, Any]) -> dict[str, Any]:
    """The agent's settings with the names, but not the values, of its environment variables."""
    return {**agent, "env": [each.get("name") for each in variables_of(agent)]}


def variables_of(agent: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The environment variables, also out of text; of what is none, nothing."""
    try:
        env = structure(agent.get("env"), "env")
    except InputError:
        return []
    return [each for each in env if isinstance(each, Mapping)] if isinstance(env, list) else []
