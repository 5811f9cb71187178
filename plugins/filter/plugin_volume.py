# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
name: plugin_volume
short_description: The volume and mount by which a pod gets a set of Porter plugins
description:
  - Gives what a pod's spec needs so that Porter in it finds the plugins of a set, as agent actions have it.
author:
  - Contributors to the getporter.porter collection (@getporter)
positional: namespace
options:
  _input:
    description:
      - >-
        The plugin set: a map from plugin name to its settings V(version), V(url), V(feedURL) and V(mirror), or a whole
        Porter plugins document, or either as YAML or JSON text.
    type: raw
    required: true
  namespace:
    description: The namespace of the pod and the plugin claim.
    type: str
    default: default
  salted:
    description:
      - Take the claim name that no other plugin set has, as O(_input) was installed with.
    type: bool
    default: false
  read_only_claim:
    description:
      - Attach the volume for reading only, which a claim with the access mode ReadOnlyMany needs with some drivers.
        The mount is read-only in any case.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: List the plugins in a pod of one's own
  kubernetes.core.k8s:
    definition:
      apiVersion: v1
      kind: Pod
      metadata:
        name: list-plugins
        namespace: porter
      spec:
        restartPolicy: Never
        containers:
          - name: porter
            image: ghcr.io/getporter/porter-agent:v1.6.1
            args: [plugins, list]
            volumeMounts: "{{ mounted.volumeMounts }}"
        volumes: "{{ mounted.volumes }}"
  vars:
    mounted: "{{ {'kubernetes': {'version': 'v1.0.1'}} | getporter.porter.plugin_volume(namespace='porter') }}"
"""

RETURN = r"""
_value:
  description:
    - A map with C(volumes) for the pod and C(volumeMounts) for a container, both lists. Empty when there are no
      plugins.
  type: dict
"""

from typing import Any, Callable

from ansible.errors import AnsibleFilterError
from ansible_collections.getporter.porter.plugins.module_utils._agent_pod import plugins_mount, plugins_volume
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._identity import claim_name
from ansible_collections.getporter.porter.plugins.module_utils._input import truth


def plugin_volume(
    plugins: Any, namespace: Any = "default", salted: Any = False, read_only_claim: Any = False
) -> dict[str, list[dict[str, Any]]]:
    """Return the volume and mount of a plugin set, as lists for a pod's spec."""
    try:
        claim = claim_name(plugins, namespace, salted)
        read_only = truth(read_only_claim, "read_only_claim")
    except PorterError as error:
        raise AnsibleFilterError(f"plugin_volume: {error.message}") from error
    if not claim:
        return {"volumes": [], "volumeMounts": []}
    return {
        "volumes": [plugins_volume(claim, read_only)],
        "volumeMounts": [plugins_mount(read_only=True)],
    }


class FilterModule:
    """The filter's registration."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filters by name."""
        return {"plugin_volume": plugin_volume}
