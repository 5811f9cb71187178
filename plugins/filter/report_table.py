# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: report_table
short_description: Make tables of a report on plugin volumes
description:
  - Gives the lines of tables for what M(getporter.porter.porter_report_info) or M(getporter.porter.porter_prune)
    returned.
author:
  - Contributors to the getporter.porter collection (@getporter)
options:
  _input:
    description: The module's result.
    type: dict
    required: true
"""

EXAMPLES = r"""
- name: Show what there is
  ansible.builtin.debug:
    msg: "{{ report | getporter.porter.report_table }}"
"""

RETURN = r"""
_value:
  description: The lines.
  type: list
  elements: str
"""

from typing import Any, Callable

from ansible_collections.getporter.porter.plugins.module_utils._report_page import text_table


def report_table(report: Any) -> list[str]:
    """Return the lines of the tables."""
    return text_table(report)


class FilterModule:
    """The filter's registration."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filters by name."""
        return {"report_table": report_table}
