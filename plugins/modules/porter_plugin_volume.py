#!/usr/bin/python
# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: porter_plugin_volume
short_description: Hand installed volumes over to their plugin claims
description:
  - Takes volumes on which plugins are installed from their temporary claims to their plugin claims, and waits until
    claim and volume are bound to each other.
  - A volume that was left at any point on the way, by a run that was stopped, is taken on from there.
  - Agent configs with a record (O(volumes[].spec)) own the plugin claim from its making on, or join it where it is
    there already; then their records say that they are ready.
  - The reclaim policy is V(Retain) on the way and what it was before at the end; labels and annotations of others stay.
author:
  - The getporter.porter contributors (@getporter)
extends_documentation_fragment:
  - kubernetes.core.k8s_auth_options
  - getporter.porter.plugin_volumes
  - getporter.porter.attributes
  - getporter.porter.attributes.changes
  - getporter.porter.attributes.actiongroup_porter
options:
  timeout:
    description: How many seconds to wait for all volumes together.
    type: int
    default: 600
  progress_file:
    description:
      - A file to append a line to at each change of phase, on the host where the module runs.
      - Over a local connection the task makes one by itself and shows its lines while it waits.
    type: path
seealso:
  - module: getporter.porter.porter_agent_job
  - module: getporter.porter.porter_plugin_volume_info
"""

EXAMPLES = r"""
- name: Bind the volume with the installed plugins to its plugin claim
  getporter.porter.porter_plugin_volume:
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
volumes:
  description: One entry for each plugin claim, in the order of O(volumes); sets that are the same come once.
  returned: always
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
      description: The PersistentVolume behind it, V(null) before it is known.
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
      description: What this task did; in check mode what it would do.
      type: list
      elements: str
      returned: always
      sample:
        - create the staging claim
    seconds:
      description: How long the task worked on it, in seconds.
      type: float
      returned: not in check mode
      sample: 4.2
    error:
      description: Why it failed, V(null) where it did not.
      type: str
      returned: not in check mode
      sample: null
    job:
      description: The install Job, V(null) where this task watched none.
      type: dict
      returned: not in check mode
      contains:
        name:
          description: Its name.
          type: str
          returned: always
          sample: porter-1d2c2ac9b3a8a9a4e5ba6a4b4b1a4ccf-install
        phase:
          description: One of V(pending), V(scheduled), V(pulling), V(running), V(suspended), V(succeeded), V(failed).
          type: str
          returned: always
          sample: succeeded
        reason:
          description: The reason that Kubernetes gives for the phase.
          type: str
          returned: always
          sample: CompletionsReached
        message:
          description: What Kubernetes says about it.
          type: str
          returned: always
          sample: Reached expected number of succeeded pods
        pod:
          description: The newest pod.
          type: str
          returned: always
          sample: porter-1d2c2ac9b3a8a9a4e5ba6a4b4b1a4ccf-install-x7k2p
        pods:
          description: How many pods there are; more than one after retries.
          type: int
          returned: always
          sample: 1
        exit_code:
          description: The exit code of the newest pod.
          type: int
          returned: always
          sample: 0
        log:
          description: The last lines of its log.
          type: list
          elements: str
          returned: always
          sample:
            - installed kubernetes plugin v1.0.1 (a1b2c3d)
"""

from typing import Any

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.getporter.porter.plugins.module_utils._api import connect
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._executor import Executor
from ansible_collections.getporter.porter.plugins.module_utils._life import HAND_OVER_COURSE
from ansible_collections.getporter.porter.plugins.module_utils._module import failure, make_module, reporter, success
from ansible_collections.getporter.porter.plugins.module_utils._observe import observe
from ansible_collections.getporter.porter.plugins.module_utils._options import (
    VOLUMES_OPTION,
    WAIT_OPTIONS,
    wanted_volumes,
)
from ansible_collections.getporter.porter.plugins.module_utils._owner_lookup import with_owners
from ansible_collections.getporter.porter.plugins.module_utils._preflight import refuse_what_cannot_be
from ansible_collections.getporter.porter.plugins.module_utils._progress import Settings
from ansible_collections.getporter.porter.plugins.module_utils._results import end_of, foresee


def _hand_over(module: AnsibleModule) -> dict[str, Any]:
    wanted = wanted_volumes(module)
    api = connect(module)
    volumes = with_owners(api, wanted)
    seen = observe(api, volumes)
    refuse_what_cannot_be(api, volumes, seen)
    if module.check_mode:
        return foresee(volumes, seen, HAND_OVER_COURSE)
    timeout = module.params["timeout"]
    # No Job should be running any more; should one be, the timeout bounds it.
    settings = Settings(timeout=timeout, progress_deadline=timeout)
    return end_of(Executor(api, settings, report=reporter(module)).make_ready(volumes, seen))


def main() -> None:
    module = make_module({"volumes": VOLUMES_OPTION, **WAIT_OPTIONS})
    try:
        result = _hand_over(module)
    except PorterError as error:
        module.fail_json(**failure(module, error))
    module.exit_json(**success(module, result))


if __name__ == "__main__":
    main()
