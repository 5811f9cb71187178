# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: report_markdown
short_description: Make a Markdown page of a report on plugin volumes
description:
  - Gives a page of GitHub's Markdown for what M(getporter.porter.porter_report_info) or
    M(getporter.porter.porter_prune) returned. A report also has the graph of agent configs, plugin claims and volumes,
    for Mermaid.
author:
  - Contributors to the getporter.porter collection (@getporter)
positional: title
options:
  _input:
    description: The module's result.
    type: dict
    required: true
  title:
    description: The page's title.
    type: str
    default: Porter plugins
"""

EXAMPLES = r"""
- name: Write a page of what there is
  ansible.builtin.copy:
    content: "{{ report | getporter.porter.report_markdown('Porter plugins of the test cluster') }}"
    dest: porter.md
    mode: "0644"
"""

RETURN = r"""
_value:
  description: The page.
  type: str
"""

from typing import Any, Callable

from ansible_collections.getporter.porter.plugins.module_utils._report_page import markdown_page


def report_markdown(report: Any, title: str = "Porter plugins") -> str:
    """Return the page."""
    return markdown_page(report, title)


class FilterModule:
    """The filter's registration."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filters by name."""
        return {"report_markdown": report_markdown}
