#!/usr/bin/python
# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: porter_agent_job
short_description: Run the Porter agent in Jobs and wait for them
description:
  - Installs plugin sets, each in a Job that runs the Porter agent on a temporary claim, and waits until all are
    done. All Jobs run at the same time.
  - What is installed already is left alone, and a Job that someone else started for the same plugin set is joined.
  - A finished install is noted on the volume. M(getporter.porter.porter_plugin_volume) hands such a volume over to its
    plugin claim; so does this module, each volume as soon as its own Job is done, with O(until=ready).
  - Rights that the account lacks fail the task before anything is created, all at once, as rules to be pasted into a
    Role or ClusterRole.
  - When an install fails, the task fails with the line that Porter ended with, after the temporary objects are gone.
author:
  - The getporter.porter contributors (@getporter)
extends_documentation_fragment:
  - kubernetes.core.k8s_auth_options
  - getporter.porter.plugin_volumes
  - getporter.porter.attributes
  - getporter.porter.attributes.changes
  - getporter.porter.attributes.actiongroup_porter
options:
  until:
    description:
      - How far to go. With V(installed) until the plugins are on their volumes, with V(ready) until the volumes are
        bound to their plugin claims and the agent configs own these.
    type: str
    choices: [installed, ready]
    default: installed
  timeout:
    description: How many seconds to wait for all volumes together.
    type: int
    default: 600
  progress_file:
    description:
      - A file to append a line to at each change of phase, on the host where the module runs.
      - Over a local connection the task makes one by itself and shows its lines while it waits.
    type: path
  progress_deadline:
    description:
      - How many seconds a Job may be stuck, for example because its image cannot be pulled or its pod cannot be
        scheduled, before the task fails with what the cluster says about it.
    type: int
    default: 120
  keep_failed:
    description: Whether to keep the Job, its pods and the temporary claim of a failed install, to look at them.
    type: bool
    default: false
seealso:
  - module: getporter.porter.porter_plugin_volume
  - module: getporter.porter.porter_plugin_volume_info
"""

EXAMPLES = r"""
- name: Install plugins through a temporary claim
  getporter.porter.porter_agent_job:
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
from ansible_collections.getporter.porter.plugins.module_utils._life import INSTALL_COURSE, WHOLE_COURSE
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

_OPTIONS: dict[str, Any] = {
    "volumes": VOLUMES_OPTION,
    "until": {"type": "str", "choices": ["installed", "ready"], "default": "installed"},
    **WAIT_OPTIONS,
    "progress_deadline": {"type": "int", "default": 120},
    "keep_failed": {"type": "bool", "default": False},
}


def _install(module: AnsibleModule) -> dict[str, Any]:
    wanted = wanted_volumes(module)
    api = connect(module)
    volumes = with_owners(api, wanted)
    hand_over = module.params["until"] == "ready"
    seen = observe(api, volumes)
    refuse_what_cannot_be(api, volumes, seen)
    if module.check_mode:
        return foresee(volumes, seen, WHOLE_COURSE if hand_over else INSTALL_COURSE)
    settings = Settings(
        timeout=module.params["timeout"],
        progress_deadline=module.params["progress_deadline"],
        keep_failed=module.params["keep_failed"],
    )
    return end_of(Executor(api, settings, report=reporter(module)).install(volumes, hand_over, seen))


def main() -> None:
    module = make_module(_OPTIONS)
    try:
        result = _install(module)
    except PorterError as error:
        module.fail_json(**failure(module, error))
    module.exit_json(**success(module, result))


if __name__ == "__main__":
    main()
