#!/usr/bin/python
# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: porter_prune
short_description: Remove plugin claims that nobody owns, and what stopped runs and the Porter Operator left
description:
  - Removes the leftovers that M(getporter.porter.porter_report_info) shows. Those are plugin claims, of this collection
    or of the Porter Operator, that no agent config wants and nothing owns; staging claims with their Jobs that no agent
    config wants; temporary claims, work volumes and ended Jobs of the operator whose owner is gone; and volumes that
    are bound to nothing.
  - Touches only what carries the label C(getporter.org/managed=true), has no owner that exists or may exist, is mounted
    by no pod, and did not change within O(grace). Nothing is removed on the strength of a list that failed.
  - Every request names the very object that was listed, in the version that was listed. What somebody takes up
    meanwhile is left.
  - In check mode it tells exactly what it would remove, and why.
author:
  - The getporter.porter contributors (@getporter)
extends_documentation_fragment:
  - kubernetes.core.k8s_auth_options
  - getporter.porter.namespaces
  - getporter.porter.attributes
  - getporter.porter.attributes.changes
  - getporter.porter.attributes.actiongroup_porter
options:
  grace:
    description:
      - What changed within this many seconds, by the cluster's clock, is left, because a run that is under way makes
        things in steps.
    type: int
    default: 600
  delete_retained:
    description:
      - Whether to remove volumes with the reclaim policy V(Retain) too. Without it they stay, and are taken up again by
        an agent config with the same plugins.
      - The disk behind such a volume may remain, and must then be removed where it is.
    type: bool
    default: false
  timeout:
    description: How many seconds to wait until the cluster has finished the removals.
    type: int
    default: 120
seealso:
  - module: getporter.porter.porter_report_info
"""

EXAMPLES = r"""
- name: See what would be removed in the whole cluster
  getporter.porter.porter_prune:
  check_mode: true

- name: Remove what nobody needs in one namespace
  getporter.porter.porter_prune:
    namespaces: [porter]
"""

RETURN = r"""
removed:
  description: What was removed, in this order; in check mode what would be.
  returned: always
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
    action:
      description: V(delete), V(delete the retained volume) or V(let it follow its reclaim policy).
      type: str
      returned: always
      sample: delete
    what:
      description: What it is.
      type: str
      returned: always
      sample: plugin claim of the Porter Operator
    reason:
      description: Why it goes.
      type: str
      returned: always
      sample: no agent config wants it
    note:
      description: What becomes of the volume or disk behind it, V(null) where there is none.
      type: str
      returned: always
      sample: its volume pvc-4b8d6f0e-2f0b-4a57-9a39-3c6f6f1f6a55 goes with it
kept:
  description: The leftovers that stay.
  returned: always
  type: list
  elements: dict
  contains:
    kind:
      description: As in RV(removed[].kind).
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
      sample: default-x7k2p
    what:
      description: What it is.
      type: str
      returned: always
      sample: work volume of the Porter Operator
    kept_because:
      description: Why it stays.
      type: str
      returned: always
      sample: "owned by AgentAction default-x7k2p: delete that, and it goes by itself"
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
from ansible_collections.getporter.porter.plugins.module_utils._prune import plan_removals
from ansible_collections.getporter.porter.plugins.module_utils._pruning import Pruning, foreseen


def _prune(module: AnsibleModule) -> dict[str, Any]:
    namespaces = chosen_namespaces(module)
    grace, timeout = seconds(module, "grace"), seconds(module, "timeout")
    api = connect(module)
    refuse_missing(api, namespaces)
    plan = plan_removals(take_inventory(api, namespaces), grace, module.params["delete_retained"])
    return foreseen(plan) if module.check_mode else Pruning(api, timeout).make(plan)


def main() -> None:
    module = make_cluster_module(
        {
            "grace": {"type": "int", "default": 600},
            "delete_retained": {"type": "bool", "default": False},
            "timeout": {"type": "int", "default": 120},
        }
    )
    try:
        result = _prune(module)
    except PorterError as error:
        module.fail_json(**error_result(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
