# Copyright: Contributors to the getporter.porter collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps of a plugin volume's life, as requests: each idempotent, each write with a precondition or a fixed name.

Private to the collection: not a public interface.

A step that meets a ConflictError was made by someone else; whoever calls looks again.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Callable, Dict

from ansible_collections.getporter.porter.plugins.module_utils import _labels as keys
from ansible_collections.getporter.porter.plugins.module_utils import _life as life
from ansible_collections.getporter.porter.plugins.module_utils import _manifests as manifests
from ansible_collections.getporter.porter.plugins.module_utils._api import (
    CLAIMS,
    CONFIG_MAPS,
    JOBS,
    SECRETS,
    VOLUMES,
    KubeApi,
)
from ansible_collections.getporter.porter.plugins.module_utils._errors import (
    ApiError,
    ConflictError,
    JobFailedError,
    PorterError,
    WaitTimeoutError,
)
from ansible_collections.getporter.porter.plugins.module_utils._job_status import (
    RUNNING,
    installed_versions,
    job_status,
    last_line,
    listed_versions,
    newest_pod,
    phase_line,
)
from ansible_collections.getporter.porter.plugins.module_utils._job_watch import JobWatch
from ansible_collections.getporter.porter.plugins.module_utils._names import record_name
from ansible_collections.getporter.porter.plugins.module_utils._observe import INSTALL_SELECTOR
from ansible_collections.getporter.porter.plugins.module_utils._owner_references import added, patch_of, references_of
from ansible_collections.getporter.porter.plugins.module_utils._plugin_volume import PluginVolume
from ansible_collections.getporter.porter.plugins.module_utils._progress import Progress, Settings
from ansible_collections.getporter.porter.plugins.module_utils._record import (
    PHASE_FAILED,
    PHASE_INSTALLING,
    RecordStatus,
    ready_status,
    says_what_is_wanted,
)
from ansible_collections.getporter.porter.plugins.module_utils._writing import (
    create_once,
    create_ours,
    delete_item,
    write_record,
)

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
        self._watch = JobWatch(api, clock, INSTALL_SELECTOR)
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
            life.NOTE_OWNERS: self._note_owners,
            life.WRITE_RECORDS: self._write_records,
            life.JOIN: self._join,
            life.NOTE_READY: self._note_ready,
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
        staging = create_ours(self._api, CLAIMS, manifests.staging_claim(each.volume, replaced), keys.MANAGED_SELECTOR)
        self._start_install(each, staging)

    def _start_job(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        self._start_install(each, _target(step))

    def _start_install(self, each: Progress, staging: Manifest) -> None:
        self._provide_document(each, staging)
        create_ours(self._api, JOBS, manifests.install_job(each.volume, staging), INSTALL_SELECTOR)

    def _provide_document(self, each: Progress, staging: Manifest) -> None:
        # Its name holds the staging claim's uid.
        create_once(self._api, SECRETS, manifests.document_secret(each.volume, staging))
        each.has_document = True

    def _watch_job(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        job = _target(step)
        if not each.has_document and seen.staging:
            # A Job that someone else started waits for ever when its Secret was deleted by hand.
            self._provide_document(each, seen.staging)
        pods = self._watch.pods(job)
        each.status = job_status(job, pods, self._watch.events_about(job, pods))
        self.say(each, self._phase_line(each, newest_pod(pods)))
        self._refuse_stuck(each, job)

    def _phase_line(self, each: Progress, pod: Manifest | None) -> str:
        """The phase for people. Only for them is the log read while the agent runs."""
        if not self._report or not each.status:
            return ""
        log = self._log(pod)[0] if each.status.phase == RUNNING else None
        return phase_line(each.status, each.volume.agent.image, each.volume.plugin_names, log)

    def say(self, each: Progress, line: str) -> None:
        """Report a line, once."""
        if self._report and line and line != each.reported:
            each.reported = line
            self._report(each.volume, line)

    def _refuse_stuck(self, each: Progress, job: Manifest) -> None:
        stuck = each.status.stuck if each.status else ""
        if each.patience.is_over(stuck, self._clock(), self._settings.progress_deadline):
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
        pods = self._watch.pods(job)
        each.status = job_status(job, pods, [])
        succeeded = newest_pod([pod for pod in pods if pod["status"].get("phase") == "Succeeded"])
        patch = manifests.mark_installed(
            each.volume,
            persistent_volume,
            self._versions(each, succeeded),
            self._watch.architecture(succeeded),
            (staging["metadata"].get("annotations") or {}).get(keys.ANNOTATION_REFRESH_OF),
        )
        self._api.merge_patch(VOLUMES, persistent_volume["metadata"]["name"], patch)
        self.say(each, "installed on %s" % persistent_volume["metadata"]["name"])

    def _versions(self, each: Progress, pod: Manifest | None) -> dict[str, str]:
        """What Porter listed on the volume, or where that is not known what it said that it installed."""
        each.log = self._watch.install_log(pod)
        listed = listed_versions(self._watch.list_log(pod))
        if listed is None:
            return installed_versions(each.log)
        missing = [name for name in each.volume.plugin_names if name not in listed]
        if missing:
            each.warnings.append(
                "%s: Porter installed %s, but lists only %s on the volume, which is what the record names. A plugin "
                "that does not run, or that gives another name, is not listed under its own. Where it does not work, "
                "name another version of it and run again."
                % (each.volume.key, " and ".join(missing), ", ".join(listed) or "nothing")
            )
        return listed

    def _clear_failed(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        """A failure of this run's time is kept in ``error``; one from before is only cleared away."""
        job, staging = seen.job, _target(step)
        if job and job["metadata"]["uid"] != each.old_failure:
            each.error = self._failure(each, job, step)
            self.note_failure(each)
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
                delete_item(self._api, resource, item, propagation="Foreground" if resource is JOBS else "Background")
        each.finished = bool(each.error) and not left

    def _failure(self, each: Progress, job: Manifest, step: life.Step) -> PorterError:
        pods = self._watch.pods(job)
        each.status = job_status(job, pods, [])
        each.log, refused = self._log(newest_pod(pods))
        said = step.reason or last_line(each.log) or each.status.message
        if refused:
            said = "%s. Why is in the log of its pod, which may not be read: %s" % (said.rstrip("."), refused)
        return JobFailedError(
            "%s: the install Job %s failed (%s): %s"
            % (each.volume.key, job["metadata"]["name"], each.status.reason or each.status.phase, said),
            phase=each.status.phase,
            reason=each.status.reason,
            pod=each.status.pod,
            exit_code=each.status.exit_code,
        )

    def _log(self, pod: Manifest | None) -> tuple[str | None, str]:
        """The log of a pod, or why it may not be read: it is a help, no condition."""
        try:
            return self._watch.log(pod), ""
        except ApiError as error:
            if error.status != 403:
                raise
            return None, error.message

    # --- the hand-over ---

    def _delete_job(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        # Foreground: its finished pods go with it, and the staging claim is free of them.
        delete_item(self._api, JOBS, _target(step), propagation="Foreground")
        # The staging claim may be told at once; it goes when the pods are gone.
        if step.state == life.INSTALLED and seen.staging and not seen.staging["metadata"].get("deletionTimestamp"):
            delete_item(self._api, CLAIMS, seen.staging)
            each.done.append(life.DELETE_STAGING)

    def _delete_claim(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        delete_item(self._api, CLAIMS, _target(step))

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
        target = _target(step)
        owners = life.owners_to_be(each.volume, seen, target)
        create_ours(self._api, CLAIMS, manifests.plugin_claim(each.volume, target, owners), keys.MANAGED_SELECTOR)

    def _give_back_policy(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        target = _target(step)
        self._api.merge_patch(VOLUMES, target["metadata"]["name"], manifests.give_back_policy(target))

    def _disown(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        target = _target(step)
        self._api.merge_patch(VOLUMES, target["metadata"]["name"], manifests.disown(target))

    def _note_owners(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        target = _target(step)
        self._api.merge_patch(VOLUMES, target["metadata"]["name"], manifests.note_owners(target, step.reason))

    # --- the agent configs ---

    def _write_records(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        for wanted in life.outdated_records(each.volume, seen):
            write_record(self._api, seen.records.get(wanted.key), wanted, RecordStatus(PHASE_INSTALLING))

    def _join(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        claim = _target(step)
        present = references_of(claim)
        references = added(present, life.wanted_owners(each.volume, seen)) or present
        # In one patch, which of two different sets that join at once refuses the second.
        patch = patch_of(claim, references, life.missing_notes(each.volume, claim))
        self._api.json_patch(CLAIMS, claim["metadata"]["name"], patch, each.volume.namespace)

    def _note_ready(self, each: Progress, step: life.Step, seen: life.Observed) -> None:
        for wanted in each.volume.records:
            write_record(self._api, seen.records.get(wanted.key), wanted, ready_status(_target(step)))

    def note_failure(self, each: Progress) -> None:
        """Say in the records why there is no plugin volume. What cannot be written down is not worth another error."""
        if not each.error:
            return
        phase = PHASE_INSTALLING if isinstance(each.error, WaitTimeoutError) else PHASE_FAILED
        reason = (each.status and each.status.reason) or type(each.error).__name__
        status = RecordStatus(phase, reason, each.volume.masked(each.error.message))
        for wanted in each.volume.records:
            with suppress(ApiError):
                record = self._api.get(CONFIG_MAPS, record_name(wanted.name), wanted.namespace)
                if says_what_is_wanted(record, wanted):
                    write_record(self._api, record, wanted, status)


def _target(step: life.Step) -> Manifest:
    """The step's object. Every step but the first has one."""
    if step.target is None:
        raise PorterError("step %s has no object" % step.action)
    return step.target
