# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: plugin_claim_name
short_description: Name the persistent volume claim of a set of Porter plugins
description:
  - Gives the name of the claim that holds a plugin set, as the Porter Operator names it.
author:
  - Contributors to the getporter.porter collection (@getporter)
positional: namespace
options:
  _input:
    description:
      - >-
        The plugin set: a map from plugin name to its settings V(version), V(url), V(feedURL) and V(mirror), or a whole
        Porter plugins document, or either as YAML or JSON text.
    type: raw
    required: true
  namespace:
    description: The namespace of the claim, which is part of its name.
    type: str
    default: default
  salted:
    description:
      - Give the name that no other plugin set has, for when another plugin set has the usual name.
    type: bool
    default: false
seealso:
  - module: getporter.porter.porter_plugin_hash
"""

EXAMPLES = r"""
- name: Name the claim of a plugin set
  ansible.builtin.debug:
    msg: "{{ {'kubernetes': {'version': 'v1.0.1'}} | getporter.porter.plugin_claim_name(namespace='porter') }}"
"""

RETURN = r"""
_value:
  description: The name of the claim. Empty when there are no plugins, since there is no claim then.
  type: str
"""

from typing import Any, Callable

from ansible.errors import AnsibleFilterError
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._identity import claim_name


def plugin_claim_name(plugins: Any, namespace: Any = "default", salted: Any = False) -> str:
    """Return the name of the claim of a plugin set."""
    try:
        return claim_name(plugins, namespace, salted)
    except PorterError as error:
        raise AnsibleFilterError(f"plugin_claim_name: {error.message}") from error


class FilterModule:
    """The filter's registration."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filters by name."""
        return {"plugin_claim_name": plugin_claim_name}
