# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright: Contributors to the getporter.porter collection
"""The fake cluster with the Jobs of agent actions: pods that wait for their volumes, run, and say something."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from ansible_collections.getporter.porter.plugins.module_utils import _action_runner as runner
from ansible_collections.getporter.porter.plugins.module_utils import _api
from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils._action_outcome import ActionOutcome
from ansible_collections.getporter.porter.plugins.module_utils._agent_action import read_action
from ansible_collections.getporter.porter.plugins.module_utils._agent_pod import AGENT_CONTAINER, PLUGINS_VOLUME
from ansible_collections.getporter.porter.plugins.module_utils._errors import ApiError
from ansible_collections.getporter.porter.plugins.module_utils._life import job_outcome
from ansible_collections.getporter.porter.plugins.module_utils._names import record_name

from tests.unit.plugins.fake_cluster import FakeApi, FakeCluster

Manifest = dict[str, Any]
CLAIM = "porter-" + "a" * 32
LINES = ("porter version v1.6.1", '[{"name": "kubernetes"}]')


class ActionCluster(FakeCluster):
    """With one agent config, ``default``, and its plugin claim."""

    def __init__(self, *, claim: str | None = "Bound", phase: str = "Ready", lines: Sequence[str] = LINES) -> None:
        super().__init__()
        self.lines, self.exit_code = tuple(lines), 0
        # Pods of this many tries fail first; the node that no pod fits on; a Job that goes on for ever.
        self.failing_tries = 0
        self.unschedulable = self.endless = False
        # Of each pod: its lines with the second they were said in.
        self.said: dict[str, list[tuple[int, str]]] = {}
        self.second = 0
        self.record("default", phase=phase)
        if claim:
            self.make_claim(claim)

    def record(self, name: str, *, claim: str = CLAIM, **data: str) -> None:
        known = {"name": name, "spec": "{}", "agent": json.dumps({"image": "agent:1"}), "claim": claim}
        labels = {keys.LABEL_MANAGED: "true", keys.LABEL_COMPONENT: keys.COMPONENT_RECORD}
        metadata = {"name": record_name(name), "namespace": "porter", "labels": labels}
        self.objects.pop(("configmaps", "porter", record_name(name)), None)
        self.create("configmaps", {"kind": "ConfigMap", "metadata": metadata, "data": {**known, **data}})

    def make_claim(self, phase: str = "Bound", modes: Sequence[str] = ("ReadWriteOnce",)) -> None:
        body = {"metadata": {"name": CLAIM, "namespace": "porter"}, "spec": {"accessModes": list(modes)}}
        self.objects.pop(("persistentvolumeclaims", "porter", CLAIM), None)
        self.create("persistentvolumeclaims", {**body, "kind": "PersistentVolumeClaim", "status": {"phase": phase}})

    def action_record(self, name: str) -> Manifest:
        found = self.find("configmaps", "porter-agent-action-" + name, "porter")
        assert found
        return found["data"]  # type: ignore[no-any-return]

    def tick(self) -> bool:
        self.second += 1
        return super().tick()

    def _lose_and_release(self) -> bool:
        return False

    def _run_jobs(self) -> bool:
        for job in self.of("jobs"):
            if job["metadata"].get("deletionTimestamp") or job_outcome(job) is not None:
                continue
            if self._go_on(job):
                self._touch(job)
                return True
        return False

    def _go_on(self, job: Manifest) -> bool:
        pods = [
            pod for pod in self.of("pods") if pod["metadata"]["ownerReferences"][0]["uid"] == job["metadata"]["uid"]
        ]
        pod = pods[-1] if pods else None
        if not pod or ("terminated" in _state(pod) and len(pods) <= self.failing_tries):
            self._new_pod(job, len(pods))
            return True
        if not self._can_start(job) or self.unschedulable:
            return False
        said = self.said[pod["metadata"]["name"]]
        if not _state(pod):
            _set_state(pod, {"running": {}})
        elif len(said) < len(self.lines):
            said.append((self.second // 4, self.lines[len(said)]))
        elif self.endless:
            return False
        elif "running" in _state(pod):
            fails = len(pods) <= self.failing_tries
            _set_state(pod, {"terminated": {"exitCode": 1 if fails else self.exit_code}})
        else:
            kind = "Complete" if not self.exit_code else "Failed"
            job["status"] = {"conditions": [{"type": kind, "status": "True", "reason": "R", "message": "M"}]}
            self.completed_jobs += 1
        return True

    def _can_start(self, job: Manifest) -> bool:
        for volume in job["spec"]["template"]["spec"].get("volumes", []):
            name = volume.get("persistentVolumeClaim", {}).get("claimName")
            claim = self.find("persistentvolumeclaims", name, "porter") if name else None
            if name and (not claim or claim["status"]["phase"] != "Bound"):
                return False
            for source in volume.get("projected", {}).get("sources", []):
                if not self.find("secrets", source["secret"]["name"], "porter"):
                    return False
        return True

    def _new_pod(self, job: Manifest, number: int) -> None:
        name = "{}-{}".format(job["metadata"]["name"], number)
        status: Manifest = {"phase": "Pending", "conditions": []}
        if self.unschedulable or not self._can_start(job):
            refused = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no node fits"}
            status["conditions"].append(refused)
        metadata = {"name": name, "namespace": "porter", "ownerReferences": [{"uid": job["metadata"]["uid"]}]}
        volumes = job["spec"]["template"]["spec"].get("volumes", [])
        claim = CLAIM if any(each["name"] == PLUGINS_VOLUME for each in volumes) else ""
        self.create("pods", {"kind": "Pod", "metadata": metadata, "spec": {"claim": claim}, "status": status})
        self.said[name] = []


def _state(pod: Manifest) -> Manifest:
    for each in pod["status"].get("containerStatuses", []):
        return each["state"]  # type: ignore[no-any-return]
    return {}


def _set_state(pod: Manifest, state: Manifest) -> None:
    pod["status"] = {"phase": "Running", "containerStatuses": [{"name": AGENT_CONTAINER, "state": state}]}


class ActionApi(FakeApi):
    """With logs that have times. ``fail`` says whether a request is answered by an error."""

    def __init__(self, cluster: ActionCluster, kill_at: int | None = None, answered: bool = False) -> None:
        super().__init__(cluster, kill_at, answered)
        self.said = cluster.said

    def pod_log_since(self, _namespace: str, pod: str, _container: str, since: str | None) -> str | None:
        lines = [("2026-11-30T12:%02d:%02d" % divmod(at, 60), words) for at, words in self.said.get(pod, [])]
        return self._request(
            "log",
            lambda: "".join(
                f"{second}.{number:09d}Z {words}\n"
                for number, (second, words) in enumerate(lines)
                if not since or second + "Z" >= since
            ),
        )


class Run:
    """One task with an agent action, on a fake cluster whose controllers act while it sleeps."""

    def __init__(self, cluster: ActionCluster, api: ActionApi | None = None, ticks: int = 1, **written: Any) -> None:
        self.cluster, self.api, self.ticks, self.now = cluster, api or ActionApi(cluster), ticks, 0.0
        settings = {key: written.pop(key) for key in SETTINGS if key in written}
        self.settings = runner.ActionSettings(**{"timeout": 100, **settings})
        self.action = read_action({"namespace": "porter", "agent_config": "default", "args": ["list"], **written})
        self.lines: list[str] = []
        self.while_asleep: Callable[[], object] = lambda: None
        self.check: Callable[[], None] = lambda: None

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        for _count in range(self.ticks):
            self.cluster.tick()
        self.while_asleep()

    def look_for_cancel(self) -> None:
        """Tests set ``check`` when the runner is made already."""
        self.check()

    def runner(self) -> runner.ActionRunner:
        return runner.ActionRunner(
            self.api,  # type: ignore[arg-type]
            self.action,
            self.settings,
            say=self.lines.append,
            check_cancelled=self.look_for_cancel,
            clock=lambda: self.now,
            sleep=self.sleep,
        )

    def run(self) -> ActionOutcome:
        return self.runner().run()


SETTINGS = ("timeout", "progress_deadline", "keep", "leave_when_cancelled")


def refused(status: int) -> ApiError:
    return ApiError(status, "Refused", f"answer {status}")


JOBS, CONFIG_MAPS = _api.JOBS.plural, _api.CONFIG_MAPS.plural
