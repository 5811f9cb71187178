# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads what Jobs do: their pods, events and logs, and the architecture of the node.

Private to the collection: not a public interface.
"""

from __future__ import annotations

from typing import Any, Callable, Dict

from ansible_collections.getporter.porter.plugins.module_utils._agent_pod import AGENT_CONTAINER, LIST_CONTAINER
from ansible_collections.getporter.porter.plugins.module_utils._api import EVENTS, NODES, PODS, KubeApi
from ansible_collections.getporter.porter.plugins.module_utils._errors import ApiError
from ansible_collections.getporter.porter.plugins.module_utils._job_status import (
    WAITING_PHASES,
    container_at_work,
    job_status,
    newest_pod,
)

Manifest = Dict[str, Any]

# Seconds between two looks at the events about one Job, and before the first.
EVENTS_INTERVAL = 2.0
# Lines of a log that are read: its end; and of a list of plugins, some ten of each plugin.
LOG_LINES = 50
MOST_LIST_LINES = 10_000


class JobWatch:
    """Lists pods once a namespace and round, however many Jobs run there."""

    def __init__(self, api: KubeApi, clock: Callable[[], float], selector: str) -> None:
        self._api = api
        self._clock = clock
        # Of the Jobs' pods.
        self._selector = selector
        # By a Job's uid: the events about it, and when they were listed or first looked for.
        self._events: dict[str, tuple[float, list[Manifest]]] = {}
        self._architectures: dict[str, str | None] = {}
        self._pod_lists: dict[str, list[Manifest]] = {}

    def new_round(self) -> None:
        """Forget the pods that were listed."""
        self._pod_lists.clear()

    def pods(self, job: Manifest) -> list[Manifest]:
        """The Job's pods, out of one list a namespace and round."""
        namespace, uid = job["metadata"]["namespace"], job["metadata"]["uid"]
        if namespace not in self._pod_lists:
            self._pod_lists[namespace] = self._api.list_all(PODS, namespace, label_selector=self._selector)
        pods = self._pod_lists[namespace]
        return [pod for pod in pods if any(o["uid"] == uid for o in pod["metadata"].get("ownerReferences") or [])]

    def events_about(self, job: Manifest, pods: list[Manifest]) -> list[Manifest]:
        """Events about the newest pod, or the Job while it has none: only they tell why nothing starts."""
        if job_status(job, pods, []).phase not in WAITING_PHASES:
            return []
        since, events = self._events.setdefault(job["metadata"]["uid"], (self._clock(), []))
        if self._clock() - since >= EVENTS_INTERVAL:
            subject = newest_pod(pods) or job
            selector = "involvedObject.uid=%s" % subject["metadata"]["uid"]
            events = self._api.list_all(EVENTS, job["metadata"]["namespace"], field_selector=selector)
            self._events[job["metadata"]["uid"]] = (self._clock(), events)
        return events

    def log(self, pod: Manifest | None) -> str | None:
        """The end of the log of the container that is at work."""
        return self._log_of(pod, container_at_work(pod)) if pod else None

    def install_log(self, pod: Manifest | None) -> str | None:
        """The end of what the agent printed while it installed."""
        return self._log_of(pod, AGENT_CONTAINER) if pod else None

    def list_log(self, pod: Manifest | None) -> str | None:
        """What the agent printed when it listed the plugins: none of its lines may be missing."""
        return self._log_of(pod, LIST_CONTAINER, MOST_LIST_LINES) if pod else None

    def _log_of(self, pod: Manifest, container: str, lines: int = LOG_LINES) -> str | None:
        return self._api.pod_log(pod["metadata"]["namespace"], pod["metadata"]["name"], container, tail_lines=lines)

    def architecture(self, pod: Manifest | None) -> str | None:
        """Of the node that installed. Left out where nodes may not be read: it is a help, no condition."""
        node_name = (pod or {}).get("spec", {}).get("nodeName")
        if not node_name:
            return None
        if node_name not in self._architectures:
            try:
                node = self._api.get(NODES, node_name)
            except ApiError as error:
                if error.status != 403:
                    raise
                node = None
            self._architectures[node_name] = ((node or {}).get("metadata", {}).get("labels") or {}).get(
                "kubernetes.io/arch"
            )
        return self._architectures[node_name]
