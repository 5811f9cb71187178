# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The option of the modules for agent configs; those with plugins are in the option ``volumes``."""

    DOCUMENTATION = r"""
options:
  agent_configs:
    description:
      - Agent configs that need no plugin volume, because they are to be absent or have no plugins.
    type: list
    elements: dict
    default: []
    suboptions:
      name:
        description: The agent config's name.
        type: str
        required: true
      namespace:
        description: Its namespace.
        type: str
        required: true
      state:
        description: Whether it is to be there.
        type: str
        choices: [present, absent]
        default: present
      spec:
        description: Its settings as in an AgentConfig resource, for its record.
        type: dict
        default: {}
      agent:
        description: How pods of the agent run, for its agent actions, in the form of the O(volumes[].agent) option.
        type: dict
        default: {}
"""
