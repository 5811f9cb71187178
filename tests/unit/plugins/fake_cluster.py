# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""A model of the parts of Kubernetes that a plugin volume meets, for unit tests.

It keeps objects with uid and resourceVersion, checks preconditions, and does what the volume,
Job and garbage controllers do, one small thing for each tick. Every claim about the real
Kubernetes is proved by tests/integration; this one can be stopped at any request.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from ansible_collections.getporter.porter.plugins.module_utils import _api
from ansible_collections.getporter.porter.plugins.module_utils._agent_pod import LIST_CONTAINER
from ansible_collections.getporter.porter.plugins.module_utils._errors import ApiError, ConflictError, InputError

from tests.unit.plugins.json_patch import DoesNotApplyError, applied

Manifest = dict[str, Any]
_Answer = TypeVar("_Answer")
KINDS = {
    "ConfigMap": _api.CONFIG_MAPS,
    "AgentConfig": _api.Resource("/apis/getporter.org/v1", "agentconfigs"),
    "PersistentVolume": _api.VOLUMES,
    "PersistentVolumeClaim": _api.CLAIMS,
}
LOG = "installed kubernetes plugin v1.0.1 (f1)\n"
LISTED = 'porter version v1\n[\n  {"name": "kubernetes", "version": "v1.0.1"}\n]\n'


class Killed(BaseException):
    """The run was killed at this request. No handler of the collection may catch it."""


class FakeCluster:
    """Objects by plural, namespace and name; ``policy`` and ``binding`` are the storage class's."""

    def __init__(self, policy: str = "Delete", immediate: bool = False) -> None:
        self.objects: dict[tuple[str, str, str], Manifest] = {}
        self.policy, self.immediate = policy, immediate
        self.jobs_succeed = True
        # What Porter prints when it lists the plugins.
        self.listed = LISTED
        self.started_jobs = self.completed_jobs = 0
        # A namespace that is being deleted takes no new objects.
        self.terminating = False
        # Jobs are removed by their TTL as soon as they are finished.
        self.expire_jobs = False
        self._numbers = itertools.count(1)

    def of(self, plural: str) -> list[Manifest]:
        return [item for (kind, _namespace, _name), item in sorted(self.objects.items()) if kind == plural]

    def find(self, plural: str, name: str, namespace: str = "") -> Manifest | None:
        return self.objects.get((plural, namespace, name))

    # --- what clients do ---

    def create(self, plural: str, body: Manifest) -> Manifest:
        item = copy.deepcopy(body)
        metadata = item["metadata"]
        key = (plural, metadata.get("namespace", ""), metadata["name"])
        if self.terminating:
            raise ApiError(403, "Forbidden", "namespace porter is being terminated")
        if key in self.objects:
            raise ConflictError(409, "AlreadyExists", f"{key} already exists")
        metadata["uid"] = f"{next(self._numbers):08x}-uid"
        metadata["creationTimestamp"] = f"{next(self._numbers):08d}"
        self._touch(item)
        self.objects[key] = item
        self.started_jobs += plural == "jobs"
        return copy.deepcopy(item)

    def patch(self, plural: str, name: str, body: Manifest, namespace: str = "") -> Manifest:
        item = self.find(plural, name, namespace)
        if item is None:
            raise ApiError(404, "NotFound", name)
        wanted = body["metadata"].get("resourceVersion")
        if wanted and wanted != item["metadata"]["resourceVersion"]:
            raise ConflictError(409, "Conflict", name)
        _merge(item, body)
        self._touch(item)
        return copy.deepcopy(item)

    def json_patch(self, plural: str, name: str, operations: Sequence[Manifest], namespace: str = "") -> Manifest:
        item = self.find(plural, name, namespace)
        if item is None:
            raise ConflictError(404, "NotFound", name)
        try:
            patched = applied(item, operations)
        except DoesNotApplyError as error:
            raise ConflictError(422, "Invalid", f"{name}: {error}") from None
        self.objects[plural, namespace, name] = patched
        self._touch(patched)
        return copy.deepcopy(patched)

    def delete(self, plural: str, name: str, namespace: str, uid: str, resource_version: str | None = None) -> None:
        item = self.find(plural, name, namespace)
        if item is None:
            return
        if item["metadata"]["uid"] != uid or resource_version not in (None, item["metadata"]["resourceVersion"]):
            raise ConflictError(409, "Conflict", name)
        item["metadata"].setdefault("deletionTimestamp", "now")
        self._touch(item)

    # --- what controllers do ---

    def tick(self) -> bool:
        """One small thing of one controller. False: all is at rest."""
        steps: tuple[Callable[[], bool], ...] = (
            self._bind_claims,
            self._run_jobs,
            self._finish_deletions,
            self._lose_and_release,
            self._collect_garbage,
        )
        return any(step() for step in steps)

    def settle(self) -> None:
        while self.tick():
            pass

    def _bind_claims(self) -> bool:
        for claim in self.of("persistentvolumeclaims"):
            if claim.get("status", {}).get("phase"):
                continue
            volume = self._volume_for(claim)
            if volume is None:
                continue
            reference = volume["spec"].setdefault("claimRef", {})
            reference.update(name=claim["metadata"]["name"], namespace=claim["metadata"]["namespace"])
            reference["uid"] = claim["metadata"]["uid"]
            volume["status"], claim["status"] = {"phase": "Bound"}, {"phase": "Bound"}
            claim["spec"]["volumeName"] = volume["metadata"]["name"]
            self._touch(volume, claim)
            return True
        return False

    def _volume_for(self, claim: Manifest) -> Manifest | None:
        name = claim["spec"].get("volumeName")
        if name:
            volume = self.find("persistentvolumes", name)
            reference = (volume or {}).get("spec", {}).get("claimRef", {})
            fits = reference.get("name") == claim["metadata"]["name"] and not reference.get("uid")
            return volume if fits else None
        if not (self.immediate or self._job_of(claim)):
            return None
        body = {
            "kind": "PersistentVolume",
            "metadata": {"name": f"pvc-{claim['metadata']['uid']}"},
            "spec": {
                "persistentVolumeReclaimPolicy": self.policy,
                "accessModes": claim["spec"]["accessModes"],
                "capacity": claim["spec"]["resources"]["requests"],
            },
        }
        self.create("persistentvolumes", body)
        return self.find("persistentvolumes", body["metadata"]["name"])  # type: ignore[index]

    def _job_of(self, claim: Manifest) -> Manifest | None:
        uid = claim["metadata"]["uid"]
        return next((job for job in self.of("jobs") if job["metadata"]["ownerReferences"][0]["uid"] == uid), None)

    def _run_jobs(self) -> bool:
        for job in self.of("jobs"):
            if job.get("status") and self.expire_jobs:
                job["metadata"].setdefault("deletionTimestamp", "now")
            if job.get("status") or job["metadata"].get("deletionTimestamp"):
                continue
            namespace = job["metadata"]["namespace"]
            plugins, document = job["spec"]["template"]["spec"]["volumes"]
            name = plugins["persistentVolumeClaim"]["claimName"]
            claim = self.find("persistentvolumeclaims", name, namespace)
            if not claim or claim.get("status", {}).get("phase") != "Bound":
                continue
            if not self.find("secrets", document["secret"]["secretName"], namespace):
                continue
            kind, phase = ("Complete", "Succeeded") if self.jobs_succeed else ("Failed", "Failed")
            job["status"] = {"conditions": [{"type": kind, "status": "True", "reason": "R", "message": "M"}]}
            self.completed_jobs += self.jobs_succeed
            self._touch(job)
            pod = {
                "metadata": {
                    "name": job["metadata"]["name"] + "-pod",
                    "namespace": namespace,
                    "ownerReferences": [{"uid": job["metadata"]["uid"]}],
                },
                "spec": {
                    "claim": name,
                    "nodeName": "node",
                    "volumes": [{"persistentVolumeClaim": {"claimName": name}}],
                },
                "status": {"phase": phase},
            }
            self.create("pods", pod)
            return True
        return False

    def _finish_deletions(self) -> bool:
        """Pods go first: a claim that a pod mounts stays, and a Job deleted in the foreground takes its pods along."""
        for (plural, namespace, name), item in sorted(self.objects.items(), key=lambda pair: pair[0][0] != "pods"):
            if not item["metadata"].get("deletionTimestamp"):
                continue
            if plural == "jobs":
                for pod in self.of("pods"):
                    if pod["metadata"]["ownerReferences"][0]["uid"] == item["metadata"]["uid"]:
                        del self.objects["pods", namespace, pod["metadata"]["name"]]
                        return True
            if plural == "persistentvolumeclaims" and any(pod["spec"]["claim"] == name for pod in self.of("pods")):
                continue
            if plural == "persistentvolumes" and self._is_claimed(item):
                continue
            del self.objects[plural, namespace, name]
            return True
        return False

    def _is_claimed(self, volume: Manifest) -> bool:
        reference = volume["spec"].get("claimRef") or {}
        claim = self.find("persistentvolumeclaims", reference.get("name", ""), reference.get("namespace", ""))
        return bool(claim) and claim["metadata"]["uid"] == reference.get("uid")  # type: ignore[index]

    def _lose_and_release(self) -> bool:
        for volume in self.of("persistentvolumes"):
            reference = volume["spec"].get("claimRef") or {}
            if not reference.get("uid"):
                if volume["status"]["phase"] != "Available":
                    volume["status"] = {"phase": "Available"}
                    self._touch(volume)
                    return True
                continue
            if self._is_claimed(volume):
                continue
            if volume["status"]["phase"] == "Bound":
                volume["status"] = {"phase": "Released"}
                self._touch(volume)
                return True
            if volume["spec"]["persistentVolumeReclaimPolicy"] == "Delete":
                del self.objects["persistentvolumes", "", volume["metadata"]["name"]]
                return True
        for claim in self.of("persistentvolumeclaims"):
            name = claim["spec"].get("volumeName")
            bound = claim.get("status", {}).get("phase") == "Bound"
            behind = self.find("persistentvolumes", name) if name else None
            if bound and (not behind or behind["spec"]["claimRef"].get("uid") != claim["metadata"]["uid"]):
                claim["status"] = {"phase": "Lost"}
                self._touch(claim)
                return True
        return False

    def _collect_garbage(self) -> bool:
        uids = {item["metadata"]["uid"] for item in self.objects.values()}
        for (plural, _namespace, _name), item in list(self.objects.items()):
            owners = item["metadata"].get("ownerReferences") or []
            living = [owner for owner in owners if owner["uid"] in uids]
            if living and len(living) < len(owners):
                item["metadata"]["ownerReferences"] = living
                self._touch(item)
                return True
            orphaned = owners and not any(owner["uid"] in uids for owner in owners)
            if orphaned and plural != "pods" and not item["metadata"].get("deletionTimestamp"):
                item["metadata"]["deletionTimestamp"] = "now"
                return True
        return False

    def _touch(self, *items: Manifest) -> None:
        for item in items:
            item["metadata"]["resourceVersion"] = str(next(self._numbers))


class FakeApi:
    """The adapter's face on a FakeCluster. ``kill_at`` counts requests: that one is sent or not, then the run dies.

    ``before`` is called before each request, such as ``delete jobs``; ``refuse`` says whether RBAC
    forbids it.
    """

    def __init__(self, cluster: FakeCluster, kill_at: int | None = None, answered: bool = False) -> None:
        self.cluster = cluster
        self.requests = 0
        self.writes: list[str] = []
        self.before: Callable[[str], object] = lambda _what: None
        self.refuse: Callable[[str], bool] = lambda _what: False
        self._kill_at, self._answered = kill_at, answered

    def list_all(self, resource: _api.Resource, namespace: str | None = "", **selectors: Any) -> list[Manifest]:
        return self._request(
            f"list {resource.plural}",
            lambda: self._listed(resource, namespace or "", selectors.get("label_selector") or ""),
        )

    def _listed(self, resource: _api.Resource, namespace: str, selector: str) -> list[Manifest]:
        if resource.plural == "pods":
            return copy.deepcopy(self.cluster.of("pods"))
        wanted = dict(term.split("=") for term in selector.split(",") if term)
        return [
            copy.deepcopy(item)
            for item in self.cluster.of(resource.plural)
            if (not namespace or item["metadata"].get("namespace") == namespace)
            and wanted.items() <= (item["metadata"].get("labels") or {}).items()
        ]

    def kinds_of(self, group: str) -> dict[str, dict[str, _api.Resource]]:
        """The cluster knows no kinds but the built-in ones."""
        core = {"PersistentVolumeClaim": _api.CLAIMS, "ConfigMap": _api.CONFIG_MAPS}
        return self._request("discover", lambda: {} if group else {"v1": core})

    def cluster_time(self) -> datetime:
        return datetime(2026, 11, 30, tzinfo=UTC)

    def get(self, resource: _api.Resource, name: str, namespace: str = "", **_options: bool) -> Manifest | None:
        return self._request(
            f"get {resource.plural}", lambda: copy.deepcopy(self.cluster.find(resource.plural, name, namespace))
        )

    def create(self, resource: _api.Resource, body: Manifest) -> Manifest:
        if resource is _api.ACCESS_REVIEWS:
            asked = body["spec"]["resourceAttributes"]
            return {"status": {"allowed": not self.refuse(f"{asked['verb']} {asked['resource']}")}}
        return self._request(f"create {resource.plural}", lambda: self.cluster.create(resource.plural, body))

    def merge_patch(self, resource: _api.Resource, name: str, body: Manifest, namespace: str = "") -> Manifest:
        return self._request(
            f"patch {resource.plural}", lambda: self.cluster.patch(resource.plural, name, body, namespace)
        )

    def json_patch(
        self, resource: _api.Resource, name: str, operations: Sequence[Manifest], namespace: str = ""
    ) -> Manifest:
        return self._request(
            f"patch {resource.plural}", lambda: self.cluster.json_patch(resource.plural, name, operations, namespace)
        )

    def resource_of(self, api_version: str, kind: str) -> _api.Resource:
        if kind not in KINDS:
            raise InputError(f"no kind {kind} of {api_version}")
        return KINDS[kind]

    def delete(
        self,
        resource: _api.Resource,
        name: str,
        namespace: str | None = "",
        *,
        uid: str,
        resource_version: str | None = None,
        **_options: str,
    ) -> None:
        self._request(
            f"delete {resource.plural}",
            lambda: self.cluster.delete(resource.plural, name, namespace or "", uid, resource_version),
        )

    def pod_log(self, _namespace: str, _pod: str, container: str, **_options: int) -> str:
        log = self.cluster.listed if container == LIST_CONTAINER else LOG
        return self._request("log", lambda: log if self.cluster.jobs_succeed else "porter version v1\nno such plugin\n")

    def _request(self, what: str, act: Callable[[], _Answer]) -> _Answer:
        self.before(what)
        self.requests += 1
        if self.refuse(what):
            raise ApiError(403, "Forbidden", f"{what} is forbidden")
        due = self.requests == self._kill_at
        if due and not self._answered:
            raise Killed
        answer = act()
        if what.split()[0] in ("create", "patch", "delete"):
            self.writes.append(what)
        if due:
            raise Killed
        return answer


def _merge(target: Manifest, patch: Manifest) -> None:
    """RFC 7386."""
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, dict):
            _merge(target.setdefault(key, {}), value)
        else:
            target[key] = value
