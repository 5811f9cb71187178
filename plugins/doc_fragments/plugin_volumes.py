# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The option that the modules for plugin volumes share."""

    DOCUMENTATION = r"""
options:
  volumes:
    description:
      - The plugin sets, each with the namespace and the agent config that it is for.
      - Equal sets in one namespace share one plugin volume, named after the first of them.
    type: list
    elements: dict
    required: true
    suboptions:
      agent_config:
        description: The name of the agent config in whose name the volume is made.
        type: str
        required: true
      namespace:
        description: The namespace of the plugin claim. It must exist.
        type: str
        required: true
      plugins:
        description:
          - A map from plugin name to C(version), C(feedURL), C(url) and C(mirror), or a whole plugins document of
            Porter, also as YAML or JSON text.
          - Passwords and queries in the URLs appear in no result.
        type: raw
        required: true
      volume_size:
        description: The size of a new volume as a Kubernetes quantity. An existing volume keeps its size.
        type: str
        default: 64Mi
      storage_class:
        description: The storage class of a new volume; without it the cluster's default class.
        type: str
      access_mode:
        description:
          - The access mode of a new plugin claim; without it that of the volume as provisioned. Agent actions mount
            read-only in any case.
          - With V(ReadOnlyMany) or V(ReadWriteMany) pods on several nodes can mount it, if the storage can do that. A
            class that is known not to is refused before anything is made.
        type: str
        choices: [ReadWriteOnce, ReadOnlyMany, ReadWriteMany]
      salted:
        description:
          - Whether to name the plugin claim so that no other plugin set has its name, for a set whose usual name, the
            Porter Operator's, is taken by a different set.
        type: bool
        default: false
      refresh:
        description:
          - Whether to install the plugins anew though there is a plugin volume, and to swap the new volume in. For
            plugins without a fixed version, of which there may be a newer one.
          - Pods that mount the plugin claim finish on the old volume; the new one is bound when they have. Pods made
            meanwhile wait for it.
        type: bool
        default: false
      spec:
        description:
          - The settings of the agent config as in an AgentConfig resource. With them its record, the ConfigMap
            C(porter-agent-config-NAME), is written and owns the plugin claim; without them there is no record, and the
            claim has no owner.
        type: dict
      owners:
        description:
          - Further objects of the namespace in whose name the plugin claim is kept, such as an AgentConfig resource.
            They must exist. The claim stays as long as one of its owners does, or until
            M(getporter.porter.porter_pvc_owner) takes them out.
        type: list
        elements: dict
        default: []
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
            description: Its uid; without it whichever object has the name becomes the owner.
            type: str
          namespace:
            description: Its namespace, which can be no other than that of the agent config.
            type: str
      agent:
        description:
          - How the pod of the install Job runs, and those of the agent config's actions. The parts that Kubernetes
            defines are passed on as they are.
        type: dict
        required: true
        suboptions:
          image:
            description: The image of the Porter agent, with a tag or digest.
            type: str
            required: true
          pull_policy:
            description: When to pull the image; without it Kubernetes decides.
            type: str
            choices: [Always, IfNotPresent, Never]
          service_account:
            description: The service account that the pod runs under; its token is not mounted.
            type: str
          image_pull_secrets:
            description: Names of Secrets for the image's registry.
            type: list
            elements: str
          node_selector:
            description: Labels that the node must have.
            type: dict
          tolerations:
            description: Taints that the pod puts up with.
            type: list
            elements: dict
          affinity:
            description: Scheduling rules.
            type: dict
          resources:
            description: Requests and limits of the agent's container.
            type: dict
          env:
            description: Environment variables of the agent's container.
            type: list
            elements: dict
          env_from:
            description: Secrets and ConfigMaps whose keys become environment variables.
            type: list
            elements: dict
          pod_labels:
            description: More labels of the Job and its pods.
            type: dict
          pod_annotations:
            description: More annotations of the pod.
            type: dict
          pod_security_context:
            description: The pod's security context.
            type: dict
          container_security_context:
            description: The container's security context.
            type: dict
          backoff_limit:
            description: How many times a failed install is tried again; V(0) is never.
            type: int
            default: 6
          active_deadline_seconds:
            description: After how many seconds Kubernetes ends the Job.
            type: int
          ttl_seconds_after_finished:
            description:
              - After how many seconds Kubernetes removes the finished Job, should nobody else have removed it. At least
                600, so that no Job vanishes before a run has seen it complete.
            type: int
requirements:
  - kubernetes >= 24.2.0 (Python library)
"""

    # Of a module that also does something without any.
    OPTIONAL: str


# Outside, because ansible-test takes whatever a fragment's class assigns for a text of YAML.
ModuleDocFragment.OPTIONAL = ModuleDocFragment.DOCUMENTATION.replace("required: true", "default: []", 1)
