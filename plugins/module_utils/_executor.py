# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Drives plugin volumes along their life: applies the next step of each until all are where they should be.

Private to the collection: not a public interface.

Every round lists once and then does one step for each volume, so that all volumes advance side
by side. A conflict means that someone else acted first: the next round sees what they did.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Sequence

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils import _life as life
from ansible_collections.getporter.porter.plugins.module_utils import _manifests as manifests
from ansible_collections.getporter.porter.plugins.module_utils._api import (
    CLAIMS,
    EVENTS,
    JOBS,
    NODES,
    PODS,
    SECRETS,
    VOLUMES,
    KubeApi,
    Resource,
)
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ApiError,
    ConflictError,
    JobFailedError,
    PorterError,
    UnreachableError,
    WaitTimeoutError,
)
from ansible_collections.getporter.porter.plugins.module_utils._job_status import (
    RUNNING,
    WAITING_PHASES,
    JobStatus,
    installed_versions,
    job_status,
    last_line,
    newest_pod,
    phase_line,
)
from ansible_collections.getporter.porter.plugins.module_utils._observe import INSTALL_SELECTOR, observe
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume

Manifest = Dict[str, Any]

# Seconds between rounds: few after a step, since the hand-over takes tenths of a second; then more and more.
LEAST_INTERVAL = 0.1
MOST_INTERVAL = 0.5
INTERVAL_GROWTH = 1.5
# Seconds between two looks at the events about one Job, and before the first.
EVENTS_INTERVAL = 2.0


@dataclass(frozen=True)
class Settings:
    """How long to wait (seconds) and what to leave behind."""

    timeout: float
    # Seconds a Job may be stuck before that is a failure.
    progress_deadline: float
    keep_failed: bool = False


@dataclass
class Progress:
    """One volume on its way. ``done`` holds the steps that this run made."""

    volume: PluginVolume
    # Where it is, and where this run found it.
    state: str = life.ABSENT
    first_state: str = life.ABSENT
    done: list[str] = field(default_factory=list)
    status: JobStatus | None = None
    log: str | None = None
    error: PorterError | None = None
    finished: bool = False
    seconds: float = 0.0
    persistent_volume: Manifest | None = None
    # Uid of a Job that had failed before this run came: it is cleared, not reported.
    old_failure: str | None = None
    # Uids of what goes after a failure of this run's time.
    clearing: frozenset[str] = frozenset()
    # Uid of the plugin claim that this run is to replace by a refresh.
    refresh_of: str | None = None
    stuck_since: float | None = None
    # Whether this run has made sure of the Secret with the plugins document.
    has_document: bool = False
    last_reason: str = ""
    # Events about the Job, and when they were listed: no more often than every EVENTS_INTERVAL.
    events: list[Manifest] = field(default_factory=list)
    events_at: float | None = None
    # The last line that was reported.
    reported: str = ""


class Executor:
    """Applies steps. ``goal`` of run() decides which steps are this executor's business."""

    def __init__(
        self,
        api: KubeApi,
        settings: Settings,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        report: Callable[[PluginVolume, str], None] | None = None,
    ) -> None:
        self._api = api
        self._settings = settings
        self._clock = clock
        self._sleep = sleep
        self._report = report
        self._architectures: dict[str, str | None] = {}
        self._pod_lists: dict[str, list[Manifest]] = {}
        self._interval = LEAST_INTERVAL
        self._actions: dict[str, Callable[[Progress, life.Step, life.Observed], None]] = {
            life.CREATE_STAGING: self._create_staging,
            life.START_JOB: self._start_job,
            life.WAIT_JOB: self._watch_job,
            life.NOTE_INSTALLED: self._note_installed,
            life.CLEAR_FAILED: self._clear_failed,
            life.DELETE_JOB: self._delete_job,
            life.DELETE_OLD_JOB: self._delete_job,
            life.DELETE_STAGING: self._delete_claim,
            life.DELETE_LOST_CLAIM: self._delete_claim,
            life.REPLACE_CLAIM: self._delete_claim,
            life.KEEP_VOLUME: self._keep_volume,
            life.RESERVE: self._reserve,
            life.CREATE_CLAIM: self._create_claim,
            life.GIVE_BACK_POLICY: self._give_back_policy,
            life.DISOWN: self._disown,
        }

    def install(self, volumes: Sequence[PluginVolume]) -> list[Progress]:
        """Until the plugins of each volume are installed and noted on it; the hand-over is left alone.

        This is where a wanted refresh begins; from then on the objects tell of it.
        """
        return self._run(volumes, lambda step: step.state not in life.INSTALL_STATES, refresh=True)

    def make_ready(self, volumes: Sequence[PluginVolume]) -> list[Progress]:
        """Until each volume is bound to its plugin claim and nothing temporary is left."""
        return self._run(volumes, lambda step: step.action == life.NOTHING)

    def _run(
        self, volumes: Sequence[PluginVolume], reached: Callable[[life.Step], bool], refresh: bool = False
    ) -> list[Progress]:
        begin = self._clock()
        everyone = [Progress(volume) for volume in volumes]
        first_round = True
        while True:
            under_way = [each for each in everyone if not each.finished]
            if not under_way:
                return everyone
            self._pod_lists.clear()
            seen = observe(self._api, [each.volume for each in under_way])
            for each in under_way:
                if first_round and refresh:
                    each.refresh_of = refresh_of(each.volume, seen[each.volume.key])
                self._advance(each, seen[each.volume.key], reached, first_round)
                each.seconds = self._clock() - begin
            first_round = False
            self._give_up_late([each for each in under_way if not each.finished], begin)
            self._sleep_a_little(under_way)

    def _advance(self, each: Progress, seen: life.Observed, reached: Callable[[life.Step], bool], first: bool) -> None:
        """One step of one volume. Its own failure does not stop the others; an unreachable API does."""
        try:
            self._make_step(each, seen, reached, first)
        except UnreachableError:
            raise
        except ConflictError:
            # Someone acted between our list and our write. What they did shows in the next round.
            return
        except PorterError as error:
            # A failed install is what matters, though its rest cannot be cleared away.
            if each.error:
                each.error.message += " What it left could not be removed: %s" % error.message
            each.error, each.finished = each.error or error, True

    def _make_step(
        self, each: Progress, seen: life.Observed, reached: Callable[[life.Step], bool], first: bool
    ) -> None:
        step = life.next_step(each.volume, seen, each.refresh_of)
        each.state, each.last_reason = step.state, step.reason
        each.persistent_volume = life.current_volume(each.volume, seen)
        if first:
            each.first_state = step.state
            each.old_failure = seen.job["metadata"]["uid"] if step.state == life.FAILED and seen.job else None
        if each.error:
            self._clear_rest(each, seen)
        elif reached(step):
            self._finish(each, step)
        elif step.action == life.BLOCKED:
            raise PorterError(step.reason)
        elif step.action in self._actions:
            self._actions[step.action](each, step, seen)
            self._count(each, step)

    def _finish(self, each: Progress, step: life.Step) -> None:
        each.finished = True
        if step.action == life.NOTHING and each.done:
            self._say(each, "bound: %s is ready" % each.volume.identity.claim)

    def _count(self, each: Progress, step: life.Step) -> None:
        if step.action not in life.WAITS:
            each.done.append(step.action)
            self._interval = LEAST_INTERVAL

    def _give_up_late(self, waiting: list[Progress], begin: float) -> None:
        if self._clock() - begin < self._settings.timeout:
            return
        for each in waiting:
            status = each.status
            reason = (status and (status.stuck or status.phase)) or each.last_reason or each.state
            each.error = each.error or WaitTimeoutError(
                "%s: not there after %d s, state %s: %s. Run again to go on from here, with a longer timeout if "
                "it only needs time." % (each.volume.key, self._settings.timeout, each.state, reason)
            )
            each.finished = True

    def _sleep_a_little(self, under_way: list[Progress]) -> None:
        if all(each.finished for each in under_way):
            return
        self._sleep(self._interval)
        self._interval = min(self._interval * INTERVAL_GROWTH, MOST_INTERVAL)

    # --- the install ---

    def _create_staging(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        replaced = each.refresh_of if seen.claim else None
        staging = self._create(CLAIMS, manifests.staging_claim(each.volume, replaced))
        self._start_install(each, staging)

    def _start_job(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        self._start_install(each, _target(step))

    def _start_install(self, each: Progress, staging: Manifest) -> None:
        self._provide_document(each, staging)
        self._create(JOBS, manifests.install_job(each.volume, staging))

    def _provide_document(self, each: Progress, staging: Manifest) -> None:
        try:
            self._create(SECRETS, manifests.document_secret(each.volume, staging))
        except ConflictError as error:
            # Its name holds the staging claim's uid: where it exists, it can only be the one we want. A busy
            # ResourceQuota answers with a conflict too, and then there is none.
            if error.reason != "AlreadyExists":
                raise
        each.has_document = True

    def _watch_job(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        job = _target(step)
        if not each.has_document and seen.staging:
            # A Job that someone else started waits for ever when its Secret was deleted by hand.
            self._provide_document(each, seen.staging)
        pods = self._pods(job)
        each.status = job_status(job, pods, self._events_about(each, job, pods))
        self._say(each, self._phase_line(each, newest_pod(pods)))
        self._refuse_stuck(each, job)

    def _phase_line(self, each: Progress, pod: Manifest | None) -> str:
        """The phase for people. Only for them is the log read while the agent runs."""
        if not self._report or not each.status:
            return ""
        log = self._log(pod) if each.status.phase == RUNNING else None
        return phase_line(each.status, each.volume.agent.image, each.volume.plugin_names, log)

    def _say(self, each: Progress, line: str) -> None:
        """Report a line, once."""
        if self._report and line and line != each.reported:
            each.reported = line
            self._report(each.volume, line)

    def _refuse_stuck(self, each: Progress, job: Manifest) -> None:
        stuck = each.status.stuck if each.status else ""
        if not stuck:
            each.stuck_since = None
            return
        if each.stuck_since is None:
            each.stuck_since = self._clock()
        if self._clock() - each.stuck_since >= self._settings.progress_deadline:
            raise JobFailedError(
                "%s: the install Job %s makes no progress since %d s: %s. It is left as it is; a later run goes on "
                "with it once the cause is mended."
                % (each.volume.key, job["metadata"]["name"], self._settings.progress_deadline, stuck)
            )

    def _note_installed(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        staging, job = _target(step), seen.job
        persistent_volume = self._api.get(VOLUMES, staging["spec"].get("volumeName", ""))
        reference = ((persistent_volume or {}).get("spec") or {}).get("claimRef") or {}
        if not job or not persistent_volume or reference.get("uid") != staging["metadata"]["uid"]:
            raise ConflictError(409, "Conflict", "the staging claim's volume is not bound to it (any more)")
        pods = [pod for pod in self._pods(job) if pod["status"].get("phase") == "Succeeded"]
        each.status = job_status(job, pods, [])
        each.log = self._log(newest_pod(pods))
        patch = manifests.mark_installed(
            each.volume,
            persistent_volume,
            installed_versions(each.log),
            self._architecture(newest_pod(pods)),
            (staging["metadata"].get("annotations") or {}).get(keys.ANNOTATION_REFRESH_OF),
        )
        self._api.merge_patch(VOLUMES, persistent_volume["metadata"]["name"], patch)
        self._say(each, "installed on %s" % persistent_volume["metadata"]["name"])

    def _clear_failed(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        """A failure of this run's time is kept in ``error``; one from before is only cleared away."""
        job, staging = seen.job, _target(step)
        if job and job["metadata"]["uid"] != each.old_failure:
            each.error = self._failure(each, job, step)
            if self._settings.keep_failed:
                each.finished = True
                return
        leftovers = [item for item in (job, staging) if item]
        each.clearing = frozenset(item["metadata"]["uid"] for item in leftovers)
        self._clear_rest(each, seen)

    def _clear_rest(self, each: Progress, seen: life.Observed) -> None:
        """Delete what the failed install left until it is gone, and only that: another run may have begun anew."""
        left = [
            (resource, item)
            for resource, item in ((JOBS, seen.job), (CLAIMS, seen.staging))
            if item and item["metadata"]["uid"] in each.clearing
        ]
        for resource, item in left:
            if not item["metadata"].get("deletionTimestamp"):
                self._delete(resource, item, propagation="Foreground" if resource is JOBS else "Background")
        each.finished = bool(each.error) and not left

    def _failure(self, each: Progress, job: Manifest, step: life.Step) -> PorterError:
        pods = self._pods(job)
        each.status = job_status(job, pods, [])
        each.log = self._log(newest_pod(pods))
        said = step.reason or last_line(each.log) or each.status.message
        return JobFailedError(
            "%s: the install Job %s failed (%s): %s"
            % (each.volume.key, job["metadata"]["name"], each.status.reason or each.status.phase, said),
            phase=each.status.phase,
            reason=each.status.reason,
            pod=each.status.pod,
            exit_code=each.status.exit_code,
        )

    # --- the hand-over ---

    def _delete_job(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        # Foreground: its finished pods go with it, and the staging claim is free of them.
        self._delete(JOBS, _target(step), propagation="Foreground")
        # The staging claim may be told at once; it goes when the pods are gone.
        if step.state == life.INSTALLED and seen.staging and not seen.staging["metadata"].get("deletionTimestamp"):
            self._delete(CLAIMS, seen.staging)
            each.done.append(life.DELETE_STAGING)

    def _delete_claim(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        self._delete(CLAIMS, _target(step))

    def _keep_volume(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        target = _target(step)
        patch = {
            "metadata": {"resourceVersion": target["metadata"]["resourceVersion"]},
            "spec": {"persistentVolumeReclaimPolicy": "Retain"},
        }
        self._api.merge_patch(VOLUMES, target["metadata"]["name"], patch)

    def _reserve(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        target = _target(step)
        self._api.merge_patch(VOLUMES, target["metadata"]["name"], manifests.reserve(each.volume, target))

    def _create_claim(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        self._create(CLAIMS, manifests.plugin_claim(each.volume, _target(step)))

    def _give_back_policy(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        target = _target(step)
        self._api.merge_patch(VOLUMES, target["metadata"]["name"], manifests.give_back_policy(target))

    def _disown(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        target = _target(step)
        self._api.merge_patch(VOLUMES, target["metadata"]["name"], manifests.disown(target))

    # --- small helpers ---

    def _create(self, resource: Resource, body: Manifest) -> Manifest:
        """Create; where the name is taken by an object that is not ours, say so instead of trying for ever."""
        try:
            return self._api.create(resource, body)
        except ConflictError:
            name, namespace = body["metadata"]["name"], body["metadata"]["namespace"]
            if resource is SECRETS:
                raise
            existing = self._api.get(resource, name, namespace)
            selector = INSTALL_SELECTOR if resource is JOBS else keys.MANAGED_SELECTOR
            if existing and not _selected(existing, selector):
                raise PorterError(
                    "%s %s in namespace %s exists and is not labelled %s, so it is left alone. Label it so if it is "
                    "this collection's, or else delete it, and run again." % (body["kind"], name, namespace, selector)
                ) from None
            raise

    def _delete(self, resource: Resource, target: Manifest, propagation: str = "Background") -> None:
        metadata = target["metadata"]
        self._api.delete(
            resource, metadata["name"], metadata.get("namespace"), uid=metadata["uid"], propagation=propagation
        )

    def _pods(self, job: Manifest) -> list[Manifest]:
        """The Job's pods, out of one list a namespace and round."""
        namespace, uid = job["metadata"]["namespace"], job["metadata"]["uid"]
        if namespace not in self._pod_lists:
            self._pod_lists[namespace] = self._api.list_all(PODS, namespace, label_selector=INSTALL_SELECTOR)
        pods = self._pod_lists[namespace]
        return [pod for pod in pods if any(o["uid"] == uid for o in pod["metadata"].get("ownerReferences") or [])]

    def _events_about(self, each: Progress, job: Manifest, pods: list[Manifest]) -> list[Manifest]:
        """Events about the newest pod, or the Job while it has none: only they tell why nothing starts."""
        if job_status(job, pods, []).phase not in WAITING_PHASES:
            return []
        if each.events_at is None:
            each.events_at = self._clock()
        if self._clock() - each.events_at >= EVENTS_INTERVAL:
            subject = newest_pod(pods) or job
            selector = "involvedObject.uid=%s" % subject["metadata"]["uid"]
            each.events = self._api.list_all(EVENTS, job["metadata"]["namespace"], field_selector=selector)
            each.events_at = self._clock()
        return each.events

    def _log(self, pod: Manifest | None) -> str | None:
        if not pod:
            return None
        return self._api.pod_log(pod["metadata"]["namespace"], pod["metadata"]["name"], manifests.AGENT_CONTAINER)

    def _architecture(self, pod: Manifest | None) -> str | None:
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


def refresh_of(volume: PluginVolume, seen: life.Observed) -> str | None:
    """The uid of the plugin claim that is to be replaced, where that is wanted and there is one."""
    return seen.claim["metadata"]["uid"] if volume.refresh and seen.claim else None


def _selected(item: Manifest, selector: str) -> bool:
    """Whether lists with this selector of the form ``a=b,c=d`` show the item."""
    wanted = dict(term.split("=", 1) for term in selector.split(","))
    return wanted.items() <= (item["metadata"].get("labels") or {}).items()


def _target(step: life.Step) -> Manifest:
    """The step's object. Every step but the first has one."""
    if step.target is None:
        raise PorterError("step %s has no object" % step.action)
    return step.target
