# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The option that the modules for agent configs share."""

    DOCUMENTATION = r"""
options:
  agent_configs:
    description:
      - Agent configs, each with the plugin claim that it wants.
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
      claim:
        description: The name of the plugin claim that it wants; empty for no plugins.
        type: str
        default: ""
      plugins_hash:
        description: The Porter Operator's hash of its plugin set, for the label C(getporter.org/plugins-hash).
        type: str
        default: ""
      record:
        description: What its record is to say of it.
        type: dict
        default: {}
        suboptions:
          spec:
            description: Its settings as in an AgentConfig resource.
            type: dict
          agent:
            description: How pods of the agent run, for its agent actions.
            type: dict
"""
