#!/usr/bin/python
# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: porter_plugin_volume_info
short_description: Tell the state of Porter plugin volumes
description:
  - Lists the claims, Jobs and volumes of plugin sets once and tells for each set where its plugin volume is in its
    life (V(absent), V(installing), V(failed), V(installed), V(released), V(reserved), V(claimed), V(ready)), and which
    steps are left.
  - Tells too what agent configs have to let go of, such as the plugin claim of a set that they no longer want.
  - The number of API requests does not grow with the number of plugin sets and agent configs in a namespace.
  - Warns where a plugin claim was made with another storage class or access mode, or smaller, than is wanted now.
author:
  - The getporter.porter contributors (@getporter)
extends_documentation_fragment:
  - kubernetes.core.k8s_auth_options
  - getporter.porter.plugin_volumes
  - getporter.porter.agent_configs
  - getporter.porter.attributes
  - getporter.porter.attributes.info
  - getporter.porter.attributes.actiongroup_porter
seealso:
  - module: getporter.porter.porter_agent_job
  - module: getporter.porter.porter_plugin_volume
"""

EXAMPLES = r"""
- name: See where the plugin volume of a plugin set is in its life
  getporter.porter.porter_plugin_volume_info:
    volumes:
      - agent_config: default
        namespace: porter
        plugins:
          kubernetes:
            version: v1.0.1
        agent:
          image: ghcr.io/getporter/porter-agent:v1.6.1
"""

RETURN = r"""
install_needed:
  description: Whether M(getporter.porter.porter_agent_job) has something to do for one of them.
  returned: success
  type: bool
  sample: false
hand_over_needed:
  description: Whether M(getporter.porter.porter_plugin_volume) has, or will have after the install.
  returned: success
  type: bool
  sample: false
release_needed:
  description: Whether M(getporter.porter.porter_agent_config) has something to do, or will have after the hand-over.
  returned: success
  type: bool
  sample: false
releases:
  description: The steps by which the agent configs let go of what they do not need.
  returned: success
  type: list
  elements: str
  sample: []
agent_configs:
  description:
    - One entry for each agent config, first those of O(volumes) that have C(spec), then those of O(agent_configs).
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
      description: V(present) or V(absent), as wanted.
      type: str
      returned: always
      sample: present
    claim:
      description: The name of the plugin claim that it wants; empty for none.
      type: str
      returned: always
      sample: porter-1d2c2ac9b3a8a9a4e5ba6a4b4b1a4ccf
volumes:
  description: One entry for each plugin claim, in the order of O(volumes); sets that are the same come once.
  returned: success
  type: list
  elements: dict
  contains:
    agent_config:
      description: The agent config that the volume was asked for.
      type: str
      returned: always
      sample: default
    namespace:
      description: Its namespace.
      type: str
      returned: always
      sample: porter
    claim:
      description: The name of the plugin claim.
      type: str
      returned: always
      sample: porter-1d2c2ac9b3a8a9a4e5ba6a4b4b1a4ccf
    persistent_volume:
      description: The PersistentVolume behind it, V(null) before there is one.
      type: str
      returned: always
      sample: pvc-4b8d6f0e-2f0b-4a57-9a39-3c6f6f1f6a55
    installed:
      description: The plugins on the volume with their installed versions.
      type: dict
      returned: always
      sample:
        kubernetes: v1.0.1
    state:
      description: Where the volume is in its life.
      type: str
      returned: always
      sample: ready
    steps:
      description:
        - What is still to be done until it is V(ready); empty when nothing is.
        - Just V(blocked) when it needs a human; the reason says what to do.
      type: list
      elements: str
      returned: always
      sample: []
    reason:
      description: What is awaited or in the way, V(null) where nothing is.
      type: str
      returned: always
      sample: null
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.getporter.porter.plugins.module_utils._api import connect
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._life import HAND_OVER_COURSE, INSTALL_COURSE
from ansible_collections.getporter.porter.plugins.module_utils._module import failure, make_module, success
from ansible_collections.getporter.porter.plugins.module_utils._observe import list_namespaces, observe
from ansible_collections.getporter.porter.plugins.module_utils._options import (
    AGENT_CONFIGS_OPTION,
    VOLUMES_OPTION,
    wanted_configs,
    wanted_volumes,
)
from ansible_collections.getporter.porter.plugins.module_utils._owner_lookup import with_owners
from ansible_collections.getporter.porter.plugins.module_utils._release import foresee_releases
from ansible_collections.getporter.porter.plugins.module_utils._storage import unlike_wanted
from ansible_collections.getporter.porter.plugins.module_utils._volume_rows import (
    config_row,
    observed_row,
    steps_of_course,
    unique,
)


def _tell(module: AnsibleModule) -> dict[str, Any]:
    wanted = wanted_volumes(module)
    api = connect(module)
    volumes = with_owners(api, wanted)
    configs = wanted_configs(module, volumes)
    namespaces = [*(volume.namespace for volume in volumes), *(config.wanted.namespace for config in configs)]
    listing = list_namespaces(api, namespaces)
    seen = observe(api, volumes, listing)
    for volume in volumes:
        warning = unlike_wanted(volume, seen[volume.key].claim)
        if warning:
            module.warn(warning)
    rows = [observed_row(volume, seen[volume.key]) for volume in volumes]
    steps = foresee_releases(configs, listing, settled=True)
    return {
        "changed": False,
        "volumes": rows,
        "agent_configs": [config_row(config) for config in configs],
        "install_needed": any(steps_of_course(row, INSTALL_COURSE) for row in rows),
        "hand_over_needed": any(steps_of_course(row, HAND_OVER_COURSE) for row in rows),
        "release_needed": bool(steps),
        "releases": unique(step.action for step in steps),
    }


def main() -> None:
    module = make_module({"volumes": VOLUMES_OPTION, "agent_configs": AGENT_CONFIGS_OPTION})
    try:
        result = _tell(module)
    except PorterError as error:
        module.fail_json(**failure(module, error))
    module.exit_json(**success(module, result))


if __name__ == "__main__":
    main()
