# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: resolve_agent_configs
short_description: Check agent configs and name the plugin volumes they need
description:
  - Checks agent configs, fills in defaults and gives for each the claim and the module option of its plugin volume, or
    else its own.
  - Meant for the role P(getporter.porter.porter_plugins#role).
author:
  - Contributors to the getporter.porter collection (@getporter)
positional: defaults
options:
  _input:
    description:
      - The agent configs, maps of settings or AgentConfig manifests, in a list or alone, or as YAML or JSON text.
      - Without any, nor any in O(files) and with no O(found), the one that O(defaults) names.
    type: raw
    required: true
  defaults:
    description:
      - C(name), C(namespace) and the settings of agent configs that set them not themselves.
      - Of a list of such maps later ones win. Empty settings count as not set.
    type: raw
    required: true
  system:
    description: The system level, a map of settings that win over O(defaults), or an AgentConfig manifest.
    type: raw
  namespaces:
    description:
      - The namespace level, a map from namespace to settings that win over O(system), or to AgentConfig manifests.
    type: raw
  files:
    description: More agent configs, a map from path to the content of the file.
    type: dict
    default: {}
  found:
    description: More agent configs, those found in the cluster. V(null) where it was not asked.
    type: list
    elements: dict
  state:
    description:
      - V(present) or V(absent) for all of them, whatever they say themselves. Empty leaves it to each.
      - With V(absent) there must be some.
    type: str
    default: ""
"""

EXAMPLES = r"""
- name: Name the claims of agent configs
  ansible.builtin.debug:
    msg: "{{ configs | getporter.porter.resolve_agent_configs(defaults) | map(attribute='claim') }}"
"""

RETURN = r"""
_value:
  description:
    - The agent configs, each with C(name), C(namespace), C(state), C(claim), and the module option C(volume) or
      C(agent_config).
  type: list
  elements: dict
"""

from typing import Any, Callable

from ansible.errors import AnsibleFilterError
from ansible_collections.getporter.porter.plugins.module_utils import _resolve
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError


def resolve_agent_configs(
    configs: Any,
    defaults: Any,
    system: Any = None,
    namespaces: Any = None,
    files: Any = None,
    found: Any = None,
    state: Any = None,
) -> list[dict[str, Any]]:
    """Return the checked agent configs with what they need."""
    try:
        return _resolve.resolve_agent_configs(
            configs, defaults, system=system, namespaces=namespaces, files=files, found=found, state=state
        )
    except PorterError as error:
        raise AnsibleFilterError(error.message) from error


class FilterModule:
    """The filter's registration."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filters by name."""
        return {"resolve_agent_configs": resolve_agent_configs}
