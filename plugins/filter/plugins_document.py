# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: plugins_document
short_description: Write a set of Porter plugins as the document that Porter installs from
description:
  - Gives the Porter plugins document of a plugin set, with the keys that Porter's documentation has.
  - Give it to Porter as JSON. From YAML Porter drops V(feedURL) and V(mirror) without a word.
  - The document is whole. When URLs hold passwords, so does the document.
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
- name: Write a file for porter plugins install --file
  ansible.builtin.copy:
    content: "{{ {'kubernetes': {'version': 'v1.0.1'}} | getporter.porter.plugins_document | to_json }}"
    dest: plugins.json
    mode: "0600"
"""

RETURN = r"""
_value:
  description: The document, a map with C(schemaType), C(schemaVersion) and C(plugins).
  type: dict
"""

from typing import Any, Callable

from ansible.errors import AnsibleFilterError
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._identity import plugins_document as document_of
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import parse_plugins


def plugins_document(plugins: Any) -> dict[str, Any]:
    """Return the plugins document of a plugin set."""
    try:
        return document_of(parse_plugins(plugins))
    except PorterError as error:
        raise AnsibleFilterError(f"plugins_document: {error.message}") from error


class FilterModule:
    """The filter's registration."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filters by name."""
        return {"plugins_document": plugins_document}
