#!/usr/bin/python
# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: porter_agent_config
short_description: Let agent configs go, or what they no longer need
description:
  - An agent config that is absent is taken out of the owners of its plugin claim, and its record, the ConfigMap
    C(porter-agent-config-NAME), is deleted. A plugin claim that nobody else owns or wants is deleted with it, and its
    volume follows its reclaim policy; one that stays by it is named in a warning. An install that is under way for
    nobody else is deleted too.
  - The agent config of one of O(volumes) lets go of the plugin claims that it no longer wants, once its record says
    that it is ready with the one it wants; M(getporter.porter.porter_plugin_volume) brings it there. Without plugins,
    which is one of O(agent_configs) that is present, it is ready at once.
  - Pods that mount a deleted plugin claim finish first; the task waits for them until O(timeout).
author:
  - The getporter.porter contributors (@getporter)
extends_documentation_fragment:
  - kubernetes.core.k8s_auth_options
  - getporter.porter.plugin_volumes.optional
  - getporter.porter.agent_configs
  - getporter.porter.attributes
  - getporter.porter.attributes.changes
  - getporter.porter.attributes.actiongroup_porter
options:
  timeout:
    description: How many seconds to wait until what was deleted is gone.
    type: int
    default: 600
seealso:
  - module: getporter.porter.porter_plugin_volume
  - module: getporter.porter.porter_pvc_owner
"""

EXAMPLES = r"""
- name: Remove an agent config with what only it needs
  getporter.porter.porter_agent_config:
    agent_configs:
      - name: default
        namespace: porter
        state: absent
"""

RETURN = r"""
agent_configs:
  description: One entry for each agent config.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: The agent config's name.
      type: str
      returned: always
      sample: default
    namespace:
      description: Its namespace.
      type: str
      returned: always
      sample: porter
    state:
      description: V(present) or V(absent).
      type: str
      returned: always
      sample: absent
    steps:
      description: What this task did for it; in check mode what it would do.
      type: list
      elements: str
      returned: always
      sample:
        - delete the plugin claim that nobody needs any more
        - delete the record of the agent config
    kept_volumes:
      description: PersistentVolumes that nobody needs any more and that stay, by their reclaim policy V(Retain).
      type: list
      elements: str
      returned: always
      sample: []
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.getporter.porter.plugins.module_utils._access_review import refuse_missing_rights
from ansible_collections.getporter.porter.plugins.module_utils._api import connect
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._module import failure, make_module, success
from ansible_collections.getporter.porter.plugins.module_utils._observe import list_namespaces
from ansible_collections.getporter.porter.plugins.module_utils._options import (
    AGENT_CONFIGS_OPTION,
    OPTIONAL_VOLUMES_OPTION,
    wanted_configs,
    wanted_volumes,
)
from ansible_collections.getporter.porter.plugins.module_utils._release import foresee_released
from ansible_collections.getporter.porter.plugins.module_utils._releaser import Releaser
from ansible_collections.getporter.porter.plugins.module_utils._results import kept_warnings, released_result

_OPTIONS: dict[str, Any] = {
    "volumes": OPTIONAL_VOLUMES_OPTION,
    "agent_configs": AGENT_CONFIGS_OPTION,
    "timeout": {"type": "int", "default": 600},
}


def _release(module: AnsibleModule) -> dict[str, Any]:
    configs = wanted_configs(module, wanted_volumes(module))
    api = connect(module)
    listing = list_namespaces(api, [config.wanted.namespace for config in configs])
    foreseen = foresee_released(configs, listing)
    to_change = {each.config.wanted.namespace for each in foreseen if each.done}
    if to_change:
        refuse_missing_rights(api, to_change)
    if module.check_mode:
        return released_result(foreseen)
    return released_result(Releaser(api, module.params["timeout"]).run(configs, listing))


def main() -> None:
    module = make_module(_OPTIONS)
    try:
        result = _release(module)
    except PorterError as error:
        module.fail_json(**failure(module, error))
    for warning in kept_warnings(result):
        module.warn(warning)
    module.exit_json(**success(module, result))


if __name__ == "__main__":
    main()
