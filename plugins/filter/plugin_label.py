# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: plugin_label
short_description: Write a set of Porter plugins as a label value
description:
  - Gives the plugin set in plain text, as the value of the label C(getporter.org/plugins) that plugin volumes carry.
  - It has at most 63 letters, digits, V(.), V(_) and V(-), and begins and ends with a letter or digit.
  - When there is no room for the text, when it has URLs, or when it could be read in two ways, it is cut and ends in a
    hash. So different plugin sets have different labels. There is never a URL in it.
author:
  - Contributors to the getporter.porter collection (@getporter)
options:
  _input:
    description:
      - >-
        The plugin set: a map from plugin name to its settings V(version), V(url), V(feedURL) and V(mirror), or a whole
        Porter plugins document, or either as YAML or JSON text.
    type: raw
    required: true
seealso:
  - module: getporter.porter.porter_plugin_hash
"""

EXAMPLES = r"""
- name: Find the volumes of a plugin set
  kubernetes.core.k8s_info:
    kind: PersistentVolume
    label_selectors:
      - "getporter.org/plugins={{ {'kubernetes': {'version': 'v1.0.1'}} | getporter.porter.plugin_label }}"
"""

RETURN = r"""
_value:
  description: The label value, such as V(kubernetes_v1.0.1). Empty when there are no plugins.
  type: str
"""

from typing import Any, Callable

from ansible.errors import AnsibleFilterError
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._identity import sanitized_label
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import parse_plugins


def plugin_label(plugins: Any) -> str:
    """Return the label value of a plugin set."""
    try:
        return sanitized_label(parse_plugins(plugins))
    except PorterError as error:
        raise AnsibleFilterError(f"plugin_label: {error.message}") from error


class FilterModule:
    """The filter's registration."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filters by name."""
        return {"plugin_label": plugin_label}
