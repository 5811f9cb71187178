# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is wanted: one plugin set on one volume in one namespace, and how its agent runs. Pure.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ansible_collections.getporter.porter.plugins.module_utils._identity import PluginIdentity
from ansible_collections.getporter.porter.plugins.module_utils._owner_references import Owner, Reference
from ansible_collections.getporter.porter.plugins.module_utils._record import AgentConfigRecord


@dataclass(frozen=True)
class AgentSettings:
    """How the pods of the Porter agent look.

    The Kubernetes parts are passed on as they are; an empty one is left out, so that the cluster
    (or an OpenShift security context constraint) decides.
    """

    image: str
    pull_policy: str | None = None
    service_account: str | None = None
    image_pull_secrets: list[str] = field(default_factory=list)
    node_selector: dict[str, str] = field(default_factory=dict)
    tolerations: list[dict[str, Any]] = field(default_factory=list)
    affinity: dict[str, Any] = field(default_factory=dict)
    resources: dict[str, Any] = field(default_factory=dict)
    env: list[dict[str, Any]] = field(default_factory=list)
    env_from: list[dict[str, Any]] = field(default_factory=list)
    pod_labels: dict[str, str] = field(default_factory=dict)
    pod_annotations: dict[str, str] = field(default_factory=dict)
    pod_security_context: dict[str, Any] = field(default_factory=dict)
    container_security_context: dict[str, Any] = field(default_factory=dict)
    # Retries after the first try; 0 is none.
    backoff_limit: int = 6
    # Seconds; None leaves the Job without the limit.
    active_deadline_seconds: int | None = None
    ttl_seconds_after_finished: int | None = None


@dataclass(frozen=True)
class PluginVolume:
    """One plugin set in one namespace: everything that decides what its volume holds and is called."""

    identity: PluginIdentity
    namespace: str
    # The agent config in whose name the volume is made, in full and as a label value.
    agent_config: str
    resource_label: str
    # What Porter reads; may hold credentials. And the same without them, for annotations.
    document: str
    redacted_document: str
    # In the order in which Porter installs them.
    plugin_names: tuple[str, ...]
    # A Kubernetes quantity, such as 64Mi.
    size: str
    # None: the cluster's default class.
    storage_class: str | None
    agent: AgentSettings
    # ReadOnlyMany, ReadWriteMany or ReadWriteOnce; None keeps what is provisioned.
    access_mode: str | None = None
    # Install anew, though there is a volume, and swap it in.
    refresh: bool = False
    # The agent configs that are to own the plugin claim.
    records: tuple[AgentConfigRecord, ...] = ()
    # Further objects of the namespace that are to own it, as named; and, once they are looked up, the references.
    owners: tuple[Owner, ...] = ()
    owner_references: tuple[Reference, ...] = ()
    # What must not be written where people read: parts of the plugins' URLs.
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def key(self) -> str:
        """``NAMESPACE/CLAIM``, unique in a cluster."""
        return "%s/%s" % (self.namespace, self.identity.claim)

    def masked(self, words: str) -> str:
        """The words without the secrets of the plugins' URLs, which Porter repeats in its errors."""
        for secret in self.secrets:
            words = words.replace(secret, "********")
        return words
