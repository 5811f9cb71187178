#!/usr/bin/python
# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: porter_report_info
short_description: Report all plugin volumes and agent configs of namespaces or of a cluster
description:
  - Tells of every plugin volume its state, owners, installed versions, size and age, who mounts it, and the steps that
    are left; of every agent config what its record says; and what was left over, by runs that were stopped or by the
    Porter Operator.
  - Each kind of object is listed once in each namespace, or once in the whole cluster, however many volumes there are.
author:
  - The getporter.porter contributors (@getporter)
extends_documentation_fragment:
  - kubernetes.core.k8s_auth_options
  - getporter.porter.namespaces
  - getporter.porter.attributes
  - getporter.porter.attributes.info
  - getporter.porter.attributes.actiongroup_porter
options:
  stuck_after:
    description: After how many seconds without a change a volume that still needs steps counts as stuck.
    type: int
    default: 600
seealso:
  - module: getporter.porter.porter_prune
  - module: getporter.porter.porter_plugin_volume_info
  - plugin: getporter.porter.report_table
    plugin_type: filter
  - plugin: getporter.porter.report_markdown
    plugin_type: filter
"""

EXAMPLES = r"""
- name: See everything that there is in two namespaces
  getporter.porter.porter_report_info:
    namespaces: [porter, porter-test]
  register: report

- name: Show it
  ansible.builtin.debug:
    msg: "{{ report | getporter.porter.report_table }}"
"""

RETURN = r"""
taken_at:
  description: When it was taken, by the cluster's clock.
  returned: success
  type: str
  sample: "2026-11-30T08:00:00Z"
volumes:
  description: The plugin volumes, by namespace and claim. One that is not yet, or no longer, claimed is there too.
  returned: success
  type: list
  elements: dict
  contains:
    namespace:
      description: The namespace.
      type: str
      returned: always
      sample: porter
    claim:
      description: The plugin claim's name, whether there is one or not.
      type: str
      returned: always
      sample: porter-1d2c2ac9b3a8a9a4e5ba6a4b4b1a4ccf
    persistent_volume:
      description: The PersistentVolume that holds the plugins, V(null) before there is one.
      type: str
      returned: always
      sample: pvc-4b8d6f0e-2f0b-4a57-9a39-3c6f6f1f6a55
    made_by:
      description: V(getporter.porter) or V(Porter Operator).
      type: str
      returned: always
      sample: getporter.porter
    agent_config:
      description: The agent config in whose name it was made.
      type: str
      returned: always
      sample: default
    plugins:
      description: The plugin set for people, V(null) where nobody noted it, as the Porter Operator does not.
      type: str
      returned: always
      sample: kubernetes_v1.0.1
    installed:
      description: The plugins on it with their installed versions, as far as they were noted.
      type: dict
      returned: always
      sample:
        kubernetes: v1.0.1
    owners:
      description: Who owns the plugin claim.
      type: list
      elements: dict
      returned: always
      contains:
        api_version:
          description: The owner's API version.
          type: str
          returned: always
          sample: v1
        kind:
          description: Its kind.
          type: str
          returned: always
          sample: ConfigMap
        name:
          description: Its name.
          type: str
          returned: always
          sample: porter-agent-config-default
        exists:
          description: Whether just this object is there; V(null) where this account may not see.
          type: bool
          returned: always
          sample: true
    wanted_by:
      description: The agent configs that want it.
      type: list
      elements: str
      returned: always
      sample: [default]
    mounted_by:
      description: The pods that mount it, ended ones too; V(null) where this account may not list pods.
      type: list
      elements: str
      returned: always
      sample: []
    size:
      description: Its size.
      type: str
      returned: always
      sample: 64Mi
    storage_class:
      description: Its storage class.
      type: str
      returned: always
      sample: standard
    age:
      description: How many seconds ago it was made.
      type: int
      returned: always
      sample: 86400
    state:
      description: Where it is in its life, or V(blocked).
      type: str
      returned: always
      sample: ready
    steps:
      description: What is still to be done until it is V(ready).
      type: list
      elements: str
      returned: always
      sample: []
    reason:
      description: What is awaited or in the way, V(null) where nothing is.
      type: str
      returned: always
      sample: null
    stuck:
      description: Whether steps are left and nothing changed for O(stuck_after) seconds.
      type: bool
      returned: always
      sample: false
agent_configs:
  description: The agent configs that have a record, by namespace and name.
  returned: success
  type: list
  elements: dict
  contains:
    namespace:
      description: The namespace.
      type: str
      returned: always
      sample: porter
    name:
      description: The agent config's full name.
      type: str
      returned: always
      sample: default
    ready:
      description: Whether agent actions can use it.
      type: bool
      returned: always
      sample: true
    phase:
      description: V(Pending), V(Installing), V(Ready) or V(Failed).
      type: str
      returned: always
      sample: Ready
    reason:
      description: Why, in one word.
      type: str
      returned: always
      sample: Bound
    message:
      description: Why, in the cluster's or Porter's own words.
      type: str
      returned: always
      sample: null
    claim:
      description: The plugin claim that it wants, V(null) without plugins.
      type: str
      returned: always
      sample: porter-1d2c2ac9b3a8a9a4e5ba6a4b4b1a4ccf
    claim_state:
      description: The state of that plugin volume as it is now.
      type: str
      returned: always
      sample: ready
    persistent_volume:
      description: The PersistentVolume that the record names.
      type: str
      returned: always
      sample: pvc-4b8d6f0e-2f0b-4a57-9a39-3c6f6f1f6a55
    installed:
      description: The installed plugins with their versions, as the record has them.
      type: dict
      returned: always
      sample:
        kubernetes: v1.0.1
    last_change:
      description: When it last changed.
      type: str
      returned: always
      sample: "2026-11-30T08:00:00Z"
    age:
      description: How many seconds ago the record was made.
      type: int
      returned: always
      sample: 86400
leftovers:
  description: What nobody needs, as far as can be told. M(getporter.porter.porter_prune) removes it.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: V(PersistentVolumeClaim), V(Job) or V(PersistentVolume).
      type: str
      returned: always
      sample: PersistentVolumeClaim
    namespace:
      description: The namespace, V(null) of a volume.
      type: str
      returned: always
      sample: porter
    name:
      description: The name.
      type: str
      returned: always
      sample: porter-1d2c2ac9b3a8a9a4e5ba6a4b4b1a4ccf
    what:
      description: What it is.
      type: str
      returned: always
      sample: work volume of the Porter Operator
    reason:
      description: Why nobody needs it.
      type: str
      returned: always
      sample: made for one AgentAction, and not removed after it
    kept_because:
      description: Why it must stay all the same, V(null) where nothing speaks against its removal.
      type: str
      returned: always
      sample: "mounted by pod a"
    owners:
      description: Its owners, as of a plugin volume.
      type: list
      elements: dict
      returned: always
      sample: []
    mounted_by:
      description: The pods that mount it.
      type: list
      elements: str
      returned: always
      sample: []
    persistent_volume:
      description: The PersistentVolume behind a claim.
      type: str
      returned: always
      sample: null
    size:
      description: Its size, V(null) of a Job.
      type: str
      returned: always
      sample: 64Mi
    age:
      description: How many seconds ago it was made.
      type: int
      returned: always
      sample: 86400
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.getporter.porter.plugins.module_utils._api import connect
from ansible_collections.getporter.porter.plugins.module_utils._cluster_module import (
    chosen_namespaces,
    make_cluster_module,
    refuse_missing,
    seconds,
)
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._listing import take_inventory
from ansible_collections.getporter.porter.plugins.module_utils._module import error_result
from ansible_collections.getporter.porter.plugins.module_utils._report import report_on


def _report(module: AnsibleModule) -> dict[str, Any]:
    namespaces = chosen_namespaces(module)
    stuck_after = seconds(module, "stuck_after")
    api = connect(module)
    refuse_missing(api, namespaces)
    return {"changed": False, **report_on(take_inventory(api, namespaces), stuck_after)}


def main() -> None:
    module = make_cluster_module({"stuck_after": {"type": "int", "default": 600}})
    try:
        result = _report(module)
    except PorterError as error:
        module.fail_json(**error_result(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
