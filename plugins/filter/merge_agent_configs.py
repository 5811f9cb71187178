# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: merge_agent_configs
short_description: Merge the levels of an agent config
description:
  - Merges settings of agent configs as the Porter Operator does it with its system, namespace and instance level. Later
    levels win, empty settings count as not set, and the map of plugins is replaced as a whole. An explicit empty map of
    plugins is set and means no plugins.
  - C(porter_repository) or C(porter_version) of a later level win over an C(agent_image) of an earlier one.
  - The result is whole. When URLs hold passwords, so does the result.
author:
  - Contributors to the getporter.porter collection (@getporter)
options:
  _input:
    description:
      - The levels, the weakest first. Each is a map of settings as the role P(getporter.porter.porter_plugins#role)
        takes them, in snake case or as the AgentConfig resource spells them, or an AgentConfig manifest, or V(null).
    type: list
    elements: dict
    required: true
seealso:
  - plugin: getporter.porter.agent_config_from_manifest
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Show what an agent config has in the end
  ansible.builtin.debug:
    msg: "{{ [system, namespace, config] | getporter.porter.merge_agent_configs }}"
  vars:
    system:
      porter_version: v1.6.1
      plugins:
        kubernetes: {version: v1.0.1}
    namespace:
      service_account: porter-agent
    config:
      name: azure-team
      plugins:
        azure: {version: v1.2.0}
"""

RETURN = r"""
_value:
  description: What is set, under keys in snake case. The plugins have the form in which the last level gives them.
  type: dict
  sample:
    name: azure-team
    porter_version: v1.6.1
    service_account: porter-agent
    plugins:
      azure:
        version: v1.2.0
"""

from typing import Any, Callable

from ansible.errors import AnsibleFilterError
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._resolve import merge_levels


def merge_agent_configs(levels: Any) -> dict[str, Any]:
    """Return what the levels set together."""
    try:
        return merge_levels(levels)
    except PorterError as error:
        raise AnsibleFilterError(f"merge_agent_configs: {error.message}") from error


class FilterModule:
    """The filter's registration."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filters by name."""
        return {"merge_agent_configs": merge_agent_configs}
