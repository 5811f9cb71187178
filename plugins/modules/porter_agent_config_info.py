#!/usr/bin/python
# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: porter_agent_config_info
short_description: Read the AgentConfig resources of a cluster
description:
  - Lists the AgentConfig resources (C(getporter.org/v1)) that the Porter Operator works from, with one API request for
    each namespace, or one for all.
  - Each is given as the manifest that the role P(getporter.porter.porter_plugins#role) takes as an agent config.
author:
  - The getporter.porter contributors (@getporter)
extends_documentation_fragment:
  - kubernetes.core.k8s_auth_options
  - getporter.porter.attributes
  - getporter.porter.attributes.info
  - getporter.porter.attributes.actiongroup_porter
options:
  namespaces:
    description:
      - The namespaces to list. V(*) is every one, which takes the right to list them in the whole cluster.
      - A cluster without AgentConfig resources is an error, and so is a named namespace in which there is none.
    type: list
    elements: str
    required: true
  unabridged:
    description:
      - Whether the URLs of plugins keep their user information and query values, which may be secrets.
      - Without these a plugin set has other names. So whoever installs from the result sets this, and C(no_log).
    type: bool
    default: false
seealso:
  - plugin: getporter.porter.agent_config_from_manifest
    plugin_type: filter
"""

EXAMPLES = r"""
- name: See the agent configs of two namespaces
  getporter.porter.porter_agent_config_info:
    namespaces:
      - team-a
      - team-b
"""

RETURN = r"""
agent_configs:
  description: The AgentConfig resources, reduced to what makes them agent configs.
  returned: success
  type: list
  elements: dict
  contains:
    apiVersion:
      description: The API version.
      type: str
      returned: always
      sample: getporter.org/v1
    kind:
      description: The kind.
      type: str
      returned: always
      sample: AgentConfig
    metadata:
      description: Name and namespace.
      type: dict
      returned: always
      sample:
        name: default
        namespace: team-a
    spec:
      description: The settings, as the resource has them.
      type: dict
      returned: always
      sample:
        serviceAccount: porter-agent
        pluginConfigFile:
          schemaVersion: 1.0.0
          plugins:
            kubernetes:
              version: v1.0.1
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.getporter.porter.plugins.module_utils._agent_config_list import (
    list_agent_configs,
    without_secrets,
)
from ansible_collections.getporter.porter.plugins.module_utils._api import AUTH_ARGUMENTS, connect
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._module import error_result


def _read(module: AnsibleModule) -> dict[str, Any]:
    found = list_agent_configs(connect(module), module.params["namespaces"])
    shown = found if module.params["unabridged"] else [without_secrets(manifest) for manifest in found]
    return {"changed": False, "agent_configs": shown}


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            **AUTH_ARGUMENTS,
            "namespaces": {"type": "list", "elements": "str", "required": True},
            "unabridged": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    try:
        result = _read(module)
    except PorterError as error:
        module.fail_json(**error_result(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
