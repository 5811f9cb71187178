# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Label and annotation keys on the objects of this collection.

Private to the collection: not a public interface.
The first three labels are those of the Porter Operator, byte for byte.
"""

from __future__ import annotations

LABEL_MANAGED = "getporter.org/managed"
LABEL_PLUGINS_HASH = "getporter.org/plugins-hash"
LABEL_RESOURCE_NAME = "getporter.org/resourceName"

# The plugin set in plain text, for people and selectors.
LABEL_PLUGINS = "getporter.org/plugins"
LABEL_COMPONENT = "app.kubernetes.io/component"
LABEL_MANAGED_BY = "app.kubernetes.io/managed-by"

COMPONENT_STAGING = "plugin-install"
COMPONENT_VOLUME = "plugin-volume"
COMPONENT_RECORD = "agent-config"
COMPONENT_ACTION = "agent-action"
MANAGED_BY = "getporter.porter"

MANAGED_SELECTOR = LABEL_MANAGED + "=true"

# "NAMESPACE/CLAIM": which plugin claim an object works for.
ANNOTATION_CLAIM = "getporter.org/plugin-claim"
# What Porter installs from, credentials removed, and the SHA-256 of the unabridged document.
ANNOTATION_DOCUMENT = "getporter.org/plugins-document"
ANNOTATION_DIGEST = "getporter.org/plugins-document-sha256"
# JSON object, plugin name to installed version. Present on a volume: its install Job completed.
ANNOTATION_INSTALLED = "getporter.org/plugins-installed"
ANNOTATION_AGENT_IMAGE = "getporter.org/agent-image"
ANNOTATION_ARCHITECTURE = "getporter.org/architecture"
# The reclaim policy to give back once the plugin claim is bound. Present only during a hand-over.
ANNOTATION_RECLAIM_POLICY = "getporter.org/reclaim-policy"
# On a staging claim and its volume: the uid of the plugin claim that a refresh replaces.
ANNOTATION_REFRESH_OF = "getporter.org/refresh-of"
# On the volume of a refresh: the owner references of the plugin claim that it replaces, as a JSON list.
ANNOTATION_OWNERS = "getporter.org/plugin-claim-owners"
# The agent config's name in full, where the label had to be shortened.
ANNOTATION_AGENT_CONFIG = "getporter.org/agent-config"
# The name of an agent action that has one.
ANNOTATION_ACTION = "getporter.org/agent-action"

# On what the Porter Operator makes for single actions: the kind of resource that it works for, and the sort of Job.
LABEL_RESOURCE_KIND = "getporter.org/resourceKind"
LABEL_JOB_TYPE = "getporter.org/jobType"
JOB_TYPE_AGENT = "porter-agent"
# On the claim that the Porter Operator installs through: the name of the plugin claim that it is for.
ANNOTATION_OPERATOR_CLAIM = "agent-config-plugins-hash"
