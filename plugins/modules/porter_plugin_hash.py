#!/usr/bin/python
# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
---
module: porter_plugin_hash
short_description: Compute the names, labels and document of a set of Porter plugins
description:
  - Computes every name that follows from a plugin set in a namespace, without talking to a cluster.
  - The claim name and the plugins hash are those of the Porter Operator, byte for byte.
  - Filters do the same inside an expression, see below. This module also checks the plugin set and warns.
author:
  - Contributors to the getporter.porter collection (@getporter)
extends_documentation_fragment:
  - getporter.porter.attributes
  - getporter.porter.attributes.pure
options:
  plugins:
    description:
      - >-
        The plugin set: a map from plugin name to its settings V(version), V(url), V(feedURL) and V(mirror), all of
        them optional. V(feedURL) may also be written V(feed_url), V(feedUrl) or V(feedurl).
      - A whole Porter plugins document, with V(schemaType), V(schemaVersion) and V(plugins), is taken as well, and
        either of them as YAML or JSON text.
      - Empty settings count as not set. With no plugins at all there is no plugin claim, and all names are empty.
    type: raw
  namespace:
    description:
      - The namespace of the plugin claim, which is part of its name.
    type: str
    default: default
notes:
  - Two plugin sets can have the same claim name, because the Operator joins the values without marking where one ends.
    RV(document_digest) tells them apart, and RV(salted_claim) is a name that no other plugin set has.
seealso:
  - plugin: getporter.porter.plugin_claim_name
    plugin_type: filter
  - plugin: getporter.porter.plugin_label
    plugin_type: filter
  - plugin: getporter.porter.plugins_document
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Name the claim of one plugin
  getporter.porter.porter_plugin_hash:
    plugins:
      kubernetes:
        version: v1.0.1
    namespace: porter
  register: plugins

- name: Show the name
  ansible.builtin.debug:
    msg: The plugins are on {{ plugins.claim }}, labelled {{ plugins.label }}.

- name: Name the claim of a Porter plugins document in a file
  getporter.porter.porter_plugin_hash:
    plugins: "{{ lookup('ansible.builtin.file', 'plugins.yaml') }}"
"""

RETURN = r"""
claim:
  description: Name of the plugin claim, as the Porter Operator names it. Empty when there are no plugins.
  returned: success
  type: str
  sample: porter-09f53557ea13d4c041632a382bbaf0be
salted_claim:
  description: Name of the plugin claim that no other plugin set has, for when RV(claim) belongs to another one.
  returned: success
  type: str
  sample: porter-7e0b6e3bd1b1a1d8d1c2ff0a3f1f1f0e
staging_claim:
  description: Name of the temporary claim that the install Job writes through.
  returned: success
  type: str
  sample: porter-09f53557ea13d4c041632a382bbaf0be-staging
job:
  description: Name of the install Job.
  returned: success
  type: str
  sample: porter-09f53557ea13d4c041632a382bbaf0be-install
plugins_hash:
  description: Value of the label C(getporter.org/plugins-hash). It does not depend on the namespace.
  returned: success
  type: str
  sample: 18fc24fabe0ae5cdf4f9193e12f2e7e6
label:
  description:
    - Value of the label C(getporter.org/plugins), the plugin set in plain text.
    - When it has more than 63 characters, URLs, or could be read in two ways, it is cut and ends in a hash.
  returned: success
  type: str
  sample: azure_v1.2.0_kubernetes_v1.0.1
document:
  description:
    - The Porter plugins document.
    - User names, passwords, queries and fragments of URLs are hidden here. The filter
      P(getporter.porter.plugins_document#filter) gives the whole document.
  returned: success
  type: dict
  sample:
    schemaType: Plugins
    schemaVersion: 1.0.0
    plugins:
      kubernetes:
        version: v1.0.1
document_digest:
  description: SHA-256 of the whole document as compact JSON with sorted keys.
  returned: success
  type: str
  sample: 2bb5c1c3a1f2a3b0d4a5f8d8f0f0e2f5c5e9b0c0f3a4d7e6b1a2c3d4e5f60718
"""

from typing import Any

from ansible_collections.getporter.porter.plugins.module_utils._arguments import (
    PorterModule,
    invocation,
    shown_arguments,
)
from ansible_collections.getporter.porter.plugins.module_utils._errors import PorterError
from ansible_collections.getporter.porter.plugins.module_utils._identity import (
    plugin_identity,
    redacted_plugins_document,
    salted_claim_name,
    secret_urls,
)
from ansible_collections.getporter.porter.plugins.module_utils._input import dns_label
from ansible_collections.getporter.porter.plugins.module_utils._plugin_set import PluginSet, parse_plugins


def describe(plugin_set: PluginSet, namespace: str) -> dict[str, Any]:
    """Return the module's result for a plugin set."""
    identity = plugin_identity(plugin_set, namespace)
    return {
        "changed": False,
        "claim": identity.claim,
        "salted_claim": salted_claim_name(plugin_set, namespace),
        "staging_claim": identity.staging_claim,
        "job": identity.job,
        "plugins_hash": identity.plugins_hash,
        "label": identity.label,
        "document": redacted_plugins_document(plugin_set),
        "document_digest": identity.document_digest,
    }


def main() -> None:
    """Run the module."""
    module = PorterModule(
        shown_arguments,
        argument_spec={
            "plugins": {"type": "raw"},
            "namespace": {"type": "str", "default": "default"},
        },
        supports_check_mode=True,
        # Nothing of the arguments goes to the system log: feed URLs can hold credentials.
        no_log=True,
    )
    module.no_log_values.update(secret_urls(module.params["plugins"]))
    try:
        plugin_set = parse_plugins(module.params["plugins"])
        result = describe(plugin_set, dns_label(module.params["namespace"] or "default", "namespace"))
    except PorterError as error:
        module.fail_json(**error.as_result(), **invocation(module))
    for warning in plugin_set.warnings + plugin_set.problems:
        module.warn(warning)
    module.exit_json(**result, **invocation(module))


if __name__ == "__main__":
    main()
