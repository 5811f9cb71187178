# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps of a plugin volume's life, as requests: each idempotent, each write with a precondition or a fixed name.

Private to the collection: not a public interface.

A step that meets a ConflictError was made by someone else; whoever calls looks again.
"""

from __future__ import annotations

from typing import Any, Callable, Dict

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils import _life as life
from ansible_collections.getporter.porter.plugins.module_utils import _manifests as manifests
from ansible_collections.getporter.porter.plugins.module_utils._api import (
    CLAIMS,
    JOBS,
    SECRETS,
    VOLUMES,
    KubeApi,
    Resource,
)
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ConflictError,
    JobFailedError,
    PorterError,
)
from ansible_collections.getporter.porter.plugins.module_utils._job_status import (
    RUNNING,
    installed_versions,
    job_status,
    last_line,
    newest_pod,
    phase_line,
)
from ansible_collections.getporter.porter.plugins.module_utils._job_watch import JobWatch
from ansible_collections.getporter.porter.plugins.module_utils._observe import INSTALL_SELECTOR
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._progress import Progress, Settings

Manifest = Dict[str, Any]


class Steps:
    """Makes one step of one volume at a time."""

    def __init__(
        self,
        api: KubeApi,
        settings: Settings,
        clock: Callable[[], float],
        report: Callable[[PluginVolume, str], None] | None,
    ) -> None:
        self._api = api
        self._settings = settings
        self._clock = clock
        self._report = report
        self._watch = JobWatch(api, clock)
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

    def new_round(self) -> None:
        """What was read in the round before is old."""
        self._watch.new_round()

    def make(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        """Make the step, and count it where it changed something."""
        action = self._actions.get(step.action)
        if action:
            action(each, step, seen)
            if step.action not in life.WAITS:
                each.done.append(step.action)

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
        pods = self._watch.pods(job)
        each.status = job_status(job, pods, self._watch.events_about(each, job, pods))
        self.say(each, self._phase_line(each, newest_pod(pods)))
        self._refuse_stuck(each, job)

    def _phase_line(self, each: Progress, pod: Manifest | None) -> str:
        """The phase for people. Only for them is the log read while the agent runs."""
        if not self._report or not each.status:
            return ""
        log = self._watch.log(pod) if each.status.phase == RUNNING else None
        return phase_line(each.status, each.volume.agent.image, each.volume.plugin_names, log)

    def say(self, each: Progress, line: str) -> None:
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
        pods = [pod for pod in self._watch.pods(job) if pod["status"].get("phase") == "Succeeded"]
        each.status = job_status(job, pods, [])
        each.log = self._watch.log(newest_pod(pods))
        patch = manifests.mark_installed(
            each.volume,
            persistent_volume,
            installed_versions(each.log),
            self._watch.architecture(newest_pod(pods)),
            (staging["metadata"].get("annotations") or {}).get(keys.ANNOTATION_REFRESH_OF),
        )
        self._api.merge_patch(VOLUMES, persistent_volume["metadata"]["name"], patch)
        self.say(each, "installed on %s" % persistent_volume["metadata"]["name"])

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
        self.clear_rest(each, seen)

    def clear_rest(self, each: Progress, seen: life.Observed) -> None:
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
        pods = self._watch.pods(job)
        each.status = job_status(job, pods, [])
        each.log = self._watch.log(newest_pod(pods))
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


def _selected(item: Manifest, selector: str) -> bool:
    """Whether lists with this selector of the form ``a=b,c=d`` show the item."""
    wanted = dict(term.split("=", 1) for term in selector.split(","))
    return wanted.items() <= (item["metadata"].get("labels") or {}).items()


def _target(step: life.Step) -> Manifest:
    """The step's object. Every step but the first has one."""
    if step.target is None:
        raise PorterError("step %s has no object" % step.action)
    return step.target
