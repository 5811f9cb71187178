#!/usr/bin/python
# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: porter_agent_action
short_description: Run one Porter command with the plugins of an agent config
description:
  - Runs one Porter command in a Job of the Porter agent that mounts the plugin claim of an agent config, waits for
    its end, and returns its log, its exit code, and what it printed as JSON.
  - How the Job runs (image, service account, resources and so on) is taken from the record of the agent config, which
    the role P(getporter.porter.porter_plugins#role) keeps. Each setting can be another one for the action.
  - An action with a name runs once for each generation of what is written for it. After that its earlier end is
    reported without another Job. An action without a name runs each time.
  - Kubernetes promises at least one run, not just one. A pod whose node goes away can be run again, so RV(pods) says
    how many there were.
author:
  - The getporter.porter contributors (@getporter)
extends_documentation_fragment:
  - kubernetes.core.k8s_auth_options
  - getporter.porter.attributes
  - getporter.porter.attributes.changes
  - getporter.porter.attributes.actiongroup_porter
options:
  namespace:
    description: The namespace of the agent config and of the Job.
    type: str
    required: true
  agent_config:
    description: The name of the agent config.
    type: str
    default: default
  args:
    description:
      - The arguments of C(porter), one entry each. They reach Porter as they are written; Kubernetes replaces no
        C($(NAME)) in them.
      - A list, also as YAML or JSON text.
    type: raw
    required: true
  name:
    description:
      - The name of the action, one of its own in the namespace. With it the action runs once for each generation of
        what is written for it, and its end is kept in the ConfigMap C(porter-agent-action-NAME), which goes with the
        agent config.
      - The settings of the agent config do not count for the generation, nor do waiting times and what is kept.
    type: str
  retry:
    description: A word; another one than at the last run of the named action runs it again.
    type: str
  files:
    description:
      - Files that the agent copies into Porter's home, such as C(config.yaml), or that arguments name below
        C(/porter-config), such as an installation or a credential set. A map from file name to content, which is
        text, or for YAML and JSON files also a map or list.
      - They are handed over in a Secret that goes with the Job, at most one mebibyte together. The agent passes over
        names that begin with a dot.
      - Also as YAML or JSON text.
    type: raw
  files_from:
    description:
      - Secrets and ConfigMaps of the namespace whose files are put there too, as sources of a projected volume.
    type: raw
  agent:
    description:
      - Settings of the agent's pod that replace those of the agent config, one by one. Lists and maps may be YAML or
        JSON text; an empty one is a setting too.
    type: dict
    suboptions:
      image:
        description: The image of the Porter agent, with a tag or digest.
        type: str
      pull_policy:
        description: When to pull the image.
        type: str
        choices: [Always, IfNotPresent, Never]
      service_account:
        description: The service account that the pod runs under. Plugins that ask the Kubernetes API use its token.
        type: str
      image_pull_secrets:
        description: Names of Secrets for the image's registry.
        type: raw
      node_selector:
        description: Labels that the node must have.
        type: raw
      tolerations:
        description: Taints that the pod puts up with.
        type: raw
      affinity:
        description: Scheduling rules.
        type: raw
      resources:
        description: Requests and limits of the agent's container.
        type: raw
      env:
        description:
          - Environment variables of the agent's container. Those of the agent config that have plain values are not
            in its record, since they may be secrets, so that they are named here again where the action needs them.
        type: raw
      env_from:
        description: Secrets and ConfigMaps whose keys become environment variables.
        type: raw
      pod_labels:
        description: Labels of the Job and its pods.
        type: raw
      pod_annotations:
        description: Annotations of the pods.
        type: raw
      pod_security_context:
        description: The pod's security context.
        type: raw
      container_security_context:
        description:
          - The container's security context. The root file system must be writable, since the agent copies files into
            Porter's home.
        type: raw
      backoff_limit:
        description:
          - How many times a failed command is tried again. Without it never, whatever the agent config says of its
            installs, since not every Porter command can be repeated.
        type: int
      active_deadline_seconds:
        description: As O(timeout), which wins.
        type: int
      ttl_seconds_after_finished:
        description: Seconds after which Kubernetes removes the finished Job of an action without a name. At least 600.
        type: int
  volumes:
    description: More volumes of the pod, as Kubernetes defines them.
    type: raw
  volume_mounts:
    description: Where the container mounts them, as Kubernetes defines it.
    type: raw
  pod_failure_policy:
    description: The Job's pod failure policy, as Kubernetes defines it. Without it a pod that is evicted has failed.
    type: raw
  bundles:
    description:
      - Whether the command runs bundles. Then Porter uses its Kubernetes driver, and the pod has a volume to share
        with the bundles' pods, of the size and class of the agent config, which goes with the pod.
    type: bool
    default: false
  installation_service_account:
    description: The service account that bundles run under; without it that of the agent config.
    type: str
  registry_secret:
    description: The name of a Secret of the type C(kubernetes.io/dockerconfigjson) for the registries of bundles.
    type: str
  wait_for_plugins:
    description:
      - Whether to wait for a plugin claim that is still on its way; the pod is pending meanwhile. An install that
        failed fails the action at once in any case.
    type: bool
    default: true
  timeout:
    description:
      - How many seconds the action may take, the wait for plugins included. Then Kubernetes ends it. Without it the
        agent config's, or else 600.
    type: int
  progress_deadline:
    description:
      - How many seconds the Job may be stuck, for example because its image cannot be pulled, before the task removes
        it and fails with what the cluster says about it.
    type: int
    default: 120
  progress_file:
    description:
      - A file to append the phases and the log to, line by line, on the host where the module runs. When it is
        removed the action is cancelled.
      - Over a local connection the task makes one by itself and shows its lines while it waits.
    type: path
  keep:
    description:
      - How many finished Jobs of a named action stay, for people to look at, this one among them; of an action
        without a name, whether (not V(0)) its Job stays until its TTL.
      - Their pods hold the plugin claim, which cannot be removed or replaced as long as they stay.
    type: int
    default: 0
  on_cancel:
    description:
      - What becomes of the Job when the play is cancelled. V(leave) lets it go on; a later run of the same named
        action joins it.
    type: str
    choices: [delete, leave]
    default: delete
  secure_logging:
    description:
      - Whether to hide, in log and results, the values of environment variables, arguments and entries of files that
        are named like secrets, and credentials that are written out. V(false) is for looking for mistakes.
    type: bool
    default: true
seealso:
  - module: getporter.porter.porter_agent_job
"""

EXAMPLES = r"""
- name: List the plugins as Porter sees them
  getporter.porter.porter_agent_action:
    namespace: porter
    args: [plugins, list, -o, json]
  register: listed

- name: Apply a credential set, once
  getporter.porter.porter_agent_action:
    namespace: porter
    name: apply-credentials
    args: [credentials, apply, /porter-config/credentials.yaml]
    files:
      credentials.yaml:
        schemaType: CredentialSet
        schemaVersion: 1.0.1
        name: app
        credentials:
          - name: password
            source:
              secret: app-password
"""

RETURN = r"""
agent_config:
  description: The agent config.
  type: str
  returned: always
  sample: default
namespace:
  description: Its namespace.
  type: str
  returned: always
  sample: porter
name:
  description: The action's name, empty without one.
  type: str
  returned: always
  sample: apply-credentials
claim:
  description: The plugin claim that it mounts, empty for an agent config without plugins.
  type: str
  returned: always
  sample: porter-1d2c2ac9b3a8a9a4e5ba6a4b4b1a4ccf
plugins:
  description: The plugins with their versions that the record of the agent config names.
  type: dict
  returned: always
  sample:
    kubernetes: v1.0.1
job:
  description: The name of the Job, empty where there is none.
  type: str
  returned: always
  sample: default-5f0c9a3b7e
phase:
  description:
    - One of V(pending), V(scheduled), V(pulling), V(running), V(suspended), V(succeeded), V(failed).
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
exit_code:
  description: The exit code of the newest pod, V(null) where none has ended.
  type: int
  returned: always
  sample: 0
pod:
  description: The newest pod, V(null) for none.
  type: str
  returned: always
  sample: default-5f0c9a3b7e-x7k2p
pods:
  description: How many pods there were.
  type: int
  returned: always
  sample: 1
log:
  description: The lines of the log, of all pods one after another, standard output and standard error mixed.
  type: list
  elements: str
  returned: always
  sample:
    - '[{"name": "kubernetes"}]'
log_is_cut:
  description: Whether the beginning of the log is missing, for its length.
  type: bool
  returned: always
  sample: false
json:
  description: What the command printed as JSON, V(null) where it was not told to (with C(-o json)) or did not.
  type: raw
  returned: always
  sample:
    - name: kubernetes
earlier:
  description: Whether the named action had ended before this task, which then made no Job.
  type: bool
  returned: always
  sample: false
"""

import signal
from typing import Any, NoReturn

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.getporter.porter.plugins.module_utils._action_outcome import action_diff
from ansible_collections.getporter.porter.plugins.module_utils._action_runner import ActionRunner, ActionSettings
from ansible_collections.getporter.porter.plugins.module_utils._agent_action import read_action, shown_action
from ansible_collections.getporter.porter.plugins.module_utils._api import connect
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    CancelledError,
    InputError,
    PorterError,
)
from ansible_collections.getporter.porter.plugins.module_utils._listener import Listener
from ansible_collections.getporter.porter.plugins.module_utils._module import failure, make_module, reporter, success
from ansible_collections.getporter.porter.plugins.module_utils._options import AGENT_OVERRIDES

_OPTIONS: dict[str, Any] = {
    "namespace": {"type": "str", "required": True},
    "agent_config": {"type": "str", "default": "default"},
    "args": {"type": "raw", "required": True},
    "name": {"type": "str"},
    "retry": {"type": "str"},
    "files": {"type": "raw"},
    "files_from": {"type": "raw"},
    "agent": {"type": "dict", "options": AGENT_OVERRIDES},
    "volumes": {"type": "raw"},
    "volume_mounts": {"type": "raw"},
    "pod_failure_policy": {"type": "raw"},
    "bundles": {"type": "bool", "default": False},
    "installation_service_account": {"type": "str"},
    "registry_secret": {"type": "str", "no_log": False},
    "wait_for_plugins": {"type": "bool", "default": True},
    "timeout": {"type": "int"},
    "progress_deadline": {"type": "int", "default": 120},
    "progress_file": {"type": "path"},
    "keep": {"type": "int", "default": 0},
    "on_cancel": {"type": "str", "choices": ["delete", "leave"], "default": "delete"},
    "secure_logging": {"type": "bool", "default": True},
}
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _act(module: AnsibleModule) -> dict[str, Any]:
    action = read_action(module.params)
    report = reporter(module)
    listener = Listener(module.params["progress_file"])
    settings = ActionSettings(
        timeout=_at_least(1, module, "timeout"),
        progress_deadline=_at_least(0, module, "progress_deadline"),
        keep=_at_least(0, module, "keep"),
        leave_when_cancelled=module.params["on_cancel"] == "leave",
    )
    runner = ActionRunner(
        connect(module),
        action,
        settings,
        say=lambda line: report(action, line) if report else None,
        check_cancelled=lambda: _refuse_to_go_on_alone(listener),
    )
    outcome = runner.foresee() if module.check_mode else runner.run()
    diff = action_diff(action, runner.objects(outcome))
    return {"changed": not outcome.is_earlier, **outcome.result, "diff": diff}


def _at_least(least: int, module: AnsibleModule, option: str) -> Any:
    value = module.params[option]
    if value is not None and value < least:
        raise InputError("%s must be at least %d, not %d." % (option, least, value))
    return value


def _refuse_to_go_on_alone(listener: Listener) -> None:
    if listener.is_gone():
        raise CancelledError("The action was cancelled: nobody waits for it any more.")


def _cancel(_signal: int, _frame: Any) -> NoReturn:
    # A second one must not interrupt what is done about the first.
    for each in _SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise CancelledError("The action was cancelled.")


def main() -> None:
    module = make_module(_OPTIONS, shown_action)
    for each in _SIGNALS:
        signal.signal(each, _cancel)
    try:
        result = _act(module)
    except PorterError as error:
        module.fail_json(**failure(module, error))
    module.exit_json(**success(module, result))


if __name__ == "__main__":
    main()
