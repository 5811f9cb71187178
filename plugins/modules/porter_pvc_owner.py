#!/usr/bin/python
# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: porter_pvc_owner
short_description: Give claims owners, or take owners away
description:
  - Adds owner references to claims (PersistentVolumeClaims), or removes them. Those of other owners stay as they are,
    with their flags.
  - Owners must exist, in the namespace of the claims, before they are added, in check mode too. Their uids are looked
    up. A reference to an earlier object of the same API group, kind and name is replaced in the same write.
  - Any number of tasks may change the owners of one claim at the same time. Each write holds only if the claim still
    has the owners that were read; otherwise it is read again.
  - Everything is checked before the first claim is changed.
author:
  - The getporter.porter contributors (@getporter)
extends_documentation_fragment:
  - kubernetes.core.k8s_auth_options
  - getporter.porter.attributes
  - getporter.porter.attributes.changes
  - getporter.porter.attributes.actiongroup_porter
options:
  namespace:
    description: The namespace of the claims and of their owners.
    type: str
    required: true
  claims:
    description: The names of the claims.
    type: list
    elements: str
    required: true
  owners:
    description: The owners that each of the claims shall have, or no longer have.
    type: list
    elements: dict
    required: true
    suboptions:
      api_version:
        description: The API version of the owner.
        type: str
        default: v1
      kind:
        description: Its kind. It must be one whose objects are in namespaces.
        type: str
        default: ConfigMap
      name:
        description: Its name.
        type: str
        required: true
      uid:
        description:
          - Its uid. With O(state=present) an object of the name that has another uid is an error; without it
            whichever object has the name becomes the owner.
          - With O(state=absent) just the reference with this uid is removed; without it those to every object that
            had the name.
        type: str
      namespace:
        description:
          - Its namespace. No other than O(namespace) is possible, because Kubernetes takes an owner in another
            namespace for one that is gone, and deletes the claim.
        type: str
  state:
    description:
      - With V(present) the claims must exist. A claim that is being deleted is an error.
      - With V(absent) owners need not exist any more. Claims that do not exist are no error.
    type: str
    choices: [present, absent]
    default: present
  block_owner_deletion:
    description:
      - Whether a deletion of the owner in the foreground waits for the claims. Without it the flag is left as it is.
      - Looked at with O(state=present) only.
      - Some clusters, OpenShift among them, then ask for the right to update the C(finalizers) of the owner.
    type: bool
    default: false
  delete_unowned:
    description:
      - Whether to delete claims that have no owner left; what becomes of the volume is up to its reclaim policy.
      - Looked at with O(state=absent) only. A claim that had no owner before is deleted too.
      - Only claims with the label C(getporter.org/managed=true) are deleted. Each is deleted only if it is as it was
        read, so that one that an owner joins at the same moment stays. Pods that use it finish first.
    type: bool
    default: false
notes:
  - "When the last owner object of a claim is deleted, by whomever, Kubernetes deletes the claim, and with it a volume
    whose reclaim policy is C(Delete). A claim that never had an owner, or whose owners were removed by O(state=absent),
    is kept until somebody deletes it."
  - "The account needs to get (for several claims, to list) and patch C(persistentvolumeclaims), to delete them for
    O(delete_unowned), and with O(state=present) to get (for several owners of a kind, to list) the owners. Where the
    admission plugin C(OwnerReferencesPermissionEnforcement) is on, patching owner references needs the right to
    delete claims."
seealso:
  - module: getporter.porter.porter_plugin_volume
  - name: Owners and dependents
    description: What Kubernetes does with owner references.
    link: https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/
"""

EXAMPLES = r"""
- name: Let the ConfigMap of an agent config keep its plugin claim
  getporter.porter.porter_pvc_owner:
    namespace: porter
    claims:
      - porter-1d2c2ac9b3a8a9a4e5ba6a4b4b1a4ccf
    owners:
      - name: porter-agent-config-default

- name: Release two claims, and delete those that nobody else keeps
  getporter.porter.porter_pvc_owner:
    namespace: porter
    claims:
      - porter-1d2c2ac9b3a8a9a4e5ba6a4b4b1a4ccf
      - porter-0cc175b9c0f1b6a831c399e269772661
    owners:
      - api_version: getporter.org/v1
        kind: AgentConfig
        name: default
    state: absent
    delete_unowned: true
"""

RETURN = r"""
claims:
  description: One entry for each claim, in the order of O(claims).
  returned: when the options are valid and the cluster could be read
  type: list
  elements: dict
  contains:
    name:
      description: Its name.
      type: str
      returned: always
      sample: porter-1d2c2ac9b3a8a9a4e5ba6a4b4b1a4ccf
    owners:
      description: Its owners after the task, in check mode as they would be; none where there is no claim any more.
      type: list
      elements: dict
      returned: always
      contains:
        api_version:
          description: The API version of the owner.
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
        uid:
          description: Its uid.
          type: str
          returned: always
          sample: 4b8d6f0e-2f0b-4a57-9a39-3c6f6f1f6a55
        controller:
          description: Whether the owner manages the claim as its controller.
          type: bool
          returned: always
          sample: false
        block_owner_deletion:
          description: Whether a deletion of the owner in the foreground waits for the claim.
          type: bool
          returned: always
          sample: false
    changed:
      description: Whether the task changed or deleted it, in check mode whether it would.
      type: bool
      returned: always
      sample: true
    deleted:
      description: Whether the task deleted it, in check mode whether it would.
      type: bool
      returned: always
      sample: false
    error:
      description: Why it failed, V(null) where it did not.
      type: str
      returned: always
      sample: null
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.getporter.porter.plugins.module_utils._api import AUTH_ARGUMENTS, connect
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._module import error_result
from ansible_collections.getporter.porter.plugins.module_utils._options import OWNER_OPTIONS
from ansible_collections.getporter.porter.plugins.module_utils._owner_references import read_wish
from ansible_collections.getporter.porter.plugins.module_utils._ownership import Ownership, outcome

_OPTIONS: dict[str, Any] = {
    "namespace": {"type": "str", "required": True},
    "claims": {"type": "list", "elements": "str", "required": True},
    "owners": {"type": "list", "elements": "dict", "required": True, "options": OWNER_OPTIONS},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "block_owner_deletion": {"type": "bool", "default": False},
    "delete_unowned": {"type": "bool", "default": False},
}


def _change_owners(module: AnsibleModule) -> dict[str, Any]:
    wish = read_wish(module.params)
    everyone = Ownership(connect(module), wish, only_foresee=module.check_mode).bring_about()
    for each in everyone:
        if each.warning:
            module.warn(each.warning)
    return outcome(everyone)


def main() -> None:
    module = AnsibleModule(argument_spec={**AUTH_ARGUMENTS, **_OPTIONS}, supports_check_mode=True)
    try:
        result = _change_owners(module)
    except PorterError as error:
        module.fail_json(**error_result(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
