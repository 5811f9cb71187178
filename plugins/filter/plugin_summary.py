# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: plugin_summary
short_description: Make a table of agent configs and their plugin volumes
description:
  - Gives the lines of the table with which the role P(getporter.porter.porter_plugins#role) ends.
author:
  - Contributors to the getporter.porter collection (@getporter)
positional: results
options:
  _input:
    description: Agent configs as M(getporter.porter.porter_plugin_volume_info) returns them.
    type: list
    elements: dict
    required: true
  results:
    description: The results of the modules for plugin volumes, in the order of their tasks; empty ones are passed over.
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Say what there is now
  ansible.builtin.debug:
    msg: "{{ observed.agent_configs | getporter.porter.plugin_summary([observed, claimed]) }}"
"""

RETURN = r"""
_value:
  description: The lines of the table.
  type: list
  elements: str
"""

from typing import Any, Callable

from ansible_collections.getporter.porter.plugins.module_utils._summary import summarize


def plugin_summary(configs: Any, results: Any) -> list[str]:
    """Return the lines of the table."""
    return summarize(configs, results)


class FilterModule:
    """The filter's registration."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filters by name."""
        return {"plugin_summary": plugin_summary}
