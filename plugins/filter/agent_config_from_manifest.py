# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: agent_config_from_manifest
short_description: Take the settings of an agent config out of an AgentConfig manifest
description:
  - Reads a manifest of the Porter Operator (apiVersion C(getporter.org/v1), kind C(AgentConfig)) and gives what it sets
    as an agent config of the role P(getporter.porter.porter_plugins#role), which takes manifests as they are, too.
  - Status, finalizers and all metadata but name and namespace are passed over. Unknown keys, other kinds and the forms
    of early operators are errors.
  - The result is whole. When URLs hold passwords, so does the result.
author:
  - Contributors to the getporter.porter collection (@getporter)
options:
  _input:
    description:
      - One AgentConfig manifest, as a map or as YAML or JSON text.
      - For several, read them with P(ansible.builtin.from_yaml_all#filter) and use P(ansible.builtin.map#filter).
    type: raw
    required: true
seealso:
  - plugin: getporter.porter.merge_agent_configs
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Name the claim of an AgentConfig manifest
  ansible.builtin.debug:
    msg: "{{ config.plugins | getporter.porter.plugin_claim_name(namespace=config.namespace) }}"
  vars:
    config: "{{ lookup('ansible.builtin.file', 'agent_config.yaml') | getporter.porter.agent_config_from_manifest }}"
"""

RETURN = r"""
_value:
  description:
    - What the manifest sets, under keys in snake case, with C(name), C(namespace) where the manifest has one, and the
      content of C(pluginConfigFile) under C(plugins). What is empty in the manifest is left out.
  type: dict
  sample:
    name: default
    namespace: porter
    service_account: porter-agent
    plugins:
      schemaVersion: 1.0.0
      plugins:
        kubernetes:
          version: v1.0.1
"""

from typing import Any, Callable

from ansible.errors import AnsibleFilterError
from ansible_collections.getporter.porter.plugins.module_utils import _agent_config_manifest
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError


def agent_config_from_manifest(manifest: Any) -> dict[str, Any]:
    """Return what an AgentConfig manifest sets."""
    try:
        return _agent_config_manifest.agent_config_from_manifest(manifest)
    except PorterError as error:
        raise AnsibleFilterError(f"agent_config_from_manifest: {error.message}") from error


class FilterModule:
    """The filter's registration."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filters by name."""
        return {"agent_config_from_manifest": agent_config_from_manifest}
